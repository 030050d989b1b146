/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine on the simulated machine: what it reports is what the machine was given. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/engine.h"
#include "core/results/notes.h"
#include "tests/long.h"
#include "tests/sim/simulator.h"
#include "tests/shared/words.h"

#define KEPT_MAX 2048

/* Everything a run said, for the test to look at. */
struct outcome {
    struct record_point point[KEPT_MAX];
    struct record_error error[KEPT_MAX];
    size_t points, errors, notes, records;
    char note[64][200];
    struct record_level level[32];
    char level_name[32][32];
    size_t levels;
    struct record_dram dram;
    struct record_prefetch prefetch;
    char end[16];
    bool ended_last, ran_first;
    enum status status;
};

static void keep(void *context, const struct record *record)
{
    struct outcome *o = context;

    o->ran_first = o->records++ == 0 ? record->kind == RECORD_RUN : o->ran_first;
    o->ended_last = record->kind == RECORD_END;
    switch (record->kind) {
    case RECORD_POINT:
        o->point[o->points++] = record->u.point;
        break;
    case RECORD_ERROR:
        o->error[o->errors++] = record->u.error;
        break;
    case RECORD_NOTE:
        if (o->notes < 64)
            snprintf(o->note[o->notes++], sizeof o->note[0], "%s: %s", record->u.note.what,
                     record->u.note.why);
        break;
    case RECORD_LEVEL:
        snprintf(o->level_name[o->levels], sizeof o->level_name[0], "%s", record->u.level.name);
        o->level[o->levels++] = record->u.level;
        break;
    case RECORD_DRAM:
        o->dram = record->u.dram;
        break;
    case RECORD_PREFETCH:
        o->prefetch = record->u.prefetch;
        break;
    case RECORD_END:
        snprintf(o->end, sizeof o->end, "%s", record->u.end.status);
        break;
    default:
        break;
    }
}

/* Runs those words on sim (started by the caller). The outcome is the caller's to free. */
static struct outcome *run(struct simulator *sim, const char *words)
{
    struct outcome *o = calloc(1, sizeof *o);
    struct option_error error;

    o->status = words_run(&sim->machine, words, keep, o, &error);
    if (error.text[0] != '\0')
        fail_msg("%s", error.text);
    return o;
}

static const struct record_point *find_point(const struct outcome *o, uint64_t bytes,
                                             uint64_t pages_bytes)
{
    for (size_t i = 0; i < o->points; i++)
        if (o->point[i].bytes == bytes && o->point[i].pages_bytes == pages_bytes &&
            strcmp(o->point[i].experiment, "curve") == 0)
            return &o->point[i];
    fail_msg("no curve point of %llu bytes", (unsigned long long)bytes);
    return NULL;
}

static bool within(double figure, double truth, double share)
{
    return fabs(figure - truth) <= share * truth;
}

static void the_default_plan_shows_the_levels(void **state)
{
    static const struct {
        uint64_t bytes;
        double ns;
    } expected[] = {{8 << 10, 1.0},    {16 << 10, 1.0}, {64 << 10, 3.5},
                    {256 << 10, 11.5}, {4 << 20, 90},   {8 << 20, 90}};
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    o = run(sim, "");
    printf("default plan: %zu points, %.1f million loads\n", o->points, (double)sim->loads / 1e6);
    /* Loads are what a plan costs; on a busy host each takes longer. */
    assert_true(sim->loads < 56000000);
    assert_string_equal(o->end, "ok");
    assert_true(o->ran_first && o->ended_last);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        for (uint64_t pages = 4096; pages <= 2 << 20; pages <<= 9) {
            const struct record_point *p = find_point(o, expected[i].bytes, pages);
            assert_true(within(p->ns_median, expected[i].ns, 0.005));
            assert_true(within(p->cycles_median, expected[i].ns * 4, 0.005));
            assert_true(p->rel_error <= 0.005);
            assert_string_equal(p->limited_by, "error");
        }
    }
    for (size_t i = 0; i < o->points; i++)
        assert_string_not_equal(o->point[i].verified, "none");
    assert_true(within(o->dram.ns, 90, 0.005));
    assert_true(o->dram.ns_low <= 90.01 && o->dram.ns_high >= 89.99);
    assert_int_equal(o->dram.bytes, 256 << 20);
    assert_true(fabs(o->dram.tlb_cost_ns) < 0.2);
    assert_string_equal(o->prefetch.verdict, "off");
    assert_true(within(o->prefetch.sequential_over_random, 1, 0.02));
    free(o);
    simulator_stop(sim);
    free(sim);
}

