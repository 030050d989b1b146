/* SPDX-License-Identifier: BSD-2-Clause */
/* The headline where something is in its way: prefetchers that follow pointers or cannot be
 * switched off, caches that nothing declares, TLBs smaller than the set. BARECHASE_ALARMS=1000 asks
 * so many honest machines for a false alarm, 24 otherwise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/experiment_dram.h"
#include "tests/sim/generator.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/truth_engine.h"

#define ALARMS      16
#define FIRST_ALARM 5000 /* no machine that another test draws */

static struct sim_engine_outcome try_dram(const struct sim_config *config)
{
    struct sim_engine_outcome outcome = {.ran = false};

    sim_engine_try(config, "tests=dram", &outcome);
    assert_true(outcome.ran);
    return outcome;
}

static struct sim_engine_outcome try_text(const char *text, uint64_t seed)
{
    struct sim_file_error error;
    struct sim_config config;

    if (!sim_machine_parse(&config, text, strlen(text), "m", &error))
        fail_msg("%s", error.text);
    config.seed = seed;
    return try_dram(&config);
}

static bool within(double figure, double truth, double share)
{
    return fabs(figure - truth) <= share * truth;
}

#define MACHINE                                                 \
    "machine name=m pages=4k,2m draw=2c\n"                      \
    "clock core=3G counter=1G\n"                                \
    "cache name=L1 bytes=32K ways=8 latency=4c\n"               \
    "cache name=L2 bytes=1M ways=16 latency=14c\n"              \
    "tlb 4k=64/4 2m=32/4\ntlb 4k=1024/8 2m=1024/8 penalty=7c\n" \
    "walk kind=constant cost=30c\n"
#define MEMORY                                                                        \
    "memory bytes=512M base=60ns tcl=14ns trcd=14ns trp=14ns trefi=7.8us trfc=350ns " \
    "channels=2 banks=16 rows=open\n"

/* Depth 1 and half of the pointers is the least that is worth being called such a prefetcher: half
 * of its lead is what it takes off. */
static void a_prefetcher_that_follows_half_of_the_pointers_shows(void **state)
{
    static const char *const leads[] = {"", "lead=5ns", "lead=30ns"};
    static const char *const noises[] = {"", "noise jitter=2% spike-every=200 spike-factor=3\n"};

    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (size_t lead = 0; lead < 3; lead++)
            for (size_t noise = 0; noise < 2; noise++) {
                struct sim_engine_outcome o;
                char text[2000];
                snprintf(text, sizeof text,
                         MACHINE MEMORY "prefetch kind=pointer control=on degree=1 accuracy=50%% "
                                        "into=2 %s\n%send\n",
                         leads[lead], noises[noise]);
                o = try_text(text, seed);
                assert_true(o.followed);
                assert_string_equal(o.verdict, "off");
                assert_true(within(o.ns, o.truth_ns, noise ? 0.01 : 0.005));
            }
}

/* A machine as the generator draws them, but with small caches and nothing that follows pointers:
 * what is asked of it is soon asked. Every other one is noisy. */
static void draw_small(struct sim_config *config, uint64_t seed)
{
    sim_generate(config, seed);
    config->cache_count = 2;
    config->cache[0].bytes = 16 << 10;
    config->cache[0].ways = 8;
    config->cache[1].bytes = 128 << 10;
    config->cache[1].ways = 8;
    config->cache[1].inclusion = SIM_NEITHER;
    if (config->counter_hz < 1e9)
        config->counter_hz = 1e9;
    if (seed % 2 == 0)
        return;
    config->noise.jitter = 0.02;
    config->noise.spike_every = 200;
    config->noise.spike_factor = 3;
}

