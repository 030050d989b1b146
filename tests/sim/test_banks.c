/* SPDX-License-Identifier: BSD-2-Clause */
/* Searches for banks on machines whose mapping is known. BARECHASE_SEEDS=100 runs as many of each
 * (default 1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <glob.h>

#include "core/dram/address.h"
#include "tests/long.h"
#include "tests/shared/words.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define SECONDS_MAX 10
/* One in so many runs may be unsure. Where a rank is slow, fast pairs that conflict hide in it. */
#define UNSURE_QUIET 100
#define UNSURE_NOISY 20
#define UNSURE_SLOW  16

struct heard {
    char verdict[24], why[100], end[16], expectation[24], note[200];
    enum severity severity; /* of the note */
    struct address_mapping mapping;
    struct record_mapping record;
    double seconds;
    unsigned mappings, notes;
};

static void listen(void *context, const struct record *record)
{
    struct heard *heard = context;

    if (record->kind == RECORD_MAPPING) {
        const struct record_mapping *m = &record->u.mapping;
        heard->mappings++;
        heard->record = *m;
        snprintf(heard->verdict, sizeof heard->verdict, "%s", m->verdict);
        snprintf(heard->why, sizeof heard->why, "%s", m->why != NULL ? m->why : "");
        snprintf(heard->expectation, sizeof heard->expectation, "%s",
                 m->expectation != NULL ? m->expectation : "");
        heard->mapping.offset_bytes = m->offset_bytes;
        heard->mapping.offset_from = m->offset_from_bytes;
        heard->mapping.functions.count = (unsigned)m->rank;
        memcpy(heard->mapping.functions.mask, m->functions, m->rank * sizeof m->functions[0]);
    }
    if (record->kind == RECORD_NOTE && strstr(record->u.note.why, "expect-banks=") != NULL) {
        snprintf(heard->note, sizeof heard->note, "%s: %s", record->u.note.what,
                 record->u.note.why);
        heard->severity = record->u.note.severity;
    }
    if (record->kind == RECORD_NOTE)
        heard->notes += strstr(record->u.note.what, "no banks are searched for") != NULL;
    if (record->kind == RECORD_END) {
        heard->seconds = record->u.end.seconds;
        snprintf(heard->end, sizeof heard->end, "%s", record->u.end.status);
    }
}

static void run(const struct sim_config *config, const char *words, struct heard *heard)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct option_error error;

    *heard = (struct heard){.mappings = 0};
    simulator_start(sim, config, false);
    assert_int_equal(words_run(&sim->machine, words, listen, heard, &error), STATUS_OK);
    simulator_stop(sim);
    free(sim);
    assert_string_equal(heard->end, "ok");
}

static void truth_of(const struct sim_config *config, struct address_mapping *truth)
{
    const struct sim_xors *xors[] = {&config->mapping.channel, &config->mapping.rank,
                                     &config->mapping.bank};

    *truth = (struct address_mapping){.offset_bytes = config->mapping.offset_bytes,
                                      .offset_from = SIM_MEMORY_BASE};
    for (size_t i = 0; i < 3; i++)
        for (uint32_t k = 0; k < xors[i]->count; k++)
            truth->functions.mask[truth->functions.count++] = xors[i]->mask[k];
}

static bool same_bank(const struct address_mapping *mapping, uint64_t a, uint64_t b)
{
    return address_class(&mapping->functions,
                         address_moved(mapping, a) ^ address_moved(mapping, b)) == 0;
}

/* Two mappings are the same memory's if they agree on every pair of its addresses, however they are
 * written: bits that always differ together, and offsets that only turn others over, cannot be told
 * from each other. */
static bool is_right(const struct sim_config *config, const struct heard *heard)
{
    const struct address_mapping *found = &heard->mapping;
    uint64_t bytes = heard->record.bytes;
    struct address_mapping truth;
    struct random random;
    struct sim_map map;

    sim_map_start(&map, &config->memory);
    truth_of(config, &truth);
    if (found->functions.count != truth.functions.count)
        return false;
    random_start(&random, 99);
    for (int i = 0; i < 100000; i++) {
        uint64_t a = sim_map_physical(&map, random_below(&random, bytes));
        uint64_t b = sim_map_physical(&map, random_below(&random, bytes));
        if (same_bank(&truth, a, b) != same_bank(found, a, b))
            return false;
    }
    return true;
}