static volatile sig_atomic_t stopped;

static void stop_at_levels(void *self, const struct progress *now)
{
    (void)self;
    stopped |= strcmp(now->experiment, "levels") == 0;
}

/* That work shows progress on the live line, and can be stopped. */
static void a_key_stops_the_search_for_levels(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;
    bool said = false;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    sim->stop = &stopped;
    sim->machine.progress = stop_at_levels;
    o = run(sim, "tests=curve points=2 max=1M error=5");
    assert_true(stopped && o->points > 0);
    assert_string_equal(o->end, "aborted");
    assert_int_equal(o->levels, 0);
    for (size_t i = 0; i < o->notes; i++)
        said |= strcmp(o->note[i], "curve: no levels: stopped while they were looked for") == 0;
    assert_true(said);
    free(o);
    simulator_stop(sim);
    free(sim);
}

static void stop_in_curve(void *self, const struct progress *now)
{
    (void)self;
    stopped |= strcmp(now->experiment, "curve") == 0 && now->done > 100;
}

/* The headline is measured first. */
static void a_run_that_is_stopped_has_its_headline(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    stopped = 0;
    sim->stop = &stopped;
    sim->machine.progress = stop_in_curve;
    o = run(sim, "");
    assert_true(stopped);
    assert_string_equal(o->end, "aborted");
    assert_int_equal(o->levels, 0);
    assert_true(within(o->dram.ns, 90, 0.005));
    assert_string_equal(o->prefetch.verdict, "off");
    free(o);
    simulator_stop(sim);
    free(sim);
}

static struct {
    uint64_t (*wall_ns)(void *self);
    uint64_t calls, most;
} looks;

static uint64_t count_look(void *self)
{
    looks.calls++;
    looks.most = looks.calls > looks.most ? looks.calls : looks.most;
    return looks.wall_ns(self);
}

static void looks_anew(void *self, const struct progress *now)
{
    (void)self;
    (void)now;
    looks.calls = 0;
}

/* Hundreds of points that the budget has no time for: each estimate costs microseconds, and no key
 * is heard meanwhile. */
static void what_does_not_fit_is_left_out_at_once(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    looks.wall_ns = sim->machine.wall_ns;
    looks.calls = looks.most = 0;
    sim->machine.wall_ns = count_look;
    sim->machine.progress = looks_anew;
    o = run(sim, "tests=curve points=40 max=64M pages=4k budget=1 error=5");
    assert_string_equal(o->end, "ok");
    printf("clock read at most %lu times without a word, %zu points\n", looks.most, o->points);
    assert_true(o->points > 10 && looks.most > 100 && looks.most < 20000);
    free(o);
    simulator_stop(sim);
    free(sim);
}

static void expect_level(const struct record_level *level, double bytes, double ns)
{
    assert_true(within(level->ns, ns, 0.01));
    assert_true(level->ns_low <= level->ns && level->ns <= level->ns_high);
    if (bytes == 0)
        return;
    assert_true(within(level->bytes, bytes, 0.03));
    assert_int_equal(level->declared_bytes, (uint64_t)bytes);
}

/* More of them than levels are found from, and more than a plan has room for. */
static void many_points_an_octave_show_the_same_levels(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    o = run(sim, "points=24");
    assert_int_equal(o->levels, 4);
    expect_level(&o->level[0], 32 << 10, 1);
    expect_level(&o->level[1], 128 << 10, 3.5);
    expect_level(&o->level[2], 512 << 10, 11.5);
    expect_level(&o->level[3], 0, 90);
    assert_true(within(o->dram.ns, 90, 0.01));
    free(o);
    simulator_stop(sim);
    free(sim);
}

