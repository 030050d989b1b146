/* SPDX-License-Identifier: BSD-2-Clause */
/* The steps of a test of memory's contents, and what its errors are said to be. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/dram/badram.h"
#include "core/dram/verify.h"
#include "core/lib/random.h"

#define BYTES (1ull << 30)

static struct march_errors errors;

static void every_step_expects_what_was_written_last(void **state)
{
    enum verify_data held = VERIFY_NONE;
    uint32_t moves = 0;

    (void)state;
    for (unsigned i = 0; i < VERIFY_STEPS; i++) {
        const struct verify_step *step = &verify_steps[i];
        struct march_data data;
        assert_true(step->expected == VERIFY_NONE || step->expected == held);
        assert_true(verify_data_of(step->expected, &data) == (step->expected != VERIFY_NONE));
        held = step->written != VERIFY_NONE ? step->written : held;
        moves += verify_step_moves(step);
        assert_false(step->hold && step->expected == VERIFY_NONE);
    }
    assert_int_equal(moves, VERIFY_MOVES);
}

/* March C- finds coupling of any two cells in both directions because 0 and 1 are written over
 * each other going up and going down. */
static void it_marches_both_ways(void **state)
{
    bool seen[2][2] = {{false}};

    (void)state;
    for (unsigned i = 0; i < VERIFY_STEPS; i++) {
        const struct verify_step *step = &verify_steps[i];
        if (step->expected == VERIFY_A && step->written == VERIFY_NOT_A)
            seen[step->order == MARCH_DOWN][0] = true;
        if (step->expected == VERIFY_NOT_A && step->written == VERIFY_A)
            seen[step->order == MARCH_DOWN][1] = true;
    }
    assert_true(seen[0][0] && seen[0][1] && seen[1][0] && seen[1][1]);
}

/* Steps over parts that were tested before are March C- too, and all of it. */
static void joined_parts_are_marched_alike(void **state)
{
    uint32_t moves = 0;

    (void)state;
    for (unsigned i = 0; i < VERIFY_JOIN_STEPS; i++) {
        const struct verify_step *step = &verify_join_steps[i], *like = &verify_steps[i];
        bool last = i + 1 == VERIFY_JOIN_STEPS;
        assert_int_equal(step->order, like->order);
        assert_int_equal(step->expected, like->expected);
        assert_int_equal(step->written, last ? VERIFY_NONE : like->written);
        assert_false(step->hold);
        moves += verify_step_moves(step);
    }
    assert_int_equal(moves, VERIFY_JOIN_MOVES);
}

/* Of the addresses 0 to 9 the first part has 0 to 5, the second 6 and 7, the third 8 and 9; 4 and 5
 * are aside. Pairs are counted one by one. */
static void pairs_that_were_apart(void **state)
{
    static const unsigned bit[10] = {1, 1, 1, 1, 1 | 2, 1 | 2, 2, 2, 4, 4};

    (void)state;
    for (unsigned joined = 0; joined < 3; joined++)
        for (unsigned aside = 0; aside < 2; aside++) {
            struct verify_parts parts = {.first = 0};
            unsigned apart = 0;
            verify_parts_add(&parts, 6, 0);
            assert_true(verify_parts_apart(&parts) == 0);
            verify_parts_add(&parts, aside ? 4 : 2, aside ? 2 : 0);
            verify_parts_add(&parts, 2, 0);
            /* All but what is aside; or the addresses from 8 on are not to be had again. */
            parts.joined = joined == 0 ? 0 : (joined == 1 ? 10 : 8) - (aside ? 2 : 0);
            for (unsigned a = 0; a < 10; a++)
                for (unsigned b = 0; b < 10; b++) {
                    unsigned has_a = bit[a] & ~(aside ? 0u : a < 6 ? 2u : 0u);
                    unsigned has_b = bit[b] & ~(aside ? 0u : b < 6 ? 2u : 0u);
                    unsigned end = joined == 1 ? 10 : 8;
                    bool out_a = a >= end || (aside && (a == 4 || a == 5));
                    bool out_b = b >= end || (aside && (b == 4 || b == 5));
                    apart += (has_a & has_b) == 0 && (joined == 0 || out_a || out_b);
                }
            if (fabs(verify_parts_apart(&parts) - apart / 100.0) > 1e-12)
                fail_msg("joined %u aside %u: %g, counted %u", joined, aside,
                         verify_parts_apart(&parts), apart);
        }
}

