/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads of lists of lines on simulated machines: as fast as the machine's core or its memory lets
 * them be; and the channels that tests=regions tells by them, which are the machine's. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <glob.h>

#include "core/dram/bandwidth.h"
#include "tests/long.h"
#include "tests/shared/words.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define LINE   64
#define LINES  4096
#define ROUNDS 5

static void load(struct sim_config *config, const char *name)
{
    struct sim_file_error error;
    char path[120];

    snprintf(path, sizeof path, "tests/sim/machines/dram/%s.machine", name);
    if (!sim_machine_load(config, path, &error))
        fail_msg("%s", error.text);
}

/* What a line takes of a list of adjacent lines, in the slowest round. */
static double line_ns(const struct sim_config *config, bool in_turn, bool flush)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct window_request request = {.bytes = 64 << 20, .page = PAGE_2M, .node = NODE_ANY};
    uintptr_t line[LINES];
    uint64_t ticks[ROUNDS], wild[ROUNDS], most = 0;
    struct reads_plan plan = {.line = line,
                              .lines = LINES,
                              .in_turn = in_turn,
                              .flush = flush,
                              .rounds = ROUNDS,
                              .ticks = ticks};
    struct fault_info fault;
    struct window w;

    simulator_start(sim, config, false);
    assert_int_equal(sim->machine.window_open(sim, &request, &w), STATUS_OK);
    for (size_t i = 0; i < LINES; i++)
        line[i] = w.base + i * LINE;
    assert_int_equal(sim->machine.reads_run(sim, &w, &plan, &fault), STATUS_OK);
    line[17] = w.base + w.bytes;
    plan.ticks = wild;
    assert_int_equal(sim->machine.reads_run(sim, &w, &plan, &fault), STATUS_FAULT);
    assert_int_equal(fault.address, w.base + w.bytes);
    for (size_t i = 0; i < ROUNDS; i++)
        most = ticks[i] > most ? ticks[i] : most;
    sim->machine.window_close(sim, &w);
    simulator_stop(sim);
    free(sim);
    return (double)most * 1e9 / config->counter_hz / LINES;
}

/* Where memory is faster than the core asks, each line takes the latency of one over the number
 * that may be under way (Little's law). */
static void a_core_has_so_many_reads_under_way(void **state)
{
    static const uint32_t misses[] = {5, 10, 16, 33};
    struct sim_config config;

    (void)state;
    load(&config, "all-modules");
    config.memory.bytes_per_s = 200e9;
    config.memory.trefi_ns = 0;
    for (size_t i = 0; i < 4; i++) {
        double alone, many;
        config.memory.misses_max = misses[i];
        alone = line_ns(&config, true, true);
        many = line_ns(&config, false, true);
        printf("%u misses: %.2f ns one by one, %.2f ns together\n", misses[i], alone, many);
        assert_true(many * misses[i] > 0.97 * alone && many * misses[i] < 1.05 * alone);
    }
}

/* Where the core asks for more than memory gives, all channels are busy. */
static void memory_gives_what_its_channels_can(void **state)
{
    static const uint32_t misses[] = {64, 24};
    static const char *const names[] = {"all-modules", "missing-channel"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sim_config config;
        double given;
        load(&config, names[i]);
        config.memory.misses_max = misses[i];
        config.memory.trefi_ns = 0;
        given = LINE / line_ns(&config, false, true) * 1e9;
        printf("%s: %.2f GB/s\n", names[i], given / 1e9);
        assert_true(given > 0.9 * config.memory.channels * config.memory.bytes_per_s);
        assert_true(given < config.memory.channels * config.memory.bytes_per_s);
    }
}

/* Lines that are not flushed are in the cache that has room for them by then. */
static void what_is_not_flushed_comes_from_a_cache(void **state)
{
    struct sim_config config;
    double alone, many;

    (void)state;
    load(&config, "all-modules");
    config.memory.misses_max = 16;
    alone = line_ns(&config, true, false);
    many = line_ns(&config, false, false);
    assert_true(alone > 12 / 3.4 - 0.3 && alone < 12 / 3.4 + 0.3);
    assert_true(many * 16 > 0.95 * alone && many * 16 < 1.1 * alone);
}

/* ---- tests=regions */

