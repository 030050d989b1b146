/* SPDX-License-Identifier: BSD-2-Clause */
/* arch/x86_64/pure_mtrr.c: types by fixed, variable and default registers, and whole ranges against
 * a page-by-page oracle. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/x86_64/pure_mtrr.h"

#define KIB 1024ull
#define MIB (KIB * KIB)
#define GIB (MIB * KIB)

#define ENABLE       0x800u
#define FIXED_ENABLE 0x400u
#define VALID        0x800u

static struct mtrr_state plain(enum mtrr_type type, unsigned physical_bits)
{
    struct mtrr_state state;

    memset(&state, 0, sizeof(state));
    state.capability = 0x508;
    state.default_type = ENABLE | type;
    state.physical_bits = physical_bits;
    return state;
}

static void range_add(struct mtrr_state *state, uint64_t base, uint64_t size, enum mtrr_type type)
{
    uint64_t bits = (1ull << state->physical_bits) - 1;

    state->base[state->variable] = base | type;
    state->mask[state->variable] = (~(size - 1) & bits & ~0xfffull) | VALID;
    state->variable++;
}

static bool writeback(const struct mtrr_state *state, uint64_t base, uint64_t bytes)
{
    phys_addr pos = phys_make(base), end = phys_make(base + bytes);
    bool answer = true;

    while (pos.value < end.value && answer) {
        phys_addr next = mtrr_same_type(state, pos, end, &answer);
        assert_true(next.value > pos.value && next.value <= end.value);
        pos = next;
    }
    return answer;
}

static void disabled_is_uncached(void **unused)
{
    struct mtrr_state state = plain(MTRR_WB, 40);

    (void)unused;
    assert_true(writeback(&state, 0, 4 * GIB));
    state.default_type &= ~ENABLE;
    assert_false(writeback(&state, 0, 4096));
    assert_int_equal(mtrr_type_at(&state, 0), MTRR_UC);
}

/* As OVMF sets them on q35: default write-back, 2 to 4 GiB uncached. */
static void as_ovmf_sets_them(void **unused)
{
    struct mtrr_state state = plain(MTRR_WB, 40);

    (void)unused;
    state.default_type |= FIXED_ENABLE;
    for (unsigned i = 0; i < MTRR_FIXED; i++)
        state.fixed[i] = i < 2 ? 0x0606060606060606ull : 0;
    range_add(&state, 2 * GIB, 2 * GIB, MTRR_UC);
    assert_true(writeback(&state, 0, 0xa0000));
    assert_false(writeback(&state, 0, 0xa0001));
    assert_false(writeback(&state, 0xa0000, 0x1000));
    assert_true(writeback(&state, MIB, 2 * GIB - MIB));
    assert_false(writeback(&state, MIB, 2 * GIB - MIB + 1));
    assert_false(writeback(&state, 3 * GIB, GIB));
    assert_true(writeback(&state, 4 * GIB, 60 * GIB));
    assert_false(writeback(&state, 4 * GIB - 1, 2));
}

/* As on many real boards: default uncached, memory covered by write-back ranges. */
static void default_uncached(void **unused)
{
    struct mtrr_state state = plain(MTRR_UC, 39);

    (void)unused;
    range_add(&state, 0, 2 * GIB, MTRR_WB);
    range_add(&state, 2 * GIB, GIB, MTRR_WB);
    range_add(&state, 0xb0000000, 256 * MIB, MTRR_UC);
    range_add(&state, 4 * GIB, 4 * GIB, MTRR_WB);
    assert_true(writeback(&state, 0, 0xb0000000));
    assert_false(writeback(&state, 0, 0xb0000000 + 1));
    assert_true(writeback(&state, 1 * GIB, GIB + 512 * MIB));
    assert_false(writeback(&state, 3 * GIB, 4096));
    assert_true(writeback(&state, 4 * GIB, 4 * GIB));
    assert_false(writeback(&state, 4 * GIB, 4 * GIB + 4096));
    /* A range that is not valid does nothing. */
    state.mask[2] &= ~(uint64_t)VALID;
    assert_true(writeback(&state, 0, 3 * GIB));
}