/* The word at `offset`, found wrong by each step in turn; stored: it goes on reading wrong. */
static void enter(uint64_t offset, uint64_t expected, uint64_t read, unsigned times, bool stored)
{
    struct march_reread again = {.wrong = stored ? MARCH_REREADS : 0,
                                 .last = stored ? read : expected};

    for (unsigned i = 0; i < times; i++) {
        errors.step = i;
        march_enter(&errors, offset, expected, read, &again);
    }
}

static enum verify_kind kind_of(uint32_t index, bool retested)
{
    return verify_judge(&errors, index, BYTES, retested).kind;
}

static void causes_are_told_apart(void **state)
{
    struct verify_verdict verdict;

    (void)state;
    march_errors_start(&errors, BYTES / 64);
    enter(0x100000, 5, 4, 3, true);
    enter(0x8200000, 5, 4, 1, false);
    enter(0x10300000, 5, 0x7777777, 1, true);
    assert_int_equal(kind_of(0, true), VERIFY_STORED);
    assert_int_equal(kind_of(1, true), VERIFY_TRANSFER);
    assert_int_equal(kind_of(2, true), VERIFY_OUTSIDE);
    /* It may have been wrong again if there had been more steps. */
    assert_int_equal(kind_of(2, false), VERIFY_STORED);
    enter(0x18400008, 0x18400008, 0x1500008, 2, true);
    march_enter(&errors, 0x18400008, 0, ~0ull, NULL);
    verdict = verify_judge(&errors, 3, BYTES, true);
    assert_int_equal(verdict.kind, VERIFY_ALIAS);
    assert_int_equal(verdict.alias_offset, 0x1500008);
}

/* Wrong once, and by data that tell nothing: beside aliases that is no device's work. */
static void beside_aliases_nothing_is_from_outside(void **state)
{
    (void)state;
    march_errors_start(&errors, BYTES / 64);
    enter(0x1500048, 5, 0x7777777, 1, true);
    assert_int_equal(kind_of(0, true), VERIFY_OUTSIDE);
    enter(0x18400008, 0x18400008, 0x1500008, 2, true);
    march_enter(&errors, 0x18400008, 0, ~0ull, NULL);
    assert_int_equal(kind_of(1, true), VERIFY_ALIAS);
    assert_int_equal(kind_of(0, true), VERIFY_STORED);
}

/* A stuck bit makes an address into another one too, but nothing else differs. */
static void a_bad_address_bit_of_the_data_is_no_alias(void **state)
{
    (void)state;
    march_errors_start(&errors, BYTES / 64);
    enter(0x100000, 0x100000, 0x100000 ^ 1 << 20, 4, true);
    assert_int_equal(kind_of(0, true), VERIFY_STORED);
}

/* Each word fails once, but they fail in the same lane: no device writes so. */
static void a_lane_that_spoils_what_is_written_is_no_device(void **state)
{
    (void)state;
    march_errors_start(&errors, BYTES / 64);
    for (uint64_t i = 0; i < 4; i++)
        enter(0x100000 + i * 0x4000000, 0, 1ull << 17, 1, true);
    enter(0x30000000, 0, 1ull << 18, 1, true);
    assert_int_equal(kind_of(0, true), VERIFY_STORED);
    assert_int_equal(kind_of(3, true), VERIFY_STORED);
    assert_int_equal(kind_of(4, true), VERIFY_OUTSIDE);
}