struct heard {
    bool told, mapped;
    struct record_bandwidth all;
    char limited_by[16], expectation[16], why[120], note[400];
    struct address_mapping channel, halved; /* what all lines' record says; classes at half */
    unsigned records, classes;
    unsigned parts, slower; /* of memory */
    uint64_t slower_first;  /* the lowest of the latter */
    double part_bytes_per_s[BANDWIDTH_PARTS];
    char end[16];
};

static void hear_bandwidth(struct heard *heard, const struct record_bandwidth *b)
{
    struct address_mapping *to;

    if (b->physical_first.value != RECORD_UNKNOWN) {
        if (strcmp(b->effect, "slower") == 0 && heard->slower++ == 0)
            heard->slower_first = b->physical_first.value;
        heard->part_bytes_per_s[heard->parts++] = b->bytes_per_s.value;
        return;
    }
    to = b->parity == RECORD_UNKNOWN ? &heard->channel : &heard->halved;

    to->offset_bytes = b->offset_bytes;
    to->offset_from = b->offset_from_bytes;
    if (b->parity != RECORD_UNKNOWN) {
        heard->classes++;
        if (strcmp(b->effect, "half") == 0 && b->parity == 1 && to->functions.count < 16)
            to->functions.mask[to->functions.count++] = b->function;
        return;
    }
    heard->records++;
    heard->all = *b;
    heard->told = b->channels != RECORD_UNKNOWN;
    to->functions.count = (unsigned)b->channel_functions;
    memcpy(to->functions.mask, b->channel, b->channel_functions * sizeof b->channel[0]);
    snprintf(heard->limited_by, sizeof heard->limited_by, "%s", b->limited_by);
    snprintf(heard->why, sizeof heard->why, "%s", b->why != NULL ? b->why : "");
    snprintf(heard->expectation, sizeof heard->expectation, "%s",
             b->expectation != NULL ? b->expectation : "");
}

static void listen(void *context, const struct record *record)
{
    struct heard *heard = context;

    if (record->kind == RECORD_BANDWIDTH)
        hear_bandwidth(heard, &record->u.bandwidth);
    if (record->kind == RECORD_MAPPING)
        heard->mapped = strcmp(record->u.mapping.verdict, "linear") == 0;
    if (record->kind == RECORD_NOTE && (strstr(record->u.note.what, "bandwidth") != NULL ||
                                        strstr(record->u.note.what, "read slower") != NULL))
        snprintf(heard->note, sizeof heard->note, "%s: %s: %s",
                 record->u.note.severity == SEVERITY_WARNING ? "warning" : "info",
                 record->u.note.what, record->u.note.why);
    if (record->kind == RECORD_END)
        snprintf(heard->end, sizeof heard->end, "%s", record->u.end.status);
}

static struct heard hear(const struct sim_config *config, const char *words)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct heard heard = {.records = 0};
    struct option_error error;

    simulator_start(sim, config, false);
    (void)words_run(&sim->machine, words, listen, &heard, &error);
    simulator_stop(sim);
    free(sim);
    return heard;
}

static struct heard regions(const struct sim_config *config, const char *words)
{
    struct heard heard = hear(config, words);

    assert_string_equal(heard.end, "ok");
    assert_int_equal(heard.records, 1);
    return heard;
}

static unsigned channel_in(const struct address_mapping *mapping, uint64_t address)
{
    return address_class(&mapping->functions, address_moved(mapping, address));
}

static struct address_mapping truth_of(const struct sim_config *config)
{
    const struct sim_xors *xors = &config->mapping.channel;
    struct address_mapping truth = {.offset_bytes = config->mapping.offset_bytes,
                                    .offset_from = SIM_MEMORY_BASE};

    for (uint32_t i = 0; i < xors->count; i++)
        truth.functions.mask[truth.functions.count++] = xors->mask[i];
    return truth;
}

/* Lines of one channel agree in all these functions; and, if they are told to be all of them, only
 * those do. */
