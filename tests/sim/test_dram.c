/* SPDX-License-Identifier: BSD-2-Clause */
/* The headline where something is in its way: prefetchers that follow pointers or cannot be
 * switched off, undeclared caches, TLBs smaller than the set. BARECHASE_ALARMS=1000 checks this
 * many machines without followed pointers for false alarms, 24 otherwise. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/experiments/dram_conclude.h"
#include "core/experiments/dram_figures.h"
#include "core/experiments/dram_gather.h"
#include "core/experiments/dram_walks.h"
#include "core/experiments/prefetch_ratio.h"
#include "core/experiments/translation.h"
#include "core/lib/real.h"
#include "tests/long.h"
#include "tests/sim/generator.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/trial.h"
#include "tests/sim/truth_engine.h"

#define ALARMS 16

/* Cases that differ from another in a number only are left to the long tests. */
static uint64_t seeds(void)
{
    return tests_are_long() ? 2 : 1;
}

/* No machine that another test draws, and none that scores are kept for. */
#define FIRST_ALARM 20000

static struct sim_engine_outcome try_dram(const struct sim_config *config)
{
    struct sim_engine_outcome outcome = {.ran = false};

    sim_engine_try(config, "tests=dram", &outcome);
    assert_true(outcome.ran);
    return outcome;
}

static struct sim_config config_of(const char *text)
{
    struct sim_file_error error;
    struct sim_config config;

    if (!sim_machine_parse(&config, text, strlen(text), "m", &error))
        fail_msg("%s", error.text);
    return config;
}

static struct sim_engine_outcome try_text(const char *text, uint64_t seed)
{
    struct sim_config config = config_of(text);

    config.seed = seed;
    return try_dram(&config);
}

static bool within(double figure, double truth, double share)
{
    return fabs(figure - truth) <= share * truth;
}

#define MACHINE MACHINE_OF("1M")
#define MACHINE_OF(l2)                                          \
    "machine name=m pages=4k,2m draw=2c\n"                      \
    "clock core=3G counter=1G\n"                                \
    "cache name=L1 bytes=32K ways=8 latency=4c\n"               \
    "cache name=L2 bytes=" l2 " ways=16 latency=14c\n"          \
    "tlb 4k=64/4 2m=32/4\ntlb 4k=1024/8 2m=1024/8 penalty=7c\n" \
    "walk kind=constant cost=30c\n"
/* A curve reaches 6M by what registers say. */
#define UNDECLARED_FAR \
    MACHINE_OF("256K") \
    "cache name=SLC bytes=8M ways=16 latency=30ns memory-side=yes\n" MEMORY_OF("256M") "end\n"
#define MEMORY_OF(bytes)                                                                   \
    "memory bytes=" bytes " base=60ns tcl=14ns trcd=14ns trp=14ns trefi=7.8us trfc=350ns " \
    "channels=2 banks=16 rows=open\n"
#define MEMORY MEMORY_OF("64M")

/* Depth 1 and half of the pointers is the weakest prefetcher of this kind that matters: it saves
 * half of its lead. */
static void a_prefetcher_that_follows_half_of_the_pointers_shows(void **state)
{
    static const char *const leads[] = {"", "lead=5ns", "lead=30ns"};
    static const char *const noises[] = {"", "noise jitter=2% spike-every=200 spike-factor=3\n"};

    (void)state;
    for (size_t lead = 0; lead < 3; lead++)
        for (size_t noise = 0; noise < 2; noise++) {
            struct sim_engine_outcome o;
            char text[2000];
            snprintf(text, sizeof text,
                     MACHINE MEMORY "prefetch kind=pointer control=on degree=1 accuracy=50%% "
                                    "into=2 %s\n%send\n",
                     leads[lead], noises[noise]);
            o = try_text(text, 1 + lead + noise);
            assert_true(o.followed);
            assert_string_equal(o.verdict, "off");
            assert_int_equal(o.verdict_doubt, doubt_of(DOUBT_CONTRADICTED));
            assert_true(within(o.ns, o.truth_ns, noise ? 0.01 : 0.005));
        }
}

/* A machine as the generator draws them, but with small caches, so that a run is short, and nothing
 * that follows pointers. Every other one is noisy. */
static void draw_small(struct sim_config *config, uint64_t seed)
{
    sim_generate(config, seed);
    config->cache_count = 2;
    config->memory.bytes = 64 << 20;
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
    const char *alarms = getenv("BARECHASE_ALARMS");
    unsigned count = alarms ? (unsigned)atoi(alarms) : ALARMS, followed = 0, wrong = 0;
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
    printf("%u machines whose pointers nothing follows: %u false alarms of followed pointers, %u "
           "wrong verdicts, "
           "%u undecided\n",
           count, followed, wrong, undecided);
    assert_true(count > 0 && 1000 * followed <= count && 1000 * wrong <= count);
    /* Weak prefetchers in memory that gains much by open rows. */
    assert_true(200 * undecided <= count);
}

static struct sim_engine_outcome try_regress(const char *name)
{
    struct sim_file_error error;
    struct sim_config config;
    char path[128];

    snprintf(path, sizeof path, "tests/sim/machines/regress/%s.machine", name);
    if (!sim_machine_load(&config, path, &error))
        fail_msg("%s", error.text);
    return try_dram(&config);
}

/* In front of the memory, and in no register: 32M once cut the headline to a third. */
static void an_undeclared_cache_is_outgrown(void **state)
{
    static const char *const names[] = {"undeclared-slc-8m", "random-llc", "undeclared-slc-16m",
                                        "undeclared-slc"};
    size_t count = tests_are_long() ? 4 : 1;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct sim_engine_outcome o = try_regress(names[i]);
        if (!within(o.ns, o.truth_ns, 0.005) || !within(o.slope_ns, o.slope_truth_ns, 0.01) ||
            o.doubt != 0 || (i == 0 && !o.undeclared))
            fail_msg("%s: %.2f of %.2f, slope %.2f of %.2f, doubt %x", names[i], o.ns, o.truth_ns,
                     o.slope_ns, o.slope_truth_ns, (unsigned)o.doubt);
    }
}

/* Of the chase and of draws, which a busy channel delays more, either may be right. */
static void draws_that_prefetchers_delay_are_contradicted(void **state)
{
    struct sim_engine_outcome o = try_regress("locked-next-line");

    (void)state;
    assert_true(o.followed && (o.doubt & doubt_of(DOUBT_CONTRADICTED)));
}

/* The curve ends where registers end, below it, and then goes on. */
static void an_undeclared_cache_is_in_the_curve(void **state)
{
    struct sim_engine_outcome o = {.ran = false};
    struct sim_file_error error;
    struct sim_config config;
    size_t i = 0;

    (void)state;
    if (!sim_machine_parse(&config, UNDECLARED_FAR, strlen(UNDECLARED_FAR), "m", &error))
        fail_msg("%s", error.text);
    sim_engine_try(&config, "tests=curve,dram pages=2m", &o);
    assert_true(o.ran && o.levels > 1);
    while (i < o.levels && o.level[i].kind != LEVEL_UNEXPLAINED)
        i++;
    assert_true(i < o.levels);
    assert_true(within(o.level[i].bytes, 8 << 20, 0.03) && within(o.level[i].ns, 30, 0.01));
    assert_int_equal(o.level[o.levels - 1].kind, LEVEL_MEMORY);
    assert_true(within(o.level[o.levels - 1].ns, o.truth_ns, 0.01));
    assert_int_equal(o.doubt, 0);
}

/* Where memory is too small for a set far beyond such a cache, or all inside it, the figure is
 * right or says why it may not be. */
static void a_set_that_cannot_grow_is_marked(void **state)
{
    static const unsigned megabytes[] = {6, 24, 20, 32};
    size_t count = tests_are_long() ? 4 : 1;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct sim_engine_outcome o;
        char text[2000];
        snprintf(
            text, sizeof text,
            MACHINE_OF("256K") "cache name=SLC bytes=8M ways=16 latency=30ns policy=random "
                               "memory-side=yes\nmemory bytes=%uM base=60ns tcl=14ns trcd=14ns "
                               "channels=2 banks=16\nend\n",
            megabytes[i]);
        o = try_text(text, 1);
        assert_true(o.doubt & doubt_of(DOUBT_UNDECLARED_CACHE));
    }
}

/* Four times as large as the largest one that is declared, random replacement, in front of the
 * memory: the set must be warmed until it has filled. */
static void an_undeclared_cache_is_warmed(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
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

/* 128 pages of 2 MiB and 8 entries: 15 of 16 hops miss. */
static void translation_in_large_pages_is_taken_off(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct sim_engine_outcome o =
            try_text("machine name=m pages=2m draw=2c\nclock core=3G counter=1G\n"
                     "cache name=L1 bytes=32K ways=8 latency=4c\n"
                     "cache name=L2 bytes=1M ways=8 latency=14c\n"
                     "tlb 2m=8\nwalk kind=constant cost=30c\n" MEMORY_OF("256M") "end\n",
                     seed);
        assert_true(o.translation_ns > 9 && o.translation_ns < 9.7);
        assert_true(within(o.ns, o.truth_ns, 0.005));
        assert_true(within(o.slope_ns, o.slope_truth_ns, 0.01));
    }
}