static void no_false_alarms(void **state)
{
    const char *asked = getenv("BARECHASE_ALARMS");
    unsigned count = asked ? (unsigned)atoi(asked) : ALARMS, followed = 0, wrong = 0;
    unsigned undecided = 0;

    (void)state;
    for (unsigned i = 0; i < count; i++) {
        struct sim_engine_outcome o;
        struct sim_config config;
        draw_small(&config, FIRST_ALARM + i);
        o = try_dram(&config);
        followed += o.followed;
        undecided += strcmp(o.verdict, "on") != 0 && strcmp(o.verdict, "off") != 0;
        wrong += strcmp(o.verdict, o.prefetches ? "off" : "on") == 0;
        if (o.followed || strcmp(o.verdict, o.prefetches ? "on" : "off") != 0)
            printf("seed %u: verdict %s (%s)%s\n", FIRST_ALARM + i, o.verdict,
                   o.prefetches ? "on" : "off", o.followed ? ", followed" : "");
    }
    printf("%u honest machines: %u false alarms of followed pointers, %u wrong verdicts, "
           "%u undecided\n",
           count, followed, wrong, undecided);
    assert_true(count > 0 && 1000 * followed <= count && 1000 * wrong <= count);
    /* Weak prefetchers in memory that gains much by open rows. */
    assert_true(200 * undecided <= count);
}

/* Four times as large as the largest one that is declared, random replacement, in front of the
 * memory: the set must be warmed until it has filled. */
static void a_cache_that_nothing_declares_is_warmed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct sim_engine_outcome o = try_text(
            MACHINE
            "cache name=SLC bytes=4M ways=16 latency=30ns policy=random memory-side=yes\n" MEMORY
            "end\n",
            seed);
        assert_true(within(o.ns, o.truth_ns, 0.005));
        assert_true(within(o.slope_ns, o.slope_truth_ns, 0.01));
        assert_false(o.followed);
        assert_true(o.undeclared);
    }
}

/* 16 pages of 2 MiB and 8 entries: half of the hops miss. */
static void translation_in_large_pages_is_taken_off(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct sim_engine_outcome o =
            try_text("machine name=m pages=2m draw=2c\nclock core=3G counter=1G\n"
                     "cache name=L1 bytes=32K ways=8 latency=4c\n"
                     "cache name=L2 bytes=1M ways=8 latency=14c\n"
                     "tlb 2m=8\nwalk kind=constant cost=30c\n" MEMORY "end\n",
                     seed);
        assert_true(o.translation_ns > 4 && o.translation_ns < 6);
        assert_true(within(o.ns, o.truth_ns, 0.005));
        assert_true(within(o.slope_ns, o.slope_truth_ns, 0.01));
    }
}

/* The prefetcher's control lies, and brings the other line of each pair. */
static void lines_that_prefetchers_left_are_not_in_the_figure(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        struct sim_engine_outcome o =
            try_text(MACHINE MEMORY "prefetch kind=stream control=pretending degree=8 into=2\n"
                                    "prefetch kind=adjacent-line control=pretending into=2\nend\n",
                     seed);
        assert_string_equal(o.verdict, "on");
        assert_false(o.followed || o.undeclared);
        assert_true(within(o.ns, o.truth_ns, 0.005));
    }
}

/* Few random pairs of lines share a channel of many, and the gain of open rows is nearly half of
 * what this memory takes. */