static void fixed_ranges(void **unused)
{
    struct mtrr_state state = plain(MTRR_WB, 36);
    static const struct {
        unsigned reg, slot;
        uint64_t base, bytes;
    } pieces[] = {{0, 0, 0, 0x10000},      {0, 7, 0x70000, 0x10000}, {1, 0, 0x80000, 0x4000},
                  {1, 7, 0x9c000, 0x4000}, {2, 0, 0xa0000, 0x4000},  {2, 7, 0xbc000, 0x4000},
                  {3, 0, 0xc0000, 0x1000}, {3, 7, 0xc7000, 0x1000},  {4, 1, 0xc9000, 0x1000},
                  {10, 7, 0xff000, 0x1000}};

    (void)unused;
    state.default_type |= FIXED_ENABLE;
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        for (unsigned k = 0; k < MTRR_FIXED; k++)
            state.fixed[k] = 0x0606060606060606ull;
        assert_true(writeback(&state, 0, 2 * MIB));
        state.fixed[pieces[i].reg] &= ~(0xffull << (8 * pieces[i].slot));
        state.fixed[pieces[i].reg] |= (uint64_t)MTRR_WP << (8 * pieces[i].slot);
        assert_int_equal(mtrr_type_at(&state, pieces[i].base), MTRR_WP);
        assert_int_equal(mtrr_type_at(&state, pieces[i].base + pieces[i].bytes - 1), MTRR_WP);
        assert_int_equal(mtrr_type_at(&state, pieces[i].base + pieces[i].bytes), MTRR_WB);
        if (pieces[i].base)
            assert_int_equal(mtrr_type_at(&state, pieces[i].base - 1), MTRR_WB);
        assert_false(writeback(&state, 0, 2 * MIB));
        /* Not enabled, or not present: the variable ranges and the default decide below 1 MiB too.
         */
        state.default_type &= ~FIXED_ENABLE;
        assert_true(writeback(&state, 0, 2 * MIB));
        state.default_type |= FIXED_ENABLE;
        state.capability &= ~0x100ull;
        assert_true(writeback(&state, 0, 2 * MIB));
        state.capability |= 0x100;
    }
    state.fixed[0] = 0x0606060606060602ull;
    assert_int_equal(mtrr_type_at(&state, 0), MTRR_UNDEFINED);
    /* Variable ranges do not reach below 1 MiB while fixed ones decide. */
    state.fixed[0] = 0x0606060606060606ull;
    range_add(&state, 0, MIB, MTRR_UC);
    assert_true(writeback(&state, 0, 0x80000));
}

/* AMD shows RdMem and WrMem (bits 4:3) in each fixed type. */
static void fixed_ranges_of_amd(void **unused)
{
    struct mtrr_state state = plain(MTRR_WB, 48);

    (void)unused;
    state.default_type |= FIXED_ENABLE;
    state.fixed[0] = 0x061e16060e061e1eull;
    assert_int_equal(mtrr_type_at(&state, 0), MTRR_UNDEFINED);
    state.amd = true;
    assert_int_equal(mtrr_type_at(&state, 0), MTRR_WB);
    assert_int_equal(mtrr_type_at(&state, 0x20000), MTRR_WB);
    assert_int_equal(mtrr_type_at(&state, 0x30000), MTRR_UC);
    assert_int_equal(mtrr_type_at(&state, 0x50000), MTRR_UC);
    assert_int_equal(mtrr_type_at(&state, 0x60000), MTRR_WB);
}

static void precedence_of_overlaps(void **unused)
{
    static const struct {
        enum mtrr_type a, b, result;
    } pairs[] = {{MTRR_WB, MTRR_WB, MTRR_WB},        {MTRR_WB, MTRR_UC, MTRR_UC},
                 {MTRR_WT, MTRR_UC, MTRR_UC},        {MTRR_WC, MTRR_UC, MTRR_UC},
                 {MTRR_WP, MTRR_UC, MTRR_UC},        {MTRR_WT, MTRR_WB, MTRR_WT},
                 {MTRR_WC, MTRR_WB, MTRR_UNDEFINED}, {MTRR_WP, MTRR_WB, MTRR_UNDEFINED},
                 {MTRR_WC, MTRR_WT, MTRR_UNDEFINED}, {MTRR_WC, MTRR_WC, MTRR_WC}};

    (void)unused;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        for (int swap = 0; swap < 2; swap++) {
            struct mtrr_state state = plain(MTRR_WP, 40);
            range_add(&state, 0, 2 * GIB, swap ? pairs[i].b : pairs[i].a);
            range_add(&state, GIB, GIB, swap ? pairs[i].a : pairs[i].b);
            assert_int_equal(mtrr_type_at(&state, 0), swap ? pairs[i].b : pairs[i].a);
            assert_int_equal(mtrr_type_at(&state, GIB), pairs[i].result);
            assert_int_equal(mtrr_type_at(&state, 2 * GIB), MTRR_WP);
            assert_int_equal(writeback(&state, GIB, GIB), pairs[i].result == MTRR_WB);
        }
    }
    /* A reserved type code is not write-back. */
    struct mtrr_state state = plain(MTRR_WB, 40);
    range_add(&state, 0, GIB, (enum mtrr_type)2);
    assert_int_equal(mtrr_type_at(&state, 0), MTRR_UNDEFINED);
    state = plain((enum mtrr_type)3, 40);
    assert_int_equal(mtrr_type_at(&state, 0), MTRR_UNDEFINED);
    assert_false(writeback(&state, 0, GIB));
}

