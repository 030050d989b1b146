/* SPDX-License-Identifier: BSD-2-Clause */
/* Order statistics against plain definitions, and the real functions against libm. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/lib/random.h"
#include "core/lib/real.h"
#include "core/stats/figure.h"
#include "core/stats/stats.h"

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return x < y ? -1 : x > y;
}

static void sorts_as_qsort_does(void **state)
{
    struct random random;
    uint64_t mine[200], theirs[200];

    (void)state;
    random_start(&random, 1);
    for (int round = 0; round < 2000; round++) {
        size_t count = random_below(&random, 200);
        for (size_t i = 0; i < count; i++)
            mine[i] = theirs[i] = random_below(&random, round % 2 ? 10 : UINT64_MAX);
        stats_sort(mine, count);
        qsort(theirs, count, sizeof theirs[0], ascending);
        assert_memory_equal(mine, theirs, count * sizeof mine[0]);
    }
}

static void sorts_a_few(void **state)
{
    double values[20];
    struct random random;

    (void)state;
    random_start(&random, 2);
    for (unsigned round = 0; round < 200; round++) {
        size_t count = random_below(&random, 20);
        double sum = 0, left = 0;
        for (size_t i = 0; i < count; i++)
            sum += values[i] = (double)random_below(&random, 10) - 5;
        stats_sort_few(values, count);
        for (size_t i = 0; i < count; i++) {
            assert_true(i == 0 || values[i - 1] <= values[i]);
            left += values[i];
        }
        assert_true(left == sum);
    }
}

static void known_sample(void **state)
{
    uint64_t values[] = {10, 14, 12, 11, 13, 1000, 12, 9, 15, 12};
    uint64_t scratch[10];
    struct stats s;

    (void)state;
    stats_of(values, scratch, 10, 0, &s);
    assert_true(s.min == 9 && s.median == 12 && s.p95 == 1000 && s.p99 == 1000);
    assert_true(s.mad == 1.5);
    assert_true(fabs(s.rel_error - 1.2533 * 1.4826 * 1.5 / (12 * sqrt(10))) < 1e-6);
}

static void few_samples_are_no_estimate(void **state)
{
    uint64_t values[] = {10, 12}, scratch[2];
    struct stats s;

    (void)state;
    stats_of(values, scratch, 2, 0, &s);
    assert_true(s.median == 11 && s.rel_error == 1);
    stats_of(values, scratch, 0, 0, &s);
    assert_true(s.rel_error == 1);
}

static void a_coarse_clock_keeps_its_error(void **state)
{
    uint64_t values[] = {100, 100, 100, 100}, scratch[4];
    struct stats s;

    (void)state;
    stats_of(values, scratch, 4, 26, &s);
    assert_true(s.mad == 0);
    assert_true(fabs(s.rel_error - 26 / (sqrt(12) * 2 * 100)) < 1e-4);
}

/* A fifth of the samples meets a refresh; what the others scatter by decides whether these are far
 * from them, but a mean of the middle must not hang on that. */
static void a_middle_that_a_slow_group_hardly_moves(void **state)
{
    double mean[2], error;

    (void)state;
    for (unsigned wide = 0; wide < 2; wide++) {
        uint64_t values[1000];
        for (int i = 0; i < 1000; i++)
            values[i] =
                (uint64_t)(100000 + (wide ? 30 : 24) * (i % 100 - 50) + (i % 5 == 0 ? 9000 : 0));
        qsort(values, 1000, sizeof values[0], ascending);
        mean[wide] = stats_middle(values, 1000, 1, &error);
        assert_true(mean[wide] > 100000 && mean[wide] < 100500);
    }
    assert_true(fabs(mean[1] - mean[0]) < 150);
}

static void the_error_of_a_middle_is_calibrated(void **state)
{
    struct random random;
    double sum = 0, squares = 0, errors = 0, error;
    const int rounds = 2000;
    uint64_t values[64];

    (void)state;
    random_start(&random, 7);
    for (int round = 0; round < rounds; round++) {
        double mean;
        for (int i = 0; i < 64; i++) {
            double normal = 0;
            for (int k = 0; k < 12; k++)
                normal += (double)random_below(&random, 1 << 20) / (1 << 20);
            values[i] = (uint64_t)(1e6 + 2e4 * (normal - 6));
        }
        qsort(values, 64, sizeof values[0], ascending);
        mean = stats_middle(values, 64, 0, &error) - 1e6;
        sum += mean / rounds;
        squares += mean * mean / rounds;
        errors += error / rounds;
    }
    assert_true(fabs(sum) < 200);
    assert_true(errors > 0.95 * sqrt(squares) && errors < 1.05 * sqrt(squares));
    for (int i = 0; i < 64; i++)
        values[i] = 1000;
    assert_true(stats_middle(values, 64, 40, &error) == 1000);
    assert_true(error > 40 / 3.47 / sqrt(32) && error < 40 / 3.46 / sqrt(32));
}

