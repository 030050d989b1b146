/* SPDX-License-Identifier: BSD-2-Clause */
/* Points as options specify them, run through the engine: the requested set is chased, each line as
 * often as every other, and the records say so. What patterns cost is tested in test_patterns.c. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/sim/simulator.h"
#include "tests/shared/words.h"

#define KEPT_MAX  256
#define LINES_MAX 65536
#define SET       (96 << 10)
#define SET_WORDS "tests=pattern max=96K pages=4k "

/* Everything a run said, and what its chases did. */
struct outcome {
    struct record_point point[KEPT_MAX];
    char word[KEPT_MAX][4][16]; /* pattern, load, hint, limited_by */
    char verified[KEPT_MAX][16];
    struct record_error error[8];
    size_t points, levels, errors, notes;
    char note[32][400];
    char end[16];
    enum status status;
    uint64_t headline_pages; /* 0: there is no headline */
    double headline_ns, tlb_cost_ns;
    doubt_set headline_doubt;
    /* the chases */
    uint64_t visits[LINES_MAX], hops;
    uint64_t quiet_max_ns;
    struct chase_plan last;
};

static struct outcome *now;
static enum status (*real_chase)(void *self, const struct window *w, const struct chase_plan *plan,
                                 struct chase_result *result);

static void keep_point(struct outcome *o, const struct record_point *p)
{
    size_t i = o->points++;

    o->point[i] = *p;
    snprintf(o->word[i][0], 16, "%s", p->pattern);
    snprintf(o->word[i][1], 16, "%s", p->load);
    snprintf(o->word[i][2], 16, "%s", p->hint);
    snprintf(o->word[i][3], 16, "%s", p->limited_by);
    snprintf(o->verified[i], 16, "%s", p->verified);
}

static void keep(void *context, const struct record *record)
{
    struct outcome *o = context;

    if (record->kind == RECORD_POINT && o->points < KEPT_MAX)
        keep_point(o, &record->u.point);
    if (record->kind == RECORD_ERROR && o->errors < 8)
        o->error[o->errors++] = record->u.error;
    if (record->kind == RECORD_NOTE && o->notes < 32)
        snprintf(o->note[o->notes++], sizeof o->note[0], "%s: %s", record->u.note.what,
                 record->u.note.why);
    o->levels += record->kind == RECORD_LEVEL;
    if (record->kind == RECORD_DRAM) {
        o->headline_pages = record->u.dram.pages_bytes;
        o->headline_ns = record->u.dram.ns;
        o->headline_doubt = record->u.dram.doubt;
        o->tlb_cost_ns = record->u.dram.tlb_cost_ns;
    }
    if (record->kind == RECORD_END)
        snprintf(o->end, sizeof o->end, "%s", record->u.end.status);
}

/* What reading this machine's clock takes when a hop is timed singly. */
static uint64_t reading_ticks;

/* What the machine's registers of frequencies hold, and which of them fault. */
static const struct frequency_registers *registers;

/* Walks the same path through memory first, and counts what it visits. */
static enum status counting_chase(void *self, const struct window *w, const struct chase_plan *plan,
                                  struct chase_result *result)
{
    uintptr_t next[CHAINS_MAX];
    enum status status = real_chase(self, w, plan, result);

    if (registers != NULL)
        result->frequency = *registers;
    if (plan->load == LOAD_FLUSH) {
        for (uint32_t i = 0; i < result->samples; i++)
            plan->ticks[i] += plan->hops * reading_ticks;
        result->single_ticks += (double)reading_ticks;
    }
    now->last = *plan;
    if (result->quiet_ns > now->quiet_max_ns)
        now->quiet_max_ns = result->quiet_ns;
    if (plan->kernel != KERNEL_CYCLE || status != STATUS_OK)
        return status;
    memcpy(next, plan->start.next, sizeof next);
    for (uint32_t k = 0; k < plan->chains; k++)
        for (uint64_t hop = 0; hop < result->hops_done; hop++) {
            now->visits[(next[k] - w->base) / plan->stride_bytes % LINES_MAX]++;
            next[k] = sim_path_word(self, next[k]);
        }
    now->hops += result->hops_done;
    return status;
}

