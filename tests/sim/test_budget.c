/* SPDX-License-Identifier: BSD-2-Clause */
/* A budget is a promise, on the simulated machine's own clock: a run ends within five quarters of
 * it and five seconds, whatever the machine, and what it left out stands in a note. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/sim/machine_file.h"
#include "tests/sim/trial.h"

/* Memory so slow that a lap through the larger sets takes tenths of a second. */
static const char slow_machine[] = "clock core=200M counter=200M\n"
                                   "cache name=L1 bytes=16K ways=4 latency=4c\n"
                                   "cache name=L2 bytes=512K ways=16 latency=20c\n"
                                   "tlb 4k=64/4 2m=64\n"
                                   "walk kind=constant cost=100c\n"
                                   "memory bytes=64M base=20us";
/* An undeclared cache, much larger than the declared one, takes long to fill. */
static const char slow_to_fill[] = "clock core=200M counter=200M\n"
                                   "cache name=L1 bytes=16K ways=4 latency=4c\n"
                                   "cache name=side bytes=8M ways=16 latency=5us memory-side=yes\n"
                                   "tlb 4k=64/4 2m=64\n"
                                   "walk kind=constant cost=100c\n"
                                   "memory bytes=64M base=20us\n";

static const char left_out[] = "curve: working sets left out";

static const char min[] = "the least that can be measured is longer than the budget";

static struct sim_trial trial;

static uint64_t largest(const char *experiment)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < trial.points; i++)
        if (strcmp(trial.point[i].experiment, experiment) == 0 && trial.point[i].bytes > bytes)
            bytes = trial.point[i].bytes;
    return bytes;
}

/* ---- the promise */

/* Machines on which some part of a run takes far longer than the engine first assumes: loads,
 * building, filling an undeclared cache, and all of them with other work on the machine. */
static const struct {
    const char *name, *lines, *more; /* more: of the machine's own line */
} machines[] = {
    {"slow memory", slow_machine, ""},
    {"slow to fill", slow_to_fill, ""},
    {"slow to build",
     "clock core=2G counter=2G\n"
     "cache name=L1 bytes=16K ways=4 latency=4c\n"
     "cache name=L2 bytes=512K ways=16 latency=20c\n"
     "tlb 4k=64/4 2m=64\n"
     "walk kind=constant cost=100c\n"
     "memory bytes=256M base=200ns",
     "build=20us read=30us"},
    {"beside others",
     "clock core=200M counter=200M\n"
     "cache name=L1 bytes=16K ways=4 latency=4c\n"
     "cache name=L2 bytes=2M ways=16 latency=40c\n"
     "tlb 4k=64/4 2m=64\n"
     "walk kind=constant cost=100c\n"
     "memory bytes=64M base=5us\n"
     "noise jitter=30% spike-every=5 spike-factor=8 smi-rate=50 smi-us=9000",
     ""},
};

static const unsigned budgets[] = {1, 5, 10, 45};

static double promised_s(unsigned budget_s)
{
    return 1.25 * budget_s + 5;
}

static void expect_promise_kept(size_t m, const char *words, unsigned budget_s)
{
    char line[160], text[1024];
    struct sim_file_error error;
    struct sim_config config;

    snprintf(line, sizeof line, "%s budget=%u", words, budget_s);
    snprintf(text, sizeof text, "machine name=trial pages=4k,2m %s\n%s\nend", machines[m].more,
             machines[m].lines);
    assert_true(sim_machine_parse(&config, text, strlen(text), "trial", &error));
    sim_trial_run_on(&trial, &config, line);
    printf("%s, %s: %zu points in %.2f s%s\n", machines[m].name, line, trial.points, trial.seconds,
           sim_trial_noted(&trial, min) ? ", as said before" : "");
    assert_string_equal(trial.end, "ok");
    assert_true(trial.points > 0);
    if (budget_s >= 10)
        assert_false(sim_trial_noted(&trial, min));
    if (!sim_trial_noted(&trial, min))
        assert_true(trial.seconds <= promised_s(budget_s));
}

static void a_run_ends_within_its_promise(void **state)
{
    static const char *const words[] = {"tests=curve", "tests=tlb", "tests=parallel max=4M"};

    (void)state;
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        for (size_t b = 0; b < sizeof budgets / sizeof budgets[0]; b++)
            expect_promise_kept(m, "", budgets[b]);
        for (size_t w = 0; w < sizeof words / sizeof words[0]; w++)
            expect_promise_kept(m, words[w], 5);
    }
}

/* ---- what is left out, and what is not */