/* Of a clock whose step is wider than what is read scatters: it moves by as much as that does. */
static void a_middle_of_a_coarse_clock_moves_with_what_is_read(void **state)
{
    static uint64_t values[4000];
    const double step = 40, sigma = 26, by = 4;
    struct random random;
    double before = 0, error;

    (void)state;
    random_start(&random, 11);
    for (double at = 1000; at < 1000 + step; at += by) {
        double middle;
        for (int i = 0; i < 4000; i++) {
            double normal = 0, from = (double)random_below(&random, 1 << 20) / (1 << 20);
            for (int k = 0; k < 12; k++)
                normal += (double)random_below(&random, 1 << 20) / (1 << 20);
            values[i] = (uint64_t)((at + sigma * (normal - 6)) / step + from);
        }
        qsort(values, 4000, sizeof values[0], ascending);
        middle = step * stats_middle(values, 4000, 1, &error);
        if (at > 1000)
            assert_true(fabs(middle - before - by) < 1.9);
        before = middle;
    }
}

/* The stated error holds the truth as often as a normal law says. */
static void the_error_of_the_median_is_calibrated(void **state)
{
    struct random random;
    uint64_t values[64], scratch[64];
    int inside = 0;

    (void)state;
    random_start(&random, 3);
    for (int round = 0; round < 2000; round++) {
        struct stats s;
        for (int i = 0; i < 64; i++) {
            double sum = 0;
            for (int k = 0; k < 12; k++)
                sum += (double)random_below(&random, 1 << 20) / (1 << 20);
            values[i] = (uint64_t)(1e6 + 2e4 * (sum - 6));
        }
        stats_of(values, scratch, 64, 0, &s);
        inside += fabs(s.median - 1e6) <= 2 * s.rel_error * s.median;
    }
    assert_in_range(inside, 1820, 1970);
}

static void square_root_as_libm(void **state)
{
    struct random random;

    (void)state;
    random_start(&random, 5);
    for (int i = 0; i < 100000; i++) {
        double x = ldexp((double)random_next(&random), (int)random_below(&random, 900) - 500);
        assert_true(fabs(real_sqrt(x) - sqrt(x)) <= 1e-15 * sqrt(x));
    }
    assert_true(real_sqrt(0) == 0 && real_sqrt(-1) == 0 && real_sqrt(real_nan()) == 0);
}

/* Order statistics first, as stats_mean wants them. */
static struct stats mean_of(const uint64_t *values, const bool *disturbed, size_t count,
                            double quantum)
{
    uint64_t sorted[512], scratch[512];
    struct stats s;

    for (size_t i = 0; i < count; i++)
        sorted[i] = values[i];
    stats_of(sorted, scratch, count, quantum, &s);
    stats_mean(values, disturbed, count, quantum, &s);
    return s;
}

static double shared_of(const uint64_t *values, size_t count)
{
    struct stats s = mean_of(values, NULL, count, 1);

    return stats_shared(values, NULL, &s) / s.median;
}

/* One half of the samples, one part of them, or a slow way are shared; what each sample has of its
 * own is not, nor are rare interrupts, even if two of them are neighbours. */
static void what_neighbours_share_is_told_from_chance(void **state)
{
    struct random random;
    uint64_t values[200];
    size_t seen = 0;

    (void)state;
    for (size_t i = 0; i < 200; i++)
        values[i] = i < 100 ? 50000 : 100000;
    assert_true(fabs(shared_of(values, 200) - 0.5) < 0.18);
    for (size_t i = 0; i < 200; i++)
        values[i] = 100000 - (i / 20 == 3) * 60000;
    assert_true(fabs(shared_of(values, 200) - 0.18) < 0.01);
    for (size_t i = 0; i < 200; i++)
        values[i] = 100000 + 30 * i;
    assert_true(shared_of(values, 200) > 0.01);
    random_start(&random, 7);
    for (int round = 0; round < 200; round++) {
        for (size_t i = 0; i < 200; i++)
            values[i] = 98000 + random_below(&random, 4000);
        values[60] = values[61] = 300000;
        seen += shared_of(values, 200) > 0;
    }
    assert_int_equal(seen, 0);
}

