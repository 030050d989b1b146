/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of lines by parities of address bits: lines are found, and of drawn latencies the classes
 * that were made slower, no others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/dram/classes.h"
#include "tests/long.h"

#define BIT(n) (1ull << (n))

static struct class_screen screen;
static struct random source;

static const struct address_functions eight = {
    8,
    {BIT(9) | BIT(13) | BIT(17), BIT(10) | BIT(11) | BIT(12), BIT(8) | BIT(14), BIT(11) | BIT(15),
     BIT(12) | BIT(16) | BIT(20), BIT(13) | BIT(17) | BIT(21), BIT(14) | BIT(18),
     BIT(15) | BIT(19)}};

static double uniform(void)
{
    return ((double)(random_next(&source) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* ---- lines of a class */

static void a_class_is_reached_from_every_address(void **state)
{
    static const struct address_functions some[] = {
        {1, {BIT(40)}}, {2, {BIT(6) | BIT(7), BIT(6) | BIT(8)}}, {3, {7 << 8, 5 << 8, 1 << 8}}};
    struct class_steps steps;

    (void)state;
    random_start(&source, 1);
    for (unsigned i = 0; i < 4; i++) {
        const struct address_functions *functions = i < 3 ? &some[i] : &eight;
        class_steps_of(functions, &steps);
        assert_int_equal(steps.count, functions->count);
        for (unsigned k = 0; k < 2000; k++) {
            uint64_t from = random_next(&source) >> 18 << 6;
            unsigned class = (unsigned)random_below(&source, 1u << functions->count);
            uint64_t to = class_steps_to(&steps, from, class);
            assert_int_equal(address_class(functions, to), class);
            assert_true(__builtin_popcountll(from ^ to) <= (int)functions->count);
            if (address_class(functions, from) == class)
                assert_true(to == from);
        }
    }
}

/* ---- all functions at once */

struct slow {
    struct class_group group;
    double ns;
};

static double slowness(const struct slow *slow, unsigned count, uint64_t address)
{
    double ns = 0;

    for (unsigned i = 0; i < count; i++)
        if (address_class(&slow[i].group.functions, address) == slow[i].group.parities)
            ns += slow[i].ns;
    return ns;
}

/* Samples of lines of a random class, whose scatter is 10 ns. */
static uint32_t screened(const struct address_functions *functions, const struct slow *slow,
                         unsigned count, uint32_t samples, struct class_effect *effect)
{
    double usual = 0;

    for (unsigned i = 0; i < count; i++)
        usual += slow[i].ns / (1u << slow[i].group.functions.count);
    class_screen_start(&screen, functions, 0, BIT(40));
    for (uint32_t i = 0; i < samples; i++) {
        uint64_t address = random_next(&source) >> 20;
        class_screen_add(&screen, address_class(functions, address),
                         slowness(slow, count, address) - usual + 10 * normal());
    }
    return class_screen_find(&screen, effect);
}

static void a_slow_function_is_found_with_its_value(void **state)
{
    struct class_effect effect[CLASSES_KEPT];
    double squares = 0;

    (void)state;
    for (unsigned seed = 0; seed < 200; seed++) {
        struct slow slow = {.ns = 2 + 5 * (seed % 2)};
        unsigned some;
        random_start(&source, seed);
        some = 1 + (unsigned)random_below(&source, 255);
        slow.group.functions.count = 1;
        for (unsigned i = 0; i < 8; i++)
            slow.group.functions.mask[0] ^= some >> i & 1 ? eight.mask[i] : 0;
        slow.group.parities = seed / 2 % 2;
        assert_int_equal(screened(&eight, &slow, 1, 20000, effect), 1);
        assert_int_equal(effect[0].group.functions.count, 1);
        assert_true(effect[0].group.functions.mask[0] == slow.group.functions.mask[0]);
        assert_int_equal(effect[0].group.parities, slow.group.parities);
        squares += pow(effect[0].ns - slow.ns, 2) / 200;
    }
    /* Two means of 10000 samples each. */
    assert_true(fabs(sqrt(squares) - 10 * sqrt(2.0 / 10000)) < 0.04);
}

static void nothing_is_found_where_nothing_is_slow(void **state)
{
    struct class_effect effect[CLASSES_KEPT];
    unsigned found = 0;

    (void)state;
    random_start(&source, 5);
    for (unsigned i = 0; i < 300; i++)
        found += screened(&eight, NULL, 0, 3000, effect);
    assert_true(found <= 1);
}

/* What the limit promises is found, and what is far below it is not. */
static void the_limit_is_what_would_be_found(void **state)
{
    struct class_effect effect[CLASSES_KEPT];
    struct slow slow = {.group = {{1, {eight.mask[3]}}, 1}};
    unsigned times = tests_are_long() ? 200 : 60, found = 0, missed = 0;

    (void)state;
    random_start(&source, 6);
    (void)screened(&eight, NULL, 0, 5000, effect);
    slow.ns = class_screen_limit_ns(&screen);
    assert_true(slow.ns > 7 * 10 * sqrt(4.0 / 5000) * 0.97 &&
                slow.ns < 7 * 10 * sqrt(4.0 / 5000) * 1.03);
    for (unsigned i = 0; i < times; i++)
        found += screened(&eight, &slow, 1, 5000, effect) == 1;
    assert_true(found >= times - times / 20);
    slow.ns /= 4;
    for (unsigned i = 0; i < times; i++)
        missed += screened(&eight, &slow, 1, 5000, effect) == 0;
    assert_true(missed >= times - times / 60);
    class_screen_start(&screen, &eight, 0, BIT(40));
    assert_true(class_screen_limit_ns(&screen) > 1e100);
    assert_int_equal(class_screen_find(&screen, effect), 0);
}

/* What adds up is told as what it is made of, not as the lines where all of it meets. */
static void effects_of_two_functions_are_told_apart(void **state)
{
    struct class_effect effect[CLASSES_KEPT];
    const struct slow slow[2] = {{{{1, {eight.mask[2]}}, 1}, 5}, {{{1, {eight.mask[5]}}, 0}, 4}};

    (void)state;
    random_start(&source, 8);
    for (unsigned i = 0; i < 50; i++) {
        assert_int_equal(screened(&eight, slow, 2, 50000, effect), 2);
        for (unsigned k = 0; k < 2; k++) {
            assert_int_equal(effect[k].group.functions.count, 1);
            assert_true(effect[k].group.functions.mask[0] == slow[k].group.functions.mask[0]);
            assert_int_equal(effect[k].group.parities, slow[k].group.parities);
            assert_true(fabs(effect[k].ns - slow[k].ns) < 0.5);
        }
    }
}

/* Without functions, samples leave some bits free: by single bits and by two. */
static uint32_t screened_bits(uint64_t bits, const struct slow *slow, uint32_t samples,
                              struct class_effect *effect)
{
    static const struct address_functions none = {0};

    class_screen_start(&screen, &none, bits, BIT(40));
    for (uint32_t i = 0; i < samples; i++) {
        uint64_t address = random_next(&source) & bits, free = 0, some = 0;
        double ns = 0;
        for (unsigned k = 0; k < 4; k++)
            free |= BIT(random_below(&source, 64)) & bits;
        for (unsigned k = 0; k < 16; k++) {
            some = (some - free) & free; /* every subset in turn */
            ns += slowness(slow, slow != NULL, address ^ some) / 16;
        }
        class_screen_add_bits(&screen, address, free, ns + 10 * normal());
    }
    return class_screen_find(&screen, effect);
}

static void bits_and_pairs_are_found_without_functions(void **state)
{
    const uint64_t bits = (BIT(32) - 1) & ~63ull;
    struct class_effect effect[CLASSES_KEPT];
    unsigned found = 0;

    (void)state;
    for (unsigned seed = 0; seed < 52; seed++) {
        struct slow slow = {.group.functions = {1, {BIT(6 + seed % 26)}}, .ns = 4};
        random_start(&source, seed);
        if (seed % 3 != 0)
            slow.group.functions.mask[0] |= BIT(6 + (seed * 7 + 5) % 26);
        slow.group.parities = seed % 2;
        assert_int_equal(screened_bits(bits, &slow, 10000, effect), 1);
        assert_true(effect[0].group.functions.mask[0] == slow.group.functions.mask[0]);
        assert_int_equal(effect[0].group.parities, seed % 2);
        assert_true(fabs(effect[0].ns - 4) < 1.4);
        assert_int_equal(screen.masks, 26 * 27 / 2);
        assert_true(class_screen_limit_ns(&screen) < 4.2);
        assert_true(class_screen_part_limit_ns(&screen, 3) == 4 * class_screen_limit_ns(&screen));
        found += screened_bits(bits, NULL, 3000, effect);
    }
    assert_true(found <= 1);
}

/* Of memory of some size, one parity of a high bit may be all there is. */
static void functions_of_high_bits_are_not_compared(void **state)
{
    static const struct address_functions some = {3,
                                                  {BIT(26), BIT(27) | BIT(8), BIT(25) | BIT(30)}};
    const struct slow slow = {{{1, {BIT(26)}}, 1}, 20};
    struct class_effect effect[CLASSES_KEPT];

    (void)state;
    random_start(&source, 3);
    class_screen_start(&screen, &some, 0, BIT(26));
    assert_int_equal(screen.masks, 6);
    for (unsigned i = 0; i < 4000; i++)
        class_screen_add(&screen, i % 8, slowness(&slow, 1, (uint64_t)(i % 2) << 26) + normal());
    assert_int_equal(class_screen_find(&screen, effect), 0);
    class_screen_start(&screen, &(struct address_functions){0}, BIT(25) | BIT(26) | BIT(27),
                       BIT(26));
    assert_int_equal(screen.masks, 3);
}

/* ---- several functions together */

static const struct address_functions twelve = {12,
                                                {BIT(6), BIT(7) | BIT(19), BIT(8) | BIT(20), BIT(9),
                                                 BIT(10), BIT(11), BIT(12), BIT(13), BIT(14),
                                                 BIT(15), BIT(16) | BIT(18), BIT(17)}};

/* XORs of the functions that are independent, with parities. */
static struct class_group drawn_group(const struct address_functions *of, unsigned functions)
{
    struct class_group group = {.parities = (unsigned)random_below(&source, 1u << functions)};

    while (group.functions.count < functions) {
        struct address_functions with = group.functions;
        unsigned some = 1 + (unsigned)random_below(&source, (1u << of->count) - 1);
        uint64_t mask = 0;
        for (unsigned k = 0; k < of->count; k++)
            mask ^= some >> k & 1 ? of->mask[k] : 0;
        with.mask[with.count++] = mask;
        address_reduce(&with);
        if (with.count > group.functions.count)
            group.functions.mask[group.functions.count++] = mask;
    }
    return group;
}

static bool is_same_group(const struct class_group *a, const struct class_group *b)
{
    return a->functions.count == b->functions.count && class_share(a, b) == 1;
}

static void shares_are_those_of_drawn_lines(void **state)
{
    (void)state;
    random_start(&source, 9);
    for (unsigned i = 0; i < 300; i++) {
        struct class_group of = drawn_group(&eight, 1 + i % 3),
                           in = drawn_group(&eight, 1 + i / 3 % 3);
        unsigned all = 0, both = 0;
        if (i % 2 == 0)
            in.functions.mask[0] = of.functions.mask[0];
        for (unsigned k = 0; k < 4000; k++) {
            uint64_t at = random_next(&source) >> 20;
            bool inside = address_class(&of.functions, at) == of.parities;
            all += inside;
            both += inside && address_class(&in.functions, at) == in.parities;
        }
        assert_true(fabs((double)both / all - class_share(&of, &in)) < 0.12);
    }
}

static unsigned found_at_limit(const struct address_functions *of, unsigned functions,
                               unsigned runs)
{
    unsigned found = 0;

    for (unsigned i = 0; i < runs; i++) {
        struct class_effect effect[CLASSES_KEPT];
        struct slow slow = {.group = drawn_group(of, functions)};
        (void)screened(of, NULL, 0, 5000, effect);
        slow.ns = class_screen_part_limit_ns(&screen, functions);
        if (screened(of, &slow, 1, 5000, effect) != 0)
            found += is_same_group(&effect[0].group, &slow.group) &&
                     fabs(effect[0].ns - slow.ns) < 0.5 * slow.ns;
    }
    return found;
}

static void a_group_is_found_at_its_limit(void **state)
{
    unsigned times = tests_are_long() ? 5 : 2;

    (void)state;
    random_start(&source, 10);
    for (unsigned functions = 1; functions <= CLASSES_PART_MAX; functions++) {
        unsigned of_eight = found_at_limit(&eight, functions, 10 * times);
        unsigned of_twelve = found_at_limit(&twelve, functions, 4 * times);
        printf("%u functions: %u of %u, %u of %u\n", functions, of_eight, 10 * times, of_twelve,
               4 * times);
        assert_true(of_eight >= 9 * times && of_twelve >= 3 * times);
    }
}

/* What a told group makes of the functions that it lies in. */
static void a_told_group_explains_its_functions(void **state)
{
    const uint64_t channel = BIT(8) | BIT(13), rank = BIT(16) | BIT(20);
    const struct class_told told = {.group = {{2, {channel, rank}}, 3},
                                    .difference = {true, 12, 11.9, 12.1}};
    const struct class_group odd = {{1, {channel}}, 1}, even = {{1, {channel}}, 0};
    const struct class_group high = {{1, {BIT(30)}}, 1}, low = {{1, {BIT(30)}}, 0};
    double doubt;

    (void)state;
    assert_true(fabs(classes_explained_ns(&told, 1, &odd, &even, &doubt) - 6) < 1e-9);
    assert_true(doubt > 0.1 && doubt < 1);
    assert_true(fabs(classes_explained_ns(&told, 1, &even, &odd, &doubt) + 6) < 1e-9);
    assert_true(doubt > 0.1 && doubt < 1);
    assert_true(classes_explained_ns(&told, 1, &high, &low, &doubt) == 0);
    assert_true(doubt == 0);
    assert_true(classes_explained_ns(NULL, 0, &odd, &even, &doubt) == 0);
}

/* Rounds against three classes that differ by much, and scatter by little. */
static void what_others_differ_by_is_no_error(void **state)
{
    static const double other[] = {0, 4, 11};
    double ns[REGIONS_ROUNDS], one[REGIONS_ROUNDS], many[REGIONS_ROUNDS];
    struct region_difference found;

    (void)state;
    for (unsigned i = 0; i < REGIONS_ROUNDS; i++)
        ns[i] = one[i] = many[i] = 20 - other[i % 3] + (i * 7 % 5 - 2.0) / 20;
    found = regions_compare(many, 100);
    assert_true(2 * found.repeat > 4);
    for (unsigned i = 0; i < REGIONS_ROUNDS; i++)
        many[i] = ns[i];
    classes_even(ns, 3);
    found = regions_compare(ns, 100);
    assert_true(fabs(found.ns - 15) < 0.1);
    assert_true(2 * found.repeat > 0.05 && 2 * found.repeat < 0.3);
    /* With one other there is nothing to even out; with fifteen there are too few rounds. */
    classes_even(one, 1);
    assert_memory_equal(one, many, sizeof one);
    classes_even(one, 15);
    assert_memory_equal(one, many, sizeof one);
}

static void halves_of_a_group_have_its_parities(void **state)
{
    struct class_group group = {{2, {0x30, 0x100}}, 2}, half;

    (void)state;
    half = class_half(&group, 3);
    assert_int_equal(half.functions.count, 1);
    assert_int_equal(half.functions.mask[0], 0x130);
    assert_int_equal(half.parities, 1);
    assert_int_equal(class_half(&group, 1).parities, 0);
    assert_true(class_share(&group, &half) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_is_reached_from_every_address),
        cmocka_unit_test(a_slow_function_is_found_with_its_value),
        cmocka_unit_test(nothing_is_found_where_nothing_is_slow),
        cmocka_unit_test(the_limit_is_what_would_be_found),
        cmocka_unit_test(effects_of_two_functions_are_told_apart),
        cmocka_unit_test(bits_and_pairs_are_found_without_functions),
        cmocka_unit_test(functions_of_high_bits_are_not_compared),
        cmocka_unit_test(shares_are_those_of_drawn_lines),
        cmocka_unit_test(a_group_is_found_at_its_limit),
        cmocka_unit_test(a_told_group_explains_its_functions),
        cmocka_unit_test(what_others_differ_by_is_no_error),
        cmocka_unit_test(halves_of_a_group_have_its_parities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
