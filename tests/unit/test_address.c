/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions of addresses, recovered from pairs that conflict, on public and made-up mappings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/dram/address.h"

#define BITS(...) bits((const int[]){__VA_ARGS__, 0})
#define PAIRS     200
#define BASE      (4ull << 30)
#define BYTES     (16ull << 30)
#define OUTLIERS  5 /* percent */
#define SEEDS     20
#define LINE_BIT  6
#define ENOUGH    0.85

static uint64_t bits(const int *list)
{
    uint64_t mask = 0;

    for (; *list != 0; list++)
        mask |= 1ull << *list;
    return mask;
}

struct mapping {
    const char *name;
    uint64_t offset_bytes;
    int row_bit;
    struct address_functions functions;
};

static size_t make_mappings(struct mapping *m)
{
    const struct mapping all[] = {
        {"coffee lake", 0, 17, {4, {BITS(6, 13), BITS(14, 17), BITS(15, 18), BITS(16, 19)}}},
        {"skylake",
         0,
         19,
         {6,
          {BITS(7, 14), BITS(15, 19), BITS(16, 20), BITS(17, 21), BITS(18, 22),
           BITS(8, 9, 12, 13, 15, 18)}}},
        {"wide",
         0,
         18,
         {5,
          {BITS(16, 20, 23, 24, 27, 30, 33), BITS(14, 18, 26, 29, 32), BITS(17, 21, 22, 25, 28, 31),
           BITS(15, 19), BITS(9, 11, 13)}}},
        {"zen 3",
         768 << 20,
         18,
         {5,
          {BITS(17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32),
           BITS(8, 18, 22, 26, 30), BITS(9, 19, 23, 27, 31), BITS(10, 20, 24, 28, 32),
           BITS(11, 21, 25, 29)}}},
        {"plain", 0, 15, {3, {BITS(12), BITS(13), BITS(14)}}},
        {"one bank", 0, 12, {0, {0}}},
    };

    memcpy(m, all, sizeof all);
    return sizeof all / sizeof all[0];
}

/* Of random addresses, pairs in one bank and two rows; one in 100 / OUTLIERS is any pair. */
static void draw_conflicts(const struct mapping *m, struct random *random, unsigned outliers,
                           struct address_pair *pair)
{
    for (size_t i = 0; i < PAIRS; i++) {
        bool outlier = random_below(random, 100) < outliers, fits;
        do {
            uint64_t a = BASE + (random_below(random, BYTES) & ~63ull);
            uint64_t b = BASE + (random_below(random, BYTES) & ~63ull);
            uint64_t moved = (a - m->offset_bytes) ^ (b - m->offset_bytes);
            fits = moved >> m->row_bit != 0 && address_class(&m->functions, moved) == 0;
            pair[i] = (struct address_pair){a, b};
        } while (!outlier && !fits);
    }
}

static uint64_t all_bits(void)
{
    return (1ull << 34) - (1ull << LINE_BIT);
}

static void functions_are_found_among_mistaken_pairs(void **state)
{
    struct mapping m[8];
    size_t count = make_mappings(m);

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct address_pair pair[PAIRS];
            struct address_mapping found;
            struct address_functions truth = m[i].functions;
            struct random random;
            random_start(&random, seed);
            draw_conflicts(&m[i], &random, OUTLIERS, pair);
            address_solve(pair, PAIRS, all_bits(),
                          (struct address_offset){.bytes = m[i].offset_bytes}, ENOUGH, &random,
                          &found);
            address_reduce(&truth);
            assert_int_equal(found.functions.count, truth.count);
            assert_true(found.agreement > ENOUGH);
            address_reduce(&found.functions);
            assert_memory_equal(found.functions.mask, truth.mask, truth.count * sizeof(uint64_t));
        }
}

/* What pairs of that mapping, so many percent of them mistaken, give without an offset. */
static unsigned functions_without_offset(size_t which, unsigned outliers, size_t count)
{
    struct mapping m[8];
    struct address_pair pair[PAIRS];
    struct address_mapping found;
    struct random random;

    make_mappings(m);
    random_start(&random, 1);
    draw_conflicts(&m[which], &random, outliers, pair);
    address_solve(pair, count, all_bits(), (struct address_offset){.bytes = 0}, ENOUGH, &random,
                  &found);
    return found.functions.count;
}

/* Where addresses are moved, functions of high bits are not constant without the offset. */
static void a_wrong_offset_loses_functions(void **state)
{
    struct mapping m[8];

    (void)state;
    make_mappings(m);
    assert_true(functions_without_offset(3, 0, PAIRS) < m[3].functions.count);
}