/* A miss brings 15 other lines, which take the one channel longer than a walk takes. */
static void walks_behind_what_prefetchers_bring_are_in_the_bounds(void **state)
{
    struct sim_engine_outcome o =
        try_text("machine name=m pages=2m draw=2c\nclock core=3G counter=1G\n"
                 "cache name=L1 bytes=32K ways=8 latency=4c\n"
                 "cache name=L2 bytes=1M ways=8 latency=14c\n"
                 "tlb 2m=32\nwalk kind=constant cost=50c\n"
                 "memory bytes=256M base=80ns tcl=14ns trcd=14ns trp=14ns banks=16 rows=open "
                 "bandwidth=7G\n"
                 "prefetch kind=region control=on region=1K after=1 into=2\nend\n",
                 1);

    (void)state;
    assert_string_equal(o.verdict, "on");
    if (o.intervals_hold != o.intervals)
        fail_msg("%.2f of %.2f, slope %.2f of %.2f", o.ns, o.truth_ns, o.slope_ns,
                 o.slope_truth_ns);
}

/* The prefetcher's control lies, and brings the other line of each pair. */
static void lines_that_prefetchers_left_are_not_in_the_figure(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct sim_engine_outcome o =
            try_text(MACHINE MEMORY_OF(
                         "128M") "prefetch kind=stream control=pretending degree=8 into=2\n"
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i += tests_are_long() ? 1 : 2) {
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

/* Most of a region's prefetches find no free slot on the first miss. */
static void few_miss_slots_hide_no_prefetcher(void **state)
{
    struct sim_engine_outcome o =
        try_text(MACHINE "memory bytes=256M base=90ns tcl=18ns trcd=18ns trp=18ns misses=4\n"
                         "prefetch kind=region control=locked region=1K into=2\nend\n",
                 1);

    (void)state;
    assert_string_equal(o.verdict, "on");
}

/* The clock does not tell the second cache, into which lines are brought, from one behind the point
 * of coherency, which keeps those that are flushed. */
static void a_cache_that_keeps_flushed_lines_hides_no_prefetcher(void **state)
{
    struct sim_engine_outcome o =
        try_text("machine name=m pages=4k,2m draw=2c\nclock core=3611308027 counter=1G\n"
                 "cache name=L1 bytes=48K ways=12 latency=4c\n"
                 "cache name=L2 bytes=192K ways=8 latency=11c\n"
                 "cache name=L3 bytes=768K ways=12 latency=14c memory-side=yes\n"
                 "tlb 4k=64/4 2m=32/4\ntlb 4k=1024/8 2m=1024/8 penalty=7c\n"
                 "walk kind=constant cost=30c\n"
                 "memory bytes=256M base=60ns tcl=14ns trcd=14ns trp=14ns channels=2 banks=16\n"
                 "prefetch kind=adjacent-line control=locked into=2\nend\n",
                 1);

    (void)state;
    /* By the ratio. */
    assert_string_equal(o.verdict, "on");
}

/* Each miss brings a page, which keeps a slow memory busy beyond the next hop: hops take as long as
 * that lasts, with walks or almost without their cost, and have no more to do with a latency. */
static struct sim_config where_hops_wait_for_prefetches(void)
{
    struct sim_config config = config_of(
        "machine name=m pages=4k,2m\n"
        "clock core=3895.447908078147M counter=1G\n"
        "cache name=L1 bytes=16K ways=4 latency=4c\n"
        "cache name=L2 bytes=176K ways=11 latency=13c\n"
        "cache name=L3 bytes=2560K ways=20 latency=23c memory-side=yes\n"
        "tlb 4k=40/4 2m=16/16\ntlb 4k=1536/8 2m=64/8 penalty=6c\nwalk kind=constant cost=21c\n"
        "memory bytes=1G base=88.24ns tcl=16.36ns trcd=16.36ns trp=16.36ns trefi=7.8us trfc=160ns "
        "banks=32 rows=closed bandwidth=6.5917G misses=24\n"
        "prefetch kind=region control=ignoring into=2 region=4K after=1 within=4K\nend\n");

    config.seed = 75053;
    return config;
}

static void hops_that_wait_for_prefetches_are_doubted(void **state)
{
    struct sim_config config = where_hops_wait_for_prefetches();
    struct sim_engine_outcome o = try_dram(&config);

    (void)state;
    assert_true(o.doubt & doubt_of(DOUBT_TRANSLATION));
    /* A hop without walks. */
    assert_false(within(o.ns, o.slope_truth_ns, 0.03));
}

/* The curve takes the same chases for memory's. */
static void a_curve_s_memory_is_doubted_with_them(void **state)
{
    struct sim_config config = where_hops_wait_for_prefetches();
    struct sim_engine_outcome o = {.ran = false};
    const struct level *memory;

    (void)state;
    sim_engine_try(&config, "tests=curve,dram", &o);
    assert_true(o.ran && o.levels > 0);
    memory = &o.level[o.levels - 1];
    assert_int_equal(memory->kind, LEVEL_MEMORY);
    assert_true(memory->doubt & doubt_of(DOUBT_TRANSLATION));
}

/* The chase goes by the longest lines; what the next short line brings is never used. */
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

/* A core that runs faster for a while, which ends somewhere among chases and draws: what they say
 * about each other is then the step's effect. */
static void a_frequency_step_is_no_prefetcher(void **state)
{
    static const char *const seconds[] = {"0.2", "0.6", "0.4", "0.8"};
    size_t count = tests_are_long() ? 4 : 1;

    (void)state;
    for (size_t i = 0; i < count; i++) {
        char text[1000];
        struct sim_engine_outcome o;
        snprintf(text, sizeof text,
                 "machine name=m pages=4k,2m\n"
                 "clock core=2.6G turbo=4.2G turbo-seconds=%s counter=2.6G\n"
                 "cache name=L1 bytes=32K ways=8 latency=4c\n"
                 "cache name=L2 bytes=256K ways=16 latency=14c\n"
                 "cache name=L3 bytes=1M ways=16 latency=50c\n"
                 "tlb 4k=64/4 2m=8\ntlb 4k=1536/12 2m=1536/12 penalty=40c\n"
                 "walk kind=loads cost=5c\n"
                 "memory base=70ns tcl=14ns trcd=14ns banks=16\nend\n",
                 seconds[i]);
        o = try_text(text, 1);
        if (o.followed)
            fail_msg("turbo for %s s: something follows pointers", seconds[i]);
        assert_string_equal(o.verdict, "off");
        assert_false(o.verdict_doubt & doubt_of(DOUBT_CONTRADICTED));
    }
}

static struct prefetch_ratio ratio_within(double sequential, double paired, double halved,
                                          double error)
{
    struct prefetch_proof proof = {.random_ns = 100,
                                   .sparse_ns = (double)NAN,
                                   .sequential_ns = sequential,
                                   .paired_ns = paired,
                                   .halved_ns = halved,
                                   .lines_per_page = 64};
    struct prefetch_proof errors = {error, (double)NAN, error, error, error, 0, 64};

    return prefetch_proof_ratio(&proof, &errors);
}

static double ratio(double sequential, double paired, double halved)
{
    return ratio_within(sequential, paired, halved, 0).ratio;
}

static void the_gain_of_rows_is_taken_off(void **state)
{
    (void)state;
    assert_true(within(ratio(100, 100, 100), 1, 1e-9));
    /* No gain but noise. */
    assert_true(within(ratio(25, 101, 102), 25 / (100 + 2 * 63 / 64.0), 1e-9));
    /* One row a page gains 32: 63 of 64 hops in order do. */
    assert_true(within(ratio(100 - 32 * 63 / 64.0, 84, 84), 1, 1e-9));
    assert_true(within(ratio(100 - 32 * 63 / 64.0, 84, (double)NAN), 1, 1e-9));
    assert_true(within(ratio(100 - 32 * 63 / 64.0, 84, 90), 1, 1e-9));
    /* Eight rows: 7 of 63 random pairs share one, and 56 of 64 hops in order do. */
    assert_true(within(ratio(100 - 32 * 56 / 64.0, 100 - 16 * 7 / 63.0, 84), 1, 1e-9));
    /* Some of them were closed before they were used again; and no row at all. */
    assert_true(within(ratio(85, 100 - 16 * 7 / 63.0, 84), 1, 1e-9));
    assert_true(within(ratio(110, 100, 84), 1.1, 1e-9));
    /* Half a page away it comes faster than any row: that is no row's gain. */
    assert_true(within(ratio(25, 100, 60), 0.25, 1e-9));
}

static const char *verdict_within(double sequential, double paired, double halved, double error)
{
    struct prefetch_ratio ratio = ratio_within(sequential, paired, halved, error);

    return prefetch_proof_verdict(&ratio);
}

static void a_ratio_is_a_verdict_with_all_of_its_interval(void **state)
{
    struct prefetch_ratio ratio = ratio_within(100, 100, 100, 1);

    (void)state;
    /* s and p (twice) and r: of about a hundred each, 3.3 errors to each side */
    assert_true(ratio.low < 0.97 && ratio.low > 0.85 && ratio.high > 1.03 && ratio.high < 1.15);
    assert_string_equal(verdict_within(100, 100, 100, 1), "off");
    assert_string_equal(verdict_within(100, 100, 100, 5), "undecided");
    assert_string_equal(verdict_within(20, 100, 100, 1), "on");
    assert_string_equal(verdict_within(58, 100, 100, 1), "undecided");
    assert_string_equal(verdict_within(70, 100, 100, 0), "undecided");
    /* Pairs gain more than a hop takes: whatever the quotient, the expected hop is unknown. */
    assert_string_equal(verdict_within(5, 40, 40, 0), "undecided");
}

/* 14.5 ns in order, 222 in pairs, 286 at random, the last with 12 % of error: all of a hop may be
 * rows' gain, so a ratio to the floor of the expected hop says nothing. */
static void few_samples_prove_nothing(void **state)
{
    struct prefetch_proof proof = {286, 254, 14.5, 222, (double)NAN, 0, 64};
    struct prefetch_proof exact = {0.3, 0.3, 0.05, 0.3, (double)NAN, 0, 64};
    struct prefetch_proof loose = {34, 8, 0.2, 2, (double)NAN, 0, 64};
    struct prefetch_ratio ratio = prefetch_proof_ratio(&proof, &exact);

    (void)state;
    assert_string_equal(prefetch_proof_verdict(&ratio), "on");
    ratio = prefetch_proof_ratio(&proof, &loose);
    assert_true(ratio.floored);
    assert_string_equal(prefetch_proof_verdict(&ratio), "undecided");
    /* 5 % of a hop is what the floor leaves, and 14.5 ns could be unprefetched. */
    proof.random_ns = 350;
    ratio = prefetch_proof_ratio(&proof, &exact);
    assert_true(ratio.ratio > 0.8 && ratio.ratio < 1.25);
    assert_string_equal(prefetch_proof_verdict(&ratio), "undecided");
}

/* Chases in a cache, but for the sparse one in half of its sets: 47 ns beside 5.3. What
 * prefetchers gain from there may be seen, but may be too little for that. */
static void chases_in_a_cache_do_not_prove_off(void **state)
{
    struct prefetch_proof proof = {5.3, 47, 5.3, 5.3, (double)NAN, 0, 64};
    struct prefetch_proof exact = {0.01, 0.1, 0.01, 0.01, (double)NAN, 0, 64};
    struct prefetch_ratio ratio = prefetch_proof_ratio(&proof, &exact);

    (void)state;
    assert_string_equal(prefetch_proof_verdict(&ratio), "on");
    proof.memory_ns = 10;
    ratio = prefetch_proof_ratio(&proof, &exact);
    assert_string_equal(prefetch_proof_verdict(&ratio), "on");
    proof.memory_ns = 11;
    ratio = prefetch_proof_ratio(&proof, &exact);
    assert_true(ratio.cached && within(ratio.ratio, 1, 1e-9));
    assert_string_equal(prefetch_proof_verdict(&ratio), "undecided");
    proof.sequential_ns = 1.5;
    ratio = prefetch_proof_ratio(&proof, &exact);
    assert_string_equal(prefetch_proof_verdict(&ratio), "on");
}

/* The chases' 8M fill a cache that no register declares, and noise keeps the footprint from a
 * verdict. */
static void an_undeclared_cache_is_no_prefetcher(void **state)
{
    struct sim_engine_outcome o =
        try_text("machine name=m pages=4k,2m\nclock core=4490M counter=3G\n"
                 "cache name=L1 bytes=64K ways=4 latency=4c\n"
                 "cache name=L2 bytes=768K ways=12 latency=10c\n"
                 "cache name=L3 bytes=8M ways=8 latency=24c memory-side=yes declared=no\n"
                 "memory base=56ns tcl=14ns trcd=14ns trp=14ns misses=16\n"
                 "noise jitter=2% spike-every=1000 spike-factor=8\nend\n",
                 1);

    (void)state;
    assert_string_equal(o.verdict, "undecided");
}

static const struct footprint_summary footprints[] = {
    [FOOTPRINT_UNDECIDED] = {.known = true, .verdict = FOOTPRINT_UNDECIDED},
    [FOOTPRINT_OFF] = {.known = true, .verdict = FOOTPRINT_OFF, .touches = 1},
    [FOOTPRINT_ON] = {.known = true, .verdict = FOOTPRINT_ON, .touches = 1},
};

static void the_footprint_has_the_verdict(void **state)
{
    static const struct prefetch_ratio off = {.known = true, .ratio = 1, .low = 0.95, .high = 1.05};
    static const struct prefetch_ratio on = {
        .known = true, .ratio = 0.3, .low = 0.25, .high = 0.35};
    static const struct prefetch_ratio wide = {.known = true, .ratio = 1, .low = 0.5, .high = 1.5},
                                       none = {.known = false};
    const struct footprint_summary no_footprint = {.known = false};
    const struct {
        const struct footprint_summary *footprint;
        const struct prefetch_ratio *ratio;
        const char *verdict, *witness;
        bool contradicted;
    } cases[] = {
        {&footprints[FOOTPRINT_OFF], &off, "off", "footprint", false},
        {&footprints[FOOTPRINT_OFF], &on, "off", "footprint", true},
        {&footprints[FOOTPRINT_OFF], &wide, "off", "footprint", false},
        {&footprints[FOOTPRINT_ON], &off, "on", "footprint", true},
        {&footprints[FOOTPRINT_ON], &none, "on", "footprint", false},
        {&footprints[FOOTPRINT_UNDECIDED], &off, "off", "ratio", false},
        {&no_footprint, &on, "on", "ratio", false},
        {&no_footprint, &wide, "undecided", NULL, false},
        {&footprints[FOOTPRINT_UNDECIDED], &none, "undecided", NULL, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct record_prefetch seen = {.cpu = 0};
        prefetch_proof_judge(cases[i].footprint, cases[i].ratio, &seen);
        assert_string_equal(seen.verdict, cases[i].verdict);
        assert_true(cases[i].witness ? seen.witness && strcmp(seen.witness, cases[i].witness) == 0
                                     : seen.witness == NULL);
        assert_int_equal(seen.doubt,
                         cases[i].contradicted ? doubt_of(DOUBT_CONTRADICTED) : (doubt_set)0);
    }
}

static enum dram_chase judge(double chase, double chase_slope, double error, bool agree)
{
    struct dram_chase_parts parts = {.chase = {chase, error},
                                     .draw = {97, error},
                                     .chase_slope = {chase_slope, 0.6 * error},
                                     .draw_slope = {100, 0.8 * error},
                                     .agree = agree};

    return dram_judge_chase(&parts);
}

static void a_chase_is_judged_by_errors(void **state)
{
    struct dram_chase_parts unknown = {.chase = {90, 0.1},
                                       .draw = figure_unknown(),
                                       .chase_slope = figure_unknown(),
                                       .draw_slope = figure_unknown(),
                                       .agree = true};
    /* Where walks get longer, they are in a slope, but not in all of the set's hops. */
    struct dram_chase_parts in_pieces = {.chase = {98, 0.2},
                                         .draw = {97, 0.2},
                                         .chase_slope = {100, 0.2},
                                         .draw_slope = {100, 0.2},
                                         .agree = true};

    (void)state;
    assert_int_equal(judge(99, 99, 0.2, true), DRAM_CHASE_FOLLOWED);
    assert_int_equal(judge(99, 99, 0.3, true), DRAM_CHASE_PLAIN);
    /* However precise: too small a difference to call. */
    assert_int_equal(judge(99.6, 99.6, 0.01, true), DRAM_CHASE_PLAIN);
    assert_int_equal(judge(99.2, 100, 0.01, true), DRAM_CHASE_PLAIN);
    /* What half the set has as well cancels in the slope. */
    assert_int_equal(judge(98, 100, 0.2, true), DRAM_CHASE_CACHED);
    in_pieces.in_pieces = false;
    assert_int_equal(dram_judge_chase(&in_pieces), DRAM_CHASE_CACHED);
    in_pieces.in_pieces = true;
    assert_int_equal(dram_judge_chase(&in_pieces), DRAM_CHASE_PLAIN);
    assert_int_equal(judge(98, 100, 0.9, true), DRAM_CHASE_PLAIN);
    assert_int_equal(judge(110, 110, 0.1, true), DRAM_CHASE_PLAIN);
    /* Where a line's cost differs from octave to octave, a slope says nothing about this set. */
    assert_int_equal(judge(90, 90, 0.2, false), DRAM_CHASE_PLAIN);
    assert_int_equal(dram_judge_chase(&unknown), DRAM_CHASE_PLAIN);
}

static void a_slope_is_what_the_rest_of_the_set_costs(void **state)
{
    const struct figure whole = {80, 0.3}, half = {60, 0.4}, noise = {170, 5};
    struct figure slope = dram_slope(whole, 2, half, 1);

    (void)state;
    assert_true(figure_is_known(slope) && within(slope.value, 100, 1e-9));
    assert_true(within(slope.error, sqrt(0.6 * 0.6 + 0.4 * 0.4), 1e-9));
    assert_false(figure_is_known(dram_slope(whole, 2, noise, 1)));
    assert_false(figure_is_known(dram_slope(whole, 1, half, 1)));
    assert_false(figure_is_known(dram_slope(whole, 2, figure_unknown(), 1)));
}

static void only_what_is_certain_counts_as_cached(void **state)
{
    const struct figure draw = {80, 0.5}, slope = {100, 1}, loose = {100, 12};
    const struct figure unknown = figure_unknown(), wild = {900, 500};

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
    struct dram_chase_parts near = {.chase = {80, 0.5},
                                    .draw = {67, 0.5},
                                    .chase_slope = {90, 0.5},
                                    .draw_slope = {100, 0.5},
                                    .agree = true};

    (void)state;
    assert_int_equal(dram_judge_chase(&near), DRAM_CHASE_CACHED);
    near.chase.value = 60;
    assert_int_equal(dram_judge_chase(&near), DRAM_CHASE_FOLLOWED);
    near.chase.value = 80;
    near.draw.value = 90;
    assert_int_equal(dram_judge_chase(&near), DRAM_CHASE_FOLLOWED);
    near.draw = figure_unknown();
    assert_int_equal(dram_judge_chase(&near), DRAM_CHASE_CACHED);
}

/* Sets that double, of a machine of one cache: draws find the cache's share, a chase what random
 * replacement leaves of it or, by exact order, nothing. In addition both rise by so many ns with
 * each doubling. */
struct sets_case {
    double first, cache, hit_ns, memory_ns, rise_ns, error_scale;
    bool random;
};

static double chase_hits(double turns)
{
    double hits = turns > 1 ? 0 : 1;

    for (int i = 0; i < 200 && turns > 1; i++)
        hits = exp(-turns * (1 - hits));
    return hits;
}

static size_t fill_sets(const struct sets_case *c, size_t count, struct dram_set *sets)
{
    double bytes = c->first, beside = 0;

    for (size_t i = 0; i < count; i++, bytes *= 2, beside += c->rise_ns) {
        double turns = bytes / c->cache, found = turns > 1 ? 1 / turns : 1;
        double chased = c->random ? chase_hits(turns) : turns > 1 ? 0 : 1;
        double gain = c->memory_ns - c->hit_ns, draw = c->memory_ns - found * gain + beside;
        double chase = c->memory_ns - chased * gain + beside;
        sets[i] = (struct dram_set){.bytes = bytes,
                                    .chase = {chase, c->error_scale * chase},
                                    .draw = {draw, c->error_scale * draw}};
    }
    return count;
}

static struct dram_search judge_sets(const struct dram_set *sets, size_t count, double declared)
{
    struct dram_caches caches = {.declared_bytes = declared};

    return dram_judge_sets(sets, count, &caches);
}

/* How many sets it takes, at least four; 0: never enough. */
static size_t sets_needed(const struct sets_case *c)
{
    struct dram_set sets[DRAM_SETS_MAX];

    for (size_t count = 4; count <= 10; count++)
        if (judge_sets(sets, fill_sets(c, count, sets), 0).enough)
            return count;
    return 0;
}

static void sets_double_until_caches_are_outgrown(void **state)
{
    const double M = 1 << 20;
    const struct {
        struct sets_case sets;
        double last; /* the set that is enough */
    } cases[] = {{{32 * M, 1 * M, 10, 100, 0, 0.0007, false}, 256 * M},
                 {{32 * M, 32 * M, 30, 100, 0, 0.0007, false}, 256 * M},
                 {{32 * M, 40 * M, 30, 100, 0, 0.0007, false}, 512 * M},
                 {{32 * M, 32 * M, 30, 100, 0, 0.0007, true}, 512 * M},
                 {{32 * M, 100 * M, 30, 100, 0, 0.0007, true}, 1024 * M},
                 {{32 * M, 200 * M, 30, 100, 0, 0.0007, false}, 2048 * M}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t count = sets_needed(&cases[i].sets);
        if (cases[i].sets.first * pow(2, (double)count - 1) != cases[i].last)
            fail_msg("case %zu: %zu sets", i, count);
    }
}

static void sets_that_end_too_soon_say_why(void **state)
{
    const double M = 1 << 20;
    struct sets_case c = {32 * M, 64 * M, 30, 100, 0, 0.0007, true};
    struct dram_set sets[DRAM_SETS_MAX];
    struct dram_search search = judge_sets(sets, fill_sets(&c, 4, sets), 1 * M);

    (void)state;
    assert_false(search.enough || search.rises);
    assert_true(search.doubt & doubt_of(DOUBT_UNDECLARED_CACHE));
    search = judge_sets(sets, fill_sets(&c, 4, sets), 64 * M);
    assert_int_equal(search.doubt, doubt_of(DOUBT_EXTRAPOLATED));
    /* One set, and none. */
    search = judge_sets(sets, 1, 64 * M);
    assert_false(search.enough || figure_is_known(search.slope) || figure_is_known(search.rise));
    assert_true(search.doubt != 0);
    assert_false(judge_sets(sets, 0, 64 * M).enough);
}

/* All sets inside a cache look like memory: only their size, and a curve's levels, tell. */
static void a_set_that_a_cache_may_hold_is_marked(void **state)
{
    const double M = 1 << 20;
    const struct {
        double first, found;
        doubt_set doubt;
    } cases[] = {{16 * M, 0, doubt_of(DOUBT_UNDECLARED_CACHE)},
                 {32 * M, 0, 0},
                 {32 * M, 64 * M, 0},
                 {32 * M, 65 * M, doubt_of(DOUBT_EXTRAPOLATED)},
                 {64 * M, 65 * M, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sets_case c = {cases[i].first, 1, 30, 100, 0, 0.0007, false};
        struct dram_caches caches = {.found_bytes = cases[i].found};
        struct dram_set sets[DRAM_SETS_MAX];
        struct dram_search search = dram_judge_sets(sets, fill_sets(&c, 4, sets), &caches);
        assert_true(search.enough);
        assert_int_equal(search.doubt, cases[i].doubt);
        assert_true(search.ends == (cases[i].doubt == 0));
    }
}

/* A host's second page tables: each doubling costs as much again, in whatever set. */
static void a_rise_that_goes_on_is_no_cache(void **state)
{
    const double M = 1 << 20;
    struct sets_case c = {128 * M, 12 * M, 30, 150, 20, 0.002, false};
    struct dram_set sets[DRAM_SETS_MAX];
    struct dram_search search = judge_sets(sets, fill_sets(&c, 4, sets), 480 * M);

    (void)state;
    assert_true(search.rises && !search.enough);
    assert_int_equal(search.doubt, doubt_of(DOUBT_TRANSLATION));
    assert_true(within(search.rise.value, 20, 0.01));
    /* A cache of any size that such sets can meet makes no such rise. */
    for (double cache = 8 * M; cache < 2048 * M; cache *= 1.1)
        for (int random = 0; random < 2; random++) {
            c = (struct sets_case){128 * M, cache, 30, 100, 0, 0.0007, random != 0};
            assert_false(judge_sets(sets, fill_sets(&c, 4, sets), 0).rises);
        }
}

/* Half of the pointers are followed in every set alike: no larger one says anything else. */
static void a_chase_that_is_followed_needs_no_larger_set(void **state)
{
    const double M = 1 << 20;
    struct sets_case c = {32 * M, 1 * M, 10, 100, 0, 0.0007, false};
    struct dram_set sets[DRAM_SETS_MAX];
    size_t count = fill_sets(&c, 4, sets);

    (void)state;
    for (size_t i = 0; i < count; i++)
        sets[i].chase.value -= 5;
    assert_true(judge_sets(sets, count, 0).enough);
    sets[2].chase.value -= 4; /* and fewer of them in the larger one: caches */
    assert_false(judge_sets(sets, count, 0).enough);
}

static void the_more_precise_figure_is_reported(void **state)
{
    const struct figure slope = {100, 0.3}, loose = {629, 85}, mean = {476, 4};
    const struct figure draw = {97, 0.1}, unknown = figure_unknown(), far = {300, 4};

    (void)state;
    assert_true(dram_draws_figure(slope, draw).value == 100);
    assert_true(dram_draws_figure(loose, mean).value == 476);
    assert_true(dram_draws_figure(loose, far).value == 629);
    assert_true(dram_draws_figure(unknown, draw).value == 97);
    assert_true(dram_draws_figure(slope, unknown).value == 100);
}

static void bounds_are_no_tighter_than_figures_disagree(void **state)
{
    struct dram_bounds a = {100, 99, 101}, b = {103, 102, 104}, c = {100.5, 100.4, 100.6};
    struct dram_bounds d = {100, 99.9, 100.1}, nothing = {(double)NAN, (double)NAN, (double)NAN};

    (void)state;
    assert_true(dram_reconcile(&a, &b));
    assert_true(a.low_ns == 99 && a.high_ns == 103 && b.low_ns == 100 && b.high_ns == 104);
    assert_false(dram_reconcile(&a, &b));
    /* So little is no contradiction, but the bounds may not be tighter. */
    assert_false(dram_reconcile(&c, &d));
    assert_true(c.low_ns == 100 && d.high_ns == 100.5);
    assert_false(dram_reconcile(&a, &nothing));
    assert_true(a.high_ns == 103);
}

static void two_figures_of_memory_are_one_mean(void **state)
{
    struct dram_bounds a = {100, 98, 102}, b = {101, 100, 102}, exact = {101, 101, 101};
    struct dram_bounds nothing = {(double)NAN, (double)NAN, (double)NAN};

    (void)state;
    dram_take_mean(&a, &nothing);
    dram_take_mean(&a, &exact);
    assert_true(a.ns == 100 && a.low_ns == 98 && a.high_ns == 102);
    dram_take_mean(&a, &b);
    assert_float_equal(a.ns, 100.8, 1e-9);
    /* Neither narrower than what both know together, nor than they are apart. */
    assert_float_equal(a.high_ns, 100.8 + 2 / sqrt(5), 1e-9);
    assert_true(a.low_ns <= 100);
}

/* Registers declare 480M: the set once was 32 times that. */
static void what_is_declared_pushes_no_set_beyond_a_gibibyte(void **state)
{
    static struct sim_trial trial;
    struct sim_file_error error;
    struct sim_config config;

    (void)state;
    if (!sim_machine_load(&config, "tests/sim/machines/regress/wrong-declared.machine", &error))
        fail_msg("%s", error.text);
    sim_trial_run_on(&trial, &config, "dry=on tests=dram pages=2m");
    assert_true(sim_trial_noted(&trial, " to 1G in pages of 2m"));
}

/* Between none of what draws find in caches and all of it, or what the chase rises by. */
static void lines_that_prefetchers_left_are_in_the_bounds(void **state)
{
    const struct figure chase = {99.2, 0.06}, draw = {98.8, 0.1};
    const struct figure slope = {100, 0.2}, flat = {98.7, 0.2};
    const struct figure unknown = figure_unknown();
    const struct figure little = {0.2, 0.1};
    struct figure figure = dram_chase_figure(chase, draw, slope, unknown);

    (void)state;
    assert_true(within(figure.value, 99.8, 1e-9));
    assert_true(within(figure.error, sqrt(0.06 * 0.06 + 1.2 * 1.2 / 12), 0.01));
    assert_true(dram_chase_figure(chase, draw, flat, unknown).value == 99.2);
    assert_true(dram_chase_figure(chase, draw, flat, unknown).error == 0.06);
    assert_true(dram_chase_figure(chase, unknown, slope, unknown).value == 99.2);
    assert_true(dram_chase_figure(chase, draw, unknown, unknown).value == 99.2);
    /* Of half the set it would find twice as many. */
    assert_true(within(dram_chase_figure(chase, draw, slope, little).value, 99.4, 1e-9));
}

/* Free it. */
static void *zeroed(size_t bytes)
{
    void *memory = calloc(1, bytes);

    assert_non_null(memory);
    return memory;
}

/* A plan that has measured a flat memory of 100 ns, in chases and draws. */
static const struct machine_description flat_description = {.line_bytes = 64};
static const struct options flat_options = {.prefetch = PREFETCH_REQUEST_OFF};

static void fill_plan(struct plan *plan)
{
    plan->machine = &flat_description;
    plan->options = &flat_options;
    for (uint32_t i = 0; i < 8; i++)
        plan->point[i] =
            (struct point){.tag = i % 2 ? DRAM_DRAW : DRAM_HEADLINE,
                           .purpose = PURPOSE_HEADLINE,
                           .page = PAGE_4K,
                           .prefetch_off = true,
                           .bytes = 256ull << 20 >> i / 2,
                           .stride_bytes = 64,
                           .result = {.known = true, .mean_ns = 100, .mean_rel_error = 0.0007}};
    plan->point_count = 8;
}

/* What a touch brings was looked at too. */
static void add_footprint(struct plan *plan, enum footprint_verdict verdict, uint32_t brought)
{
    plan->point[plan->point_count++] =
        (struct point){.purpose = PURPOSE_PROOF,
                       .prefetch_off = true,
                       .work_kind = POINT_FOOTPRINT,
                       .footprint = {.known = true, .verdict = verdict, .brought = brought}};
}

static void a_curve_that_says_otherwise_is_contradicted(void **state)
{
    struct plan *plan = zeroed(sizeof *plan);
    struct workbench *bench = zeroed(sizeof *bench);
    struct dram_bounds near = {100.6, 100.5, 100.7}, far = {150, 149, 151};

    (void)state;
    /* Nothing was measured: nothing contradicts. */
    plan->options = &flat_options;
    assert_int_equal(dram_meets_level(plan, bench, &far), DRAM_UNKNOWN);
    /* Tags are their experiment's own. */
    fill_plan(plan);
    for (uint32_t i = 0; i < plan->point_count; i++)
        plan->point[i].purpose = PURPOSE_LEVELS;
    assert_int_equal(dram_meets_level(plan, bench, &far), DRAM_UNKNOWN);
    plan->point_count = 0;
    fill_plan(plan);
    /* What TLB misses cost here was not measured. */
    assert_int_equal(dram_meets_level(plan, bench, &near), DRAM_SAME_DOUBTED);
    /* Widened until each contains the other's figure, then the mean of both. */
    assert_true(near.low_ns == 100);
    assert_float_equal(near.ns, 100.383325, 1e-6);
    assert_float_equal(near.high_ns, 100.663079, 1e-6);
    assert_int_equal(dram_meets_level(plan, bench, &far), DRAM_APART);
    assert_true(far.low_ns == 100 && far.high_ns == 151);
    free(bench);
    free(plan);
}

/* Two lines that a miss brings keep memory busy beyond the next hop, if each takes as long as one:
 * the curve's memory is known to one per cent less than it says. One line leaves it as it is. */
static void what_keeps_memory_busy_is_in_the_curve_s_bounds(void **state)
{
    struct plan *plan = zeroed(sizeof *plan);
    struct workbench *bench = zeroed(sizeof *bench);

    (void)state;
    for (uint32_t lines = 1; lines <= 2; lines++) {
        struct dram_bounds level = {103, 102.8, 103.2};
        fill_plan(plan);
        add_footprint(plan, FOOTPRINT_ON, lines);
        assert_int_equal(dram_meets_level(plan, bench, &level), DRAM_APART);
        assert_float_equal(level.high_ns, lines == 1 ? 103.2 : 103.2 + 1.03, 1e-6);
    }
    free(bench);
    free(plan);
}

/* The difference between two measurements of a set is in the bounds of all. */
static void repeats_that_differ_widen_the_bounds(void **state)
{
    struct plan *plan = zeroed(sizeof *plan);
    struct workbench *bench = zeroed(sizeof *bench);
    struct dram_found once, twice;

    (void)state;
    fill_plan(plan);
    assert_true(dram_gather(plan, bench, 0, true, &once));
    assert_int_equal(once.count, 4);
    plan->point[8] = plan->point[0];
    plan->point[8].result.mean_ns = 104;
    plan->point_count = 9;
    assert_true(dram_gather(plan, bench, 0, true, &twice));
    assert_true(within(twice.set[3].chase.value, 102, 1e-9));
    assert_true(within(once.set[3].chase.error, 0.07, 1e-9));
    /* sqrt(((104 - 100)^2 / 2) / 2) */
    assert_true(within(twice.set[3].chase.error, 2, 0.01));
    assert_true(twice.search.slope.error > 10 * once.search.slope.error);
    /* Half of what a point moved by is in its error, too. */
    plan->point[8].result.mean_ns = 100;
    plan->point[0].result.drift_ns = plan->point[8].result.drift_ns = 2;
    assert_true(dram_gather(plan, bench, 0, true, &twice));
    assert_true(within(twice.set[3].chase.error, 1 / sqrt(2), 0.01));
    free(bench);
    free(plan);
}

/* The chases of memory that prove the state of prefetchers tell as well by how much one differs
 * from the next, and none by chance less than its own error. */
static void every_repeat_of_a_large_set_is_in_the_bounds(void **state)
{
    const struct {
        enum order_kind order;
        uint64_t bytes;
        double ns, error_ns;
    } cases[] = {{ORDER_RANDOM, 256 << 20, 104, 2.83},
                 {ORDER_RANDOM, 128 << 20, 104, 2.83},
                 {ORDER_RANDOM, 64 << 20, 104, 0.07},
                 {ORDER_SEQUENTIAL_PAGES, 256 << 20, 104, 0.07},
                 {ORDER_RANDOM, 256 << 20, 100, 0.07}};
    struct plan *plan = zeroed(sizeof *plan);
    struct workbench *bench = zeroed(sizeof *bench);
    struct dram_found found;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fill_plan(plan);
        for (size_t again = 0; again < 2; again++) {
            struct point *point = &plan->point[plan->point_count++];
            *point = plan->point[0];
            point->purpose = PURPOSE_PROOF;
            point->tag = 77;
            point->order = cases[i].order;
            point->bytes = cases[i].bytes;
            point->result.mean_ns = again ? cases[i].ns : 100;
        }
        assert_true(dram_gather(plan, bench, 0, true, &found));
        if (!within(found.set[3].chase.error, cases[i].error_ns, 0.03))
            fail_msg("case %zu: %.4f", i, found.set[3].chase.error);
    }
    free(bench);
    free(plan);
}

/* Of the curve's levels the caches count; levels behind its memory are left over from another run.
 */
static void a_curve_s_caches_push_the_set(void **state)
{
    struct plan *plan = zeroed(sizeof *plan);
    struct workbench *bench = zeroed(sizeof *bench);
    struct dram_found found;

    (void)state;
    fill_plan(plan);
    bench->curve.level[0] = (struct level){.kind = LEVEL_CACHE, .bytes = 1 << 20};
    bench->curve.level[1] = (struct level){.kind = LEVEL_TLB, .bytes = 80 << 20};
    bench->curve.level[2] = (struct level){.kind = LEVEL_MEMORY};
    bench->curve.level[3] = (struct level){.kind = LEVEL_CACHE, .bytes = 80 << 20};
    bench->curve.memory_known = true;
    assert_true(dram_gather(plan, bench, 0, true, &found));
    assert_true(found.search.ends);
    bench->curve.level[0].bytes = 80 << 20;
    assert_true(dram_gather(plan, bench, 0, true, &found));
    assert_true(found.search.enough && !found.search.ends);
    free(bench);
    free(plan);
}

/* All of its sets beyond the second cache are held by a third that is declared. */
static void a_curve_that_ends_in_a_declared_cache_is_marked(void **state)
{
    struct sim_engine_outcome o = {.ran = false};
    struct sim_config config =
        config_of(MACHINE_OF("256K") "cache name=L3 bytes=4M ways=16 latency=40c\n" MEMORY "end\n");
    const struct level *last;

    (void)state;
    sim_engine_try(&config, "tests=curve,dram max=3M", &o);
    assert_true(o.ran && o.levels > 0);
    last = &o.level[o.levels - 1];
    assert_int_equal(last->kind, LEVEL_MEMORY);
    assert_true(last->ns < 20);
    assert_true(last->doubt & doubt_of(DOUBT_EXTRAPOLATED));
}

/* The budget ends the curve there too, but the headline has a set of 256M. */
static void a_curve_that_ends_far_below_the_headline_has_no_memory(void **state)
{
    struct sim_engine_outcome o = {.ran = false};
    struct sim_config config =
        config_of(MACHINE_OF("256K") "cache name=L3 bytes=64M ways=16 latency=40c "
                                     "declared=512M\n" MEMORY_OF("1G") "end\n");

    (void)state;
    sim_engine_try(&config, "tests=dram,curve budget=4", &o);
    assert_true(o.ran && o.levels > 0);
    for (size_t i = 0; i < o.levels; i++)
        assert_int_not_equal(o.level[i].kind, LEVEL_MEMORY);
}

/* The headline's set and its half are read for headline, slope and rise; smaller ones are not. */
static void doubts_of_all_that_is_read_go_up(void **state)
{
    struct plan *plan = zeroed(sizeof *plan);
    struct workbench *bench = zeroed(sizeof *bench);
    struct dram_found found;

    (void)state;
    fill_plan(plan);
    for (uint32_t i = 0; i < 8; i++) {
        plan->point[i].result.doubt = doubt_of(DOUBT_DRIFT);
        assert_true(dram_gather(plan, bench, 0, true, &found));
        assert_int_equal(dram_doubts(plan, &found), i < 4 ? doubt_of(DOUBT_DRIFT) : 0);
        plan->point[i].result.doubt = 0;
    }
    free(bench);
    free(plan);
}

/* 32 pieces of 2M are in the first TLB, and the guest's page of 1G is 128 of them. */
static void a_page_in_pieces_is_taken_off(void **state)
{
    struct sim_engine_outcome o = try_text(
        "machine name=m pages=4k,1g draw=2c\nclock core=3G counter=1G\n"
        "cache name=L1 bytes=32K ways=8 latency=4c\n"
        "cache name=L2 bytes=512K ways=8 latency=14c\n"
        "tlb 4k=64/4 2m=32 1g=4\n"
        "walk kind=loads cost=20c entries-2m=32 nested=2m nested-entries-2m=32\n" MEMORY_OF(
            "1G") "end\n",
        1);

    (void)state;
    assert_true(o.translation_ns > 5);
    if (!within(o.ns, o.truth_ns, 0.005) || !within(o.slope_ns, o.slope_truth_ns, 0.01))
        fail_msg("%.2f of %.2f, slope %.2f of %.2f", o.ns, o.truth_ns, o.slope_ns,
                 o.slope_truth_ns);
}

/* 16 lines of tables stay in the first cache while a few lines are chased, but an inclusive last
 * level of 3072 lines gives each up as often as a chase through memory fills it. */
static void walks_whose_entries_are_evicted_are_taken_off(void **state)
{
    struct sim_engine_outcome o = try_text(
        "machine name=m pages=4k,2m draw=2c\nclock core=4G counter=1G\n"
        "cache name=L1 bytes=32K ways=8 latency=4c\n"
        "cache name=L2 bytes=192K ways=12 latency=9c policy=random holds=inclusive\n"
        "tlb 4k=128/4 2m=16\nwalk kind=loads cost=10c first-cache=1\n" MEMORY_OF("4G") "end\n",
        1);

    (void)state;
    if (!within(o.ns, o.truth_ns, 0.004))
        fail_msg("%.2f of %.2f", o.ns, o.truth_ns);
    assert_true(o.intervals > 0 && o.intervals_hold == o.intervals);
}

/* Hits of the second TLB cost, and there are no walks. */
static void where_a_tlb_holds_the_set_nothing_is_evicted(void **state)
{
    struct sim_engine_outcome o =
        try_text("machine name=m pages=4k,2m draw=2c\nclock core=4G counter=1G\n"
                 "cache name=L1 bytes=16K ways=8 latency=4c\n"
                 "cache name=L2 bytes=32K ways=8 latency=9c\n"
                 "tlb 4k=64/4 2m=64\ntlb 4k=1024/8 2m=1024/8 penalty=8c\n"
                 "walk kind=loads cost=10c first-cache=1\n" MEMORY_OF("256M") "end\n",
                 1);

    (void)state;
    if (!within(o.ns, o.truth_ns, 0.005) || !(o.translation_ns < 1.2))
        fail_msg("%.2f of %.2f, %.2f of translation", o.ns, o.truth_ns, o.translation_ns);
}

/* At most half a ns. */
static void evicted_entries_are_in_the_error(void **state)
{
    const struct figure some = {5, 0.3};
    struct figure cost = translation_evicted(some, 0.5);

    (void)state;
    assert_true(figure_is_known(cost) && fabs(cost.value - 5.25) < 1e-9);
    assert_true(fabs(cost.error - real_hypotenuse(0.3, 0.25)) < 1e-9);
    cost = translation_evicted(some, 0);
    assert_true(figure_is_known(cost) && cost.value == some.value && cost.error == some.error);
    assert_false(figure_is_known(translation_evicted(figure_unknown(), 0.5)));
}

/* The cost of walks per hop over that many pages with a TLB of 32 entries, 12 ns per walk. */
static double walks_ns(double pages)
{
    return pages > 32 ? 12 * (1 - 32 / pages) : 0;
}

/* 32M to 256M in pages of 2M. A hop takes 100 ns without walks, each of which takes `share` times
 * as long during a chase as probes say; lines of the tables may be evicted, and are not. Draws find
 * 160K in caches. */
static struct dram_walks walks_of(double share)
{
    struct dram_walks walks = {.count = 4, .share = 1, .share_error = 0.03};

    for (size_t i = 0; i < walks.count; i++) {
        struct dram_walks_set *set = &walks.set[i];
        double pages = 16 << i;
        set->bytes = pages * (2 << 20);
        set->probes = pages - 1;
        set->pages = (struct figure){walks_ns(set->probes), 0.02};
        set->evicted_ns = walks_ns(pages) > 0 ? pages / 100 : 0;
        set->chase = (struct figure){100 + share * walks_ns(pages), 0.05};
        set->draw = (struct figure){100 - 8 / pages + share * walks_ns(pages), 0.05};
    }
    return walks;
}

/* A set that the TLB holds shows what a hop takes without walks. */
static void walks_are_found_from_all_sets_together(void **state)
{
    static const double shares[] = {0.97, 1, 1.05};

    (void)state;
    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
        struct dram_walks walks = walks_of(shares[k]);
        const struct dram_walks_set *last = &walks.set[3];
        assert_true(dram_walks_fit(&walks));
        if (fabs(last->cost.value - walks_ns(128) * shares[k]) > 0.15 || last->cost.error > 0.25)
            fail_msg("%.3f, %.3f for %.3f", last->cost.value, last->cost.error,
                     walks_ns(128) * shares[k]);
        assert_true(walks.set[0].cost.value == 0);
    }
}

/* Prefetchers hide nine tenths of walks, or nothing: all sets together tell which. */
static void hidden_walks_are_found_from_all_sets_together(void **state)
{
    static const double shares[] = {0.1, 1};

    (void)state;
    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
        struct dram_walks walks = walks_of(shares[k]);
        const struct dram_walks_set *last = &walks.set[3];
        walks.brings = true;
        walks.share = 0.55;
        walks.share_error = 0.45;
        assert_true(dram_walks_fit(&walks));
        if (fabs(last->cost.value - walks_ns(128) * shares[k]) > 2 * last->cost.error ||
            last->cost.error > 1)
            fail_msg("%.3f, %.3f for %.3f", last->cost.value, last->cost.error,
                     walks_ns(128) * shares[k]);
    }
}

/* Nobody expects that prefetchers hide walks, but they do, or they make them dearer: the sets tell.
 */
static void sets_know_better_than_what_was_expected_of_walks(void **state)
{
    static const double shares[] = {0.3, 1.6};

    (void)state;
    for (size_t k = 0; k < sizeof shares / sizeof shares[0]; k++) {
        struct dram_walks walks = walks_of(shares[k]);
        walks.brings = true;
        assert_true(dram_walks_fit(&walks));
        assert_true(within(walks.memory.value, 100, 0.003) && walks.memory.error < 0.5);
    }
}

/* Walks cost a third less than probes say, which fewer evicted lines than none would explain. */
static void no_fewer_lines_than_none_are_evicted(void **state)
{
    struct dram_walks walks = walks_of(1);

    (void)state;
    for (size_t i = 0; i < walks.count; i++) {
        struct dram_walks_set *set = &walks.set[i];
        set->evicted_ns = 0.5 * set->pages.value;
        set->chase.value -= 0.33 * set->pages.value;
        set->draw.value -= 0.33 * set->pages.value;
    }
    assert_false(dram_walks_fit(&walks));
    assert_true(figure_is_known(walks.memory));
}

/* Walks that grow with the set as no single cost explains: a host's. Two sets show nothing either.
 */
static void sets_that_disagree_show_nothing_about_walks(void **state)
{
    struct dram_walks walks = walks_of(1);

    (void)state;
    for (size_t i = 0; i < walks.count; i++) {
        walks.set[i].chase.value += 10 * (double)(1 << i);
        walks.set[i].draw.value += 10 * (double)(1 << i);
    }
    assert_false(dram_walks_fit(&walks));
    assert_true(figure_is_known(walks.memory));
    walks = walks_of(1);
    walks.count = 2;
    assert_false(dram_walks_fit(&walks));
    assert_false(figure_is_known(walks.memory));
}

/* Caches are declared from which the tables' lines may be evicted, but walks load none. */
static void walks_that_load_nothing_are_recognised(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        struct sim_engine_outcome o = try_text(
            "machine name=m pages=4k,2m draw=7c\nclock core=2G counter=1G\n"
            "cache name=L1 bytes=16K ways=16 latency=4c\n"
            "cache name=L2 bytes=64K ways=8 latency=9c\n"
            "tlb 4k=40/4 2m=32\nwalk kind=constant cost=28c\n"
            "memory bytes=256M base=60ns "
            "tcl=14ns trcd=14ns trp=14ns trefi=7.8us trfc=350ns channels=2 banks=16\nend\n",
            seed);
        if (!within(o.ns, o.truth_ns, 0.005) || !within(o.slope_ns, o.slope_truth_ns, 0.01))
            fail_msg("%.2f, %.2f for %.2f", o.ns, o.slope_ns, o.truth_ns);
    }
}