static bool has_set(const char *pattern, uint64_t pages_bytes, uint64_t bytes)
{
    for (size_t i = 0; i < trial.points; i++)
        if (strcmp(trial.point[i].experiment, "curve") == 0 &&
            strcmp(trial.point[i].pattern, pattern) == 0 &&
            trial.point[i].pages_bytes == pages_bytes && trial.point[i].bytes == bytes)
            return true;
    return false;
}

static void expensive_sets_of_a_curve_are_left_out(void **state)
{
    (void)state;
    sim_trial_run(&trial, slow_machine, "tests=curve pattern=cycle max=32M pages=2m budget=2");
    assert_string_equal(trial.end, "ok");
    assert_true(sim_trial_noted(&trial, left_out));
    assert_true(sim_trial_noted(&trial, "pattern cycle, pages of 2m, "));
    /* what the caches hold is cheap, and is measured */
    for (uint64_t bytes = 8 << 10; bytes <= 512 << 10; bytes *= 2)
        assert_true(has_set("cycle", 2 << 20, bytes));
    assert_false(has_set("cycle", 2 << 20, 24 << 20));
}

/* Whatever the budget did not hold is missing from every curve alike. */
static void what_is_left_out_is_left_out_of_all_curves(void **state)
{
    static const char *const patterns[] = {"cycle", "iid"};

    (void)state;
    sim_trial_run(&trial, slow_machine, "tests=curve max=4M budget=10");
    assert_true(sim_trial_noted(&trial, left_out));
    for (size_t i = 0; i < 2; i++)
        for (uint64_t bytes = 8 << 10; bytes <= 512 << 10; bytes *= 2) {
            assert_true(has_set(patterns[i], 4 << 10, bytes));
            assert_true(has_set(patterns[i], 2 << 20, bytes));
        }
}

/* With both requested, each set that is missing is reported with the prefetcher state it is missing
 * for. */
static void what_is_left_out_says_with_which_prefetchers(void **state)
{
    char text[1024];
    struct sim_file_error error;
    struct sim_config config;

    (void)state;
    snprintf(text, sizeof text,
             "machine name=trial pages=4k,2m\n%s\nprefetch kind=stream control=controllable\nend",
             slow_machine);
    assert_true(sim_machine_parse(&config, text, strlen(text), "trial", &error));
    sim_trial_run_on(&trial, &config,
                     "tests=curve pattern=cycle max=32M pages=2m prefetch=both budget=4");
    assert_true(sim_trial_noted(&trial, "pages of 2m, prefetchers off, "));
    assert_true(sim_trial_noted(&trial, "pages of 2m, prefetchers on, "));
}

static void enough_budget_leaves_nothing_out(void **state)
{
    (void)state;
    sim_trial_run(&trial, slow_machine, "tests=curve pattern=cycle max=4M pages=2m budget=400");
    assert_string_equal(trial.end, "ok");
    assert_false(sim_trial_noted(&trial, left_out));
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

/* Three laps of 262144 hops, 20 us each: more than a second holds, and less than ten may. Of a
 * million of them: more than there is for a run that budget= says nothing of. */
static void a_run_that_will_be_longer_says_so_at_once(void **state)
{
    (void)state;
    sim_trial_run(&trial, slow_machine,
                  "tests=pattern pattern=cycle max=16M iterations=1 pages=2m budget=1");
    assert_string_equal(trial.end, "ok");
    assert_int_equal(trial.points, 1);
    assert_true(sim_trial_noted(&trial, min));
    sim_trial_run(&trial, slow_machine,
                  "tests=pattern pattern=cycle max=64M iterations=1 pages=2m");
    assert_true(sim_trial_noted(&trial, "longer than the budget"));
    assert_false(sim_trial_noted(&trial, "budget="));
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
        cmocka_unit_test(a_run_ends_within_its_promise),
        cmocka_unit_test(expensive_sets_of_a_curve_are_left_out),
        cmocka_unit_test(what_is_left_out_is_left_out_of_all_curves),
        cmocka_unit_test(what_is_left_out_says_with_which_prefetchers),
        cmocka_unit_test(enough_budget_leaves_nothing_out),
        cmocka_unit_test(a_single_set_is_measured_whatever_it_takes),
        cmocka_unit_test(a_run_that_will_be_longer_says_so_at_once),
        cmocka_unit_test(a_set_may_be_smaller_than_a_calibration),
        cmocka_unit_test(warming_ends_with_the_budget),
        cmocka_unit_test(the_headline_is_measured_all_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