static void amd_top_of_memory_2(void **unused)
{
    struct mtrr_state state = plain(MTRR_UC, 48);

    (void)unused;
    range_add(&state, 0, 2 * GIB, MTRR_WB);
    state.top_mem2 = 34 * GIB;
    state.syscfg = 3u << 21;
    assert_false(writeback(&state, 4 * GIB, GIB)); /* not AMD */
    state.amd = true;
    assert_true(writeback(&state, 4 * GIB, 30 * GIB));
    assert_false(writeback(&state, 4 * GIB, 30 * GIB + 4096));
    assert_false(writeback(&state, 34 * GIB, 4096));
    assert_false(writeback(&state, 4 * GIB - 4096, 8192));
    assert_true(writeback(&state, GIB, GIB));
    /* Both bits are needed, and MTRRs on top of it win. */
    state.syscfg = 1u << 21;
    assert_false(writeback(&state, 4 * GIB, GIB));
    state.syscfg = 1u << 22;
    assert_false(writeback(&state, 4 * GIB, GIB));
    state.syscfg = 3u << 21;
    range_add(&state, 8 * GIB, GIB, MTRR_UC);
    assert_true(writeback(&state, 4 * GIB, 4 * GIB));
    assert_false(writeback(&state, 4 * GIB, 4 * GIB + 4096));
    assert_true(writeback(&state, 9 * GIB, 25 * GIB));
    state.default_type &= ~ENABLE;
    assert_false(writeback(&state, 9 * GIB, GIB));
}

static void edges_of_the_query(void **unused)
{
    struct mtrr_state state = plain(MTRR_WB, 52);

    (void)unused;
    assert_true(writeback(&state, 3 * GIB, 0));
    assert_true(writeback(&state, UINT64_MAX, 0));
    /* An empty mask matches every address. */
    state.base[0] = MTRR_UC;
    state.mask[0] = VALID;
    state.variable = 1;
    assert_false(writeback(&state, 5 * GIB, 4096));
    /* No CPUID answer for the address width: 36 bits, as the first CPUs had. */
    state = plain(MTRR_WB, 36);
    range_add(&state, GIB, GIB, MTRR_UC);
    state.physical_bits = 0;
    assert_false(writeback(&state, GIB, 4096));
    assert_true(writeback(&state, 2 * GIB, 60 * GIB));
}

/* Firmware that assumes fewer address bits than there are writes masks whose top is 0: the range
 * then appears again and again. */
static void mask_with_a_missing_top(void **unused)
{
    struct mtrr_state state = plain(MTRR_WB, 36);

    (void)unused;
    range_add(&state, 2 * GIB, GIB, MTRR_UC);
    state.physical_bits = 39;
    assert_false(writeback(&state, 2 * GIB, 4096));
    assert_true(writeback(&state, 64 * GIB, 2 * GIB));
    assert_false(writeback(&state, 64 * GIB, 2 * GIB + 1));
    assert_true(writeback(&state, 67 * GIB, 63 * GIB));
    assert_false(writeback(&state, 67 * GIB, 63 * GIB + 1));
}

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static struct mtrr_state random_state(uint64_t *seed)
{
    static const enum mtrr_type types[] = {MTRR_WB, MTRR_WB, MTRR_WB, MTRR_UC, MTRR_WT};
    struct mtrr_state state = plain(types[random_next(seed) % 4], 36);
    unsigned ranges = (unsigned)(random_next(seed) % 6);

    if (random_next(seed) & 1)
        state.default_type |= FIXED_ENABLE;
    for (unsigned i = 0; i < MTRR_FIXED; i++)
        state.fixed[i] = random_next(seed) & 3 ? 0x0606060606060606ull : 0x0606000606060606ull;
    for (unsigned i = 0; i < ranges; i++) {
        uint64_t size = 4096ull << random_next(seed) % 11;
        range_add(&state, random_next(seed) % (8 * MIB) & ~(size - 1), size,
                  types[random_next(seed) % 5]);
        if (random_next(seed) % 4 == 0)
            state.mask[i] &= ~(4096ull << random_next(seed) % 13);
    }
    return state;
}