static void a_mean_leaves_out_what_was_interrupted(void **state)
{
    uint64_t values[] = {1000, 1010, 990, 1005, 995, 4000, 1000, 1020, 980, 1500};
    bool disturbed[10] = {[4] = true};
    struct stats s = mean_of(values, disturbed, 10, 1);

    (void)state;
    assert_int_equal(s.outliers, 3);
    assert_true(fabs(s.mean - (1000 + 1010 + 990 + 1005 + 1000 + 1020 + 980) / 7.0) < 1e-9);
    s = mean_of(values, NULL, 10, 1);
    assert_int_equal(s.outliers, 2);
    /* Nearly all alike: half a per cent away is not yet an interrupt. */
    values[5] = values[9] = 1004;
    for (int i = 0; i < 9; i++)
        values[i] = i == 5 ? 1004 : 1000;
    s = mean_of(values, NULL, 10, 1);
    assert_true(s.outliers == 0 && s.mad == 0);
    assert_true(fabs(s.mean - 1000.8) < 1e-9);
}

/* A skewed law: the median is below the mean, and the mean's error is sigma over root n. */
static void a_mean_of_a_skewed_law(void **state)
{
    struct random random;
    double error = 0, sum = 0, squares = 0;
    const int rounds = 2000, count = 100;

    (void)state;
    random_start(&random, 5);
    for (int round = 0; round < rounds; round++) {
        uint64_t values[100];
        struct stats s;
        for (int i = 0; i < count; i++) {
            double a = (double)(random_next(&random) >> 11) * 0x1p-53;
            values[i] = (uint64_t)(100000 + 20000 * a * a);
        }
        s = mean_of(values, NULL, (size_t)count, 1);
        sum += s.mean;
        squares += s.mean * s.mean;
        error += s.mean_rel_error * s.mean;
    }
    sum /= rounds;
    error /= rounds;
    assert_true(fabs(sum - (100000 + 20000.0 / 3)) < 30);
    /* Chance resemblance makes the error a little larger than necessary. */
    assert_true(error > sqrt(squares / rounds - sum * sum) * 0.98);
    assert_true(error < sqrt(squares / rounds - sum * sum) * 1.15);
}

static void samples_that_resemble_each_other_say_less(void **state)
{
    struct random random;
    double error = 0, sum = 0, squares = 0;
    const int rounds = 2000, count = 400;

    (void)state;
    random_start(&random, 6);
    for (int round = 0; round < rounds; round++) {
        uint64_t values[400];
        double walk = 0;
        struct stats s;
        for (int i = 0; i < count; i++) {
            walk = 0.6 * walk + ((double)(random_next(&random) >> 11) * 0x1p-53 - 0.5);
            values[i] = (uint64_t)(100000 + 1000 * walk);
        }
        s = mean_of(values, NULL, (size_t)count, 1);
        sum += s.mean;
        squares += (s.mean - 100000) * (s.mean - 100000);
        error += s.mean_rel_error * s.mean;
    }
    sum = sum / rounds - 100000;
    error /= rounds;
    assert_true(error > sqrt(squares / rounds - sum * sum) * 0.93);
    assert_true(error < sqrt(squares / rounds - sum * sum) * 1.1);
}

static void a_mean_of_too_few(void **state)
{
    uint64_t values[] = {10, 10, 10, 50};
    bool disturbed[] = {true, false, true, false};
    struct stats s = mean_of(values, disturbed, 4, 1);

    (void)state;
    assert_true(s.mean_rel_error == 1 && s.outliers == 3);
    s = mean_of(values, NULL, 3, 26);
    assert_true(fabs(s.mean_rel_error - 26 / (3.4641 * sqrt(3) * 10)) < 1e-6);
}

/* Runs stats_trend on `count` values that approach a limit: the distance to it shrinks by the
 * factor `share` with each, plus noise. */
static bool trend_of(double from, double share, double noise, size_t count, uint64_t seed,
                     struct stats_trend *trend)
{
    uint64_t values[300], sorted[300], scratch[300];
    struct random random;