static struct outcome *run_on(struct simulator *sim, const char *words)
{
    struct outcome *o = calloc(1, sizeof *o);
    struct option_error error;

    now = o;
    real_chase = sim->machine.chase_run;
    sim->machine.chase_run = counting_chase;
    o->status = words_run(&sim->machine, words, keep, o, &error);
    if (error.text[0] != '\0')
        fail_msg("%s", error.text);
    return o;
}

/* One run on the default machine, or on one that `change` has made of it. */
static struct outcome *run_with(const char *words, void (*change)(struct sim_config *config))
{
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_config *config = malloc(sizeof *config);
    struct outcome *o;

    *config = sim_config_default;
    if (change)
        change(config);
    simulator_start(sim, config, false);
    o = run_on(sim, words);
    simulator_stop(sim);
    free(config);
    free(sim);
    return o;
}

static struct outcome *run(const char *words)
{
    return run_with(words, NULL);
}

static bool has_note(const struct outcome *o, const char *words)
{
    for (size_t i = 0; i < o->notes; i++)
        if (strstr(o->note[i], words))
            return true;
    return false;
}

/* Every node of a chain was visited as often as every other, or once more; left-over nodes never.
 */
static void expect_even_visits(const struct outcome *o, uint64_t nodes, uint32_t chains)
{
    uint64_t length = nodes / chains, min = o->hops / length, sum = 0, never = 0;

    for (uint64_t i = 0; i < nodes; i++) {
        uint64_t visits = o->visits[i];
        sum += visits;
        if (visits == 0)
            never++;
        else
            assert_in_range(visits, min, min + 1);
    }
    assert_int_equal(never, nodes - length * chains);
    assert_int_equal(sum, o->hops * chains);
    assert_true(min >= 1);
}

static void every_pattern_meets_every_line_as_often(void **state)
{
    static const struct {
        const char *words, *pattern;
        uint32_t stride, chains;
        uint64_t group;
    } cases[] = {
        {"pattern=cycle", "cycle", 64, 1, RECORD_UNKNOWN},
        {"pattern=auto chains=24", "cycle", 64, 24, RECORD_UNKNOWN},
        {"pattern=cycle chains=7 stride=192 word=5", "cycle", 192, 7, RECORD_UNKNOWN},
        {"pattern=forward", "forward", 64, 1, RECORD_UNKNOWN},
        {"pattern=forward stride=8 chains=3", "forward", 8, 3, RECORD_UNKNOWN},
        {"pattern=reverse stride=72 chains=2", "reverse", 72, 2, RECORD_UNKNOWN},
        {"pattern=reverse stride=4K", "reverse", 4096, 1, RECORD_UNKNOWN},
        {"pattern=sequential chains=5", "sequential", 64, 5, RECORD_UNKNOWN},
        {"pattern=shuffled-pages", "shuffled-pages", 64, 1, 4096},
        {"pattern=shuffled-pages group=320 chains=4", "shuffled-pages", 64, 4, 320},
        {"pattern=paged chains=6 word=7", "paged", 64, 6, 4096},
        {"pattern=paged group=7K", "paged", 64, 1, 7168},
        {"pattern=grouped", "grouped", 64, 1, 262144},
        {"pattern=grouped group=40K stride=128", "grouped", 128, 1, 40960},
        {"pattern=hop-page", "hop-page", 64, 1, 4096},
        {"pattern=hop-page group=1344 chains=13", "hop-page", 64, 13, 1344},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char words[160];
        struct outcome *o;
        snprintf(words, sizeof words, SET_WORDS "%s", cases[i].words);
        o = run(words);
        assert_string_equal(o->end, "ok");
        assert_int_equal(o->points, 1);
        assert_string_equal(o->word[0][0], cases[i].pattern);
        assert_string_equal(o->verified[0], "lap");
        assert_int_equal(o->point[0].stride_bytes, cases[i].stride);
        assert_int_equal(o->point[0].bytes, SET - SET % cases[i].stride);
        assert_int_equal(o->point[0].chains, cases[i].chains);
        assert_int_equal(o->point[0].group_bytes, cases[i].group);
        expect_even_visits(o, SET / cases[i].stride, cases[i].chains);
        free(o);
    }
}