static void load(struct sim_config *config, const char *path)
{
    struct sim_file_error error;

    if (!sim_machine_load(config, path, &error))
        fail_msg("%s", error.text);
}

static uint64_t seeds(void)
{
    const char *text = getenv("BARECHASE_SEEDS");

    return text != NULL ? strtoull(text, NULL, 10) : 1;
}

struct variant {
    bool noisy;
    double slower_ns; /* a half of the memory, by a function of its ranks or else its channels */
    bool in_turn;     /* the core has one miss under way at a time */
};

static void make_slower(struct sim_config *config, double ns)
{
    const struct sim_mapping_config *mapping = &config->mapping;
    const struct sim_xors *xors = mapping->rank.count != 0 ? &mapping->rank : &mapping->channel;

    config->memory.slow[config->memory.slow_count++] =
        (struct sim_slow_config){.part = {.channel = SIM_ANY,
                                          .rank = SIM_ANY,
                                          .mask = {.count = 1, .mask = {xors->mask[0]}},
                                          .parity = 1},
                                 .adds_ns = ns};
}

/* How many of the runs were unsure. Never is a wrong mapping given. */
static unsigned run_seeds(const char *path, const char *max, struct variant variant, unsigned *runs)
{
    unsigned unsure = 0;
    struct sim_config config;
    struct heard heard;
    char words[80];

    load(&config, path);
    if (variant.slower_ns > 0)
        make_slower(&config, variant.slower_ns);
    if (variant.in_turn)
        config.memory.misses_max = 1;
    if (variant.noisy) {
        config.noise.jitter = 0.08;
        config.noise.spike_every = 200;
        config.noise.spike_factor = 3;
    }
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        bool linear, is_linear = config.mapping.modulus <= 1;
        snprintf(words, sizeof words, "tests=banks%s seed=%llu", max, (unsigned long long)seed);
        config.seed = seed + 1000;
        run(&config, words, &heard);
        assert_int_equal(heard.mappings, 1);
        assert_true(heard.seconds < SECONDS_MAX);
        ++*runs;
        if (strcmp(heard.verdict, "unsure") == 0) {
            printf("%s%s, seed %llu: unsure: %s\n", path, max, (unsigned long long)seed, heard.why);
            assert_true(heard.why[0] != '\0');
            unsure++;
            continue;
        }
        linear = strcmp(heard.verdict, "linear") == 0;
        if (linear != is_linear || (linear && !is_right(&config, &heard)))
            fail_msg("%s%s, seed %llu: %s, %zu functions, offset %llu", path, max,
                     (unsigned long long)seed, heard.verdict, (size_t)heard.mapping.functions.count,
                     (unsigned long long)heard.mapping.offset_bytes);
        assert_true(heard.record.banks_low <=
                    config.memory.channels * config.memory.ranks * config.memory.banks);
        assert_true(heard.record.banks_high >=
                    config.memory.channels * config.memory.ranks * config.memory.banks);
    }
    return unsure;
}

/* Unless many seeds are asked for, every other one is tried, in noise the others. */
static void every_mapping_is_found(bool noisy)
{
    size_t step = seeds() == 1 ? 2 : 1;
    unsigned runs = 0, unsure = 0;
    glob_t files;

    assert_int_equal(glob("tests/sim/machines/mapping/*.machine", 0, NULL, &files), 0);
    assert_int_equal(files.gl_pathc, 9);
    for (size_t i = step == 2 && noisy; i < files.gl_pathc; i += step)
        unsure += run_seeds(files.gl_pathv[i], "", (struct variant){.noisy = noisy}, &runs);
    globfree(&files);
    printf("%u runs, %u unsure\n", runs, unsure);
    assert_true(unsure <= runs / (noisy ? UNSURE_NOISY : UNSURE_QUIET));
}

static void mappings_are_found(void **state)
{
    (void)state;
    every_mapping_is_found(false);
}

static void mappings_are_found_in_noise(void **state)
{
    (void)state;
    every_mapping_is_found(true);
}

/* Addresses whose offset carries into bits that raw ones do not differ in, and memory on both sides
 * of 4 GiB, of which only what is above is moved. */