static void pairs_of_no_mapping_have_no_function(void **state)
{
    (void)state;
    assert_int_equal(functions_without_offset(0, 100, PAIRS), 0);
    assert_int_equal(functions_without_offset(0, 100, 0), 0);
}

/* Bits that never differ tell nothing: too many functions would fit. */
static void few_differences_are_refused(void **state)
{
    const uint64_t one = BITS(20, 21);
    struct address_functions functions;

    (void)state;
    assert_false(address_constant(&one, 1, all_bits(), &functions));
    assert_int_equal(functions.count, 0);
    assert_true(address_constant(&one, 1, BITS(20, 21, 22), &functions));
    assert_int_equal(functions.count, 2);
    assert_true(functions.mask[0] == BITS(20, 21) && functions.mask[1] == BITS(22));
}

static void sums_become_the_shortest_functions(void **state)
{
    struct mapping m[8];
    size_t count = make_mappings(m);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct address_functions sums = m[i].functions, truth = m[i].functions, same;
        int bits_found = 0, bits_true = 0;
        struct random random;
        random_start(&random, i);
        for (int k = 0; k < 40 && sums.count > 1; k++) {
            size_t a = random_below(&random, sums.count), b = random_below(&random, sums.count);
            if (a != b)
                sums.mask[a] ^= sums.mask[b];
        }
        address_simplify(&sums);
        same = sums;
        address_reduce(&same);
        address_reduce(&truth);
        assert_int_equal(same.count, truth.count);
        assert_memory_equal(same.mask, truth.mask, truth.count * sizeof(uint64_t));
        for (unsigned k = 0; k < sums.count; k++) {
            bits_found += __builtin_popcountll(sums.mask[k]);
            bits_true += __builtin_popcountll(m[i].functions.mask[k]);
            assert_true(k == 0 ||
                        (sums.mask[k - 1] & -sums.mask[k - 1]) <= (sums.mask[k] & -sums.mask[k]));
        }
        /* Zen's rank function has more bits than its sum with a bank's. */
        assert_true(i == 3 ? bits_found < bits_true : bits_found == bits_true);
    }
}

static void offsets_move_addresses_from_their_beginning_on(void **state)
{
    const struct address_mapping mapping = {.offset_bytes = 768 << 20, .offset_from = BASE};

    (void)state;
    assert_true(address_moved(&mapping, BASE) == BASE - (768 << 20));
    assert_true(address_moved(&mapping, BASE - 1) == BASE - 1);
}

/* From 4G on less 768M is 3328M on: bits 28 and 29 of raw addresses differ, 28 to 32 of these. */
static void offsets_carry_into_higher_bits(void **state)
{
    struct address_pair pair[PAIRS];
    struct random random;
    const struct address_offset offset = {.bytes = 768 << 20, .from = BASE};

    (void)state;
    random_start(&random, 3);
    for (size_t i = 0; i < PAIRS; i++) {
        pair[i].a = BASE + (random_below(&random, 1 << 30) & ~63ull);
        pair[i].b = BASE + (random_below(&random, 1 << 30) & ~63ull);
    }
    assert_true(address_free_bits(pair, PAIRS, ~63ull, (struct address_offset){.bytes = 0}) ==
                (1 << 30) - (1 << LINE_BIT));
    assert_true(address_free_bits(pair, PAIRS, ~63ull, offset) == (1ull << 31) - (1 << LINE_BIT));
}

static void classes_are_parities(void **state)
{
    const struct address_functions f = {2, {BITS(6, 13), BITS(14)}};

    (void)state;
    assert_int_equal(address_class(&f, 0), 0);
    assert_int_equal(address_class(&f, 1 << 6), 1);
    assert_int_equal(address_class(&f, 1 << 6 | 1 << 13), 0);
    assert_int_equal(address_class(&f, 1 << 13 | 1 << 14), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_are_found_among_mistaken_pairs),
        cmocka_unit_test(a_wrong_offset_loses_functions),
        cmocka_unit_test(pairs_of_no_mapping_have_no_function),
        cmocka_unit_test(few_differences_are_refused),
        cmocka_unit_test(sums_become_the_shortest_functions),
        cmocka_unit_test(offsets_move_addresses_from_their_beginning_on),
        cmocka_unit_test(offsets_carry_into_higher_bits),
        cmocka_unit_test(classes_are_parities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