static struct point *add_draws(struct plan *plan, uint32_t tag, uint64_t bytes, double ns)
{
    struct point *point = &plan->point[plan->point_count++];

    *point = plan->point[0];
    point->tag = tag;
    point->purpose = PURPOSE_ITSELF;
    point->bytes = bytes;
    point->result.mean_ns = ns;
    return point;
}

/* By lines 2M apart the headline's 2M pages cost nothing; spread_ns is what lines in many 4K pages
 * take, nearest_ns what lines in so few take that they are in the nearest cache. */
static void add_pieces(struct plan *plan, double spread_ns, double nearest_ns)
{
    const uint64_t counts[] = {127, 3}, apart = (2 << 20) + 64;

    for (uint32_t i = 0; i < plan->point_count; i++)
        plan->point[i].page = PAGE_2M;
    for (size_t i = 0; i < 2; i++) {
        (void)add_draws(plan, TRANSLATION_APART, counts[i] * apart, 5);
        (void)add_draws(plan, TRANSLATION_TOGETHER, counts[i] * 192, 5);
    }
    (void)add_draws(plan, TRANSLATION_APART, 1024 * 4160, spread_ns);
    (void)add_draws(plan, TRANSLATION_TOGETHER, 1024 * 192, 5);
    (void)add_draws(plan, TRANSLATION_APART, 128 * 4160, nearest_ns);
    (void)add_draws(plan, TRANSLATION_TOGETHER, 128 * 192, 5);
}