static void parts_of_moved_memory_are_found(bool noisy)
{
    static const char *const file[] = {"tests/sim/machines/mapping/zen3-two-ranks.machine",
                                       "tests/sim/machines/mapping/zen4-ddr5.machine",
                                       "tests/sim/machines/dram/low-memory.machine"};
    static const char *const max[] = {" max=256M", " max=1G", " max=4G", ""};
    unsigned runs = 0, unsure = 0;

    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++)
        for (size_t k = seeds() == 1 ? (noisy ? 3 : 2) : 0; k < sizeof max / sizeof max[0]; k++)
            unsure += run_seeds(file[i], max[k], (struct variant){.noisy = noisy}, &runs);
    printf("%u runs of parts, %u unsure\n", runs, unsure);
    assert_true(unsure <= runs / (noisy ? UNSURE_NOISY : UNSURE_QUIET));
}

static void moved_memory_is_found(void **state)
{
    (void)state;
    parts_of_moved_memory_are_found(false);
}

static void moved_memory_is_found_in_noise(void **state)
{
    (void)state;
    parts_of_moved_memory_are_found(true);
}

/* A rank that is slower by as much as a conflict takes, and more: pairs of its lines are the
 * slowest by far, and few of them conflict. */
static void slow_ranks_hide_no_conflict(void **state)
{
    static const char *const file[] = {"tests/sim/machines/mapping/zen3-two-ranks.machine",
                                       "tests/sim/machines/mapping/skylake-two-ranks.machine"};
    static const struct variant variants[] = {
        {.noisy = true, .slower_ns = 40}, {.slower_ns = 100}, {.slower_ns = 60, .in_turn = true}};
    unsigned runs = 0, unsure = 0;

    (void)state;
    for (size_t i = 0; i < sizeof file / sizeof file[0]; i++)
        for (size_t k = seeds() == 1 ? i : 0; k < sizeof variants / sizeof variants[0];
             k += seeds() == 1 ? 2 : 1)
            unsure += run_seeds(file[i], "", variants[k], &runs);
    printf("%u runs with slow ranks, %u unsure\n", runs, unsure);
    assert_true(unsure <= runs / UNSURE_SLOW);
}

static void add_function(struct sim_xors *xors, uint64_t mask)
{
    xors->mask[xors->count++] = mask;
}

/* Lines of one channel wait for each other: half of all pairs are slower, and few of them conflict.
 */
static void a_channel_is_no_bank(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "tests/sim/machines/mapping/skylake-two-ranks.machine");
    add_function(&config.mapping.bank, 1 << 10 | 1 << 23);
    add_function(&config.mapping.bank, 1 << 11 | 1 << 24);
    config.memory.banks *= 4;
    config.memory.open_pages = false;
    config.memory.bytes_per_s = 10e9;
    config.memory.trefi_ns = 1950;
    config.memory.trfc_ns = 160;
    config.memory.misses_max = 2;
    run(&config, "tests=banks", &heard);
    assert_string_equal(heard.verdict, "linear");
    assert_true(is_right(&config, &heard));
}

/* Memory of one bank: no pair stands out, and nothing is said. */
static void one_bank_is_unsure(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "tests/sim/machines/mapping/plain-small-board.machine");
    config.mapping = (struct sim_mapping_config){.modulus = 0};
    config.memory.banks = 1;
    run(&config, "tests=banks expect-banks=2", &heard);
    assert_string_equal(heard.verdict, "unsure");
    assert_true(heard.record.rank == 0);
    assert_string_equal(heard.expectation, "unknown");
    assert_non_null(strstr(heard.note, "expect-banks=2, and the search is unsure"));
    assert_true(heard.severity == SEVERITY_WARNING);
}

/* A server's memory: one pair in a thousand conflicts. */
static void rare_conflicts_are_found(void **state)
{
    struct sim_config config;
    struct heard heard;
    unsigned counted = 0, some = seeds() == 1 ? 1 : 2;

    (void)state;
    load(&config, "tests/sim/machines/mapping/skylake-two-ranks.machine");
    add_function(&config.mapping.channel, 1 << 10 | 1 << 24);
    add_function(&config.mapping.channel, 1 << 11 | 1 << 25);
    add_function(&config.mapping.bank, 1 << 23 | 1 << 26);
    add_function(&config.mapping.bank, 1 << 6 | 1 << 27);
    config.memory.channels *= 4;
    config.memory.banks *= 4;
    run(&config, "tests=banks", &heard);
    assert_string_equal(heard.verdict, "linear");
    assert_true(is_right(&config, &heard));
    assert_true(heard.record.pairs > 50000 && heard.seconds < SECONDS_MAX);
    assert_true(heard.record.banks_low <= 1024 && heard.record.banks_high >= 1024);
    /* some conflicts are missed, behind pairs that something else makes slow */
    config.noise = (struct sim_noise_config){.jitter = 0.05, .spike_every = 20, .spike_factor = 8};
    for (config.seed = 1002; config.seed < 1002 + some; config.seed++) {
        run(&config, "tests=banks", &heard);
        if (strcmp(heard.verdict, "unsure") == 0)
            continue;
        counted++;
        assert_true(is_right(&config, &heard));
        assert_true(heard.record.conflicts * 1250 < heard.record.pairs);
        assert_true(heard.record.banks_low <= 1024 && heard.record.banks_high >= 1024);
    }
    assert_true(counted > 0);
}

