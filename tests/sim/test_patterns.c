/* SPDX-License-Identifier: BSD-2-Clause */
/* Each pattern, load, hint and chain count on machines of which one can compute what it must cost:
 * options as a user writes them, and the record's ns per access beside the sum from first
 * principles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/lib/random.h"
#include "tests/sim/trial.h"

/* A cycle is half a nanosecond: 2, 7 and 20 ns; a second-level TLB hit 4, a walk 30. */
#define CACHES                                       \
    "clock core=2G counter=1G\n"                     \
    "cache name=L1 bytes=4K ways=4 latency=4c\n"     \
    "cache name=L2 bytes=32K ways=8 latency=14c\n"   \
    "cache name=L3 bytes=128K ways=16 latency=40c\n" \
    "tlb 4k=16/4 2m=16\n"                            \
    "tlb 4k=64/8 2m=64/8 penalty=8c\n"               \
    "walk kind=constant cost=60c\n"
/* 80 ns with closed rows; 70 with a hit in an open row, 90 when another one is open. */
#define MEMORY "memory bytes=64M base=60ns tcl=10ns trcd=10ns trp=10ns "
#define CLOSED CACHES MEMORY "banks=16 row=8K rows=closed misses=10 bandwidth=20G"
#define OPEN   CACHES MEMORY "banks=16 row=8K rows=open misses=10 bandwidth=20G"
/* So many banks that chains hardly meet in one. */
#define WIDE CACHES MEMORY "banks=256 row=1K rows=closed misses=10 bandwidth=200G"
/* 10 ns for a line, and 20 until the channel is used again after a write. */
#define NARROW CACHES MEMORY "banks=256 row=1K rows=closed misses=10 bandwidth=6.4G twtr=20ns"
/* Runs so far ahead over so large a region that only the cache's latency is left. */
#define FAR_STREAMER                                                     \
    CACHES MEMORY "channels=64 banks=256 row=1K rows=closed misses=64\n" \
                  "prefetch kind=stream control=controllable degree=60 into=1 within=2M"
/* Sixteen lines ahead, and it begins anew in each page. */
#define PAGE_STREAMER                                                    \
    CACHES MEMORY "channels=64 banks=256 row=1K rows=closed misses=64\n" \
                  "prefetch kind=stream control=controllable degree=16 into=1"

struct expectation {
    const char *machine, *words;
    double ns, share; /* what a hop must cost, and the share by which it may differ */
    const char *because;
};

static const struct expectation orders[] = {
    {CLOSED, "pattern=cycle", 80, 0.005, "a closed row every hop"},
    {CLOSED, "pattern=iid", 80 - 60 / 32.0 - 13 / 128.0 - 5 / 1024.0, 0.005, "what caches hold"},
    {CLOSED, "pattern=forward", 80, 0.005, "nothing runs ahead"},
    {CLOSED, "pattern=forward stride=192", 80, 0.005, "three lines further is no nearer"},
    {CLOSED, "pattern=forward stride=8", (80 + 7 * 2) / 8.0, 0.005, "seven of eight are in L1"},
    {CLOSED, "pattern=reverse stride=16", (80 + 3 * 2) / 4.0, 0.005, "three of four are in L1"},
    {CLOSED, "pattern=reverse", 80, 0.005, "as forward"},
    {CLOSED, "pattern=sequential", 80, 0.005, "as forward"},
    {CLOSED, "pattern=shuffled-pages", 80, 0.005, "nothing runs ahead"},
    {CLOSED, "pattern=paged", 80, 0.005, "a closed row does not care who was there"},
    {CLOSED, "pattern=hop-page", 80, 0.005, "2M pages: no walk"},
    {CLOSED, "pattern=cycle word=5", 80, 0.005, "lines come whole"},
    {OPEN, "pattern=cycle", 90 - 20 / 32.0, 0.01, "of 32 rows to a bank one is open"},
    {OPEN, "pattern=forward", 70 + 20 / 128.0, 0.005, "128 lines to a row"},
    {OPEN, "pattern=paged", 70 + 20 / 64.0, 0.005, "64 lines to a page, in one row"},
    {OPEN, "pattern=paged group=8K", 70 + 20 / 128.0, 0.005, "whole rows"},
    {OPEN, "pattern=hop-page", 90 - 20 / 32.0, 0.01, "another row every hop"},
};