static void hops_do_what_the_options_say(void **state)
{
    struct outcome *o = run(SET_WORDS "chains=7 load=dirty hint=t2 work=33 word=6");

    (void)state;
    assert_string_equal(o->end, "ok");
    assert_int_equal(o->last.load, LOAD_DIRTY);
    assert_int_equal(o->last.hint, HINT_T2);
    assert_int_equal(o->last.work, 33);
    assert_int_equal(o->last.chains, 7);
    assert_string_equal(o->word[0][1], "dirty");
    assert_string_equal(o->word[0][2], "t2");
    assert_int_equal(o->point[0].work_cycles, 33);
    assert_int_equal(o->point[0].word, 6);
    assert_string_equal(o->verified[0], "lap");
    free(o);
    o = run(SET_WORDS "load=nt");
    assert_int_equal(o->last.load, LOAD_NT);
    assert_string_equal(o->word[0][1], "nt");
    free(o);
    o = run(SET_WORDS "pattern=iid work=5");
    assert_int_equal(o->last.kernel, KERNEL_IID);
    assert_int_equal(o->last.work, 5);
    assert_string_equal(o->word[0][0], "iid");
    assert_string_equal(o->verified[0], "readback");
    free(o);
}

static void a_sample_is_as_long_as_requested(void **state)
{
    struct outcome *o = run(SET_WORDS "iterations=3 chains=4");

    (void)state;
    assert_int_equal(o->point[0].hops, 3 * (SET / 64 / 4));
    free(o);
    o = run(SET_WORDS "repeats=3 hops=777");
    assert_int_equal(o->points, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(o->point[i].hops, 777);
        assert_int_equal(o->point[i].bytes, SET);
    }
    free(o);
    o = run("tests=pattern max=4M pages=2m seconds=0.05");
    assert_string_equal(o->word[0][3], "seconds");
    assert_true((double)o->point[0].samples * (double)o->point[0].hops * o->point[0].ns_median >
                0.03e9);
    free(o);
    o = run("tests=pattern max=4M pages=2m seconds=86400 budget=1");
    assert_string_equal(o->word[0][3], "budget");
    assert_true(o->point[0].ns_median * (double)o->point[0].hops < 1e6);
    free(o);
}

/* A quarter of a second a sample: it is taken in several quiet sections, and the figure is the
 * same. */
static void a_long_sample_is_taken_in_parts(void **state)
{
    struct outcome *o = run("tests=pattern max=4M pages=2m hops=2500000");
    double ns = 90;

    (void)state;
    assert_int_equal(o->points, 1);
    assert_int_equal(o->point[0].hops, 2500000);
    assert_true(fabs(o->point[0].ns_median - ns) < 0.005 * ns);
    assert_true(o->quiet_max_ns < 500000000);
    assert_true(o->point[0].ticks_median > 0.2 * 3e9);
    free(o);
}

static void a_sample_longer_than_the_budget_is_not_started(void **state)
{
    struct outcome *o = run("tests=pattern max=4M pages=2m iterations=1099511627776 budget=1");

    (void)state;
    assert_int_equal(o->points, 0);
    assert_true(has_note(o, "a point left out: one sample of the requested hops"));
    assert_string_equal(o->end, "failed");
    free(o);
}