/* Higher bits never differ in a small set: functions are of those that do. */
static void a_small_set_finds_what_it_can(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "tests/sim/machines/mapping/coffee-lake.machine");
    run(&config, "tests=banks max=64M", &heard);
    assert_string_equal(heard.verdict, "linear");
    assert_true(is_right(&config, &heard));
}

/* What is found is held against what is expected, in the record and in a note. */
static void expected_banks_are_compared(void **state)
{
    static const struct {
        const char *file, *words, *expectation, *note;
        enum severity severity;
    } tries[] = {
        {"coffee-lake", "max=256M", "", "", SEVERITY_INFO},
        {"coffee-lake", "max=256M expect-banks=16", "met",
         "banks: banks are as expected: expect-banks=16, and 16 were found in 256M of memory",
         SEVERITY_INFO},
        {"coffee-lake", "max=256M expect-banks=32", "unmet",
         "banks: banks are not as expected: expect-banks=32, and 16 were found in 256M of memory",
         SEVERITY_WARNING},
        {"six-channels", "expect-banks=96", "possible",
         "banks: banks may be as many as expected: expect-banks=96, and the share of conflicts in ",
         SEVERITY_INFO},
        {"six-channels", "expect-banks=12", "unmet",
         "banks: banks are not as expected: expect-banks=12, and the share of conflicts in ",
         SEVERITY_WARNING},
    };
    char path[100], words[80];
    struct sim_config config;
    struct heard heard;

    (void)state;
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        snprintf(path, sizeof path, "tests/sim/machines/mapping/%s.machine", tries[i].file);
        snprintf(words, sizeof words, "tests=banks %s", tries[i].words);
        load(&config, path);
        run(&config, words, &heard);
        assert_string_equal(heard.expectation, tries[i].expectation);
        assert_memory_equal(heard.note, tries[i].note, strlen(tries[i].note));
        assert_true(heard.severity == tries[i].severity);
        assert_true(
            heard.record.expected_banks ==
            (i == 0 ? RECORD_UNKNOWN : strtoull(strrchr(tries[i].words, '=') + 1, NULL, 10)));
    }
}

/* A guest is told from its host's tables, and by default one of the host's pages is searched. */
static void guests_are_named(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "tests/sim/machines/mapping/coffee-lake.machine");
    run(&config, "tests=banks max=64M", &heard);
    assert_int_equal(heard.record.guest, ANSWER_NO);
    config.walk.nested = SIM_NESTED_2M;
    run(&config, "tests=banks expect-banks=64", &heard);
    assert_int_equal(heard.record.guest, ANSWER_YES);
    assert_int_equal(heard.record.bytes, 2 << 20);
    assert_string_equal(heard.verdict, "linear");
    assert_string_equal(heard.expectation, "unknown");
    assert_non_null(strstr(heard.note, "found in 2M of memory by a guest's addresses"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mappings_are_found),
        LONG_TEST(mappings_are_found_in_noise),
        LONG_TEST(moved_memory_is_found),
        LONG_TEST(moved_memory_is_found_in_noise),
        LONG_TEST(slow_ranks_hide_no_conflict),
        cmocka_unit_test(a_channel_is_no_bank),
        LONG_TEST(one_bank_is_unsure),
        LONG_TEST(rare_conflicts_are_found),
        cmocka_unit_test(a_small_set_finds_what_it_can),
        LONG_TEST(expected_banks_are_compared),
        cmocka_unit_test(guests_are_named),
    };
    return RUN_TESTS(tests);
}