static void expect_channels(const struct sim_config *config, const struct address_mapping *found,
                            bool all)
{
    struct address_mapping truth = truth_of(config);
    struct random random;

    random_start(&random, 5);
    for (int i = 0; i < 20000; i++) {
        uint64_t a = SIM_MEMORY_BASE + random_below(&random, config->memory.bytes);
        uint64_t b = SIM_MEMORY_BASE + random_below(&random, config->memory.bytes);
        bool same = channel_in(&truth, a) == channel_in(&truth, b);
        bool agree = channel_in(found, a) == channel_in(found, b);
        assert_true(agree || !same);
        assert_true(!all || agree == same);
    }
}

/* Where one module is larger than the other, one channel serves the end of memory. Nothing of that
 * shows where the core is the limit. */
static void a_range_of_one_channel_is_read_slower(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "flex-mode");
    config.memory.misses_max = 64;
    heard = regions(&config, "tests=regions");
    assert_int_equal(heard.parts, BANDWIDTH_PARTS);
    /* of 768M: of the sixth, two thirds are served by both */
    assert_in_range(heard.slower, 2, 3);
    assert_in_range(heard.slower_first, SIM_MEMORY_BASE + 5ull * (768 << 20),
                    SIM_MEMORY_BASE + 6ull * (768 << 20));
    for (unsigned i = 0; i < BANDWIDTH_PARTS; i++)
        if (i != 5)
            assert_true(fabs(heard.part_bytes_per_s[i] / config.memory.bytes_per_s -
                             (i < 5 ? 1.8 : 0.97)) < 0.12);
    assert_non_null(strstr(heard.note, "read slower in parts: "));
    config.memory.misses_max = 10;
    heard = regions(&config, "tests=regions");
    assert_int_equal(heard.slower, 0);
    assert_string_equal(heard.limited_by, "core");
}

/* Whatever core and memory can do (of every mapping with BARECHASE_SEEDS): channels are the
 * machine's, or nothing is told; where the core asks for more than memory gives, they are told. */
static void channels_are_the_machine_s(void **state)
{
    static const struct {
        uint32_t misses;
        double bytes_per_s;
    } kinds[] = {{64, 10e9}, {64, 30e9}, {10, 10e9}};
    bool more = getenv("BARECHASE_SEEDS") != NULL;
    unsigned told = 0;
    glob_t files;

    (void)state;
    assert_int_equal(glob("tests/sim/machines/mapping/*.machine", 0, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc * 3; i += more ? 1 : 7) {
        const char *path = files.gl_pathv[i / 3];
        struct sim_file_error error;
        struct sim_config config;
        struct heard heard;
        double all;
        if (!sim_machine_load(&config, path, &error))
            fail_msg("%s", error.text);
        config.memory.misses_max = kinds[i % 3].misses;
        config.memory.bytes_per_s = kinds[i % 3].bytes_per_s;
        all = config.memory.channels * config.memory.bytes_per_s;
        heard = regions(&config, "tests=regions block=256M");
        printf("%s: %u misses: %.2f of %.0f GB/s, %s, channels %ld: %s\n", path,
               config.memory.misses_max, heard.all.bytes_per_s.value / 1e9, all / 1e9,
               heard.limited_by, heard.told ? (long)heard.all.channels : 0, heard.why);
        assert_true(heard.all.bytes_per_s.low < all);
        assert_int_equal(heard.slower, 0);
        if (heard.told) {
            assert_int_equal(heard.all.channels, config.memory.channels);
            assert_string_equal(heard.limited_by, "memory");
        } else {
            assert_true(strlen(heard.why) > 0);
        }
        if (config.mapping.modulus <= 1) {
            expect_channels(&config, &heard.channel, heard.told);
            expect_channels(&config, &heard.halved, false);
        }
        if (strcmp(heard.limited_by, "core") == 0)
            assert_true(heard.all.bytes_per_s.value < 0.97 * all);
        if (i % 3 == 0 && config.mapping.modulus <= 1 && config.memory.channels == 2)
            assert_true(heard.told);
        told += heard.told;
    }
    globfree(&files);
    assert_true(told >= (more ? 5 : 2));
}

/* The board with all of its modules and the one without one channel's: told without any table, and
 * by what was expected of it. With fewer reads under way nothing is told. */
static void a_missing_channel_is_missed(void **state)
{
    static const char *const names[] = {"all-modules", "missing-channel", "missing-rank"};
    static const uint32_t channels[] = {2, 1, 2};
    static const char *const met[] = {"met", "unmet", "met"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct sim_config config;
        struct heard heard;
        load(&config, names[i]);
        config.memory.misses_max = 64;
        heard = regions(&config, "tests=regions block=256M expect-bandwidth=30");
        assert_true(heard.told);
        assert_int_equal(heard.all.channels, channels[i]);
        assert_string_equal(heard.expectation, met[i]);
        assert_true((strstr(heard.note, "bandwidth is less than expected") != NULL) == (i == 1));
        assert_true((strncmp(heard.note, "warning", 7) == 0) == (i == 1));
        assert_true(heard.all.expected_bytes_per_s == 30e9);
        if (i > 0)
            continue;
        config.memory.misses_max = 12;
        heard = regions(&config, "tests=regions block=256M expect-bandwidth=30");
        assert_false(heard.told);
        assert_string_equal(heard.limited_by, "core");
        assert_string_equal(heard.expectation, "unknown");
        assert_non_null(strstr(heard.note, "not known"));
        assert_true(heard.all.under_way.value > 11 && heard.all.under_way.value < 14.5);
        assert_true(heard.all.cached.value > 11.5 && heard.all.cached.value < 12.5);
    }
}

/* Honest machines whose channels differ in distance or modules. */
static void different_channels_are_channels(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "mixed-modules");
    config.memory.misses_max = 64;
    heard = regions(&config, "tests=regions block=256M");
    assert_true(heard.told && heard.all.channels == 2);
    expect_channels(&config, &heard.channel, true);
    load(&config, "mesh");
    config.memory.misses_max = 64;
    heard = regions(&config, "tests=regions block=256M");
    assert_false(heard.told || heard.mapped);
    assert_int_equal(heard.classes, 0);
    assert_non_null(strstr(heard.why, "no functions"));
    assert_string_equal(heard.expectation, "");
}

