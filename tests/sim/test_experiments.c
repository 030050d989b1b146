/* SPDX-License-Identifier: BSD-2-Clause */
/* Each experiment on simulated machines whose truth is in their file: what it finds is what is
 * there, exact where it says so, and a bound that holds where it says that. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/long.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/trial.h"

/* A cycle is half a nanosecond: 2, 7 and 20 ns. */
#define CLOCK "clock core=2G counter=1G\n"
#define CACHES                                     \
    "cache name=L1 bytes=4K ways=4 latency=4c\n"   \
    "cache name=L2 bytes=32K ways=8 latency=14c\n" \
    "cache name=L3 bytes=128K ways=16 latency=40c\n"
#define TLBS                            \
    "tlb 4k=16/4 2m=8\n"                \
    "tlb 4k=256/8 2m=32/8 penalty=8c\n" \
    "walk kind=constant cost=60c coalesce=4\n"

static struct sim_trial *trial_of(const char *machine, const char *words)
{
    struct sim_trial *trial = calloc(1, sizeof *trial);

    sim_trial_run(trial, machine, words);
    assert_string_equal(trial->refused, "");
    assert_string_equal(trial->end, "ok");
    return trial;
}

static const struct record_finding *found(const struct sim_trial *trial, const char *name,
                                          const char *detail)
{
    const struct sim_trial_finding *f = sim_trial_find(trial, name, detail);

    if (!f)
        fail_msg("no finding '%s', %s", name, detail ? detail : "any");
    return &f->finding;
}

/* The finding of that name, detail and unit; pattern NULL: any. */
static const struct record_finding *found_unit(const struct sim_trial *trial, const char *name,
                                               const char *detail, const char *unit,
                                               const char *pattern)
{
    for (size_t i = 0; i < trial->findings; i++) {
        const struct record_finding *f = &trial->finding[i].finding;
        if (strcmp(f->name, name) == 0 && strcmp(f->unit, unit) == 0 &&
            (!detail || (f->detail && strcmp(f->detail, detail) == 0)) &&
            (!pattern || (f->pattern && strcmp(f->pattern, pattern) == 0)))
            return f;
    }
    fail_msg("no finding '%s', %s, in %s", name, detail ? detail : "any", unit);
    return NULL;
}

static void check(const struct record_finding *f, double truth, double share)
{
    if (fabs(f->value - truth) > share * fabs(truth) + 1e-9)
        fail_msg("%s, %s: %g %s, must be %g", f->name, f->detail ? f->detail : "-", f->value,
                 f->unit, truth);
}

/* ---- parallel */

/* So many banks that chains hardly meet in one, and few in which they often do. */
#define WIDE(more)                                                                   \
    CLOCK CACHES "memory bytes=64M base=70ns tcl=10ns trcd=10ns trp=10ns banks=256 " \
                 "row=1K rows=closed " more
#define FEW(more)                                                                   \
    CLOCK CACHES "memory bytes=64M base=50ns tcl=14ns trcd=14ns trp=14ns banks=16 " \
                 "channels=2 row=8K rows=open trefi=7.8us trfc=350ns " more
#define FLAT(more) CLOCK CACHES "memory bytes=64M base=90ns " more

static void outstanding_misses_are_recovered(void **state)
{
    static const struct {
        const char *machine;
        double misses;
    } cases[] = {
        {WIDE("misses=1"), 1},
        {WIDE("misses=6"), 6},
        {WIDE("misses=10 bandwidth=30G"), 10},
        {WIDE("misses=21 bandwidth=60G"), 21},
        {FEW("misses=16 bandwidth=20G"), 16},
        {FLAT("misses=12 bandwidth=20G"), 12},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim_trial *trial = trial_of(cases[i].machine, "tests=parallel max=2M");
        const struct record_finding *f = found(trial, "outstanding misses", NULL);

        printf("%.0f misses: %s %.2f (%.2f to %.2f)\n", cases[i].misses, f->bound, f->value, f->low,
               f->high);
        assert_string_equal(f->bound, "exact");
        assert_true(f->value == cases[i].misses && !f->limited_by);
        assert_true(f->low <= f->value && f->value <= f->high);
        free(trial);
    }
}