    random_start(&random, seed);
    for (size_t i = 0; i < count; i++) {
        double x = 0;
        for (int k = 0; k < 12; k++)
            x += (double)random_below(&random, 1000) / 1000 - 0.4995;
        values[i] = (uint64_t)(100000 + from * pow(share, (double)i) + noise * x + 0.5);
    }
    return stats_trend(values, NULL, count, 1, sorted, scratch, trend);
}

static void a_trend_is_distinguished_from_noise(void **state)
{
    static const size_t counts[] = {16, 48, 300};
    struct stats_trend trend;

    (void)state;
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        size_t moved = 0;
        for (uint64_t seed = 0; seed < 2000; seed++) {
            assert_true(trend_of(0, 1, 500, counts[k], seed, &trend));
            moved += stats_moved(&trend) > 0;
            assert_true((stats_left(&trend) > 0) == (stats_moved(&trend) > 0));
        }
        assert_in_range(moved, 0, 5);
    }
    for (uint64_t seed = 0; seed < 200; seed++) {
        assert_true(trend_of(2000, 0.99, 20, 48, seed, &trend));
        assert_true(fabs(stats_moved(&trend) - 511) < 30);
    }
    assert_false(trend_of(2000, 0.99, 100, 14, 0, &trend));
}

/* How far the last value still is above the limit that it tends to. */
static void what_is_left_is_estimated_from_thirds(void **state)
{
    struct stats_trend trend;

    (void)state;
    assert_true(trend_of(10000, 0.97, 0, 150, 0, &trend));
    assert_true(fabs(stats_left(&trend) - 10000 * pow(0.97, 149)) < 5);
    /* a straight line has no limit: it may be off by at least what it moved */
    trend = (struct stats_trend){.early = 100, .middle = 110, .late = 120, .limit = 1};
    assert_true(stats_left(&trend) == 20);
    trend = (struct stats_trend){.early = 100, .middle = 130, .late = 120, .limit = 1};
    assert_true(stats_left(&trend) == 20);
    trend = (struct stats_trend){.early = 100, .middle = 110, .late = 101, .limit = 1.5};
    assert_true(stats_left(&trend) == 0);
}

static void rounds_are_as_far_apart_as_they_are(void **state)
{
    struct figure same[4] = {{10, 0.2}, {10, 0.2}, {10, 0.2}, {10, 0.2}};
    struct figure apart[4] = {{9, 0.01}, {11, 0.01}, {9, 0.01}, {11, 0.01}};
    struct figure mean = figure_of_rounds(same, 4);

    (void)state;
    assert_true(fabs(mean.value - 10) < 1e-9 && fabs(mean.error - 0.1) < 1e-9);
    mean = figure_of_rounds(apart, 4);
    /* A deviation of 2 / sqrt(3), by the root of 4 rounds, and Student's 5.841 for 99 in 100. */
    assert_true(fabs(mean.value - 10) < 1e-9);
    assert_true(fabs(FIGURE_ERRORS * mean.error - 5.841 / 1.7320508) < 1e-3);
    mean = figure_of_rounds(apart, 1);
    assert_true(mean.value == 9 && mean.error == 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounds_are_as_far_apart_as_they_are),
        cmocka_unit_test(sorts_as_qsort_does),
        cmocka_unit_test(sorts_a_few),
        cmocka_unit_test(known_sample),
        cmocka_unit_test(few_samples_are_no_estimate),
        cmocka_unit_test(a_coarse_clock_keeps_its_error),
        cmocka_unit_test(the_error_of_the_median_is_calibrated),
        cmocka_unit_test(a_middle_that_a_slow_group_hardly_moves),
        cmocka_unit_test(the_error_of_a_middle_is_calibrated),
        cmocka_unit_test(a_middle_of_a_coarse_clock_moves_with_what_is_read),
        cmocka_unit_test(square_root_as_libm),
        cmocka_unit_test(a_mean_leaves_out_what_was_interrupted),
        cmocka_unit_test(a_mean_of_a_skewed_law),
        cmocka_unit_test(samples_that_resemble_each_other_say_less),
        cmocka_unit_test(a_mean_of_too_few),
        cmocka_unit_test(what_neighbours_share_is_told_from_chance),
        cmocka_unit_test(a_trend_is_distinguished_from_noise),
        cmocka_unit_test(what_is_left_is_estimated_from_thirds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
