/* SPDX-License-Identifier: BSD-2-Clause */
/* Records are saved during a run: no record waits longer than promised, and what a save leaves
 * behind in the caches is in no figure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/engine.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"

#define POINTS_MAX 200
#define SAVE_NS    3e8 /* that a slow stick takes for a save */

/* Memory so slow that a default run lasts. */
static const char machine_text[] = "machine name=slow pages=4k,2m\n"
                                   "clock core=200M counter=200M\n"
                                   "cache name=L1 bytes=16K ways=4 latency=4c\n"
                                   "cache name=L2 bytes=512K ways=16 latency=20c\n"
                                   "tlb 4k=64/4 2m=64\n"
                                   "walk kind=constant cost=100c\n"
                                   "memory bytes=64M base=2us\n"
                                   "end\n";

/* A stick: how old records were when they were saved, and what a save does to the machine. */
struct stick {
    struct simulator *sim;
    bool disturbs;
    unsigned saves, unsaved, expected;
    double oldest_ns, max_age_ns, first_point_ns, first_save_ns;
    size_t points;
    double ns[POINTS_MAX];
    uint64_t bytes[POINTS_MAX];
    char end[16];
};

static enum status stick_write(void *context, const char *line, size_t bytes)
{
    struct stick *stick = context;

    (void)line;
    (void)bytes;
    if (stick->unsaved++ == 0)
        stick->oldest_ns = simulator_now_ns(stick->sim);
    return STATUS_OK;
}

static enum status stick_flush(void *context)
{
    struct stick *stick = context;
    double now_ns = simulator_now_ns(stick->sim);

    if (stick->unsaved != 0 && now_ns - stick->oldest_ns > stick->max_age_ns)
        stick->max_age_ns = now_ns - stick->oldest_ns;
    if (stick->saves++ == 0)
        stick->first_save_ns = now_ns;
    stick->unsaved = 0;
    if (!stick->disturbs)
        return STATUS_OK;
    sim_hierarchy_empty(&stick->sim->system.caches);
    for (uint32_t i = 0; i < CHAINS_MAX; i++)
        stick->sim->ready_ns[i] = now_ns + SAVE_NS;
    return STATUS_OK;
}

static void stick_expect(void *context, uint64_t points)
{
    struct stick *stick = context;

    stick->expected = (unsigned)points;
}

static void keep(void *context, const struct record *record)
{
    struct stick *stick = context;

    if (record->kind == RECORD_END)
        snprintf(stick->end, sizeof stick->end, "%s", record->u.end.status);
    if (record->kind != RECORD_POINT || stick->points == POINTS_MAX)
        return;
    if (stick->points == 0)
        stick->first_point_ns = simulator_now_ns(stick->sim);
    stick->ns[stick->points] = record->u.point.ns_median;
    stick->bytes[stick->points++] = record->u.point.bytes;
}

static void run(struct stick *stick, const char *words, bool disturbs)
{
    static const struct option_source source = {.name = "test", .host = OPTION_SIMULATOR};
    static struct journal journal;
    static struct sim_config config;
    static char pool[2 * OPTIONS_LINE_MAX];
    struct simulator *sim = malloc(sizeof *sim);
    const struct record_sink sink = {
        .context = stick, .write = stick_write, .flush = stick_flush, .expect = stick_expect};
    struct options options;
    struct option_error error;
    struct sim_file_error file_error;
    struct engine_request request = {
        .machine = &sim->machine, .options = &options, .journal = &journal, .version = "test"};

    config = sim_config_default;
    if (!sim_machine_parse(&config, machine_text, strlen(machine_text), "slow", &file_error))
        fail_msg("%s", file_error.text);
    options_default(&options);
    assert_int_equal(
        options_parse(&options, words, strlen(words), &source, NULL, pool, sizeof pool, &error),
        STATUS_OK);
    *stick = (struct stick){.sim = sim, .disturbs = disturbs};
    simulator_start(sim, &config, false);
    request.workspace = malloc(engine_workspace_bytes());
    journal_start(&journal, &sink);
    journal_watch(&journal, (struct journal_view){stick, keep, NULL});
    assert_int_equal(engine_run(&request), STATUS_OK);
    assert_string_equal(stick->end, "ok");
    free(request.workspace);
    simulator_stop(sim);
    free(sim);
}

static void no_record_waits_longer_than_promised(void **state)
{
    static struct stick stick;

    (void)state;
    run(&stick, "tests=curve max=2M budget=200 error=0.05 plan=full", true);
    assert_true(stick.points > 20 && stick.saves > 6);
    assert_int_equal(stick.unsaved, 0);
    assert_true(stick.first_save_ns < stick.first_point_ns);
    assert_true(stick.expected >= stick.points / 2);
    /* Five seconds, and what a point took longer than estimated. */
    assert_true(stick.max_age_ns < 6e9);
    assert_true(stick.max_age_ns > 1e9);
}

static void figures_are_those_of_a_run_without_saves(void **state)
{
    static struct stick plain, saved;
    size_t same = 0;

    (void)state;
    run(&plain, "tests=curve max=1M budget=60", false);
    run(&saved, "tests=curve max=1M budget=60", true);
    assert_true(saved.saves > 3);
    for (size_t i = 0; i < saved.points; i++)
        for (size_t j = 0; j < plain.points; j++) {
            double share = saved.ns[i] / plain.ns[j];
            if (plain.bytes[j] != saved.bytes[i] || i != j)
                continue;
            same++;
            assert_true(share > 0.99 && share < 1.01);
        }
    assert_true(same > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_record_waits_longer_than_promised),
        cmocka_unit_test(figures_are_those_of_a_run_without_saves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