static const struct expectation translation[] = {
    {CLOSED, "pattern=hop-page pages=4k", 80 + 30, 0.005, "a walk every hop"},
    {CLOSED, "pattern=cycle pages=4k", 80 + 30 * 15 / 16.0 + 4 * 3 / 64.0, 0.01,
     "64 of 1024 pages have an entry"},
    {CLOSED, "pattern=grouped group=64K pages=4k", 80 + 30 / 64.0, 0.005,
     "16 pages fit the first level: one walk for each in 1024 hops"},
    {CLOSED, "pattern=grouped group=256K pages=4k", 80 + 4 * 0.75 + 30 / 64.0, 0.01,
     "64 pages fit the second level"},
    {CLOSED, "pattern=grouped group=2M pages=4k", 80 + 30 * 7 / 8.0 + 4 * 3 / 32.0, 0.01,
     "512 pages do not fit"},
    {CLOSED, "pattern=paged pages=4k", 80 + 30 / 64.0, 0.005, "one walk to a page"},
};

static const struct expectation prefetched[] = {
    {FAR_STREAMER, "pattern=forward prefetch=off", 80, 0.005, "it obeys"},
    {FAR_STREAMER, "pattern=forward prefetch=on", 2, 0.05, "all but the first lines are in L1"},
    {FAR_STREAMER, "pattern=reverse prefetch=on", 2, 0.05, "it follows any stride"},
    {FAR_STREAMER, "pattern=forward stride=128 prefetch=on", 7, 0.05,
     "half of L1's sets cannot keep 60 lines: L2 does"},
    {FAR_STREAMER, "pattern=cycle prefetch=on", 80, 0.01, "there is nothing to follow"},
    {PAGE_STREAMER, "pattern=cycle prefetch=on", 80, 0.01, "there is nothing to follow"},
    /* Three lines at full cost; then 16 lines take as long as one line takes to come, 80 ns, and
     * the last 13 of the page 2 each. */
    {PAGE_STREAMER, "pattern=shuffled-pages prefetch=on", (3 * 80 + 3 * 80 + 13 * 2) / 64.0, 0.02,
     "16 lines are under way at a time"},
    {PAGE_STREAMER, "pattern=sequential prefetch=on", (3 * 80 + 3 * 80 + 13 * 2) / 64.0, 0.02,
     "each page begins anew"},
    {PAGE_STREAMER, "pattern=paged prefetch=on", 80, 0.02, "no stride inside a page"},
    {PAGE_STREAMER, "pattern=hop-page prefetch=on", 80, 0.02, "no stride at all"},
};

static const struct expectation loads[] = {
    {NARROW, "pattern=cycle", 80, 0.005, "reads alone"},
    {NARROW, "pattern=cycle load=dirty", 80 + 10 + 20, 0.01, "a line back for each one taken"},
    {NARROW, "pattern=forward load=dirty", 80 + 10 + 20, 0.02, "whatever the order"},
    {NARROW, "pattern=cycle load=dirty max=32K", 7, 0.01, "nothing goes back from what fits"},
    {CLOSED, "pattern=cycle max=32K", 7, 0.005, "it fits L2"},
    {CLOSED, "pattern=cycle load=nt max=32K", 80, 0.005, "only L1 is filled, and it is too small"},
    {CLOSED "\ncore non-temporal=all", "pattern=cycle load=nt max=32K", 7, 0.005, "as plain"},
    {CLOSED, "pattern=cycle load=nt max=4K", 2, 0.005, "L1 is filled"},
    {CLOSED, "pattern=cycle load=flush max=4K", 80, 0.01, "flushed: memory, however small"},
    {CLOSED "\ncore timer=40c", "pattern=cycle load=flush max=4K", 80, 0.01,
     "what timing costs is taken off"},
    {CLOSED "\ncore timer=40c", "pattern=cycle load=flush max=4M pages=4k", 80, 0.01,
     "the flush has translated"},
};

/* A memory access is 160 cycles. */
static const struct expectation beside[] = {
    {CLOSED, "work=100", 80, 0.005, "hidden behind the load"},
    {CLOSED, "work=400", 200, 0.005, "the load is hidden behind the work"},
    {CLOSED "\ncore window=64", "work=100", 80, 0.005, "nearly twice the window is hidden"},
    {CLOSED "\ncore window=64", "work=1000", (160 + 1000 - 2 * 64) / 2.0, 0.01,
     "what the window does not reach waits"},
    {CLOSED "\ncore window=64", "hint=nta work=1000", 500, 0.005, "hidden behind the work"},
    {CLOSED "\ncore window=64", "hint=t0 work=1000", 500, 0.005, "hidden behind the work"},
    {CLOSED "\ncore window=64", "hint=t1 work=1000", 500, 0.005, "hidden behind the work"},
    {CLOSED "\ncore window=64", "hint=t2 work=1000", 500, 0.005, "hidden behind the work"},
    {CLOSED "\ncore window=64", "hint=t0", 80, 0.005, "nothing to hide behind"},
    {CLOSED "\ncore window=64", "hint=t2", 80, 0.005, "nothing to hide behind"},
};

