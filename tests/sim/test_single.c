/* SPDX-License-Identifier: BSD-2-Clause */
/* Single accesses on machines whose memory is known. BARECHASE_SEEDS=11 runs as many of each
 * (default 1). */
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

#define SECONDS_MAX 1
#define PERIOD      0.0005
#define BOUNDS      1.5 /* of many runs one is out of its 95 % bounds by a little */
#define ROW         0.05

struct heard {
    struct record_distribution d;
    char refresh[16], refresh_why[100], rows[16], rows_why[120], scope[16], end[16];
    uint64_t binned;
    double first_ns;
    double seconds;
    unsigned records;
};

static void keep(char *to, size_t bytes, const char *text)
{
    snprintf(to, bytes, "%s", text != NULL ? text : "");
}

static void listen(void *context, const struct record *record)
{
    struct heard *heard = context;

    if (record->kind == RECORD_DISTRIBUTION) {
        const struct record_distribution *d = &record->u.distribution;
        heard->records++;
        heard->d = *d;
        heard->first_ns = d->bin_ns[0];
        for (size_t i = 0; i < d->bins; i++)
            heard->binned += d->bin_count[i];
        keep(heard->refresh, sizeof heard->refresh, d->refresh);
        keep(heard->refresh_why, sizeof heard->refresh_why, d->refresh_why);
        keep(heard->rows, sizeof heard->rows, d->rows);
        keep(heard->rows_why, sizeof heard->rows_why, d->rows_why);
        keep(heard->scope, sizeof heard->scope, d->scope);
    }
    if (record->kind == RECORD_END) {
        heard->seconds = record->u.end.seconds;
        keep(heard->end, sizeof heard->end, record->u.end.status);
    }
}

static void run(const struct sim_config *config, const char *words, struct heard *heard)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct option_error error;

    *heard = (struct heard){.records = 0};
    simulator_start(sim, config, false);
    assert_int_equal(words_run(&sim->machine, words, listen, heard, &error), STATUS_OK);
    simulator_stop(sim);
    free(sim);
    assert_string_equal(heard->end, "ok");
    assert_int_equal(heard->records, 1);
    assert_true(heard->seconds < SECONDS_MAX);
    assert_int_equal(heard->binned, heard->d.accesses);
}

static void load(struct sim_config *config, const char *name)
{
    struct sim_file_error error;
    char path[120];

    snprintf(path, sizeof path, "tests/sim/machines/%s.machine", name);
    if (!sim_machine_load(config, path, &error))
        fail_msg("%s", error.text);
}

static uint64_t seeds(void)
{
    const char *text = getenv("BARECHASE_SEEDS");

    return text != NULL ? strtoull(text, NULL, 10) : 1;
}

static void make_noisy(struct sim_config *config)
{
    config->noise.jitter = 0.02;
    config->noise.spike_every = 200;
    config->noise.spike_factor = 3;
}

static void make_slow_clock(struct sim_config *config)
{
    config->counter_hz = 24e6;
}

/* The file's memory: a hit in an open row, and what other states add. */
static void check_rows(const struct sim_config *config, const struct heard *heard, const char *what)
{
    double hit = config->memory.base_ns + config->memory.tcl_ns;
    double empty = hit + config->memory.trcd_ns, conflict = empty + config->memory.trp_ns;
    const char *verdict = config->memory.open_pages ? "open" : "closed";

    if (strcmp(heard->rows, "unsure") == 0) {
        printf("%s: rows unsure: %s\n", what, heard->rows_why);
        return;
    }
    if (strcmp(heard->rows, verdict) != 0)
        fail_msg("%s: rows %s", what, heard->rows);
    if (config->memory.open_pages && (fabs(heard->d.hit_ns.value / hit - 1) > ROW ||
                                      fabs(heard->d.conflict_ns.value / conflict - 1) > ROW))
        fail_msg("%s: %g and %g ns, not %g and %g", what, heard->d.hit_ns.value,
                 heard->d.conflict_ns.value, hit, conflict);
    if (config->memory.open_pages && !isnan(heard->d.hit_share)) {
        double sum = heard->d.hit_share + heard->d.empty_share + heard->d.conflict_share;
        assert_true(fabs(sum - 1) < 1e-9);
        assert_true(isnan(heard->d.empty_ns.value) ||
                    fabs(heard->d.empty_ns.value / empty - 1) < ROW);
    }
    if (!config->memory.open_pages && fabs(heard->d.empty_ns.value / empty - 1) > ROW)
        fail_msg("%s: %g ns, not %g", what, heard->d.empty_ns.value, empty);
}