static bool pages_known(double spread_ns, double nearest_ns, enum footprint_verdict verdict)
{
    struct plan *plan = zeroed(sizeof *plan);
    struct workbench *bench = zeroed(sizeof *bench);
    struct dram_found found;
    bool known;

    fill_plan(plan);
    add_pieces(plan, spread_ns, nearest_ns);
    add_footprint(plan, verdict, 0);
    assert_true(dram_gather(plan, bench, 0, true, &found));
    known = figure_is_known(found.pages);
    free(bench);
    free(plan);
    return known;
}

/* Where a host's pages of 4K are what the TLBs hold; prefetchers spread what they bring, as well.
 */
static void pages_in_pieces_are_not_taken_off(void **state)
{
    const struct figure near = {5, 0.1}, some = {2, 0.1}, loose = {2, 1}, slight = {0.9, 0.01};

    (void)state;
    assert_true(pages_known(5, 5, FOOTPRINT_OFF));
    assert_false(pages_known(7, 5, FOOTPRINT_OFF));
    assert_false(pages_known(5, 7, FOOTPRINT_OFF));
    assert_true(pages_known(7, 5, FOOTPRINT_ON));
    assert_false(pages_known(7, 7, FOOTPRINT_ON));
    assert_true(pages_known(5, 5.9, FOOTPRINT_OFF));
    assert_false(pages_known(5, 6.2, FOOTPRINT_OFF));
    assert_true(levels_offset_ns(near, some) == some.value);
    assert_true(levels_offset_ns(near, loose) == 0);
    assert_true(levels_offset_ns(near, slight) == 0);
    assert_true(levels_offset_ns(near, (struct figure){-2, 0.1}) == 0);
    assert_true(levels_offset_ns(near, figure_unknown()) == 0);
}