static const struct expectation warmth[] = {
    {CLOSED, "max=64K", 20, 0.005, "it fits L3"},
    {CLOSED, "max=64K warmup=off", 80, 0.01, "it was never there"},
};

static const struct expectation chains[] = {
    {WIDE, "chains=2", 80, 0.01, "side by side"},
    {WIDE, "chains=5", 80, 0.01, "side by side"},
    {WIDE, "chains=7", 80, 0.01, "side by side"},
    {WIDE, "chains=10", 80, 0.02, "the last place is taken"},
    {WIDE, "chains=12", 96, 0.02, "two wait for a place"},
    {WIDE, "chains=20", 160, 0.02, "half of them wait"},
    {WIDE, "chains=24", 192, 0.02, "more than half of them wait"},
    {WIDE, "chains=4 max=64K", 20, 0.01, "the same in L3"},
    {WIDE, "chains=8 max=4K", 2, 0.01, "two loads a cycle are enough for eight"},
    {WIDE, "chains=16 max=4K", 4, 0.01, "sixteen take twice as long"},
    {NARROW, "chains=16 pattern=cycle", 160, 0.02, "16 lines of 10 ns, the channel's limit"},
    {WIDE, "chains=6 word=7", 80, 0.01, "side by side"},
    {WIDE, "chains=4 load=nt", 80, 0.01, "side by side"},
    {WIDE, "chains=7 hint=t0", 80, 0.02, "nothing to hide behind"},
    {WIDE, "chains=2 pattern=hop-page pages=4k", 110, 0.01, "a walk every hop of each, together"},
    {NARROW, "chains=4 load=dirty", 4 * (10 + 30), 0.03,
     "a line there and one back for each: the channel's limit"},
};

struct table {
    const struct expectation *row;
    size_t rows;
};

/* Each row of the table that is the test's state. */
static void holds(void **state)
{
    const struct table *table = *state;
    struct sim_trial *trial = malloc(sizeof *trial);
    unsigned wrong = 0;

    for (size_t i = 0; i < table->rows; i++) {
        const struct expectation *e = &table->row[i];
        char words[300];
        double ns = NAN;
        /* The later word wins. */
        snprintf(words, sizeof words, "tests=pattern max=4M pages=2m pattern=cycle %s", e->words);
        sim_trial_run(trial, e->machine, words);
        if (trial->points == 1 && strcmp(trial->end, "ok") == 0)
            ns = trial->point[0].ns_median;
        if (fabs(ns - e->ns) <= e->share * e->ns)
            continue;
        wrong++;
        printf("%s: %.2f ns, expected %.2f: %s %s %s\n", e->words, ns, e->ns, e->because,
               trial->refused, trial->notes != 0 ? trial->note[trial->notes - 1] : "");
    }
    free(trial);
    assert_int_equal(wrong, 0);
}

/* A test by what it shows, and the rows of its table. */
#define HOLDS(what, list)                                                   \
    {                                                                       \
        .name = #what, .test_func = holds, .initial_state = &(struct table) \
        {                                                                   \
            (list), sizeof(list) / sizeof *(list)                           \
        }                                                                   \
    }

/* A clock with steps of 40 ns cannot time a load of 80. */
static void a_coarse_clock_times_no_single_load(void **state)
{
    struct sim_trial *trial = malloc(sizeof *trial);

    (void)state;
    sim_trial_run(trial,
                  "clock core=2G counter=25M\ncache name=L1 bytes=4K ways=4 latency=4c\n"
                  "memory bytes=64M base=80ns",
                  "tests=pattern load=flush max=64K pages=2m");
    assert_int_equal(trial->points, 0);
    assert_true(sim_trial_noted(trial, "flush"));
    free(trial);
}

