/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether rows stay open, and what an access takes by the steps of a clock. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/dram/rows.h"
#include "core/lib/random.h"

#define COUNT 8192

static uint64_t ticks[COUNT], room[COUNT];

static double uniform(struct random *random)
{
    return (double)(random_next(random) >> 11) * 0x1p-53;
}

static struct figure figure(double value, double error)
{
    return (struct figure){value, error};
}

static void rows_are_told_by_what_a_conflict_adds(void **state)
{
    struct rows rows;

    (void)state;
    rows_decide(figure(64, 0.1), figure(92, 0.1), 50, &rows);
    assert_int_equal(rows.verdict, ROWS_OPEN);
    assert_null(rows.why);
    assert_true(rows.hit_ns.value == 64 && rows.conflict_ns.value == 92);
    assert_true(isnan(rows.empty_ns.value));
    rows_decide(figure(78, 0.1), figure(78.2, 0.1), 28, &rows);
    assert_int_equal(rows.verdict, ROWS_CLOSED);
    assert_true(rows.empty_ns.value == 78 && isnan(rows.hit_ns.value) &&
                isnan(rows.conflict_ns.value));
}

static void what_is_not_sure_is_not_told(void **state)
{
    const struct figure cases[][2] = {{{64, 8}, {92, 8}},
                                      {{78, 5}, {78, 5}},
                                      {{78, 0.1}, {84, 0.3}},
                                      {{NAN, NAN}, {92, 0.1}},
                                      {{64, NAN}, {92, 0.1}},
                                      /* a line of the same bank is never quicker */
                                      {{92, 0.1}, {64, 0.1}}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct rows rows;
        rows_decide(cases[i][0], cases[i][1], 25, &rows);
        assert_int_equal(rows.verdict, ROWS_UNSURE);
        assert_non_null(rows.why);
        assert_true(isnan(rows.hit_ns.value) && isnan(rows.empty_ns.value));
    }
    assert_string_equal(rows_verdict_name(ROWS_UNSURE), "unsure");
    assert_string_equal(rows_verdict_name(ROWS_OPEN), "open");
    assert_string_equal(rows_verdict_name(ROWS_CLOSED), "closed");
}

/* Times at any phase of the clock, a few of them far above. */
static void the_steps_of_a_clock_average_out(void **state)
{
    static const double steps[] = {0.3, 10, 125.0 / 3};

    (void)state;
    for (size_t k = 0; k < 3; k++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            struct figure access;
            struct random random;
            random_start(&random, seed);
            for (size_t i = 0; i < COUNT; i++) {
                double begin = uniform(&random), time = 83.7 / steps[k];
                if (random_below(&random, 20) == 0)
                    time += 100 / steps[k] + 250 / steps[k] * uniform(&random);
                ticks[i] = (uint64_t)(begin + time);
            }
            access = rows_access(ticks, room, COUNT, 1);
            assert_true(fabs(access.value * steps[k] - 83.7) <
                        3 * access.error * steps[k] + 0.01 * 83.7);
            assert_true(access.error * steps[k] < 1);
        }
    assert_true(isnan(rows_access(ticks, room, 0, 1).value));
}

static struct histogram histogram;

/* Three groups at 200, 240 and 290 steps, each `wide` about it, and waits far above. */
static void make_groups(struct random *random, double wide)
{
    static const double place[] = {200, 240, 240, 290};

    histogram_clear(&histogram);
    for (int i = 0; i < 40000; i++) {
        double off = (uniform(random) + uniform(random) - 1) * wide;
        histogram_add(&histogram, (uint64_t)(place[random_below(random, 4)] + off +
                                             (i % 20 == 0 ? 90 + 900 * uniform(random) : 0)));
    }
}

static void shares_are_told_where_groups_are_apart(void **state)
{
    struct rows_shares shares;
    struct random random;

    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        random_start(&random, seed);
        make_groups(&random, 8);
        rows_share(&histogram, 200, 290, &shares);
        assert_true(shares.known);
        assert_true(fabs(shares.hit - 0.25) < 0.02 && fabs(shares.empty - 0.5) < 0.02 &&
                    fabs(shares.conflict - 0.25) < 0.02);
        assert_true(fabs(shares.empty_steps.value - 240) < 1.5);
        assert_true(shares.empty_steps.error < 1);
        /* Hits and conflicts are elsewhere; nearer than the clock tells; spread over all. */
        rows_share(&histogram, 235, 260, &shares);
        assert_false(shares.known);
        rows_share(&histogram, 200, 212, &shares);
        assert_false(shares.known);
        make_groups(&random, 60);
        rows_share(&histogram, 200, 290, &shares);
        assert_false(shares.known);
    }
    histogram_clear(&histogram);
    for (int i = 0; i < 3000; i++)
        histogram_add(&histogram, (uint64_t)(5 + i % 3));
    rows_share(&histogram, 5, 7, &shares);
    assert_false(shares.known);
    histogram_clear(&histogram);
    rows_share(&histogram, 200, 290, &shares);
    assert_false(shares.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_told_by_what_a_conflict_adds),
        cmocka_unit_test(what_is_not_sure_is_not_told),
        cmocka_unit_test(the_steps_of_a_clock_average_out),
        cmocka_unit_test(shares_are_told_where_groups_are_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