struct concluded {
    struct record_dram dram;
    bool known, noted;
};

static void listen(void *context, const struct record *record)
{
    struct concluded *seen = context;

    if (record->kind == RECORD_DRAM) {
        seen->dram = record->u.dram;
        seen->known = true;
    }
    if (record->kind == RECORD_NOTE)
        seen->noted |= strcmp(record->u.note.what, "dram: no cost of 4k pages") == 0;
}

/* What is reported of the plan's points. */
static struct concluded conclude(struct plan *plan)
{
    const struct record_sink none = {.write = NULL};
    struct workbench *bench = zeroed(sizeof *bench);
    struct controls *controls = zeroed(sizeof *controls);
    struct concluded seen = {.known = false};
    struct journal journal;

    bench->controls = controls;
    journal_start(&journal, &none);
    journal_watch(&journal, (struct journal_view){&seen, listen, NULL});
    plan->journal = &journal;
    for (uint32_t i = 0; i < plan->point_count; i++)
        plan->point[i].result.missed_share = plan->point[i].result.walked_share = NAN;
    assert_int_equal(dram_conclude(plan, bench, 0), STATUS_OK);
    assert_true(seen.known);
    free(controls);
    free(bench);
    return seen;
}

/* Of a flat memory of 100 ns whose set takes so long in small pages. */
static struct concluded conclude_small_pages(double ns)
{
    struct plan *plan = zeroed(sizeof *plan);
    struct concluded seen;