/* The record against the ledger of the same samples, hop by hop: nothing is lost between them. */
static void records_say_what_the_ledger_says(void **state)
{
    static const char *const words[] = {
        "pattern=cycle",
        "pattern=paged pages=4k",
        "chains=6",
        "load=dirty",
        "chains=5 load=dirty",
        "pattern=hop-page pages=4k chains=3",
        "chains=20 pages=4k",
        "load=nt chains=7",
        "pattern=iid",
        "work=60",
        "load=flush max=4K",
        "pattern=forward chains=2 hint=t0",
    };
    struct sim_trial *trial = malloc(sizeof *trial);

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[300];
        double truth;
        snprintf(text, sizeof text, "tests=pattern max=4M pages=2m pattern=cycle %s", words[i]);
        sim_trial_run(trial,
                      OPEN " trefi=7.8us trfc=350ns twtr=8ns\n"
                           "prefetch kind=stream control=controllable degree=4 into=2\n"
                           "core timer=20c",
                      text);
        assert_int_equal(trial->points, 1);
        truth = sim_ledger_hop_ns(&trial->ledger[0]);
        if (!(fabs(trial->point[0].ns_mean - truth) <= 0.01 * truth))
            fail_msg("%s: %.3f ns, the ledger says %.3f", words[i], trial->point[0].ns_mean, truth);
    }
    free(trial);
}

/* Noise is no hop's cost: the median is what the ledger says without it. */
static void noise_is_kept_out_of_every_kind_of_hop(void **state)
{
    static const char *const words[] = {"chains=6", "load=dirty", "load=flush max=4K",
                                        "load=nt",  "chains=20",  "pattern=paged pages=4k",
                                        "hint=t0"};
    struct sim_trial *trial = malloc(sizeof *trial);

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char text[300];
        double truth;
        snprintf(text, sizeof text, "tests=pattern max=4M pages=2m pattern=cycle %s", words[i]);
        sim_trial_run(
            trial, NARROW "\nnoise jitter=2% spike-every=50 spike-factor=3\ncore timer=20c", text);
        assert_int_equal(trial->points, 1);
        assert_true(trial->ledger[0].cause_ns[SIM_BY_NOISE] != 0);
        truth = sim_ledger_hop_ns(&trial->ledger[0]);
        if (!(fabs(trial->point[0].ns_median - truth) <= 0.015 * truth))
            fail_msg("%s: %.3f ns, the ledger says %.3f", words[i], trial->point[0].ns_median,
                     truth);
    }
    free(trial);
}

/* A bit of the line at 0x100204000 is always 1 that no pointer has, or, for draws, that the word
 * there does not have. All of the memory is in the set. */
static void a_bad_bit_is_found_whatever_the_hops_are(void **state)
{
    static const struct {
        const char *words;
        uint32_t word, bit;
    } cases[] = {{"pattern=cycle", 0, 2},
                 {"pattern=forward stride=8", 0, 2},
                 {"pattern=reverse stride=128", 0, 2},
                 {"pattern=paged", 0, 2},
                 {"pattern=grouped chains=3", 0, 2},
                 {"pattern=hop-page", 0, 2},
                 {"pattern=shuffled-pages", 0, 2},
                 {"pattern=iid", 0, 4},
                 {"chains=7", 0, 2},
                 {"chains=24", 0, 2},
                 {"load=dirty", 0, 2},
                 {"load=flush", 0, 2},
                 {"load=nt chains=2", 0, 2},
                 {"hint=t1 work=40", 0, 2},
                 {"word=5", 5, 2},
                 {"word=3 load=dirty chains=5", 3, 2},
                 {"warmup=off", 0, 2}};
    struct sim_trial *trial = malloc(sizeof *trial);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char words[300], machine[1200];
        uint64_t address = 0x100204000 + 8 * cases[i].word;
        snprintf(words, sizeof words, "tests=pattern max=4M pages=2m pattern=cycle %s",
                 cases[i].words);
        snprintf(machine, sizeof machine,
                 CACHES "memory bytes=4M base=80ns\nfault address=0x%llx bit=%u kind=stuck-1",
                 (unsigned long long)address, cases[i].bit);
        sim_trial_run(trial, machine, words);
        if (trial->errors == 0 || strcmp(trial->end, "failed") != 0 ||
            trial->first_error.physical_address.value != address)
            fail_msg("%s: %zu errors at %llx, end %s", cases[i].words, trial->errors,
                     (unsigned long long)trial->first_error.physical_address.value, trial->end);
    }
    free(trial);
}