static void levels_are_found_from_timing(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    o = run(sim, "tests=curve");
    assert_int_equal(o->levels, 4);
    expect_level(&o->level[0], 32 << 10, 1);
    expect_level(&o->level[1], 128 << 10, 3.5);
    expect_level(&o->level[2], 512 << 10, 11.5);
    expect_level(&o->level[3], 0, 90);
    assert_string_equal(o->level_name[0], "L1");
    assert_string_equal(o->level_name[3], "memory");
    free(o);
    simulator_stop(sim);

    simulator_start(sim, &sim_config_default, false);
    o = run(sim, "tests=curve fit=declared");
    assert_int_equal(o->levels, 4);
    assert_int_equal((uint64_t)o->level[2].bytes, 512 << 10);
    free(o);
    simulator_stop(sim);

    simulator_start(sim, &sim_config_default, false);
    o = run(sim, "tests=curve pattern=cycle");
    assert_int_equal(o->levels, 0);
    free(o);
    simulator_stop(sim);
    free(sim);
}

static void time_left_is_about_right(void **state)
{
    static const struct {
        const char *words;
        double max_over, max_under; /* factors */
    } plans[] = {/* what timing will need beyond the plan cannot be known beforehand */
                 {"", 1.5, 2},
                 {"tests=curve", 1.5, 2.5},
                 /* of a dozen kinds of chases most have not been measured before the second half */
                 {"tests=dram prefetch=both", 1.5, 2},
                 {"plan=full max=16M", 2.5, 1.5},
                 {"tests=curve chains=4 max=8M", 1.5, 1.5},
                 {"tests=curve pattern=cycle warmup=off max=8M", 1.5, 1.5},
                 {"tests=curve pattern=paged load=flush max=4M", 1.5, 1.5},
                 {"tests=curve pattern=cycle seconds=0.005 max=4M", 1.5, 1.5},
                 {"tests=curve pattern=cycle hops=50000 max=4M", 1.5, 1.6},
                 /* an error target that cannot be met: its cost is hard to predict */
                 {"tests=curve,dram max=1M points=1 pages=2m error=0.01", 8, 10}};
    struct simulator *sim = malloc(sizeof *sim);

    (void)state;
    for (size_t p = 0; p < sizeof plans / sizeof plans[0]; p++) {
        double end_s, over = 1, under = 1;
        struct outcome *o;
        simulator_start(sim, &sim_config_default, true);
        o = run(sim, plans[p].words);
        end_s = simulator_seconds(sim);
        for (size_t i = 0; i < sim->progress_count; i++) {
            const struct sim_progress *said = &sim->progress[i];
            double truth = end_s - said->at_s;
            /* Nobody notices the last fiftieth, or the last 10 ms. */
            if (said->at_s < 0.3 * end_s || truth < 0.02 * end_s || truth < 0.01)
                continue;
            over = said->left_s / truth > over ? said->left_s / truth : over;
            under = truth / said->left_s > under ? truth / said->left_s : under;
        }
        printf(
            "plan '%s': %.2f virtual s, time left over by at most a factor %.2f, under by %.2f\n",
            plans[p].words, end_s, over, under);
        assert_true(sim->progress_count > 10);
        assert_true(over <= plans[p].max_over && under <= plans[p].max_under);
        free(o);
        simulator_stop(sim);
    }
    free(sim);
}

static void a_flipped_bit_gives_one_right_error(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    const uint64_t line = 777;

    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        struct outcome *o;
        simulator_start(sim, &sim_config_default, false);
        sim->flip = (struct sim_flip){.armed = true, .offset = line * 64, .bit = bit};
        o = run(sim, "tests=curve min=64K max=64K pages=4k");
        assert_int_equal(o->errors, 1);
        assert_string_equal(o->error[0].kind, "memory");
        assert_int_equal(o->error[0].expected ^ o->error[0].read, 1ull << bit);
        assert_int_equal(o->error[0].read, o->error[0].reread);
        /* Colours are kept: the line's offset in its 2 MiB block is that in the window. */
        assert_int_equal(o->error[0].physical_address.value % (2 << 20), line * 64);
        assert_int_equal(o->points, 0);
        assert_string_equal(o->end, "failed");
        assert_true(o->ended_last);
        free(o);
        simulator_stop(sim);
    }
    free(sim);
}