static void nothing_is_warmed_when_cold(void **state)
{
    static const char *const sets[] = {"max=16K", "max=96K", "max=8M"};

    (void)state;
    for (size_t i = 0; i < sizeof sets / sizeof sets[0]; i++) {
        char words[120];
        struct outcome *o;
        snprintf(words, sizeof words, "tests=pattern pages=2m warmup=off %s", sets[i]);
        o = run(words);
        assert_string_equal(o->end, "ok");
        assert_int_equal(o->point[0].warm_hops, 0);
        assert_string_equal(o->verified[0], "readback");
        /* Whatever its size, all of it is in memory, where a load takes 90 ns. */
        assert_true(fabs(o->point[0].ns_median - 90) < 2);
        free(o);
    }
}

static void coarse(struct sim_config *config)
{
    config->counter_hz = 25e6;
}

/* 40 ns against 90: more than a quarter. */
static void a_clock_too_coarse_for_single_hops_is_refused(void **state)
{
    struct outcome *o = run_with(SET_WORDS "load=flush", coarse);

    (void)state;
    assert_int_equal(o->points, 0);
    assert_true(has_note(o, "load=flush: a point left out: the clock's step of 40.0 ns is more "
                            "than a quarter of the "));
    assert_string_equal(o->end, "failed");
    free(o);
    reading_ticks = 100;
    o = run(SET_WORDS "load=flush");
    reading_ticks = 0;
    assert_int_equal(o->points, 1);
    assert_true(fabs(o->point[0].arithmetic_ns - 100 / 3.0) < 2);
    assert_string_equal(o->word[0][1], "flush");
    /* What the timing itself takes has been taken off: the set is in no cache, whatever its size.
     */
    assert_true(fabs(o->point[0].ns_median - 90) < 2);
    free(o);
}