    fill_plan(plan);
    plan->point[8] = plan->point[1];
    for (uint32_t i = 0; i < 8; i++)
        plan->point[i].page = PAGE_2M;
    plan->point[8].tag = DRAM_DRAW_SMALL_PAGES;
    plan->point[8].result.mean_ns = ns;
    plan->point_count = 9;
    seen = conclude(plan);
    free(plan);
    return seen;
}

/* Smaller pages cannot be faster: if they are, beyond error, there is no cost, and a note says so.
 */
static void an_impossible_tlb_cost_is_null(void **state)
{
    struct concluded costly = conclude_small_pages(120), same = conclude_small_pages(99.9);
    struct concluded impossible = conclude_small_pages(99);

    (void)state;
    assert_true(within(costly.dram.tlb_cost_ns, 20, 1e-9) && !costly.noted);
    assert_true(costly.dram.tlb_cost_low_ns > 19 && costly.dram.tlb_cost_high_ns < 21);
    assert_true(fabs(same.dram.tlb_cost_ns + 0.1) < 1e-9 && !same.noted);
    assert_true(isnan(impossible.dram.tlb_cost_ns) && impossible.noted);
    assert_true(isnan(impossible.dram.tlb_cost_low_ns) && isnan(impossible.dram.tlb_cost_high_ns));
}

