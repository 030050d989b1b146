/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory measured block by block on machines whose slow parts are known. BARECHASE_SEEDS=20 runs as
 * many of each (default 2). */
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
#include "tests/shared/words.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define MIB        (1ull << 20)
#define RANGES_MAX 16

struct heard {
    struct record_range range[RANGES_MAX];
    struct record_regions regions;
    unsigned ranges, blocks, flagged, notes, late, stopped, points;
    uint64_t block_bytes, gap_bytes;
    double error, apart; /* largest, of a block's figure */
    double seconds;
    uint64_t loads; /* of the whole run */
    unsigned rates; /* records of bandwidth */
    char end[16], note[400];
};

static void listen(void *context, const struct record *record)
{
    struct heard *heard = context;

    if (record->kind == RECORD_RANGE && heard->ranges < RANGES_MAX)
        heard->range[heard->ranges++] = record->u.range;
    heard->rates += record->kind == RECORD_BANDWIDTH;
    if (record->kind == RECORD_REGIONS)
        heard->regions = record->u.regions;
    if (record->kind == RECORD_BLOCK) {
        heard->blocks++;
        heard->flagged += record->u.block.flagged;
        heard->block_bytes += record->u.block.bytes;
        heard->error = fmax(heard->error, record->u.block.rel_error);
        heard->apart = fmax(heard->apart, fabs(record->u.block.slower_ns) / record->u.block.ns);
        assert_true(record->u.block.ns_median <= record->u.block.ns_p95);
        assert_true(record->u.block.ns_p99 <= record->u.block.ns_max);
    }
    if (record->kind == RECORD_GAP) {
        heard->gap_bytes += record->u.gap.bytes;
        heard->late += strstr(record->u.gap.why, "within the budget") != NULL;
        heard->stopped += strstr(record->u.gap.why, "when the run was stopped") != NULL;
    }
    if (record->kind == RECORD_NOTE && record->u.note.severity != SEVERITY_INFO) {
        size_t used = strlen(heard->note);
        heard->notes++;
        snprintf(heard->note + used, sizeof heard->note - used, "%s: %s\n", record->u.note.what,
                 record->u.note.why);
    }
    if (record->kind == RECORD_END) {
        heard->seconds = record->u.end.seconds;
        snprintf(heard->end, sizeof heard->end, "%s", record->u.end.status);
    }
}

static enum status run(const struct sim_config *config, const char *words, uint64_t abort_after,
                       struct heard *heard)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct option_error error;
    enum status status;

    *heard = (struct heard){.ranges = 0};
    simulator_start(sim, config, false);
    sim->abort_after_loads = abort_after;
    status = words_run(&sim->machine, words, listen, heard, &error);
    heard->loads = sim->loads;
    simulator_stop(sim);
    free(sim);
    return status;
}

static void load(struct sim_config *config, const char *path)
{
    struct sim_file_error error;

    if (!sim_machine_load(config, path, &error))
        fail_msg("%s", error.text);
}

static void make_noisy(struct sim_config *config)
{
    config->noise.jitter = 0.02;
    config->noise.spike_every = 200;
    config->noise.spike_factor = 3;
}

static uint64_t seeds(void)
{
    const char *text = getenv("BARECHASE_SEEDS");

    return text != NULL ? strtoull(text, NULL, 10) : 2;
}

static void expect_all_covered(const struct heard *heard, const struct sim_config *config)
{
    assert_int_equal(heard->block_bytes + heard->gap_bytes, config->memory.bytes);
    assert_int_equal(heard->regions.covered_bytes, heard->block_bytes);
    assert_int_equal(heard->regions.gap_bytes, heard->gap_bytes);
    assert_int_equal(heard->regions.memory_bytes, config->memory.bytes);
}

/* One range of that many bytes from there on, its edges to the mebibyte, and how slow. */
static void expect_range(const struct heard *heard, uint64_t from, uint64_t bytes, double ns)
{
    const struct record_range *range = &heard->range[0];

    assert_string_equal(heard->end, "ok");
    assert_int_equal(heard->ranges, 1);
    assert_in_range(range->physical_first.value, from - MIB / 2, from + MIB / 2);
    assert_in_range(range->bytes, bytes - MIB, bytes + MIB);
    assert_int_equal(range->edge_bytes, MIB);
    assert_int_equal(range->physical_last.value, range->physical_first.value + range->bytes - 1);
    assert_true(range->slower_low_ns <= ns && ns <= range->slower_high_ns);
    assert_true(2 * range->slower_repeat_ns < 1.5);
    assert_true(heard->flagged > 0);
}