/* Any of the words, or none. */
static const char *any_of(struct random *random, const char *const *words, size_t count)
{
    return words[random_below(random, count)];
}
#define ANY_OF(random, ...)                              \
    any_of((random), (const char *const[]){__VA_ARGS__}, \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void draw_words(struct random *random, char words[300])
{
    snprintf(
        words, 300, "tests=pattern seed=%u max=%s pages=%s pattern=%s%s%s%s%s%s%s%s",
        (unsigned)random_below(random, 1000), ANY_OF(random, "4K", "36K", "250K", "1M", "3M"),
        ANY_OF(random, "4k", "2m"),
        ANY_OF(random, "cycle", "iid", "forward", "reverse", "sequential", "shuffled-pages",
               "paged", "grouped", "hop-page"),
        ANY_OF(random, "", "", "", "", " stride=128", " stride=8", " stride=4160"),
        ANY_OF(random, "", "", "", "", " group=8K", " group=192"),
        ANY_OF(random, "", "", " chains=2", " chains=3", " chains=7", " chains=13", " chains=24"),
        ANY_OF(random, "", "", "", "", " load=nt", " load=flush", " load=dirty"),
        ANY_OF(random, "", "", "", "", " hint=nta", " hint=t1"),
        ANY_OF(random, "", "", "", "", " work=17", " work=700"),
        ANY_OF(random, "", "", " word=1", " word=7", " warmup=off", " prefetch=both"));
}

/* Whether nothing but loads' waits is in a point's mean: work can be longer than they are, and
 * outliers are left out. */
static bool is_all_loads(const struct record_point *point)
{
    return point->work_cycles == 0 && point->outliers == 0;
}

/* Refused with words, left out with a note, or measured without an error and as the ledger says. */
static void any_combination_ends_well(void **state)
{
    const char *from = getenv("BARECHASE_SEED"), *times = getenv("BARECHASE_MACHINES");
    int first = from ? atoi(from) : 0, count = times && atoi(times) > 100 ? 1500 : 150;
    struct sim_trial *trial = malloc(sizeof *trial);
    unsigned measured = 0, refused = 0, left_out = 0;

    (void)state;
    for (int seed = first; seed < first + count; seed++) {
        struct random random;
        char words[300];
        random_start(&random, (uint64_t)seed);
        draw_words(&random, words);
        sim_trial_run(trial,
                      OPEN " trefi=7.8us trfc=350ns twtr=8ns\n"
                           "prefetch kind=stream control=controllable degree=8 into=2\n"
                           "prefetch kind=adjacent-line control=controllable into=1\n"
                           "core window=96 timer=20c",
                      words);
        refused += trial->refused[0] != '\0';
        left_out += trial->refused[0] == '\0' && trial->points == 0;
        measured += trial->points != 0;
        if (trial->refused[0] == '\0' &&
            (trial->errors != 0 || (trial->points == 0 && trial->notes == 0)))
            fail_msg("seed %d, %s: %zu points, %zu errors, end %s", seed, words, trial->points,
                     trial->errors, trial->end);
        for (size_t i = 0; i < trial->points; i++) {
            double truth = sim_ledger_hop_ns(&trial->ledger[i]), ns = trial->point[i].ns_mean;
            if (strcmp(trial->point[i].verified, "none") == 0 ||
                (is_all_loads(&trial->point[i]) && !(fabs(ns - truth) <= 0.02 * truth + 0.05)))
                fail_msg("seed %d, %s: verified %s, %.3f ns, the ledger says %.3f", seed, words,
                         trial->point[i].verified, ns, truth);
        }
    }
    printf("%u measured, %u refused, %u left out\n", measured, refused, left_out);
    assert_true(measured > (unsigned)count / 5 && refused != 0 && left_out != 0);
    free(trial);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOLDS(orders_cost_what_caches_and_rows_make_of_them, orders),
        HOLDS(translation_costs_what_the_order_makes_of_it, translation),
        HOLDS(prefetchers_serve_the_orders_they_know, prefetched),
        HOLDS(loads_cost_what_they_do, loads),
        HOLDS(work_and_hints_hide_what_they_can, beside),
        HOLDS(a_cold_chase_is_cold, warmth),
        HOLDS(chains_share_what_there_is, chains),
        cmocka_unit_test(a_coarse_clock_times_no_single_load),
        cmocka_unit_test(records_say_what_the_ledger_says),
        cmocka_unit_test(noise_is_kept_out_of_every_kind_of_hop),
        cmocka_unit_test(a_bad_bit_is_found_whatever_the_hops_are),
        cmocka_unit_test(any_combination_ends_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
