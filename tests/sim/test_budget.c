/* SPDX-License-Identifier: BSD-2-Clause */
/* What a budget that does not hold the whole plan leaves out: the dearest sets of a curve, said in
 * a note, and never dram's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/sim/trial.h"

/* Memory so slow that a lap through the larger sets takes tenths of a second. */
static const char slow_machine[] = "clock core=200M counter=200M\n"
                                   "cache name=L1 bytes=16K ways=4 latency=4c\n"
                                   "cache name=L2 bytes=512K ways=16 latency=20c\n"
                                   "tlb 4k=64/4 2m=64\n"
                                   "walk kind=constant cost=100c\n"
                                   "memory bytes=64M base=20us";
static const char left_out[] = "curve: working sets left out";

static const char longer[] = "longer than budget=: ";

static struct sim_trial trial;

static uint64_t largest(const char *experiment)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < trial.points; i++)
        if (strcmp(trial.point[i].experiment, experiment) == 0 && trial.point[i].bytes > bytes)
            bytes = trial.point[i].bytes;
    return bytes;
}

static void dear_sets_of_a_curve_are_left_out(void **state)
{
    (void)state;
    sim_trial_run(&trial, slow_machine, "tests=curve pattern=cycle max=32M pages=2m budget=2");
    assert_string_equal(trial.end, "ok");
    assert_true(sim_trial_noted(&trial, left_out));
    /* what the caches hold is cheap, and there */
    assert_true(largest("curve") >= 512 << 10);
    assert_true(largest("curve") < 32 << 20);
}

static void enough_budget_leaves_nothing_out(void **state)
{
    (void)state;
    sim_trial_run(&trial, slow_machine, "tests=curve pattern=cycle max=4M pages=2m budget=400");
    assert_string_equal(trial.end, "ok");
    assert_false(sim_trial_noted(&trial, left_out));
    assert_false(sim_trial_noted(&trial, longer));
    assert_int_equal(largest("curve"), 4 << 20);
}

static void a_single_set_is_measured_whatever_it_takes(void **state)
{
    (void)state;
    sim_trial_run(&trial, slow_machine,
                  "tests=curve pattern=cycle min=4M max=4M points=1 pages=2m budget=1");
    assert_string_equal(trial.end, "ok");
    assert_int_equal(trial.points, 1);
}

/* Three laps of 65536 hops, 20 us each, are what is asked for. */
static void a_run_that_is_longer_says_so(void **state)
{
    (void)state;
    sim_trial_run(&trial, slow_machine,
                  "tests=pattern pattern=cycle max=4M iterations=1 pages=2m budget=1");
    assert_string_equal(trial.end, "ok");
    assert_true(sim_trial_noted(&trial, longer));
}

/* Draws are calibrated on more lines than the smallest sets have. */
static void a_set_may_be_smaller_than_a_calibration(void **state)
{
    (void)state;
    sim_trial_run(&trial, slow_machine, "tests=pattern pattern=iid stride=192 max=1K pages=4k");
    assert_string_equal(trial.end, "ok");
    assert_int_equal(trial.points, 1);
}

static void the_headline_is_measured_all_the_same(void **state)
{
    (void)state;
    sim_trial_run(&trial, slow_machine, "tests=curve,dram max=4M pages=2m budget=2");
    assert_true(sim_trial_noted(&trial, left_out));
    assert_int_equal(largest("dram"), 4 << 20);
}

/* A cache that nobody declares, much larger than the one that is, takes long to fill. */
static const char slow_to_fill[] = "clock core=200M counter=200M\n"
                                   "cache name=L1 bytes=16K ways=4 latency=4c\n"
                                   "cache name=side bytes=8M ways=16 latency=5us memory-side=yes\n"
                                   "tlb 4k=64/4 2m=64\n"
                                   "walk kind=constant cost=100c\n"
                                   "memory bytes=64M base=20us\n";

static void warming_ends_with_the_budget(void **state)
{
    (void)state;
    sim_trial_run(&trial, slow_to_fill, "tests=curve min=16M max=16M points=1 pages=2m budget=2");
    assert_true(sim_trial_noted(&trial, "curve: steady state not seen"));
    assert_true(trial.seconds < 6);
    sim_trial_run(&trial, slow_to_fill, "tests=curve min=16M max=16M points=1 pages=2m budget=400");
    assert_false(sim_trial_noted(&trial, "steady state not seen"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dear_sets_of_a_curve_are_left_out),
        cmocka_unit_test(enough_budget_leaves_nothing_out),
        cmocka_unit_test(a_single_set_is_measured_whatever_it_takes),
        cmocka_unit_test(a_run_that_is_longer_says_so),
        cmocka_unit_test(a_set_may_be_smaller_than_a_calibration),
        cmocka_unit_test(warming_ends_with_the_budget),
        cmocka_unit_test(the_headline_is_measured_all_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