static void expect_slow_range(bool noisy, const char *block)
{
    struct sim_config config;
    struct heard heard;
    char words[80];

    load(&config, "tests/sim/machines/dram/slow-range.machine");
    if (noisy)
        make_noisy(&config);
    for (uint64_t seed = 1; seed <= seeds(); seed++) {
        config.seed = seed + 300;
        snprintf(words, sizeof words, "tests=regions seed=%llu block=%s", (unsigned long long)seed,
                 block);
        assert_int_equal(run(&config, words, 0, &heard), STATUS_OK);
        expect_range(&heard, 0x112300000, 48 * MIB, 11);
        expect_all_covered(&heard, &config);
        assert_true(heard.error < 0.003);
    }
}

static void a_slow_range_is_found_to_the_mebibyte(void **state)
{
    (void)state;
    expect_slow_range(false, "16M");
    expect_slow_range(false, "64M");
    expect_slow_range(false, "256M");
}

static void a_slow_range_is_found_in_noise(void **state)
{
    (void)state;
    expect_slow_range(true, "16M");
}

/* Smaller than a block, and slower by 3 %. */
static void a_part_of_one_block_is_found(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "tests/sim/machines/dram/slow-range.machine");
    config.memory.slow[0].part.from = 0x10a900000;
    config.memory.slow[0].part.bytes = 24 * MIB;
    config.memory.slow[0].adds_ns = 5;
    assert_int_equal(run(&config, "tests=regions block=32M", 0, &heard), STATUS_OK);
    expect_range(&heard, 0x10a900000, 24 * MIB, 5);
}

/* In a single rank, each refresh is waited for, by the more of the hops the longer they take; and
 * where rows stay open, refreshes close them. */
static void refreshes_do_not_spoil_a_difference(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    for (unsigned open = 0; open < 2; open++) {
        load(&config, "tests/sim/machines/dram/slow-range.machine");
        config.memory.trfc_ns = 295;
        config.memory.open_pages = open != 0;
        config.memory.slow[0].adds_ns = 20;
        assert_int_equal(run(&config, "tests=regions block=32M", 0, &heard), STATUS_OK);
        expect_range(&heard, 0x112300000, 48 * MIB, 20);
    }
}

static void of_two_halves_the_slower_is_told(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "tests/sim/machines/dram/slow-half.machine");
    assert_int_equal(run(&config, "tests=regions block=32M", 0, &heard), STATUS_OK);
    expect_range(&heard, 0x120000000, 512 * MIB, 11);
    assert_int_equal(heard.flagged, 16);
}

/* Also where ranks are slower and channels apart, since every block has a share of them. */
static void honest_machines_have_no_slow_range(void **state)
{
    static const char *const files[] = {"tests/sim/machines/dram/mesh.machine",
                                        "tests/sim/machines/dram/per-bank-refresh.machine",
                                        "tests/sim/machines/mapping/zen3-two-ranks.machine",
                                        "tests/sim/machines/desktop.machine",
                                        "tests/sim/machines/small-board.machine",
                                        "tests/sim/machines/slow-counter.machine"};

    bool all = tests_are_long();

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        for (unsigned noisy = 0; noisy < 2; noisy++) {
            struct sim_config config;
            /* else two that are noisy and one that is not */
            if (!all && (i % 2 != 0 || noisy == (i == 2)))
                continue;
            struct heard heard;
            load(&config, files[i]);
            if (noisy)
                make_noisy(&config);
            if (run(&config, "tests=regions block=8M range=4G-4480M", 0, &heard) != STATUS_OK)
                fail_msg("%s: %s", files[i], heard.note);
            if (heard.ranges != 0 || heard.flagged != 0)
                fail_msg("%s: %u ranges", files[i], heard.ranges);
            assert_true(heard.blocks > 20);
        }
}

/* Without jitter, samples that met a refresh look like interruptions in some blocks only. */
static void refreshes_set_no_block_apart(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "tests/sim/machines/dram/missing-rank.machine");
    assert_int_equal(run(&config, "tests=regions block=64M", 0, &heard), STATUS_OK);
    assert_int_equal(heard.blocks, 32);
    assert_true(heard.apart < 0.01);
}

/* What is asked for is what is covered, and the rest is named. */
static void a_range_is_covered_and_the_rest_named(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "tests/sim/machines/dram/slow-range.machine");
    assert_int_equal(
        run(&config, "tests=regions block=16M range=0x104100000-0x109000000", 0, &heard),
        STATUS_OK);
    /* The first page begins at 0x104200000, the last of five blocks is smaller. */
    assert_int_equal(heard.block_bytes, 0x109000000 - 0x104200000);
    assert_int_equal(heard.blocks, 5);
    expect_all_covered(&heard, &config);
    assert_int_equal(heard.ranges, 0);
}