static void what_hides_the_misses_is_reported(void **state)
{
    static const struct {
        const char *machine, *limited_by;
        double min, max; /* that are really outstanding */
    } cases[] = {
        {WIDE("misses=24"), "chains", 22, 24},
        /* a line every 12.8 and every 16 ns: seven and five and a half in a latency of 90, and a
         * few per cent of the hops still hit the last level */
        {WIDE("misses=30 bandwidth=5G"), "bandwidth", 6.9, 7.6},
        {FLAT("misses=30 bandwidth=4G"), "bandwidth", 5.3, 5.8},
        /* two channels, whose banks are waited for as well: the rate bends so softly that it may
         * still grow with the last chain */
        {FEW("misses=30 bandwidth=2500M"), NULL, 6.0, 9.0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim_trial *trial = trial_of(cases[i].machine, "tests=parallel max=2M");
        const struct record_finding *f = found(trial, "outstanding misses", NULL);

        printf("%s: %s %.2f\n", f->limited_by ? f->limited_by : "-", f->bound, f->value);
        assert_string_equal(f->bound, "at_least");
        assert_non_null(f->limited_by);
        if (cases[i].limited_by)
            assert_string_equal(f->limited_by, cases[i].limited_by);
        assert_true(f->value >= cases[i].min && f->value <= cases[i].max);
        free(trial);
    }
}

static void bandwidth_grows_with_the_chains_up_to_the_channels(void **state)
{
    struct sim_trial *trial = trial_of(FLAT("misses=30 bandwidth=4G"), "tests=parallel max=2M");
    double last = 0;
    size_t chains = 0;

    (void)state;
    for (size_t i = 0; i < trial->findings; i++) {
        const struct record_finding *f = &trial->finding[i].finding;
        if (strcmp(f->name, "bandwidth") != 0)
            continue;
        chains++;
        assert_true(f->chains == chains && f->value > last * 0.995 && f->value <= 4e9 * 1.005);
        check(f, fmin(64e9 / 90 * (double)chains, 4e9), 0.02);
        last = f->value;
    }
    assert_int_equal(chains, 24);
    /* rounds from rest are no points: what they take is no hop's cost */
    assert_int_equal(trial->points, 24);
    free(trial);
}

/* ---- throughput */

static void loads_that_nothing_waits_for_overlap(void **state)
{
    struct sim_trial *trial = trial_of(FLAT("misses=12 bandwidth=40G"), "tests=throughput max=4M");

    (void)state;
    check(found(trial, "latency", "L1"), 2, 0.01);
    check(found(trial, "latency", "L2"), 7, 0.01);
    check(found(trial, "latency", "memory"), 90, 0.01);
    /* two loads begin in a cycle */
    check(found(trial, "throughput", "L1"), 0.25, 0.02);
    check(found(trial, "latency over throughput", "L1"), 8, 0.02);
    /* twelve misses at a time */
    check(found(trial, "throughput", "memory"), 90.0 / 12, 0.02);
    check(found(trial, "latency over throughput", "memory"), 12, 0.03);
    check(found(trial, "bandwidth", "memory"), 64e9 * 12 / 90, 0.02);
    free(trial);
}

/* 8 pages of 2M in the TLB, and none beyond: every second hop of 32M waits for a walk. */
static void translation_in_a_latency_is_reported(void **state)
{
    static const char *const tlbs[] = {"\ntlb 2m=8\nwalk kind=constant cost=60c",
                                       "\ntlb 2m=32\nwalk kind=constant cost=60c"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char machine[600];
        struct sim_trial *trial;
        snprintf(machine, sizeof machine, "%s%s", FLAT("misses=12"), tlbs[i]);
        trial = trial_of(machine, "tests=throughput max=32M pages=2m");
        assert_int_equal(found(trial, "latency", "memory")->doubt,
                         doubt_of(DOUBT_UNDECLARED_CACHE) |
                             (i == 0 ? doubt_of(DOUBT_TRANSLATION) : 0));
        assert_int_equal(found(trial, "latency", "L2")->doubt, 0);
        free(trial);
    }
}

/* Half of the last level, and no more than max= allows: nothing of it is memory's. The second level
 * holds half of it. */
static void a_set_that_a_cache_should_hold_is_called_declared(void **state)
{
    struct sim_trial *trial = trial_of(FLAT("misses=12"), "tests=throughput max=64K");

    (void)state;
    check(found(trial, "latency", "declared L3"), 20, 0.01);
    assert_int_equal(found(trial, "latency", "declared L3")->doubt, doubt_of(DOUBT_MERGED));
    for (size_t i = 0; i < trial->findings; i++)
        assert_string_not_equal(trial->finding[i].detail, "memory");
    free(trial);
}

/* ---- random-sequential */

static void steps_at_random_against_steps_in_order(void **state)
{
    static const char words[] = "tests=random-sequential max=8M hops=640000 pages=2m prefetch=both";
    struct sim_trial *trial =
        trial_of(FLAT("misses=64\nprefetch kind=stream control=controllable degree=60 into=1 "
                      "within=2M"),
                 words);
    double ratio[2];
    size_t ratios = 0;

    (void)state;
    check(found_unit(trial, "time of all steps", "random and cold", "s", NULL), 640000 * 90e-9,
          0.002);
    check(found_unit(trial, "a step", "random and cold", "ns", NULL), 90, 0.002);
    check(found_unit(trial, "a step", "random and cold", "cycles", NULL), 180, 0.003);
    check(found_unit(trial, "a step", "sequential and warm", "ns", NULL), 90, 0.002);
    for (size_t i = 0; i < trial->findings; i++)
        if (strcmp(trial->finding[i].finding.name, "random over sequential") == 0)
            ratio[ratios++ % 2] = trial->finding[i].finding.value;
    assert_int_equal(ratios, 2);
    assert_true(fabs(ratio[0] - 1) < 0.005);
    /* with the streamer on nearly every line has come */
    assert_true(ratio[1] > 20 && ratio[1] <= 46);
    for (size_t i = 0; i < trial->points; i++) {
        assert_int_equal(trial->point[i].hops * trial->point[i].samples, 640000);
        assert_int_equal(trial->point[i].warm_hops == 0, i % 2 == 0);
    }
    free(trial);
}

/* There is time for a few parts only: their sum is not what all steps take, and the scatter of a
 * single part is unknown. */
static void steps_that_the_budget_cuts_are_reported(void **state)
{
    static const char words[] = "tests=random-sequential max=32M hops=64000000 pages=2m budget=1";
    struct sim_trial *trial = trial_of(CLOCK CACHES "memory bytes=64M base=2us", words);
    const struct record_finding *all =
        found_unit(trial, "time of all steps", "random and cold", "s", NULL);

    (void)state;
    for (size_t i = 0; i < trial->points; i++)
        assert_true(trial->point[i].samples < 64);
    assert_string_equal(all->bound, "at_least");
    assert_string_equal(all->limited_by, "budget");
    assert_true((all->doubt & doubt_of(DOUBT_BUDGET)) != 0);
    check(found_unit(trial, "a step", "random and cold", "ns", NULL), 2000, 0.01);
    for (size_t i = 0; i < trial->findings; i++) {
        const struct record_finding *f = &trial->finding[i].finding;
        assert_true(isnan(f->low) || f->low > 0);
    }
    free(trial);
}

/* ---- tlb */

static const struct record_finding *of_pages(const struct sim_trial *trial, const char *name,
                                             const char *detail, const char *unit,
                                             uint64_t pages_bytes, const char *frames)
{
    for (size_t i = 0; i < trial->findings; i++) {
        const struct record_finding *f = &trial->finding[i].finding;
        if (strcmp(f->name, name) == 0 && strcmp(f->unit, unit) == 0 &&
            strcmp(trial->finding[i].detail, detail) == 0 && f->pages_bytes == pages_bytes &&
            strcmp(f->frames, frames) == 0)
            return f;
    }
    fail_msg("no finding '%s', %s, %s", name, detail, frames);
    return NULL;
}

static void holds(const struct record_finding *f, double entries)
{
    if (!(f->low <= entries && entries <= f->high && f->high <= entries * 1.3))
        fail_msg("%s %s: %g to %g, there are %g", f->name, f->detail, f->low, f->high, entries);
    assert_string_equal(f->bound, "exact");
}

static void translations_cost_what_they_cost(void **state)
{
    struct sim_trial *trial = trial_of(CLOCK CACHES TLBS "memory bytes=512M base=90ns misses=16",
                                       "tests=tlb pages=4k,2m");
    const uint64_t small = 4096, large = 2 << 20;

    (void)state;
    holds(of_pages(trial, "TLB entries", "first level", "entries", small, "scattered"), 16);
    holds(of_pages(trial, "TLB entries", "second level", "entries", small, "scattered"), 256);
    check(of_pages(trial, "TLB miss", "first level", "ns", small, "scattered"), 4, 0.05);
    check(of_pages(trial, "TLB miss", "first level", "cycles", small, "scattered"), 8, 0.05);
    check(of_pages(trial, "TLB miss", "second level", "ns", small, "scattered"), 26, 0.05);
    /* four pages of contiguous frames share an entry */
    holds(of_pages(trial, "TLB entries", "first level", "entries", large, "contiguous"), 4 * 8);
    holds(of_pages(trial, "TLB entries", "first level", "entries", small, "contiguous"), 64);
    assert_false(sim_trial_noted(trial, "fewer levels than are declared, in pages of 4k"));
    free(trial);
}

static void bounds_hold(const struct record_finding *f, double truth, double share)
{
    printf("%s %s: %.2f (%.2f to %.2f), truth %.2f\n", f->name, f->detail, f->value, f->low,
           f->high, truth);
    assert_string_equal(f->bound, "exact");
    assert_true(f->low > 0 && f->low <= truth && truth <= f->high);
    assert_true(f->high - f->low < 2 * share * truth);
}

/* From 1024 lines on the baseline's own pages are more than the first level holds. */
static void a_small_first_level_is_missed_by_the_baseline_too(void **state)
{
    struct sim_trial *trial =
        trial_of("clock core=2200M counter=1G\n"
                 "cache name=L1 bytes=32K ways=8 latency=4c\n"
                 "cache name=L2 bytes=1M ways=16 latency=14c\n"
                 "tlb 4k=16/4\ntlb 4k=1024/8 penalty=8c\nwalk kind=constant cost=52c\n"
                 "memory bytes=512M base=90ns misses=16\n",
                 "tests=tlb pages=4k plan=full");
    const uint64_t small = 4096;

    (void)state;
    holds(of_pages(trial, "TLB entries", "first level", "entries", small, "scattered"), 16);
    holds(of_pages(trial, "TLB entries", "second level", "entries", small, "scattered"), 1024);
    bounds_hold(of_pages(trial, "TLB miss", "first level", "ns", small, "scattered"), 8 / 2.2,
                0.05);
    bounds_hold(of_pages(trial, "TLB miss", "second level", "ns", small, "scattered"), 44 / 2.2,
                0.05);
    free(trial);
}

/* A cycle meets a page of the same entry before it is lost, ever less often: the rise goes on far
 * beyond the reach, and is one level's. */
static void pages_that_share_entries_are_no_second_level(void **state)
{
    struct sim_trial *trial = trial_of(
        CLOCK "cache name=L1 bytes=32K ways=8 latency=4c\n"
              "cache name=L2 bytes=1M ways=16 latency=14c\n"
              "tlb 4k=16/4\ntlb 4k=1024/8 penalty=8c\nwalk kind=constant cost=52c coalesce=4\n"
              "memory bytes=512M base=90ns misses=16\n"
              "noise jitter=2% spike-every=200 spike-factor=3",
        "tests=tlb pages=4k");

    (void)state;
    holds(of_pages(trial, "TLB entries", "first level", "entries", 4096, "contiguous"), 64);
    bounds_hold(of_pages(trial, "TLB miss", "first level", "ns", 4096, "contiguous"), 4, 0.15);
    for (size_t i = 0; i < trial->findings; i++) {
        const struct record_finding *f = &trial->finding[i].finding;
        assert_true(strcmp(f->frames, "scattered") == 0 ||
                    strcmp(trial->finding[i].detail, "first level") == 0);
        assert_true(f->low > 0);
    }
    free(trial);
}

static void what_no_page_reaches_is_a_bound(void **state)
{
    struct sim_trial *trial = trial_of(CLOCK CACHES "tlb 4k=64 2m=64\nwalk kind=constant cost=60c\n"
                                                    "memory bytes=64M base=90ns misses=16",
                                       "tests=tlb pages=2m");
    const struct record_finding *f = found(trial, "TLB entries", NULL);

    (void)state;
    assert_string_equal(f->bound, "at_least");
    assert_string_equal(f->limited_by, "pages");
    assert_true(f->value >= 16 && f->value <= 32);
    free(trial);
    trial = trial_of(CLOCK CACHES "tlb 2m=8\ntlb 2m=256/4 penalty=8c\nwalk kind=constant cost=60c\n"
                                  "memory bytes=64M base=90ns misses=16",
                     "tests=tlb pages=2m");
    assert_non_null(sim_trial_find(trial, "TLB entries", "first level"));
    assert_true(sim_trial_noted(trial, "fewer levels than are declared, in pages of 2m"));
    assert_true(sim_trial_noted(trial, "1 seen; no other up to"));
    free(trial);
}

/* 14 cycles of the second level on every access to 2M pages, which no step shows. */
static void a_first_tlb_without_large_entries_is_said(void **state)
{
    struct sim_trial *trial =
        trial_of(CLOCK CACHES "tlb 4k=16\ntlb 4k=64/4 2m=8 penalty=14c\n"
                              "walk kind=constant cost=60c\nmemory bytes=64M base=90ns misses=16",
                 "tests=tlb pages=4k,2m");

    (void)state;
    assert_true(sim_trial_noted(trial, "tlb: every access to 2m pages costs more: 7.00 ns"));
    assert_int_equal(sim_trial_find(trial, "TLB entries", "second level")->finding.pages_bytes,
                     4096);
    free(trial);
    trial =
        trial_of(CLOCK CACHES "tlb 4k=16 2m=8\ntlb 4k=64/4 2m=16/4 penalty=14c\n"
                              "walk kind=constant cost=60c\nmemory bytes=64M base=90ns misses=16",
                 "tests=tlb pages=4k,2m");
    assert_false(sim_trial_noted(trial, "every access to 2m pages costs more"));
    free(trial);
}

/* 2M pages are mapped by this machine, but no set is in them. */
static void tlbs_of_pages_that_were_not_used_are_said_to_be_unseen(void **state)
{
    static const char machine[] = CLOCK CACHES "tlb 4k=64 2m=16\nwalk kind=constant cost=60c\n"
                                               "memory bytes=256M base=90ns misses=16";
    static const char large[] = "machine name=large pages=4k,2m,1g\n" CLOCK CACHES
                                "tlb 4k=64 2m=16 1g=4\nwalk kind=constant cost=60c\n"
                                "memory bytes=4G base=90ns misses=16\nend";
    struct sim_config config;
    struct sim_file_error error;
    struct sim_trial *trial = trial_of(machine, "tests=curve pages=2m max=8M budget=10");

    (void)state;
    assert_true(sim_trial_noted(trial, "TLBs of 4k pages cannot be seen"));
    assert_false(sim_trial_noted(trial, "TLBs of 2m pages cannot be seen"));
    free(trial);
    trial = trial_of(machine, "tests=curve pages=4k max=8M budget=10");
    assert_false(sim_trial_noted(trial, "cannot be seen"));
    free(trial);
    trial = trial_of(machine, "tests=curve pages=4k,2m max=8M budget=10");
    assert_false(sim_trial_noted(trial, "cannot be seen"));
    assert_true(sim_machine_parse(&config, large, sizeof large - 1, "large", &error));
    sim_trial_run_on(trial, &config, "tests=curve pages=4k,1g max=8M budget=10");
    assert_true(sim_trial_noted(trial, "TLBs of 2m pages cannot be seen"));
    assert_false(sim_trial_noted(trial, "TLBs of 4k pages cannot be seen"));
    free(trial);
}

/* Sets were warmed for the declared 1M before draws showed 64M: a cold set of 64M misses, and one
 * that was warmed hits. The last word is the warm one. */
static void a_cache_that_is_seen_late_serves_the_sets_before_too(void **state)
{
    struct sim_trial *trial = trial_of(CLOCK "cache name=L1 bytes=32K ways=8 latency=4c\n"
                                             "cache name=L2 bytes=1M ways=16 latency=14c\n"
                                             "cache name=SLC bytes=64M ways=16 latency=40ns "
                                             "memory-side=yes\n"
                                             "tlb 4k=64/4 2m=1024\n"
                                             "walk kind=constant cost=30c\n"
                                             "memory bytes=4G base=100ns misses=16\n",
                                       "tests=dram budget=10 pages=2m");
    double first = 0, last = 0;

    (void)state;
    for (size_t i = 0; i < trial->points; i++) {
        const struct record_point *p = &trial->point[i];
        if (p->bytes != 64 << 20 || strcmp(p->pattern, "cycle") != 0)
            continue;
        first = first > 0 ? first : p->ns_median;
        last = p->ns_median;
    }
    assert_true(first > 80);
    assert_true(last > 39 && last < 45);
    free(trial);
}

/* One entry: a curve begins beyond its knee. */
static void tlb_misses_that_no_level_shows_are_said(void **state)
{
    static const char machine[] = "machine name=few pages=4k,2m declares=no\n" CLOCK
                                  "cache name=L1 bytes=32K ways=8 latency=4c\n"
                                  "cache name=L2 bytes=256K ways=8 latency=14c\n"
                                  "cache name=L3 bytes=1M ways=16 latency=40c\n"
                                  "tlb 4k=64 2m=1\n"
                                  "walk kind=constant cost=20c\n"
                                  "memory bytes=512M base=90ns misses=16\nend";
    struct sim_trial *trial = calloc(1, sizeof *trial);
    struct sim_config config;
    struct sim_file_error error;

    (void)state;
    assert_non_null(trial);
    assert_true(sim_machine_parse(&config, machine, sizeof machine - 1, "few", &error));
    sim_trial_run_on(trial, &config, "tests=curve,dram pages=4k,2m budget=10");
    assert_true(sim_trial_noted(trial, "dram: TLB misses that no level shows"));
    config.tlb[0].entries[SIM_PAGE_2M] = 4;
    sim_trial_run_on(trial, &config, "tests=curve,dram pages=4k,2m budget=10");
    assert_false(sim_trial_noted(trial, "no level shows"));
    free(trial);
}

/* Where a cache answers as fast as the one before it, that one has no knee. */
static void declared_caches_that_are_not_found_are_named(void **state)
{
    struct sim_trial *trial = trial_of("clock core=2G counter=2G\n"
                                       "cache name=L1 bytes=32K ways=8 latency=4c\n"
                                       "cache name=L2 bytes=256K ways=8 latency=2.01ns\n"
                                       "cache name=L3 bytes=1M ways=16 latency=20c\n"
                                       "memory bytes=256M base=90ns misses=16",
                                       "tests=curve pages=4k,2m max=8M budget=10");

    (void)state;
    assert_true(sim_trial_noted(trial, "a declared cache was not found: L1, of 32K"));
    assert_false(sim_trial_noted(trial, "not found: L2"));
    free(trial);
    /* Nor was it looked for in a curve that begins beyond it. */
    trial = trial_of("clock core=2G counter=2G\n"
                     "cache name=L1 bytes=32K ways=8 latency=4c\n"
                     "cache name=L2 bytes=1M ways=16 latency=20c\n"
                     "memory bytes=256M base=90ns misses=16",
                     "tests=curve pages=4k,2m min=2M max=16M budget=10");
    assert_false(sim_trial_noted(trial, "a declared cache was not found"));
    free(trial);
}

/* ---- prefetchers */

static void each_prefetcher_serves_its_pattern(void **state)
{
    struct sim_trial *trial =
        trial_of(FLAT("misses=64\n"
                      "prefetch kind=stream control=controllable degree=16 into=2\n"
                      "prefetch kind=region control=controllable region=1K into=2\n"
                      "prefetch kind=adjacent-line control=locked into=3"),
                 "tests=prefetchers max=4M pages=2m");

    (void)state;
    /* with one alone off, the other one still prefetches */
    assert_true(found_unit(trial, "hop without over with", "stream", "ratio", "forward")->value >
                1.5);
    check(found_unit(trial, "hop without over with", "stream", "ratio", "cycle"), 1, 0.05);
    check(found_unit(trial, "hop without over with", "stream", "ratio", "paged"), 1, 0.03);
    assert_true(found_unit(trial, "hop without over with", "region", "ratio", "paged")->value >
                1.5);
    assert_string_equal(found(trial, "serves this pattern most", "region")->pattern, "paged");
    assert_true(
        strcmp(found(trial, "serves this pattern most", "stream")->pattern, "forward") == 0 ||
        strcmp(found(trial, "serves this pattern most", "stream")->pattern, "reverse") == 0 ||
        strcmp(found(trial, "serves this pattern most", "stream")->pattern, "shuffled-pages") == 0);
    /* a prefetcher without a control is not among them */
    assert_null(sim_trial_find(trial, "hop without over with", "adjacent line"));
    assert_true(
        found_unit(trial, "hop without over with", "all that can be switched", "ratio", "forward")
            ->value > 1.5);
    free(trial);
}

static void a_machine_without_controls_says_so(void **state)
{
    struct sim_trial *trial =
        trial_of(FLAT("misses=64\nprefetch kind=stream control=on degree=16 into=2"),
                 "tests=prefetchers max=4M pages=2m");

    (void)state;
    assert_true(sim_trial_noted(trial, "none can be switched by itself"));
    assert_int_equal(trial->findings, 0);
    free(trial);
}

/* ---- frequency */

#define TURBO(more)                                   \
    "clock core=2G turbo=3G counter=1G " more "\n"    \
    "cache name=L1 bytes=4K ways=4 latency=4c\n"      \
    "cache name=L2 bytes=32K ways=8 latency=14c\n"    \
    "cache name=L3 bytes=128K ways=16 latency=30ns\n" \
    "memory bytes=64M base=90ns misses=16"

static void latencies_split_into_cycles_and_time(void **state)
{
    struct sim_trial *trial = trial_of(TURBO(""), "tests=frequency max=4M");
    static const struct {
        const char *level;
        double cycles, fixed_ns;
    } truth[] = {{"L1", 4, 0}, {"L2", 14, 0}, {"L3", 0, 30}, {"memory", 0, 90}};

    (void)state;
    check(found(trial, "core frequency", "turbo on"), 3e9, 0.001);
    check(found(trial, "core frequency", "turbo off"), 2e9, 0.001);
    for (size_t i = 0; i < 4; i++) {
        const struct record_finding *cycles =
            found(trial, "core cycles per access", truth[i].level);
        const struct record_finding *fixed = found(trial, "fixed time per access", truth[i].level);

        printf("%s: %.2f cycles (%.2f to %.2f), %.2f ns (%.2f to %.2f)\n", truth[i].level,
               cycles->value, cycles->low, cycles->high, fixed->value, fixed->low, fixed->high);
        assert_true(cycles->low <= truth[i].cycles && truth[i].cycles <= cycles->high);
        assert_true(fixed->low <= truth[i].fixed_ns && truth[i].fixed_ns <= fixed->high);
        assert_true(cycles->high - cycles->low < 3 && fixed->high - fixed->low < 2);
    }
    for (size_t i = 0; i < trial->points; i++)
        check(&(struct record_finding){.name = "hz",
                                       .value = trial->point[i].cpu_hz_after,
                                       .unit = "hz"},
              i < trial->points / 2 ? 3e9 : 2e9, 0.001);
    free(trial);
}

static void no_second_frequency_no_figure(void **state)
{
    static const char *const machines[] = {
        TURBO("turbo-control=none"), TURBO("turbo-control=locked"),
        TURBO("turbo-control=pretending"), TURBO("turbo-control=ignoring"), FLAT("misses=16"),
        /* the frequency falls between the points with turbo and those without, by itself */
        TURBO("turbo-control=none turbo-seconds=0.02")};

    (void)state;
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        struct sim_trial *trial = trial_of(machines[i], "tests=frequency max=4M");
        assert_int_equal(trial->findings, 0);
        assert_true(sim_trial_noted(trial, "the core's frequency did not change"));
        free(trial);
    }
}