static void every_place_of_a_flip_is_found(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);

    (void)state;
    for (uint64_t line = 0; line < 128; line++) {
        for (unsigned bit = 6; bit < 13; bit++) {
            struct outcome *o;
            simulator_start(sim, &sim_config_default, false);
            sim->flip = (struct sim_flip){.armed = true, .offset = line * 64, .bit = bit};
            o = run(sim, "tests=curve min=8K max=8K pages=4k");
            assert_int_equal(o->errors, 1);
            assert_string_equal(o->error[0].kind, "memory");
            assert_int_equal(o->error[0].expected ^ o->error[0].read, 1ull << bit);
            free(o);
            simulator_stop(sim);
        }
    }
    free(sim);
}

static struct outcome *run_aborted(struct simulator *sim, uint64_t after_loads)
{
    struct outcome *o;

    simulator_start(sim, &sim_config_default, false);
    sim->abort_after_loads = after_loads;
    o = run(sim, "");
    assert_int_equal(o->status, STATUS_ABORTED);
    assert_string_equal(o->end, "aborted");
    assert_true(o->ended_last && o->points > 0);
    assert_false(sim->window.open);
    simulator_stop(sim);
    return o;
}

static void a_key_press_ends_aborted(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);

    (void)state;
    free(run_aborted(sim, 2000000));
    free(sim);
}

static void what_a_stopped_run_lacks_is_not_laid_to_the_budget(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o = run_aborted(sim, 800000);
    size_t said = 0;

    (void)state;
    for (size_t i = 0; i < o->notes; i++) {
        assert_null(strstr(o->note[i], "budget= allows"));
        said += strstr(o->note[i], "but the run was stopped before them") != NULL;
    }
    assert_int_equal(said, 1);
    free(o);
    free(sim);
}

static bool has_note(const struct outcome *o, const char *words)
{
    for (size_t i = 0; i < o->notes; i++)
        if (strstr(o->note[i], words))
            return true;
    return false;
}

static uint64_t largest(const struct outcome *o)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < o->points; i++)
        bytes = o->point[i].bytes > bytes ? o->point[i].bytes : bytes;
    return bytes;
}

static void a_set_beyond_memory_is_clamped(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    o = run(sim, "tests=curve min=64M max=1T points=1 pages=2m");
    assert_string_equal(o->end, "ok");
    assert_true(has_note(o, "clamped") && has_note(o, "256M"));
    assert_int_equal(largest(o), 256 << 20);
    free(o);
    simulator_stop(sim);
    free(sim);
}

static void a_dry_run_measures_nothing(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    o = run(sim, "dry=on");
    assert_string_equal(o->end, "ok");
    assert_int_equal(o->points, 0);
    assert_int_equal(sim->loads, 0);
    assert_true(has_note(o, "plan: curve") && has_note(o, "plan: dram"));
    free(o);
    /* the largest set comes first */
    o = run(sim, "dry=on tests=dram pages=2m");
    assert_true(has_note(o, " to 256M in pages of 2m") && !has_note(o, "from 256M"));
    free(o);
    simulator_stop(sim);
    free(sim);
}

static void prefetch_both_measures_both(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;
    size_t off = 0, on = 0;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    o = run(sim, "prefetch=both tests=curve max=64K pages=2m pattern=cycle");
    for (size_t i = 0; i < o->points; i++) {
        off += o->point[i].prefetch == PREFETCH_OFF;
        on += o->point[i].prefetch == PREFETCH_ON;
    }
    assert_true(off > 0 && off == on);
    free(o);
    simulator_stop(sim);
    free(sim);
}

static void strides_and_hops_are_obeyed(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    o = run(sim, "tests=curve min=512K max=512K pages=2m stride=256 hops=5000 pattern=cycle");
    assert_int_equal(o->points, 1);
    assert_int_equal(o->point[0].hops, 5000);
    assert_int_equal(o->point[0].stride_bytes, 256);
    /* 2048 nodes in every fourth set: they fill L3's quarter (512 KiB / 4), not L2's. */
    assert_true(within(o->point[0].ns_median, 11.5, 0.005));
    free(o);
    simulator_stop(sim);
    free(sim);
}