static void what_a_machine_cannot_do_is_left_out(void **state)
{
    static const struct {
        const char *words, *note;
    } bad[] = {
        {SET_WORDS "word=8", "word=8 is outside a line of 64 bytes; allowed: 0 to 7"},
        {"tests=dram word=9", "word=9 is outside a line of 64 bytes; allowed: 0 to 7"},
        {SET_WORDS "pattern=sequential stride=128", "which goes line by line"},
        {"tests=pattern stride=1G pattern=forward",
         "stride=1G is larger than the working set of 256M"},
        {"tests=pattern max=1K chains=20", "chains=20 in a working set of 1K"},
        {"tests=dram range=1T-2T",
         "can be mapped from whole 2M blocks in range=; usable memory lies from "
         "0x100000000 to 0x110000000"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct outcome *o = run(bad[i].words);
        assert_string_equal(o->end, "failed");
        assert_int_equal(o->points, 0);
        if (!has_note(o, bad[i].note))
            fail_msg("%s: no note '%s' but %s", bad[i].words, bad[i].note, o->note[0]);
        assert_true(has_note(o, "nothing to measure"));
        free(o);
    }
}

/* The simulated memory begins at 4 GiB. */
static void a_set_is_of_the_memory_in_range(void **state)
{
    struct outcome *o = run("tests=pattern pages=4k range=4100M-4104M");

    (void)state;
    assert_string_equal(o->end, "ok");
    assert_true(has_note(o, "clamped to the memory that can be mapped this way: 4M"));
    assert_int_equal(o->point[0].bytes, 4 << 20);
    free(o);
}

static enum status (*real_open)(void *self, const struct window_request *request,
                                struct window *out);

static enum status open_small(void *self, const struct window_request *request, struct window *out)
{
    return request->page == PAGE_4K ? real_open(self, request, out) : STATUS_NO_MEMORY;
}

/* Where large pages were reported but are not available, the headline uses small ones. */
static void a_headline_falls_back_on_smaller_pages(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct outcome *o;

    (void)state;
    simulator_start(sim, &sim_config_default, false);
    real_open = sim->machine.window_open;
    sim->machine.window_open = open_small;
    o = run_on(sim, "tests=dram max=4M");
    assert_string_equal(o->end, "ok");
    assert_true(has_note(o, "dram: smaller pages than planned: no planned page could be allocated; "
                            "pages of 4K are used instead"));
    assert_int_equal(o->headline_pages, 4096);
    assert_true(o->headline_ns > 20 && isnan(o->tlb_cost_ns));
    assert_false(o->headline_doubt & doubt_of(DOUBT_BUDGET));
    free(o);
    o = run_on(sim, "tests=dram max=4M pages=2m");
    assert_string_equal(o->end, "failed");
    assert_int_equal(o->points, 0);
    free(o);
    simulator_stop(sim);
    free(sim);
}

static unsigned notes_with(const struct outcome *o, const char *words)
{
    unsigned count = 0;

    for (size_t i = 0; i < o->notes; i++)
        count += strstr(o->note[i], words) != NULL;
    return count;
}

/* Once in a run, by name; not where all could be read, or where there are none. */
static void registers_that_fault_are_named_once(void **state)
{
    static const struct frequency_registers some = {1,
                                                    {{"PERF_STATUS", 0x1900}},
                                                    2,
                                                    {"HWP_REQUEST", "UNCORE_RATIO_LIMIT"}},
                                            all = {1, {{"PERF_STATUS", 0x1900}}, 0, {NULL}};
    static const struct {
        const struct frequency_registers *registers;
        unsigned notes;
    } cases[] = {{&some, 1}, {&all, 0}, {NULL, 0}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct outcome *o;
        registers = cases[i].registers;
        o = run("tests=curve min=4K max=16K pages=2m");
        registers = NULL;
        assert_true(o->points > 2);
        assert_int_equal(notes_with(o, "frequency registers could not be read"), cases[i].notes);
        assert_int_equal(notes_with(o, "read: HWP_REQUEST, UNCORE_RATIO_LIMIT; points"),
                         cases[i].notes);
        free(o);
    }
}

/* Also where the plan's own largest set would be smaller. Page curves count pages instead. */
static void no_set_of_a_curve_is_below_the_minimum(void **state)
{
    struct outcome *o = run("tests=curve min=24M pages=2m points=1 budget=1");

    (void)state;
    assert_true(o->points > 0);
    for (size_t i = 0; i < o->points; i++)
        assert_true(o->point[i].bytes >= 24 << 20 || o->point[i].stride_bytes > 64);
    free(o);
}

static void a_headline_from_a_cache_has_a_warning(void **state)
{
    struct outcome *o = run("tests=dram max=16K pages=2m");

    (void)state;
    assert_true(has_note(o, "dram: the set fits in a cache: the last level is declared to hold"));
    free(o);
    o = run("tests=dram max=16M pages=2m");
    assert_false(has_note(o, "fits in a cache"));
    free(o);
}

static void few_lines(struct sim_config *config)
{
    for (uint32_t i = 0; i < config->cache_count; i++)
        config->cache[i].line_bytes = 128;
}

static void lines_are_the_machines(void **state)
{
    struct outcome *o = run_with(SET_WORDS "pattern=paged group=192", few_lines);

    (void)state;
    assert_true(has_note(o, "group=192 is not a multiple of the line"));
    free(o);
    o = run_with(SET_WORDS "pattern=paged group=384 word=15", few_lines);
    assert_string_equal(o->end, "ok");
    assert_int_equal(o->point[0].stride_bytes, 128);
    expect_even_visits(o, SET / 128, 1);
    free(o);
}

static void a_curve_follows_any_pattern(void **state)
{
    struct outcome *o =
        run("tests=curve pattern=grouped group=64K chains=2 max=1M pages=4k points=1");
    uint64_t sets = 0;

    (void)state;
    assert_string_equal(o->end, "ok");
    assert_int_equal(o->points, 8);
    for (size_t i = 0; i < o->points; i++) {
        assert_string_equal(o->word[i][0], "grouped");
        assert_int_equal(o->point[i].chains, 2);
        sets |= o->point[i].bytes;
    }
    assert_int_equal(sets, (2 << 20) - (8 << 10)); /* each power of two once */
    assert_int_equal(o->levels, 0);
    free(o);
    /* A set needs a node for each chain; smaller ones are no points. */
    o = run("tests=curve pattern=forward stride=64K chains=3 max=1M min=64K pages=4k points=1");
    assert_string_equal(o->end, "ok");
    assert_int_equal(o->point[0].bytes, 256 << 10);
    free(o);
    o = run("tests=curve chains=2 max=1M pages=4k");
    assert_int_equal(o->levels, 0);
    assert_true(has_note(o, "curve: no levels: levels are found from plain draws on warm caches, "
                            "which excludes chains="));
    for (size_t i = 0; i < o->points; i++)
        assert_string_equal(o->word[i][0], "cycle");
    free(o);
}

static void the_headline_stays_plain(void **state)
{
    struct outcome *o = run("tests=dram pattern=paged chains=3 load=nt warmup=off max=4M pages=2m");

    (void)state;
    assert_string_equal(o->end, "ok");
    assert_true(has_note(o, "dram: some options do not apply: not applied: pattern=, chains=, "
                            "load=, warmup="));
    for (size_t i = 0; i < o->points; i++) {
        assert_int_equal(o->point[i].chains, 1);
        assert_string_equal(o->word[i][1], "plain");
        assert_true(o->point[i].warm_hops > 0);
    }
    assert_string_equal(o->word[0][0], "cycle");
    free(o);
}

/* In each chain, in another word than the first, and with nodes closer than lines. */
static void a_flipped_bit_is_found_in_every_chain(void **state)
{
    static const struct {
        const char *words;
        uint64_t stride, word;
    } cases[] = {{"chains=4 word=2", 64, 2},
                 {"pattern=forward stride=8 chains=2", 8, 0},
                 {"pattern=hop-page chains=4 group=1K load=dirty", 64, 0},
                 {"pattern=paged warmup=off", 64, 0},
                 {"chains=16", 64, 0}};

    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (uint64_t node = 0; node < 120; node += 7)
            for (unsigned bit = 3; bit < 64; bit += 9) {
                struct simulator *sim = malloc(sizeof *sim);
                uint64_t offset = node * cases[c].stride + 8 * cases[c].word;
                char words[160];
                struct outcome *o;
                simulator_start(sim, &sim_config_default, false);
                sim->flip = (struct sim_flip){.armed = true, .offset = offset, .bit = bit};
                snprintf(words, sizeof words, "tests=pattern max=8K pages=4k %s", cases[c].words);
                o = run_on(sim, words);
                assert_string_equal(o->end, "failed");
                assert_int_equal(o->errors, 1);
                assert_int_equal(o->error[0].expected ^ o->error[0].read, 1ull << bit);
                assert_int_equal(o->error[0].physical_address.value % 4096, offset % 4096);
                free(o);
                simulator_stop(sim);
                free(sim);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_meets_every_line_as_often),
        cmocka_unit_test(hops_do_what_the_options_say),
        cmocka_unit_test(a_sample_is_as_long_as_requested),
        cmocka_unit_test(a_long_sample_is_taken_in_parts),
        cmocka_unit_test(a_sample_longer_than_the_budget_is_not_started),
        cmocka_unit_test(nothing_is_warmed_when_cold),
        cmocka_unit_test(a_clock_too_coarse_for_single_hops_is_refused),
        cmocka_unit_test(what_a_machine_cannot_do_is_left_out),
        cmocka_unit_test(a_set_is_of_the_memory_in_range),
        cmocka_unit_test(a_headline_falls_back_on_smaller_pages),
        cmocka_unit_test(registers_that_fault_are_named_once),
        cmocka_unit_test(a_headline_from_a_cache_has_a_warning),
        cmocka_unit_test(no_set_of_a_curve_is_below_the_minimum),
        cmocka_unit_test(lines_are_the_machines),
        cmocka_unit_test(a_curve_follows_any_pattern),
        cmocka_unit_test(the_headline_stays_plain),
        cmocka_unit_test(a_flipped_bit_is_found_in_every_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