/* Of sets that double from a hop of 90 ns on, each dearer than the one before by so much more; all
 * known to 1.8 %, in chases and draws alike. A miss brings a line. */
static struct record_dram conclude_rising(bool in_pieces, double more_ns)
{
    struct plan *plan = zeroed(sizeof *plan);
    struct record_dram dram;
    double ns = 90;

    fill_plan(plan);
    for (uint32_t i = plan->point_count; i-- > 0;) {
        plan->point[i].result.mean_ns = ns;
        plan->point[i].result.mean_rel_error = 0.018;
        if (i % 2 == 0)
            ns += more_ns * (4 - i / 2.0);
    }
    add_pieces(plan, in_pieces ? 7 : 5, in_pieces ? 7 : 5);
    add_footprint(plan, FOOTPRINT_ON, 1);
    dram = conclude(plan).dram;
    free(plan);
    return dram;
}

/* A slope through sets that a host's pieces make dearer, each more than the one before, is above
 * what any of them takes; without pieces, hits in a cache explain it, or lines that were brought.
 */
static void a_guest_s_headline_is_what_its_set_takes(void **state)
{
    struct record_dram cached = conclude_rising(false, 5), pieces = conclude_rising(true, 5);
    struct record_dram flat = conclude_rising(false, 0.5), slight = conclude_rising(true, 0.5);

    (void)state;
    assert_true(within(cached.ns, 135, 1e-9));
    assert_true(within(pieces.ns, 120, 1e-9));
    assert_true(within(pieces.rise_ns, 15, 1e-9));
    assert_true(isnan(pieces.slope_ns));
    assert_true(pieces.doubt & doubt_of(DOUBT_TRANSLATION));
    assert_true(within(flat.slope_ns, 94.5, 1e-9) && within(slight.slope_ns, 94.5, 1e-9));
    assert_true(within(flat.ns, 93.75, 1e-9));
    assert_true(within(slight.ns, 93, 1e-9));
}

