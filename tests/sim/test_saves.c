/* SPDX-License-Identifier: BSD-2-Clause */
/* Records are saved during a run: no record waits longer than promised, and what a save leaves
 * behind in the caches is in no figure. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/engine.h"
#include "tests/long.h"
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

/* A set that fits L3, and is far larger than what each return from the firmware is followed by. */
static const char large_text[] = "machine name=large pages=4k,2m\n"
                                 "clock core=200M counter=200M\n"
                                 "cache name=L1 bytes=16K ways=4 latency=4c\n"
                                 "cache name=L2 bytes=512K ways=16 latency=20c\n"
                                 "cache name=L3 bytes=8M ways=16 latency=40c\n"
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
    double ns[POINTS_MAX], p99_ns[POINTS_MAX], mean_ns[POINTS_MAX];
    uint64_t samples[POINTS_MAX];
    enum answer settled[POINTS_MAX];
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
    sim_hierarchy_empty(&stick->sim->system->caches);
    for (uint32_t i = 0; i < CHAINS_MAX; i++)
        stick->sim->run->ready_ns[i] = now_ns + SAVE_NS;
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
    stick->p99_ns[stick->points] = record->u.point.ns_p99;
    stick->mean_ns[stick->points] = record->u.point.ns_mean;
    stick->samples[stick->points] = record->u.point.samples;
    stick->settled[stick->points] = record->u.point.settled;
    stick->bytes[stick->points++] = record->u.point.bytes;
}

/* Which quiet sections the world outside takes so much longer than was to be expected, by the
 * number of their samples. */
static uint32_t slow_from, slow_below;
static double slow_ns;
static struct journal journal;
static bool told; /* a note at the start of the first of them, which then waits to be saved */
static enum status (*real_chase)(void *self, const struct window *w, const struct chase_plan *plan,
                                 struct chase_result *result);

static enum status slow_chase(void *self, const struct window *w, const struct chase_plan *plan,
                              struct chase_result *result)
{
    struct simulator *sim = self;
    enum status status = real_chase(self, w, plan, result);
    double now_ns = simulator_now_ns(sim);
    bool slow = plan->samples >= slow_from && plan->samples < slow_below;

    if (slow && !told)
        journal_note(&journal, SEVERITY_INFO, "a test", "something that a record is made of");
    told = told || slow;
    for (uint32_t i = 0; slow && i < CHAINS_MAX; i++)
        sim->run->ready_ns[i] = now_ns + slow_ns;
    return status;
}

static void run_on(struct stick *stick, const char *lines, const char *words, bool disturbs)
{
    static const struct option_source source = {.name = "test", .host = OPTION_SIMULATOR};
    static struct sim_config config;
    static char pool[OPTIONS_POOL_BYTES];
    struct simulator *sim = malloc(sizeof *sim);
    const struct record_sink sink = {
        .context = stick, .write = stick_write, .flush = stick_flush, .expect = stick_expect};
    struct options options;
    struct option_error error;
    struct sim_file_error file_error;
    struct engine_request request = {
        .machine = &sim->machine, .options = &options, .journal = &journal, .version = "test"};

    config = sim_config_default;
    if (!sim_machine_parse(&config, lines, strlen(lines), "slow", &file_error))
        fail_msg("%s", file_error.text);
    options_default(&options);
    assert_int_equal(
        options_parse(&options, words, strlen(words), &source, NULL, pool, sizeof pool, &error),
        STATUS_OK);
    *stick = (struct stick){.sim = sim, .disturbs = disturbs};
    simulator_start(sim, &config, false);
    told = false;
    real_chase = sim->machine.chase_run;
    sim->machine.chase_run = slow_chase;
    request.workspace = malloc(engine_workspace_bytes());
    journal_start(&journal, &sink);
    journal_watch(&journal, (struct journal_view){stick, keep, NULL});
    assert_int_equal(engine_run(&request), STATUS_OK);
    assert_string_equal(stick->end, "ok");
    free(request.workspace);
    simulator_stop(sim);
    free(sim);
}

static void run(struct stick *stick, const char *words, bool disturbs)
{
    run_on(stick, machine_text, words, disturbs);
}

/* Points that take longer than five seconds, which nobody expected, in their samples or in their
 * warming: records are saved within them, and what that leaves in the caches is in no sample. */
static void a_long_point_is_saved_within(void **state)
{
    static const struct {
        const char *words;
        uint32_t from, below;
        double ns;
    } cases[] = {{"tests=pattern max=6M pages=2m seconds=7", 17, 4096, 0.9e9},
                 {"tests=pattern max=6M pages=2m error=5", 1, 2, 2.4e9},
                 {"tests=pattern max=6M pages=2m seconds=7 pattern=iid", 17, 4096, 0.9e9}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static struct stick plain, saved;
        slow_from = cases[i].from;
        slow_below = cases[i].below;
        slow_ns = cases[i].ns;
        run_on(&plain, large_text, cases[i].words, false);
        run_on(&saved, large_text, cases[i].words, true);
        slow_from = slow_below = 0;
        assert_true(saved.points == 1 && plain.points == 1);
        /* Five seconds, and what the last quiet section took longer than half of one. */
        if (saved.max_age_ns > 5e9 + cases[i].ns || saved.max_age_ns < 3e9)
            fail_msg("%zu: %g s", i, saved.max_age_ns * 1e-9);
        assert_true(saved.saves == plain.saves);
        assert_int_equal(saved.samples[0], plain.samples[0]);
        assert_true(fabs(saved.ns[0] / plain.ns[0] - 1) < 0.002);
        assert_true(fabs(saved.p99_ns[0] / plain.p99_ns[0] - 1) < 0.01);
        assert_true(fabs(saved.mean_ns[0] / plain.mean_ns[0] - 1) < 0.002);
        assert_int_equal(saved.settled[0], plain.settled[0]);
    }
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
        LONG_TEST(a_long_point_is_saved_within),
        LONG_TEST(no_record_waits_longer_than_promised),
        cmocka_unit_test(figures_are_those_of_a_run_without_saves),
    };

    return RUN_TESTS(tests);
}