static void ranges_against_pages(void **unused)
{
    uint64_t seed = 0x123456789abcdefull;
    unsigned yes = 0, no = 0;

    (void)unused;
    for (unsigned round = 0; round < 4000; round++) {
        struct mtrr_state state = random_state(&seed);
        uint64_t base = random_next(&seed) % (8 * MIB) & ~4095ull;
        uint64_t bytes = (random_next(&seed) % (2 * MIB) & ~4095ull) >> random_next(&seed) % 8;
        bool expected = true;

        bytes = (bytes & ~4095ull) + 4096;
        for (uint64_t pos = base; pos < base + bytes; pos += 4096)
            expected = expected && mtrr_type_at(&state, pos) == MTRR_WB;
        assert_int_equal(writeback(&state, base, bytes), expected);
        yes += expected;
        no += !expected;
    }
    assert_true(yes > 500 && no > 500);
}

static unsigned steps_of(const struct mtrr_state *state, uint64_t base, uint64_t end,
                         uint64_t *writeback_bytes)
{
    unsigned steps = 0;

    *writeback_bytes = 0;
    for (uint64_t pos = base; pos < end; steps++) {
        bool answer;
        uint64_t next = mtrr_same_type(state, phys_make(pos), phys_make(end), &answer).value;

        assert_true(next > pos && next <= end);
        *writeback_bytes += answer ? next - pos : 0;
        pos = next;
    }
    return steps;
}

/* Also where memory is not write-back, and where it becomes so again. */
static void edges_against_pages(void **unused)
{
    uint64_t seed = 0x3141592653589793ull, found;

    (void)unused;
    for (unsigned round = 0; round < 1000; round++) {
        struct mtrr_state state = random_state(&seed);
        uint64_t expected = 0, base = round % 2 ? 4 * GIB - 8 * MIB : 0;

        state.amd = round % 2;
        state.syscfg = 3u << 21;
        state.top_mem2 = 4 * GIB + 4 * MIB;
        for (unsigned i = 0; i < state.variable && round % 2; i++)
            state.base[i] += base;
        for (uint64_t pos = base; pos < base + 16 * MIB; pos += 4096)
            expected += mtrr_type_at(&state, pos) == MTRR_WB ? 4096 : 0;
        steps_of(&state, base, base + 16 * MIB, &found);
        assert_int_equal(found, expected);
    }
}

/* The number of queries depends on the registers, not on the memory. */
static void terabytes_in_few_steps(void **unused)
{
    struct mtrr_state state = plain(MTRR_UC, 46);
    uint64_t found;

    (void)unused;
    range_add(&state, 0, 4096 * GIB, MTRR_WB);
    range_add(&state, 2 * GIB, 2 * GIB, MTRR_UC);
    range_add(&state, 4096 * GIB, 2 * GIB, MTRR_WB);
    assert_true(steps_of(&state, 0, 8192 * GIB, &found) <= 6);
    assert_int_equal(found, 4096 * GIB);
    /* A mask with a gap: bit 32 may be anything. */
    state.mask[1] &= ~(4 * GIB);
    state.base[1] = 0;
    assert_true(steps_of(&state, 0, 8192 * GIB, &found) <= 10);
    assert_int_equal(found, 4096 * GIB - 2 * GIB);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disabled_is_uncached),    cmocka_unit_test(as_ovmf_sets_them),
        cmocka_unit_test(default_uncached),        cmocka_unit_test(fixed_ranges),
        cmocka_unit_test(fixed_ranges_of_amd),     cmocka_unit_test(precedence_of_overlaps),
        cmocka_unit_test(amd_top_of_memory_2),     cmocka_unit_test(edges_of_the_query),
        cmocka_unit_test(mask_with_a_missing_top), cmocka_unit_test(ranges_against_pages),
        cmocka_unit_test(edges_against_pages),     cmocka_unit_test(terabytes_in_few_steps),
    };
    return cmocka_run_group_tests_name("x86_64 mtrr", tests, NULL, NULL);
}
