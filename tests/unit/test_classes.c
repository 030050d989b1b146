/* SPDX-License-Identifier: BSD-2-Clause */
/* Classes of lines by parities of address bits: lines are found, and of drawn latencies the classes
 * that were made slower, no others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/dram/classes.h"

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
        usual += slow[i].ns / 2;
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
    for (unsigned seed = 0; seed < 300; seed++) {
        struct slow slow = {.ns = 2 + 5 * (seed % 2)};
        unsigned some;
        random_start(&source, seed);
        some = 1 + (unsigned)random_below(&source, 255);
        slow.group.functions.count = 1;
        for (unsigned i = 0; i < 8; i++)
            slow.group.functions.mask[0] ^= some >> i & 1 ? eight.mask[i] : 0;
        slow.group.parities = seed / 2 % 2;
        assert_int_equal(screened(&eight, &slow, 1, 20000, effect), 1);
        assert_true(effect[0].mask == slow.group.functions.mask[0]);
        assert_true((effect[0].ns > 0) == (slow.group.parities == 1));
        squares += pow(fabs(effect[0].ns) - slow.ns, 2) / 300;
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
    for (unsigned i = 0; i < 1000; i++)
        found += screened(&eight, NULL, 0, 3000, effect);
    assert_true(found <= 2); /* 255000 functions, one in 1.7 million each */
}

/* What the limit promises is found, and what is far below it is not. */
static void the_limit_is_what_would_be_found(void **state)
{
    struct class_effect effect[CLASSES_KEPT];
    struct slow slow = {.group = {{1, {eight.mask[3]}}, 1}};
    unsigned found = 0, missed = 0;

    (void)state;
    random_start(&source, 6);
    (void)screened(&eight, NULL, 0, 5000, effect);
    slow.ns = class_screen_limit_ns(&screen);
    assert_true(slow.ns > 5 * 10 * sqrt(4.0 / 5000) * 0.97 &&
                slow.ns < 5 * 10 * sqrt(4.0 / 5000) * 1.03);
    for (unsigned i = 0; i < 200; i++)
        found += screened(&eight, &slow, 1, 5000, effect) == 1;
    assert_in_range(found, 70, 130);
    slow.ns /= 3;
    for (unsigned i = 0; i < 200; i++)
        missed += screened(&eight, &slow, 1, 5000, effect) == 0;
    assert_true(missed >= 198);
    class_screen_start(&screen, &eight, 0, BIT(40));
    assert_true(class_screen_limit_ns(&screen) > 1e100);
    assert_int_equal(class_screen_find(&screen, effect), 0);
}

static void the_largest_effects_are_kept_in_order(void **state)
{
    struct class_effect effect[CLASSES_KEPT];
    struct slow slow[CLASSES_KEPT + 4];

    (void)state;
    random_start(&source, 8);
    for (unsigned i = 0; i < CLASSES_KEPT + 4; i++) {
        slow[i] = (struct slow){.group.parities = 1, .ns = 40 + 4 * i};
        slow[i].group.functions.count = 1;
        for (unsigned k = 0; k < 8; k++)
            slow[i].group.functions.mask[0] ^= (i + 1) >> k & 1 ? eight.mask[k] : 0;
    }
    assert_int_equal(screened(&eight, slow, CLASSES_KEPT + 4, 100000, effect), CLASSES_KEPT);
    for (unsigned i = 0; i < CLASSES_KEPT; i++)
        assert_true(effect[i].mask == slow[CLASSES_KEPT + 3 - i].group.functions.mask[0]);
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
    for (unsigned seed = 0; seed < 100; seed++) {
        struct slow slow = {.group.functions = {1, {BIT(6 + seed % 26)}}, .ns = 4};
        random_start(&source, seed);
        if (seed % 3 != 0)
            slow.group.functions.mask[0] |= BIT(6 + (seed * 7 + 5) % 26);
        slow.group.parities = seed % 2;
        assert_int_equal(screened_bits(bits, &slow, 10000, effect), 1);
        assert_true(effect[0].mask == slow.group.functions.mask[0]);
        assert_true(fabs(effect[0].ns - (seed % 2 ? 4 : -4)) < 1.4);
        assert_int_equal(screen.masks, 26 * 27 / 2);
        assert_true(class_screen_limit_ns(&screen) < 3);
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

static struct class_told told_of(uint64_t mask, unsigned slower, double ns)
{
    return (struct class_told){.group = {{1, {mask}}, slower}, .difference.ns = ns};
}

static void one_rank_of_one_channel_is_told(void **state)
{
    const uint64_t channel = BIT(8) | BIT(13), rank = BIT(16) | BIT(20);
    struct class_told told[4];
    struct class_group group;

    (void)state;
    for (unsigned c = 0; c < 2; c++)
        for (unsigned r = 0; r < 2; r++) {
            told[0] = told_of(channel, c, 3);
            told[1] = told_of(rank, r, 3.1);
            told[2] = told_of(channel ^ rank, c ^ r, 2.9);
            /* Slow where both parities are these: their sum's slower parity is c ^ r. */
            assert_true(classes_joint(told, 3, &group));
            assert_int_equal(group.functions.count, 2);
            assert_true(group.functions.mask[0] == channel && group.functions.mask[1] == rank);
            assert_int_equal(group.parities, c | r << 1);
            assert_false(classes_joint(told, 2, &group));
            assert_false(classes_joint(told, 1, &group));
        }
    assert_false(classes_joint(told, 0, &group));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_is_reached_from_every_address),
        cmocka_unit_test(a_slow_function_is_found_with_its_value),
        cmocka_unit_test(nothing_is_found_where_nothing_is_slow),
        cmocka_unit_test(the_limit_is_what_would_be_found),
        cmocka_unit_test(the_largest_effects_are_kept_in_order),
        cmocka_unit_test(bits_and_pairs_are_found_without_functions),
        cmocka_unit_test(functions_of_high_bits_are_not_compared),
        cmocka_unit_test(one_rank_of_one_channel_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