static void rows_of_many_channels_are_no_prefetcher(void **state)
{
    static const struct {
        const char *prefetch, *verdict;
    } cases[] = {{"", "off"},
                 {"noise jitter=2% spike-every=200 spike-factor=3\n", "off"},
                 {"prefetch kind=stream control=pretending degree=8 into=2\n", "on"},
                 {"prefetch kind=adjacent-line control=on into=2\n", "on"},
                 {"prefetch kind=region control=locked region=1K into=2\n", "on"},
                 {"prefetch kind=next-line control=on into=1\n", "on"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim_engine_outcome o;
        char text[2000];
        snprintf(text, sizeof text,
                 MACHINE "memory bytes=256M base=36ns tcl=18ns trcd=18ns trp=18ns channels=8 "
                         "banks=32 rows=open\n%send\n",
                 cases[i].prefetch);
        o = try_text(text, 1);
        if (strcmp(o.verdict, cases[i].verdict) != 0)
            fail_msg("%s: %s", cases[i].prefetch, o.verdict);
    }
}

/* A cache that replaces at random keeps lines that came beside others for long, and chases at
 * random find them. */
static void neighbours_that_wait_in_caches_hide_no_prefetcher(void **state)
{
    struct sim_engine_outcome o = try_text(
        MACHINE "cache name=L3 bytes=4M ways=16 latency=50c policy=random holds=exclusive\n"
                "memory bytes=256M base=60ns tcl=16ns trcd=16ns trp=16ns channels=2 "
                "ranks=2 banks=16 trefi=7.8us trfc=260ns bandwidth=12G rows=open\n"
                "prefetch kind=adjacent-line control=on into=2\nend\n",
        1);

    (void)state;
    assert_string_equal(o.verdict, "on");
}

/* Most of a region finds no place under way when it is asked for first. */
static void few_places_under_way_hide_no_prefetcher(void **state)
{
    struct sim_engine_outcome o =
        try_text(MACHINE "memory bytes=256M base=90ns tcl=18ns trcd=18ns trp=18ns misses=4\n"
                         "prefetch kind=region control=locked region=1K into=2\nend\n",
                 1);

    (void)state;
    assert_string_equal(o.verdict, "on");
}

/* The chase goes by the longest lines; what comes with the next short one is never asked for. */
static void a_chase_by_long_lines_is_what_it_is(void **state)
{
    struct sim_engine_outcome o =
        try_text(MACHINE "cache name=L3 bytes=4M ways=16 line=128 latency=50c\n" MEMORY
                         "prefetch kind=next-line control=locked into=1\nend\n",
                 1);

    (void)state;
    assert_false(o.prefetches);
    assert_string_equal(o.verdict, "off");
    assert_true(within(o.slope_ns, o.slope_truth_ns, 0.01));
}

static double ratio(double sequential, double paired, double halved)
{
    return dram_prefetch_ratio(&(struct prefetch_proof){.random_ns = 100,
                                                        .sparse_ns = (double)NAN,
                                                        .sequential_ns = sequential,
                                                        .paired_ns = paired,
                                                        .halved_ns = halved,
                                                        .lines_per_page = 64});
}

static void the_gain_of_rows_is_taken_off(void **state)
{
    (void)state;
    assert_true(within(ratio(100, 100, 100), 1, 1e-9));
    assert_true(within(ratio(25, 101, 102), 0.25, 1e-9));
    /* One row a page gains 32: 63 of 64 hops in order do. */
    assert_true(within(ratio(100 - 32 * 63 / 64.0, 84, 84), 1, 1e-9));
    assert_true(within(ratio(100 - 32 * 63 / 64.0, 84, (double)NAN), 1, 1e-9));
    assert_true(within(ratio(100 - 32 * 63 / 64.0, 84, 90), 1, 1e-9));
    /* Eight rows: 7 of 63 random pairs share one, and 56 of 64 hops in order do. */
    assert_true(within(ratio(100 - 32 * 56 / 64.0, 100 - 16 * 7 / 63.0, 84), 1, 1e-9));
    /* Some of them were closed before they were come back to; and no row at all. */
    assert_true(within(ratio(85, 100 - 16 * 7 / 63.0, 84), 1, 1e-9));
    assert_true(within(ratio(110, 100, 84), 1.1, 1e-9));
    /* Half a page away it comes faster than any row: that is no row's gain. */
    assert_true(within(ratio(25, 100, 60), 0.25, 1e-9));
    assert_true(ratio(25, 40, 40) > 0 && ratio(25, 40, 40) < 5.1);
}

static enum dram_chase judge(double chase, double chase_slope, double error, bool seen_off,
                             uint64_t bytes)
{
    struct dram_chase_parts parts = {.chase = {true, chase, error},
                                     .draw = {true, 97, error},
                                     .chase_slope = {true, chase_slope, 0.6 * error},
                                     .draw_slope = {true, 100, 0.8 * error},
                                     .seen_off = seen_off,
                                     .bytes = bytes};

    return dram_judge_chase(&parts);
}

static void a_chase_is_judged_by_errors(void **state)
{
    struct dram_chase_parts unknown = {.chase = {true, 90, 0.1}, .seen_off = true};

    (void)state;
    assert_int_equal(judge(99, 99, 0.2, true, 64 << 20), DRAM_CHASE_FOLLOWED);
    assert_int_equal(judge(99, 99, 0.3, true, 64 << 20), DRAM_CHASE_PLAIN);
    /* However exact: too little to be called anything. */
    assert_int_equal(judge(99.6, 99.6, 0.01, true, 64 << 20), DRAM_CHASE_PLAIN);
    /* A part of half the set as well falls out of the slope. */
    assert_int_equal(judge(98, 100, 0.2, true, 64 << 20), DRAM_CHASE_PLAIN);
    assert_int_equal(judge(98, 100, 0.2, false, 64 << 20), DRAM_CHASE_CACHED);
    assert_int_equal(judge(99, 100, 0.5, false, 64 << 20), DRAM_CHASE_PLAIN);
    assert_int_equal(judge(98, 100, 0.2, false, 4 << 20), DRAM_CHASE_PLAIN);
    assert_int_equal(judge(110, 110, 0.1, false, 64 << 20), DRAM_CHASE_PLAIN);
    assert_int_equal(dram_judge_chase(&unknown), DRAM_CHASE_PLAIN);
}

static void a_slope_is_what_the_rest_of_the_set_costs(void **state)
{
    const struct dram_ns whole = {true, 80, 0.3}, half = {true, 60, 0.4}, noise = {true, 170, 5};
    struct dram_ns slope = dram_slope(whole, 2, half, 1);

    (void)state;
    assert_true(slope.known && within(slope.ns, 100, 1e-9));
    assert_true(within(slope.error_ns, sqrt(0.6 * 0.6 + 0.4 * 0.4), 1e-9));
    assert_false(dram_slope(whole, 2, noise, 1).known);
    assert_false(dram_slope(whole, 1, half, 1).known);
    assert_false(dram_slope(whole, 2, (struct dram_ns){.known = false}, 1).known);
}

static void only_what_is_sure_is_in_caches(void **state)
{
    const struct dram_ns draw = {true, 80, 0.5}, slope = {true, 100, 1}, loose = {true, 100, 12};
    const struct dram_ns unknown = {.known = false}, wild = {true, 900, 500};

    (void)state;
    assert_true(within(dram_share_cached(draw, slope), 1 - 81.0 / 98, 1e-9));
    assert_true(dram_share_cached(draw, loose) == 0);
    assert_true(dram_share_cached(draw, wild) == 0);
    assert_true(dram_share_cached(slope, draw) == 0);
    assert_true(dram_share_cached(unknown, slope) == 0);
    assert_true(dram_share_cached(draw, unknown) == 0);
}

/* Draws find a third of the set in caches. A chase does as well, in a way of its own, unless it
 * takes less than draws: then its lines were fetched ahead. */
static void a_set_near_the_caches_is_judged_by_its_hops_too(void **state)
{
    struct dram_chase_parts near = {.chase = {true, 80, 0.5},
                                    .draw = {true, 67, 0.5},
                                    .chase_slope = {true, 90, 0.5},
                                    .draw_slope = {true, 100, 0.5},
                                    .seen_off = true,
                                    .bytes = 8 << 20};

    (void)state;
    assert_int_equal(dram_judge_chase(&near), DRAM_CHASE_PLAIN);
    near.chase.ns = 60;
    assert_int_equal(dram_judge_chase(&near), DRAM_CHASE_FOLLOWED);
    near.chase.ns = 80;
    near.draw.ns = 90;
    assert_int_equal(dram_judge_chase(&near), DRAM_CHASE_FOLLOWED);
    near.draw.known = false;
    assert_int_equal(dram_judge_chase(&near), DRAM_CHASE_PLAIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_prefetcher_that_follows_half_of_the_pointers_shows),
        cmocka_unit_test(no_false_alarms),
        cmocka_unit_test(a_cache_that_nothing_declares_is_warmed),
        cmocka_unit_test(translation_in_large_pages_is_taken_off),
        cmocka_unit_test(lines_that_prefetchers_left_are_not_in_the_figure),
        cmocka_unit_test(rows_of_many_channels_are_no_prefetcher),
        cmocka_unit_test(neighbours_that_wait_in_caches_hide_no_prefetcher),
        cmocka_unit_test(few_places_under_way_hide_no_prefetcher),
        cmocka_unit_test(a_chase_by_long_lines_is_what_it_is),
        cmocka_unit_test(the_gain_of_rows_is_taken_off),
        cmocka_unit_test(a_chase_is_judged_by_errors),
        cmocka_unit_test(a_slope_is_what_the_rest_of_the_set_costs),
        cmocka_unit_test(only_what_is_sure_is_in_caches),
        cmocka_unit_test(a_set_near_the_caches_is_judged_by_its_hops_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
