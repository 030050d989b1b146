/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads of lists of lines on simulated machines: as fast as the machine's core or its memory lets
 * them be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_has_so_many_reads_under_way),
        cmocka_unit_test(memory_gives_what_its_channels_can),
        cmocka_unit_test(what_is_not_flushed_comes_from_a_cache),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