/* A cache that no register declares: the first set is chosen for it, and a warning names it. */
static void a_cache_of_the_firmwares_tables_makes_the_first_set_larger(void **state)
{
#define BEHIND                                                              \
    "clock core=3G counter=1G\ncache name=L1 bytes=32K ways=8 latency=4c\n" \
    "cache name=L2 bytes=1M ways=16 latency=14c\n"                          \
    "cache name=SLC bytes=16M ways=16 latency=30ns memory-side=yes%s\n"     \
    "tlb 4k=64/4 2m=32/4\nwalk kind=constant cost=30c\nmemory bytes=2G base=60ns\n"
    static const struct {
        const char *said, *to, *warning;
    } cases[] = {{"", "to 256M in", NULL},
                 {" smbios=16M", "to 512M in", "the firmware declares 16M of it (SMBIOS type 7)"},
                 {" smbios=4K", "to 256M in", "the firmware declares 4K of it"},
                 {" smbios=1T", "to 1G in", "the firmware declares 1T of it"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim_trial *trial;
        char machine[600];
        snprintf(machine, sizeof machine, BEHIND, cases[i].said);
        trial = trial_of(machine, "tests=dram dry=on");
        assert_true(sim_trial_noted(trial, cases[i].to));
        assert_int_equal(sim_trial_noted(trial, "memory behind a memory-side cache"),
                         cases[i].warning != NULL);
        assert_true(cases[i].warning == NULL || sim_trial_noted(trial, cases[i].warning));
        free(trial);
    }
}

#define FLUSHING(cache, memory)                                             \
    "clock core=2G counter=1G\ncache name=L1 bytes=32K ways=8 latency=4c\n" \
    "cache name=L2 bytes=1M ways=16 latency=14c\n" cache                    \
    "tlb 2m=64\nwalk kind=constant cost=30c\nmemory bytes=512M base=" memory "\n"
#define SLC8 "cache name=SLC bytes=8M ways=16 latency=30ns memory-side=yes smbios=8M\n"
static void check_near(const struct record_finding *f, double ns)
{
    assert_string_equal(f->unit, "ns");
    if (fabs(f->value - ns) > 0.5 || f->low > f->value || f->high < f->value)
        fail_msg("%s, %s: %g ns (%g to %g), must be %g", f->name, f->detail, f->value, f->low,
                 f->high, ns);
}

/* The lines of a memory-side cache that a flush leaves there cost 30 ns, those of memory 90. */
static void flushed_lines_show_what_stands_before_the_memory(void **state)
{
    static const struct {
        const char *machine, *words;
        double ns;
        const char *detail, *note;
        size_t findings;
    } cases[] = {
        {FLUSHING("", "90ns"), "tests=dram load=flush", 0, "agrees", NULL, 1},
        {FLUSHING(SLC8, "90ns"), "tests=dram load=flush", 30 - 90,
         "lower: a memory-side cache or open rows", "a memory-side cache answers (one is declared)",
         1},
        {FLUSHING(SLC8, "90ns"), "tests=pattern,dram load=flush", 30 - 90,
         "lower: a memory-side cache or open rows", "a flushed line costs less", 2},
        {FLUSHING(SLC8, "90ns"), "tests=dram,pattern load=flush", 30 - 90,
         "lower: a memory-side cache or open rows", "a flushed line costs less", 2},
        {FLUSHING("", "90ns"), "tests=pattern load=flush", 0, NULL, NULL, 0},
        {FLUSHING(SLC8, "90ns"), "tests=dram", 0, NULL, NULL, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim_trial *trial = trial_of(cases[i].machine, cases[i].words);
        size_t count = 0;
        for (size_t k = 0; k < trial->findings; k++)
            count += strcmp(trial->finding[k].name, "flushed line less headline") == 0;
        assert_int_equal(count, cases[i].findings);
        if (count != 0)
            check_near(found(trial, "flushed line less headline", cases[i].detail), cases[i].ns);
        /* pattern's own set is far larger than that cache. */
        if (count == 2)
            check_near(found(trial, "flushed line less headline", "agrees"), 0);
        assert_int_equal(sim_trial_noted(trial, "load=flush: a flushed line costs"),
                         cases[i].note != NULL);
        assert_true(cases[i].note == NULL || sim_trial_noted(trial, cases[i].note));
        assert_false(sim_trial_noted(trial, "not applied: load="));
        free(trial);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_TEST(flushed_lines_show_what_stands_before_the_memory),
        cmocka_unit_test(a_cache_of_the_firmwares_tables_makes_the_first_set_larger),
        LONG_TEST(outstanding_misses_are_recovered),
        LONG_TEST(what_hides_the_misses_is_reported),
        cmocka_unit_test(bandwidth_grows_with_the_chains_up_to_the_channels),
        cmocka_unit_test(loads_that_nothing_waits_for_overlap),
        cmocka_unit_test(translation_in_a_latency_is_reported),
        cmocka_unit_test(a_set_that_a_cache_should_hold_is_called_declared),
        cmocka_unit_test(steps_at_random_against_steps_in_order),
        cmocka_unit_test(steps_that_the_budget_cuts_are_reported),
        cmocka_unit_test(translations_cost_what_they_cost),
        cmocka_unit_test(a_small_first_level_is_missed_by_the_baseline_too),
        cmocka_unit_test(pages_that_share_entries_are_no_second_level),
        cmocka_unit_test(what_no_page_reaches_is_a_bound),
        cmocka_unit_test(a_first_tlb_without_large_entries_is_said),
        LONG_TEST(tlbs_of_pages_that_were_not_used_are_said_to_be_unseen),
        LONG_TEST(a_cache_that_is_seen_late_serves_the_sets_before_too),
        LONG_TEST(tlb_misses_that_no_level_shows_are_said),
        cmocka_unit_test(declared_caches_that_are_not_found_are_named),
        cmocka_unit_test(each_prefetcher_serves_its_pattern),
        cmocka_unit_test(a_machine_without_controls_says_so),
        cmocka_unit_test(latencies_split_into_cycles_and_time),
        cmocka_unit_test(no_second_frequency_no_figure),
    };

    return RUN_TESTS(tests);
}