/* ---- what is reported last */

static struct notes late_notes;

static void late_check(void *self, struct clock_check *out)
{
    (void)self;
    *out = (struct clock_check){.known = false};
    notes_add(&late_notes, SEVERITY_WARNING, "clock not checked", "the other one stopped");
}

static enum status late_write(void *context, const char *line, size_t bytes)
{
    (void)context;
    (void)line;
    (void)bytes;
    return STATUS_OK;
}

static enum status late_flush(void *context)
{
    notes_emit(&late_notes, context);
    return STATUS_OK;
}

/* What the last check of the clock finds is reported before the end. */
static void no_note_follows_the_end(void **state)
{
    static struct journal journal;
    const struct record_sink sink = {.context = &journal, .write = late_write, .flush = late_flush};
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o = calloc(1, sizeof *o);
    struct options options;
    struct engine_request request = {
        .machine = &sim->machine, .options = &options, .journal = &journal, .version = "test"};

    (void)state;
    options_default(&options);
    options.dry = true; /* the clock is checked once, at the end */
    simulator_start(sim, &sim_config_default, false);
    sim->machine.clock_check = late_check;
    request.workspace = malloc(engine_workspace_bytes());
    journal_start(&journal, &sink);
    journal_watch(&journal, (struct journal_view){o, keep, NULL});
    assert_int_equal(engine_run(&request), STATUS_OK);
    assert_true(has_note(o, "clock not checked: the other one stopped"));
    assert_true(o->ended_last);
    free(request.workspace);
    simulator_stop(sim);
    free(sim);
    free(o);
}

static void wrong_clock(void *self, struct clock_check *out)
{
    (void)self;
    *out = (struct clock_check){.known = true, .ppm = -1460.7, .seconds = 1, .source = "other"};
}

static void wrong_by_the_calendar(void *self, struct clock_check *out)
{
    (void)self;
    *out = (struct clock_check){.known = true,
                                .ppm = 0.0,
                                .seconds = 70,
                                .source = "of the same crystal",
                                .calendar_ppm = 2500.2,
                                .calendar_s = 60};
}

static void a_calendar_that_disagrees_is_reported(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    sim->machine.clock_check = wrong_by_the_calendar;
    o = run(sim, "tests=curve min=4K max=64K points=3");
    assert_true(has_note(o, "the clock disagrees with the calendar: by 2500 ppm; every"));
    free(o);
    simulator_stop(sim);
    free(sim);
}

/* Firmware that left the core at a low state: the headline says so, and that of a core at its base
 * does not. */
static void a_core_below_its_base_is_reported(void **state)
{
    static const struct {
        double share;
        bool noted;
    } cases[] = {{1, false}, {0.5, true}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct simulator *sim = malloc(sizeof *sim);
        struct outcome *o;

        simulator_start(sim, &sim_config_default, false);
        sim->description.clock.core_base_hz =
            (uint64_t)(sim_config_default.core_hz / cases[i].share);
        o = run(sim, "tests=dram pages=2m max=64M budget=2");
        assert_int_equal(has_note(o, "the core ran below its base frequency: at "), cases[i].noted);
        free(o);
        simulator_stop(sim);
        free(sim);
    }
}

/* The simulated machine has no control of frequencies: points and notes say so, but only of what
 * was requested. */
static void frequencies_that_cannot_be_set_are_reported(void **state)
{
    static const struct {
        const char *words;
        bool pstate, uncore;
    } cases[] = {{"tests=dram pages=2m max=64M budget=2", false, false},
                 {"tests=dram pages=2m max=64M budget=2 pstate=max", true, false},
                 {"tests=dram pages=2m max=64M budget=2 uncore=max", false, true}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct simulator *sim = malloc(sizeof *sim);
        struct outcome *o;

        simulator_start(sim, &sim_config_default, false);
        o = run(sim, cases[i].words);
        assert_int_equal(has_note(o, "pstate=max is not supported"), cases[i].pstate);
        assert_int_equal(has_note(o, "uncore=max is not supported"), cases[i].uncore);
        assert_true(o->points > 0);
        if (cases[i].pstate)
            assert_string_equal(o->point[0].pstate, "unsupported");
        else
            assert_null(o->point[0].pstate);
        if (cases[i].uncore)
            assert_string_equal(o->point[0].uncore, "unsupported");
        else
            assert_null(o->point[0].uncore);
        free(o);
        simulator_stop(sim);
        free(sim);
    }
}