static void bad_lines_are_listed_once(void **state)
{
    uint64_t list[MARCH_WORDS_MAX];

    (void)state;
    march_errors_start(&errors, BYTES / 64);
    enter(0x1008, 0, 1, 1, true);
    enter(0x1010, 0, 1, 1, true);
    enter(0x2000, 0, 1, 1, true);
    assert_int_equal(verify_bad_lines(&errors, list), 2);
    assert_int_equal(list[0], 0x1000 / 64);
    assert_int_equal(list[1], 0x2000 / 64);
}

/* ---- bad ranges for kernels and boot loaders */

static void memmap_is_what_linux_reads(void **state)
{
    char buffer[80];
    struct text line;

    (void)state;
    text_start(&line, buffer, sizeof buffer);
    badram_memmap(phys_make(0x123456000), 0x3000, &line);
    assert_string_equal(buffer, "memmap=12K$0x123456000");
}

static unsigned long long hex_at(const char **text)
{
    char *end;
    unsigned long long value = strtoull(*text, &end, 16);

    *text = *end == ',' ? end + 1 : end;
    return value;
}

/* Whether an address is bad by GRUB's rule. */
static bool is_bad(const char *pairs, uint64_t address)
{
    while (*pairs != '\0') {
        uint64_t first = hex_at(&pairs), mask = hex_at(&pairs);
        if ((address & mask) == (first & mask))
            return true;
    }
    return false;
}

static unsigned count_commas(const char *text)
{
    unsigned count = 0;

    for (; *text != '\0'; text++)
        count += *text == ',';
    return count;
}

static void badram_covers_the_range_and_little_else(void **state)
{
    struct random random;

    (void)state;
    random_start(&random, 9);
    for (unsigned i = 0; i < 2000; i++) {
        uint64_t first = random_below(&random, 1ull << (20 + i % 20)) & ~0xfffull;
        uint64_t bytes = (1 + random_below(&random, 1ull << i % 16)) << 12;
        char buffer[420];
        struct text line;
        text_start(&line, buffer, sizeof buffer);
        badram_grub(phys_make(first), bytes, &line);
        assert_true(count_commas(buffer) < 2 * BADRAM_PAIRS_MAX);
        assert_true(is_bad(buffer, first) && is_bad(buffer, first + bytes - 4096) &&
                    is_bad(buffer, first + bytes / 8192 * 4096));
        assert_false(first > bytes && is_bad(buffer, first - bytes / 2 - 4096));
        assert_false(is_bad(buffer, first + bytes + bytes / 2 + 4096));
    }
}

static void a_page_is_one_pair(void **state)
{
    char buffer[80];
    struct text line;

    (void)state;
    text_start(&line, buffer, sizeof buffer);
    badram_grub(phys_make(0x7000), 0x1000, &line);
    assert_string_equal(buffer, "0x7000,0xfffffffffffff000");
    text_start(&line, buffer, sizeof buffer);
    badram_grub(phys_make(0), 0x3000, &line);
    assert_string_equal(buffer, "0x0,0xffffffffffffe000,0x2000,0xfffffffffffff000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_expects_what_was_written_last),
        cmocka_unit_test(it_marches_both_ways),
        cmocka_unit_test(joined_parts_are_marched_alike),
        cmocka_unit_test(pairs_that_were_apart),
        cmocka_unit_test(causes_are_told_apart),
        cmocka_unit_test(beside_aliases_nothing_is_from_outside),
        cmocka_unit_test(a_bad_address_bit_of_the_data_is_no_alias),
        cmocka_unit_test(a_lane_that_spoils_what_is_written_is_no_device),
        cmocka_unit_test(bad_lines_are_listed_once),
        cmocka_unit_test(memmap_is_what_linux_reads),
        cmocka_unit_test(badram_covers_the_range_and_little_else),
        cmocka_unit_test(a_page_is_one_pair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