static void check_refresh(const struct sim_config *config, const struct heard *heard,
                          const char *what)
{
    double trefi = config->memory.trefi_ns * (1 + config->memory.trefi_ppm * 1e-6);
    double stall =
        config->memory.trfc_ns + (config->memory.open_pages ? config->memory.trcd_ns : 0);

    if (strcmp(heard->refresh, "found") != 0 ||
        fabs(heard->d.period_ns.value - trefi) >
            BOUNDS * (heard->d.period_ns.high - heard->d.period_ns.low) / 2 ||
        !(heard->d.period_ns.high - heard->d.period_ns.low < 2 * PERIOD * heard->d.period_ns.value))
        fail_msg("%s: %s %s, %.8g (%.8g to %.8g) ns", what, heard->refresh, heard->refresh_why,
                 heard->d.period_ns.value, heard->d.period_ns.low, heard->d.period_ns.high);
    /* 95 % bounds: of hundreds of runs one is out by a little */
    if (heard->d.stall_ns.low > 1.01 * stall || heard->d.stall_ns.high < 0.99 * stall)
        fail_msg("%s: a stall of %g to %g ns, not %g", what, heard->d.stall_ns.low,
                 heard->d.stall_ns.high, stall);
}

static const double memories[][2] = {{7800, 350}, {3900, 295}, {1950, 160}};
static const char *const machines[] = {"mapping/zen3-two-ranks", "mapping/skylake-two-ranks",
                                       "mapping/plain-small-board", "desktop"};

static void as_it_is(struct sim_config *config)
{
    (void)config;
}

/* A fast clock and no noise: accesses to random lines show three groups. */
static void check_empty(const struct sim_config *config, const struct heard *heard)
{
    double empty = config->memory.base_ns + config->memory.tcl_ns + config->memory.trcd_ns;

    assert_true(heard->d.empty_share > 0.01 && heard->d.conflict_share > 0.01);
    assert_true(heard->d.empty_ns.low <= empty && empty <= heard->d.empty_ns.high);
}

/* Every period on every machine, with one to four ranks a channel where nothing maps them. */
static void every_memory(void (*change)(struct sim_config *config), size_t every)
{
    size_t next = 0;

    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        for (size_t k = 0; k < 3; k++)
            for (uint64_t seed = 1; seed <= seeds(); seed++) {
                struct sim_config config;
                struct heard heard;
                char words[80], what[120];
                if (next++ % every != 0)
                    continue;
                load(&config, machines[i]);
                config.memory.trefi_ns = memories[k][0];
                config.memory.trfc_ns = memories[k][1];
                if (strcmp(machines[i], "desktop") == 0)
                    config.memory.ranks = 1u << k;
                change(&config);
                config.seed = seed + 1000;
                snprintf(words, sizeof words, "tests=single seed=%llu", (unsigned long long)seed);
                snprintf(what, sizeof what, "%s, %g ns, seed %llu", machines[i], memories[k][0],
                         (unsigned long long)seed);
                run(&config, words, &heard);
                check_refresh(&config, &heard, what);
                check_rows(&config, &heard, what);
                if (strcmp(heard.scope, "per-bank") == 0)
                    fail_msg("%s: %s", what, heard.scope);
                if (change == as_it_is && config.counter_hz > 1e9)
                    check_empty(&config, &heard);
                printf("%s: %g ns, stall %g, %s, %s (%u of %u)\n", what, heard.d.period_ns.value,
                       heard.d.stall_ns.value, heard.rows, heard.scope,
                       (unsigned)heard.d.lines_in_phase, (unsigned)heard.d.lines);
            }
}

static void quiet_memories_are_told(void **state)
{
    (void)state;
    every_memory(as_it_is, tests_are_long() ? 1 : 4);
}

static void noisy_memories_are_told(void **state)
{
    (void)state;
    every_memory(make_noisy, 1);
}

static void memories_are_told_by_a_slow_clock(void **state)
{
    (void)state;
    every_memory(make_slow_clock, 1);
}

/* Whether the line that is asked is of the slow rank or of the other, rows are told. */
static void a_slow_rank_hides_no_conflict(void **state)
{
    (void)state;
    for (uint32_t parity = 0; parity < 2; parity++) {
        struct sim_config config;
        struct heard heard;
        double slower;
        load(&config, "mapping/zen3-two-ranks");
        config.memory.slow[config.memory.slow_count++] = (struct sim_slow_config){
            .part = {.channel = SIM_ANY,
                     .rank = SIM_ANY,
                     .mask = {.count = 1, .mask = {config.mapping.rank.mask[0]}},
                     .parity = parity},
            .adds_ns = 60};
        run(&config, "tests=single", &heard);
        assert_string_equal(heard.rows, "open");
        slower = heard.d.hit_ns.value - config.memory.base_ns - config.memory.tcl_ns;
        assert_true(fabs(slower) < 4 || fabs(slower - 60) < 4);
        assert_true(fabs(heard.d.conflict_ns.value - heard.d.hit_ns.value - config.memory.trcd_ns -
                         config.memory.trp_ns) < 2);
    }
}

static void close_rows(struct sim_config *config)
{
    config->memory.open_pages = false;
}

static void closed_rows_are_told(void **state)
{
    (void)state;
    every_memory(close_rows, 2);
}