/* A count, which is never printed as a size. */
static void a_wrong_clock_is_reported_in_ppm(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    sim->machine.clock_check = wrong_clock;
    o = run(sim, "tests=curve min=4K max=64K points=3");
    assert_true(has_note(o, "the clock disagrees with the second clock: by 1460 ppm; every"));
    free(o);
    simulator_stop(sim);
    free(sim);
}

static struct {
    struct progress now;
    unsigned marks, curve[64], steps[16], blocks, built, others;
} marked;

static void remember(void *self, const struct progress *now)
{
    (void)self;
    marked.now = *now;
}

static bool keep_mark(void *self)
{
    const struct progress *now = &marked.now;

    (void)self;
    marked.marks++;
    if (now->part == NULL && strcmp(now->experiment, "curve") == 0)
        marked.curve[now->done % 64]++;
    else if (now->part != NULL && strcmp(now->part, "step") == 0)
        marked.steps[now->number % 16]++;
    else if (now->part != NULL && strcmp(now->part, "block") == 0)
        marked.blocks |= 1u << now->number % 32;
    else if (now->part != NULL && strcmp(now->part, "building block") == 0)
        marked.built |= 1u << now->number % 32;
    else
        marked.others++;
    assert_true(now->part == NULL || strcmp(now->experiment, "curve") != 0);
    return false;
}

/* What a next start would be told: each point before it begins, each block, each step. */
static void where_the_run_is_can_be_kept(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    sim->machine.progress = remember;
    sim->machine.mark = keep_mark;
    memset(&marked, 0, sizeof marked);
    o = run(sim, "tests=curve,regions,verify points=1 min=4K max=64M pages=2m budget=400 block=16M "
                 "error=5");
    assert_string_equal(o->end, "ok");
    assert_true(o->points > 5 && o->points < 64);
    for (size_t i = 0; i < o->points; i++)
        assert_true(marked.curve[i] > 0);
    for (unsigned step = 1; step <= 10; step++)
        assert_true(marked.steps[step] > 0);
    assert_true(marked.blocks != 0 && marked.built != 0);
    assert_int_equal(marked.blocks & 1, 0); /* the first is 1 */
    free(o);
    simulator_stop(sim);
    free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_plan_shows_the_levels),
        cmocka_unit_test(a_key_stops_the_search_for_levels),
        cmocka_unit_test(a_run_that_is_stopped_has_its_headline),
        cmocka_unit_test(what_does_not_fit_is_left_out_at_once),
        LONG_TEST(levels_are_found_from_timing),
        LONG_TEST(many_points_an_octave_show_the_same_levels),
        LONG_TEST(time_left_is_about_right),
        cmocka_unit_test(a_flipped_bit_gives_one_right_error),
        cmocka_unit_test(every_place_of_a_flip_is_found),
        cmocka_unit_test(a_key_press_ends_aborted),
        cmocka_unit_test(what_a_stopped_run_lacks_is_not_laid_to_the_budget),
        cmocka_unit_test(a_set_beyond_memory_is_clamped),
        cmocka_unit_test(a_dry_run_measures_nothing),
        cmocka_unit_test(prefetch_both_measures_both),
        cmocka_unit_test(strides_and_hops_are_obeyed),
        cmocka_unit_test(a_wrong_clock_is_reported_in_ppm),
        cmocka_unit_test(a_calendar_that_disagrees_is_reported),
        cmocka_unit_test(a_core_below_its_base_is_reported),
        cmocka_unit_test(frequencies_that_cannot_be_set_are_reported),
        cmocka_unit_test(no_note_follows_the_end),
        LONG_TEST(where_the_run_is_can_be_kept),
    };
    return RUN_TESTS(tests);
}
