/* SPDX-License-Identifier: BSD-2-Clause */
/* Times of pairs of loads, split into those that conflict and the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/dram/conflict.h"
#include "core/lib/random.h"

#define TIMES 4096
#define SEEDS 30

static uint64_t times[TIMES];

static double uniform(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

/* Irwin and Hall: twelve uniform values make nearly a normal one. */
static double normal(struct random *random)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += uniform(random);
    return sum;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* One time in `banks` is `gap` above the others, which have a tail of distances upwards. */
static size_t draw(struct random *random, unsigned banks, double gap, double noise, double tail)
{
    size_t conflicts = 0;

    for (size_t i = 0; i < TIMES; i++) {
        bool conflict = random_below(random, banks) == 0;
        double spread = uniform(random);
        double time = 100 + tail * spread * spread + (conflict ? gap : 0);
        times[i] = (uint64_t)(1000 * time * (1 + noise * normal(random)));
        conflicts += conflict;
    }
    qsort(times, TIMES, sizeof times[0], ascending);
    return conflicts;
}

static void groups_of_any_share_are_split(void **state)
{
    static const unsigned banks[] = {2, 4, 16, 64, 256, 512};

    (void)state;
    for (size_t i = 0; i < sizeof banks / sizeof banks[0]; i++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct conflict_split split;
            struct random random;
            size_t conflicts;
            random_start(&random, seed << 8 | i);
            conflicts = draw(&random, banks[i], 25, 0.01, 5);
            conflict_split(times, TIMES, 3, 0, &split);
            if (conflicts < 3)
                continue;
            assert_true(split.sure);
            assert_int_equal(split.above, conflicts);
            assert_true(split.time > 105e3 && split.time < 122e3);
            assert_true(split.low_mean < split.time && split.high_mean > split.time);
        }
}

/* One group, however its times are spread, is not two. */
static void one_group_is_not_sure(void **state)
{
    static const double tails[] = {0, 2, 10, 40};

    (void)state;
    for (size_t i = 0; i < sizeof tails / sizeof tails[0]; i++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct conflict_split split;
            struct random random;
            random_start(&random, seed << 8 | i);
            draw(&random, 2, 0, 0.01, tails[i]);
            conflict_split(times, TIMES, 3, 0, &split);
            assert_false(split.sure);
        }
}

static void groups_that_overlap_are_not_sure(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct conflict_split split;
        struct random random;
        random_start(&random, seed);
        draw(&random, 16, 6, 0.02, 5);
        conflict_split(times, TIMES, 3, 0, &split);
        assert_false(split.sure);
    }
}

/* Half of all pairs are of one channel, and wait for each other; few conflict, or none is seen. */
static void lines_of_a_channel_are_no_conflicts(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (unsigned few = 0; few < 2; few++) {
            struct conflict_split split;
            struct random random;
            size_t conflicts = few != 0 ? 0 : 20;
            random_start(&random, seed);
            draw(&random, 2, 6, 0.004, 0);
            for (size_t i = 0; i < conflicts; i++)
                times[TIMES - 1 - i] += 25000;
            qsort(times, TIMES, sizeof times[0], ascending);
            conflict_split(times, TIMES, 3, 15000, &split);
            assert_int_equal(split.sure, few == 0);
            assert_int_equal(split.above, conflicts);
            conflict_split(times, TIMES, 3, 0, &split);
            assert_true(split.sure);
        }
}

static void too_few_times_are_not_sure(void **state)
{
    struct conflict_split split;

    (void)state;
    conflict_split(times, 0, 1, 0, &split);
    assert_false(split.sure);
    times[0] = 5;
    conflict_split(times, 1, 1, 0, &split);
    assert_false(split.sure);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_any_share_are_split),
        cmocka_unit_test(one_group_is_not_sure),
        cmocka_unit_test(groups_that_overlap_are_not_sure),
        cmocka_unit_test(lines_of_a_channel_are_no_conflicts),
        cmocka_unit_test(too_few_times_are_not_sure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