/* What was expected is never passed over in silence. */
static void what_is_not_measured_is_said(void **state)
{
    static const char *const words[] = {"tests=regions block=8G expect-bandwidth=30",
                                        "tests=regions block=2M budget=1 expect-bandwidth=30"};
    struct sim_config config;

    (void)state;
    load(&config, "all-modules");
    config.build_ns *= 100;
    for (size_t i = 0; i < 2; i++) {
        struct heard heard = hear(&config, words[i]);
        printf("%s: %s\n", words[i], heard.note);
        assert_int_equal(heard.records, 0);
        assert_non_null(strstr(heard.note, "warning: whether bandwidth is as expected"));
        assert_non_null(strstr(heard.note, "expect-bandwidth=30 was held against nothing"));
    }
}

/* Noise and a slow clock: the same channels, or nothing. */
static void noise_makes_no_channels(void **state)
{
    (void)state;
    for (uint64_t seed = tests_are_long() ? 1 : 2; seed <= 2; seed++) {
        struct sim_config config;
        struct heard heard;
        char words[60];
        load(&config, "all-modules");
        config.memory.misses_max = 64;
        config.noise.jitter = 0.02;
        config.noise.spike_every = 200;
        config.noise.spike_factor = 3;
        config.seed = seed;
        if (seed % 2 == 0)
            config.counter_hz = 24e6;
        snprintf(words, sizeof words, "tests=regions block=256M seed=%u", (unsigned)seed);
        heard = regions(&config, words);
        printf("seed %u: %s %ld\n", (unsigned)seed, heard.why,
               heard.told ? (long)heard.all.channels : 0);
        assert_int_equal(heard.slower, 0);
        assert_true(!heard.told || heard.all.channels == 2);
        expect_channels(&config, &heard.channel, heard.told);
        expect_channels(&config, &heard.halved, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_has_so_many_reads_under_way),
        cmocka_unit_test(memory_gives_what_its_channels_can),
        cmocka_unit_test(what_is_not_flushed_comes_from_a_cache),
        LONG_TEST(a_range_of_one_channel_is_read_slower),
        cmocka_unit_test(channels_are_the_machine_s),
        LONG_TEST(a_missing_channel_is_missed),
        LONG_TEST(different_channels_are_channels),
        cmocka_unit_test(what_is_not_measured_is_said),
        cmocka_unit_test(noise_makes_no_channels),
    };
    return RUN_TESTS(tests);
}