static void no_refresh_is_not_made_up(void **state)
{
    (void)state;
    for (int noisy = 0; noisy < 2; noisy++)
        for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
            struct sim_config config;
            struct heard heard;
            load(&config, machines[i]);
            config.memory.trefi_ns = config.memory.trfc_ns = 0;
            if (noisy)
                make_noisy(&config);
            run(&config, "tests=single", &heard);
            assert_string_equal(heard.refresh, "unsure");
            assert_string_equal(heard.scope, "unsure");
            assert_true(heard.refresh_why[0] != '\0' && isnan(heard.d.period_ns.value));
            check_rows(&config, &heard, machines[i]);
        }
}

/* Files of memories that refresh all banks, one of each group, or one. */
static void kinds_of_refresh_are_told(void **state)
{
    static const struct {
        const char *file, *scope, *never;
    } kinds[] = {{"dram/per-bank-refresh", "per-bank", "together"},
                 {"dram/same-bank-refresh", "together", "per-bank"},
                 {"dram/fine-refresh", "together", "per-bank"},
                 {"dram/doubled-refresh", "together", "per-bank"}};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        unsigned told = 0;
        for (uint64_t seed = 1; seed <= seeds(); seed++) {
            struct sim_config config;
            struct heard heard;
            char words[80];
            load(&config, kinds[i].file);
            config.seed = seed + 1000;
            snprintf(words, sizeof words, "tests=single seed=%llu", (unsigned long long)seed);
            run(&config, words, &heard);
            check_refresh(&config, &heard, kinds[i].file);
            check_rows(&config, &heard, kinds[i].file);
            printf("%s: %g ns, stall %g, %s (%u of %u)\n", kinds[i].file, heard.d.period_ns.value,
                   heard.d.stall_ns.value, heard.scope, (unsigned)heard.d.lines_in_phase,
                   (unsigned)heard.d.lines);
            if (strcmp(heard.scope, kinds[i].never) == 0)
                fail_msg("%s, seed %llu: %s", kinds[i].file, (unsigned long long)seed, heard.scope);
            told += strcmp(heard.scope, kinds[i].scope) == 0;
        }
        assert_true(2 * told > seeds());
    }
}

/* A clock of 1 us: nothing is guessed. */
static void too_coarse_a_clock_is_said(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "desktop");
    config.memory.trefi_ns = 7800;
    config.memory.trfc_ns = 350;
    config.counter_hz = 1e6;
    run(&config, "tests=single", &heard);
    assert_string_equal(heard.refresh, "unsure");
    assert_non_null(strstr(heard.refresh_why, "clock"));
    assert_true(heard.d.doubt & doubt_of(DOUBT_COARSE_CLOCK));
}

/* The 99.99th percentile needs a million accesses. */
static void percentiles_need_accesses(void **state)
{
    struct sim_config config;
    struct heard heard;

    (void)state;
    load(&config, "desktop");
    run(&config, "tests=single max=64M", &heard);
    assert_true(heard.d.ns_min <= heard.d.ns_median && heard.d.ns_median <= heard.d.ns_p90 &&
                heard.d.ns_p90 <= heard.d.ns_p99 && heard.d.ns_p99 <= heard.d.ns_p999 &&
                heard.d.ns_p999 <= heard.d.ns_max);
    assert_true(isnan(heard.d.ns_p9999));
    assert_int_equal(heard.d.bytes, 64 << 20);
    assert_true(heard.first_ns <= heard.d.ns_min);
    run(&config, "tests=single max=64M plan=full", &heard);
    assert_true(heard.d.accesses >= 1000000 && heard.d.ns_p9999 >= heard.d.ns_p999 &&
                heard.d.ns_p9999 <= heard.d.ns_max);
}

/* A run that is stopped keeps what it has and says what it lacks. */
static void what_there_is_is_kept(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_config config;
    struct option_error error;
    struct heard heard = {.records = 0};

    (void)state;
    load(&config, "desktop");
    simulator_start(sim, &config, false);
    sim->abort_after_loads = 180000;
    assert_int_equal(words_run(&sim->machine, "tests=single", listen, &heard, &error),
                     STATUS_ABORTED);
    simulator_stop(sim);
    free(sim);
    assert_string_equal(heard.end, "aborted");
    assert_int_equal(heard.records, 1);
    assert_true(heard.d.accesses > 0 && heard.d.accesses < 131072);
    assert_int_equal(heard.binned, heard.d.accesses);
    assert_true(heard.d.doubt & doubt_of(DOUBT_BUDGET));
    assert_string_equal(heard.refresh, "unsure");
    assert_string_equal(heard.rows, "unsure");
    assert_string_equal(heard.refresh_why, "the run ended before");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet_memories_are_told),
        LONG_TEST(noisy_memories_are_told),
        LONG_TEST(memories_are_told_by_a_slow_clock),
        LONG_TEST(closed_rows_are_told),
        cmocka_unit_test(a_slow_rank_hides_no_conflict),
        LONG_TEST(no_refresh_is_not_made_up),
        cmocka_unit_test(kinds_of_refresh_are_told),
        cmocka_unit_test(too_coarse_a_clock_is_said),
        cmocka_unit_test(percentiles_need_accesses),
        cmocka_unit_test(what_there_is_is_kept),
    };
    return RUN_TESTS(tests);
}