/* Walks that cost 4 ns in the largest set and nothing in its half: where no set is large enough,
 * they are not taken off, and the rise is that of the same hops. */
static void a_rise_is_of_what_the_headline_is_of(void **state)
{
    const uint64_t apart = (2 << 20) + 64;
    struct plan *plan = zeroed(sizeof *plan);
    struct record_dram dram;

    (void)state;
    fill_plan(plan);
    for (uint32_t i = 0; i < 8; i++)
        plan->point[i].result.mean_ns = 120 - 2.5 * (i / 2) * (7 - i / 2);
    add_pieces(plan, 5, 5);
    (void)add_draws(plan, TRANSLATION_APART, 63 * apart, 5);
    (void)add_draws(plan, TRANSLATION_TOGETHER, 63 * 192, 5);
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].tag == TRANSLATION_APART && plan->point[i].bytes == 127 * apart)
            plan->point[i].result.mean_ns = 9;
    dram = conclude(plan).dram;
    assert_true(within(dram.ns, 120, 1e-9) && isnan(dram.translation_ns));
    assert_true(within(dram.rise_ns, 15, 1e-9));
    free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gain_of_rows_is_taken_off),
        cmocka_unit_test(a_ratio_is_a_verdict_with_all_of_its_interval),
        cmocka_unit_test(few_samples_prove_nothing),
        cmocka_unit_test(chases_in_a_cache_do_not_prove_off),
        LONG_TEST(an_undeclared_cache_is_no_prefetcher),
        cmocka_unit_test(the_footprint_has_the_verdict),
        cmocka_unit_test(a_chase_is_judged_by_errors),
        cmocka_unit_test(a_slope_is_what_the_rest_of_the_set_costs),
        cmocka_unit_test(only_what_is_certain_counts_as_cached),
        cmocka_unit_test(a_set_near_the_caches_is_judged_by_its_hops_too),
        cmocka_unit_test(sets_double_until_caches_are_outgrown),
        cmocka_unit_test(sets_that_end_too_soon_say_why),
        cmocka_unit_test(a_set_that_a_cache_may_hold_is_marked),
        cmocka_unit_test(a_rise_that_goes_on_is_no_cache),
        cmocka_unit_test(a_chase_that_is_followed_needs_no_larger_set),
        cmocka_unit_test(the_more_precise_figure_is_reported),
        cmocka_unit_test(lines_that_prefetchers_left_are_in_the_bounds),
        cmocka_unit_test(bounds_are_no_tighter_than_figures_disagree),
        cmocka_unit_test(two_figures_of_memory_are_one_mean),
        cmocka_unit_test(what_is_declared_pushes_no_set_beyond_a_gibibyte),
        cmocka_unit_test(a_curve_that_says_otherwise_is_contradicted),
        cmocka_unit_test(what_keeps_memory_busy_is_in_the_curve_s_bounds),
        cmocka_unit_test(repeats_that_differ_widen_the_bounds),
        cmocka_unit_test(every_repeat_of_a_large_set_is_in_the_bounds),
        cmocka_unit_test(a_curve_s_caches_push_the_set),
        LONG_TEST(a_curve_that_ends_in_a_declared_cache_is_marked),
        LONG_TEST(a_curve_that_ends_far_below_the_headline_has_no_memory),
        cmocka_unit_test(doubts_of_all_that_is_read_go_up),
        cmocka_unit_test(an_impossible_tlb_cost_is_null),
        cmocka_unit_test(a_guest_s_headline_is_what_its_set_takes),
        cmocka_unit_test(a_rise_is_of_what_the_headline_is_of),
        cmocka_unit_test(pages_in_pieces_are_not_taken_off),
        LONG_TEST(a_prefetcher_that_follows_half_of_the_pointers_shows),
        cmocka_unit_test(no_false_alarms),
        cmocka_unit_test(an_undeclared_cache_is_outgrown),
        LONG_TEST(draws_that_prefetchers_delay_are_contradicted),
        cmocka_unit_test(a_set_that_cannot_grow_is_marked),
        LONG_TEST(an_undeclared_cache_is_in_the_curve),
        LONG_TEST(an_undeclared_cache_is_warmed),
        cmocka_unit_test(translation_in_large_pages_is_taken_off),
        cmocka_unit_test(walks_whose_entries_are_evicted_are_taken_off),
        cmocka_unit_test(where_a_tlb_holds_the_set_nothing_is_evicted),
        cmocka_unit_test(evicted_entries_are_in_the_error),
        cmocka_unit_test(walks_are_found_from_all_sets_together),
        cmocka_unit_test(hidden_walks_are_found_from_all_sets_together),
        cmocka_unit_test(sets_know_better_than_what_was_expected_of_walks),
        cmocka_unit_test(no_fewer_lines_than_none_are_evicted),
        cmocka_unit_test(sets_that_disagree_show_nothing_about_walks),
        cmocka_unit_test(walks_that_load_nothing_are_recognised),
        cmocka_unit_test(a_page_in_pieces_is_taken_off),
        LONG_TEST(walks_behind_what_prefetchers_bring_are_in_the_bounds),
        cmocka_unit_test(lines_that_prefetchers_left_are_not_in_the_figure),
        cmocka_unit_test(rows_of_many_channels_are_no_prefetcher),
        LONG_TEST(neighbours_that_wait_in_caches_hide_no_prefetcher),
        cmocka_unit_test(few_miss_slots_hide_no_prefetcher),
        cmocka_unit_test(a_cache_that_keeps_flushed_lines_hides_no_prefetcher),
        cmocka_unit_test(hops_that_wait_for_prefetches_are_doubted),
        LONG_TEST(a_curve_s_memory_is_doubted_with_them),
        cmocka_unit_test(a_chase_by_long_lines_is_what_it_is),
        cmocka_unit_test(a_frequency_step_is_no_prefetcher),
    };
    return RUN_TESTS(tests);
}