static void what_cannot_be_done_is_refused_in_words(void **state)
{
    static const struct {
        const char *words, *why;
    } cases[] = {
        {"tests=regions range=4G-4160M", "64M in range= can be had, which is fewer than two blocks "
                                         "of 64M: block= from 2M to 32M is "
                                         "allowed, or a larger range="},
        {"tests=regions range=4G-4098M", "2M in range= can be had, which is fewer than two blocks "
                                         "of 64M: memory of two pages of 2M "
                                         "is needed"},
        {"tests=regions block=2G", "which is fewer than two blocks of 2G: block= from 2M to "},
        {"tests=regions block=1T", "fewer than two blocks of 1T: block= from 2M to "},
        {"tests=regions pages=1g block=64M",
         "block=64M is not whole pages of 1G: a multiple of them is allowed"},
        {"tests=regions range=1T-2T", "no memory in range= can be had"},
    };
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "tests/sim/machines/dram/slow-range.machine");
    config.page_sizes |= 1u << PAGE_1G;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_not_equal(run(&config, cases[i].words, 0, &heard), STATUS_OK);
        if (strstr(heard.note, cases[i].why) == NULL)
            fail_msg("%s: %s", cases[i].words, heard.note);
    }
}

/* What was measured before stays, and what was not reached is named. */
static void a_stop_and_a_budget_keep_what_there_is(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "tests/sim/machines/dram/slow-range.machine");
    assert_int_equal(run(&config, "tests=regions block=16M", 200000, &heard), STATUS_ABORTED);
    assert_string_equal(heard.end, "aborted");
    assert_in_range(heard.blocks, 5, 40);
    assert_true(heard.stopped > 0 && heard.late == 0);
    assert_int_equal(heard.ranges, 0);
    expect_all_covered(&heard, &config);
    config.build_ns = 200e3;
    assert_int_equal(run(&config, "tests=regions block=16M budget=10", 0, &heard), STATUS_OK);
    assert_string_equal(heard.end, "ok");
    assert_in_range(heard.blocks, 1, 63);
    assert_true(heard.late > 0 && heard.seconds < 1.25 * 10 + 5);
    expect_all_covered(&heard, &config);
}

#define LOADS_LATE 200000 /* of 100 ns: between two looks at the keyboard */

/* In banks, blocks, classes and bandwidth alike: what was measured stays, and what was not is said.
 */
static void a_key_is_obeyed_in_every_phase(void **state)
{
    struct sim_config config;
    struct heard whole, heard;
    static const double share[] = {0.002, 0.01, 0.3, 0.835, 0.86};
    unsigned without_blocks = 0, without_classes = 0, without_rates = 0;

    (void)state;
    load(&config, "tests/sim/machines/mapping/plain-small-board.machine");
    assert_int_equal(run(&config, "tests=regions", 0, &whole), STATUS_OK);
    assert_true(whole.regions.classes > 0 && whole.rates > 0);
    for (size_t i = 0; i < sizeof share / sizeof share[0]; i++) {
        uint64_t at = (uint64_t)((double)whole.loads * share[i]);
        assert_int_equal(run(&config, "tests=regions", at, &heard), STATUS_ABORTED);
        assert_string_equal(heard.end, "aborted");
        assert_true(heard.loads < at + LOADS_LATE);
        assert_int_equal(heard.stopped > 0, heard.blocks > 0 && heard.blocks < whole.blocks);
        if (heard.blocks > 0)
            expect_all_covered(&heard, &config);
        without_blocks += heard.blocks < whole.blocks;
        without_classes += heard.blocks == whole.blocks && heard.regions.by == NULL;
        without_rates += heard.regions.by != NULL && heard.rates < whole.rates;
    }
    printf("%u stops before or in blocks, ", without_blocks);
    printf("%u stops in classes, %u in bandwidth\n", without_classes, without_rates);
    assert_true(without_blocks > 0 && without_classes > 0 && without_rates > 0);
}

/* 3 % of one block with 1024 of them would be 20 s at 64 GiB. */
static void a_block_costs_a_few_milliseconds(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "tests/sim/machines/dram/slow-half.machine");
    config.memory.slow_count = 0;
    assert_int_equal(run(&config, "tests=regions block=8M", 0, &heard), STATUS_OK);
    assert_int_equal(heard.blocks, 128);
    assert_true(heard.seconds / heard.blocks < 300.0 / 16384);
    assert_true(heard.error < 0.003);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LONG_TEST(a_slow_range_is_found_to_the_mebibyte),
        LONG_TEST(a_slow_range_is_found_in_noise),
        cmocka_unit_test(a_part_of_one_block_is_found),
        LONG_TEST(refreshes_do_not_spoil_a_difference),
        cmocka_unit_test(of_two_halves_the_slower_is_told),
        cmocka_unit_test(honest_machines_have_no_slow_range),
        cmocka_unit_test(refreshes_set_no_block_apart),
        cmocka_unit_test(a_range_is_covered_and_the_rest_named),
        cmocka_unit_test(what_cannot_be_done_is_refused_in_words),
        cmocka_unit_test(a_stop_and_a_budget_keep_what_there_is),
        LONG_TEST(a_key_is_obeyed_in_every_phase),
        cmocka_unit_test(a_block_costs_a_few_milliseconds),
    };
    return RUN_TESTS(tests);
}
