/* SPDX-License-Identifier: BSD-2-Clause */
/* The run: describe, plan, measure, conclude, end. */
#include "core/engine.h"

#include "core/experiments/schedule.h"
#include "core/experiments/table.h"
#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/measure/describe.h"
#include "core/measure/modules.h"
#include "core/measure/time.h"
#include "core/options/followed.h"
#include "core/plan/check.h"
#include "core/plan/estimate.h"
#include "core/plan/preview.h"

#define NS_PER_S 1000000000ull
/* A run ends within 5/4 of its budget plus PROMISE_NS. CLOSING_NS of that is reserved for what
 * follows the last point: levels, files, giving memory back. */
#define PROMISE_NS (5 * NS_PER_S)
#define CLOSING_NS (3 * NS_PER_S)

/* What plan= means where the options leave it open. */
struct plan_defaults {
    double cap_s;
    uint32_t budget_s;
};
static const struct plan_defaults plan_defaults[] = {
    [PLAN_QUICK] = {.cap_s = 0.15, .budget_s = 45},
    [PLAN_FULL] = {.cap_s = 2.0, .budget_s = 1800},
};

/* It lives in the caller's workspace: nothing in core/ allocates. */
struct engine {
    struct schedule schedule;
    char options_text[OPTIONS_EFFECTIVE_MAX];
};

static size_t round_up_16(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

size_t engine_workspace_bytes(void)
{
    return round_up_16(sizeof(struct engine)) + levels_workspace_bytes();
}

/* Initializes the whole run and emits the run record. */
static void start(struct engine *engine, const struct engine_request *request)
{
    struct schedule *schedule = &engine->schedule;
    struct plan *plan = &schedule->plan;
    const struct options *options = request->options;
    const struct plan_defaults *defaults = &plan_defaults[options->plan];
    double budget_s = options->budget_s > 0 ? options->budget_s : defaults->budget_s;
    uint64_t budget_ns = (uint64_t)(budget_s * NS_PER_S);
    uint64_t started_ns = time_now_ns(request->machine);

    memory_fill(engine, 0, sizeof *engine);
    schedule->machine = request->machine;
    schedule->options = options;
    schedule->journal = request->journal;
    plan->machine = request->machine->description;
    plan->options = options;
    plan->journal = request->journal;
    plan->probes = request->machine->probe_run != NULL;
    plan->budget = (struct budget){.started_ns = started_ns,
                                   .deadline_ns = started_ns + budget_ns,
                                   .promise_ns = started_ns + budget_ns + budget_ns / 4 +
                                                 PROMISE_NS - CLOSING_NS,
                                   .cap_s = defaults->cap_s};
    estimate_start(&plan->estimate, request->machine->window_populate != NULL);
    measure_start(&schedule->measure, request->machine, plan);
    schedule->bench.controls = &schedule->measure.controls;
    schedule->bench.clock = &schedule->measure.clock;
    schedule->bench.core_base_hz = request->machine->description->clock.core_base_hz;
    schedule->bench.draw = &schedule->measure.draw[0];
    schedule->bench.witness = &schedule->measure.witness;
    schedule->bench.shares = schedule->measure.load.share;
    schedule->bench.sampler = &schedule->measure.sampler.report;
    schedule->bench.sampler_trial = &schedule->measure.sampler.trial;
    schedule->bench.curve.workspace = (uint8_t *)request->workspace + round_up_16(sizeof *engine);
    describe_run(plan->machine, options, request->version, engine->options_text, request->journal);
}

/* A point that takes longer than estimated is given up only at promise_ns, so a run may exceed its
 * budget. */
static void note_over_budget(struct schedule *schedule)
{
    const struct machine *machine = schedule->machine;
    uint64_t took_ns = time_now_ns(machine) - schedule->plan.budget.started_ns;
    uint64_t budget_ns = schedule->plan.budget.deadline_ns - schedule->plan.budget.started_ns;

    if (took_ns < budget_ns + budget_ns / 10 + 1000000000)
        return;
    journal_note_format(schedule->journal, SEVERITY_INFO, "longer than the budget",
                        "%lu s instead of %lu: the last points took longer than estimated",
                        took_ns / 1000000000, budget_ns / 1000000000);
}

static void emit_end(const struct engine_request *request, struct schedule *schedule,
                     enum status status)
{
    const struct machine *machine = schedule->machine;
    struct record record = {.kind = RECORD_END};
    struct clock_check check = {.known = false};
    bool failed =
        (status != STATUS_OK && status != STATUS_ABORTED) || schedule->journal->errors != 0;

    if (status == STATUS_OK)
        note_over_budget(schedule);
    machine->clock_check(machine->self, &check);
    /* The check may have written a note, and no note follows the end record. */
    (void)journal_flush(schedule->journal);
    record.u.end = (struct record_end){
        .status = failed                     ? "failed"
                  : status == STATUS_ABORTED ? "aborted"
                                             : "ok",
        .seconds = (double)(time_now_ns(machine) - schedule->plan.budget.started_ns) * 1e-9,
        .errors = schedule->journal->errors,
        .clock_check_ppm = check.known ? check.ppm : real_nan(),
        .clock_check_source = check.known ? check.source : NULL,
        .clock_calendar_ppm = check.calendar_s > 0 ? check.calendar_ppm : real_nan(),
        .clock_calendar_s = check.calendar_s > 0 ? check.calendar_s : real_nan()};
    if (request->before_end != NULL)
        request->before_end(request->before_end_context, &record.u.end, schedule->journal);
    journal_emit(schedule->journal, &record);
    (void)journal_flush(schedule->journal);
}

static uint32_t tests_of(const struct options *options, uint32_t tests[OPTIONS_TESTS_MAX])
{
    uint32_t count = options->test_count;

    for (uint32_t i = 0; i < count; i++)
        tests[i] = options->tests[i];
    if (count != 0)
        return count;
    for (uint32_t i = 0; i < experiment_count && count < OPTIONS_TESTS_MAX; i++)
        if (experiment_list[i].plans >> options->plan & 1)
            tests[count++] = i;
    return count;
}

static bool anything_measured(const struct schedule *schedule)
{
    for (uint32_t i = 0; i < schedule->plan.point_count; i++)
        if (schedule->plan.point[i].result.known || schedule->plan.point[i].footprint.known ||
            schedule->plan.point[i].recorded)
            return true;
    return false;
}

/* Appends where range= would find usable memory. */
static void add_usable(const struct machine_description *d, struct text *why)
{
    uint64_t from = UINT64_MAX, below = 0;

    for (size_t i = 0; i < d->memory_count; i++) {
        const struct memory_range *range = &d->memory[i];
        if (!range->usable)
            continue;
        from = range->base.value < from ? range->base.value : from;
        below = range->base.value + range->bytes > below ? range->base.value + range->bytes : below;
    }
    if (below != 0)
        text_format(why, "; usable memory lies from 0x%lx to 0x%lx", from, below);
}

static void note_no_points(struct schedule *schedule)
{
    const struct options *options = schedule->options;
    bool ranged = options->range_from.value != options->range_below.value;
    const char *why = "none of the requested page sizes can be mapped on this machine";
    char usable[80];
    struct text text;

    text_start(&text, usable, sizeof usable);
    if (schedule->plan.refused[0] != '\0') {
        why = schedule->plan.refused;
    } else if (ranged) {
        why = "none of the requested page sizes can be mapped from whole 2M blocks in range=";
        add_usable(schedule->machine->description, &text);
    } else if (plan_page_sizes(&schedule->plan) != 0) {
        why = "no requested point fits a requested page size, as the notes say";
    }
    journal_note_format(schedule->journal, SEVERITY_ERROR, "nothing to measure", "%s%s", why,
                        usable);
}

static bool word_possible(struct schedule *schedule)
{
    char why[80];
    struct text text;

    text_start(&text, why, sizeof why);
    if (plan_word_possible(schedule->machine->description, schedule->options->word, &text))
        return true;
    journal_note(schedule->journal, SEVERITY_ERROR, "nothing to measure", why);
    return false;
}

static void note_not_followed(struct schedule *schedule, uint32_t experiment)
{
    const struct experiment_listing *row = &experiment_list[experiment];
    char keys[160];
    struct text text;

    text_start(&text, keys, sizeof keys);
    if (options_not_followed(schedule->options, schedule->machine->description->line_bytes,
                             row->follows, &text))
        journal_note_about(schedule->journal, SEVERITY_INFO, row->name, "some options do not apply",
                           "not applied: %s", keys);
}

static enum status measure(struct schedule *schedule)
{
    uint32_t tests[OPTIONS_TESTS_MAX];
    uint32_t count = tests_of(schedule->options, tests);
    enum status status = STATUS_OK;

    if (!word_possible(schedule))
        return STATUS_BAD_INPUT;
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        note_not_followed(schedule, tests[i]);
        measure_look(schedule->machine, &schedule->plan);
        status = experiment_table[tests[i]].plan(&schedule->plan, &schedule->bench, tests[i]);
    }
    if (status == STATUS_OK && schedule->plan.point_count == 0) {
        note_no_points(schedule);
        return STATUS_UNSUPPORTED;
    }
    if (schedule->options->dry) {
        plan_preview(&schedule->plan, time_now_ns(schedule->machine));
        return status;
    }
    if (status == STATUS_OK)
        status = schedule_run(schedule, tests, count);
    if (status != STATUS_OK)
        (void)journal_flush(schedule->journal);
    if (status == STATUS_OK && !anything_measured(schedule)) {
        journal_note(schedule->journal, SEVERITY_ERROR, "nothing was measured",
                     "every point of the plan was left out");
        return STATUS_NO_MEMORY;
    }
    return status;
}

static void emit_not_held(struct schedule *schedule, const char *name, const char *expected)
{
    struct record record = {.kind = RECORD_EXPECTATION};

    record.u.expectation = (struct record_expectation){.name = name,
                                                       .expected = expected,
                                                       .met = ANSWER_UNKNOWN,
                                                       .why = "no experiment that measures it came "
                                                              "to its end"};
    journal_emit(schedule->journal, &record);
}

/* A board whose memory nobody judged must not look like one that is as expected. */
static void note_not_judged(struct schedule *schedule)
{
    const struct options *options = schedule->options;
    char expected[32];

    if (options->dry)
        return;
    if (options->expect_banks != 0 && !schedule->plan.banks_judged) {
        text_print(expected, sizeof expected, "%u", options->expect_banks);
        emit_not_held(schedule, "expect-banks", expected);
        journal_note_format(schedule->journal, SEVERITY_WARNING,
                            "whether banks are as expected is not known",
                            "expect-banks=%u was held against nothing: no experiment that counts "
                            "banks (tests=banks, tests=regions) came to its end",
                            options->expect_banks);
    }
    if (options->expect_bandwidth_gb_s > 0 && !schedule->plan.bandwidth_judged) {
        text_print(expected, sizeof expected, "%s GB/s",
                   TEXT_SHORTEST(options->expect_bandwidth_gb_s));
        emit_not_held(schedule, "expect-bandwidth", expected);
        journal_note_format(schedule->journal, SEVERITY_WARNING,
                            "whether bandwidth is as expected is not known",
                            "expect-bandwidth=%s was held against nothing: tests=regions, which "
                            "measures it, did not come to its end",
                            TEXT_SHORTEST(options->expect_bandwidth_gb_s));
    }
}

enum status engine_run(const struct engine_request *request)
{
    struct engine *engine = request->workspace;
    enum status status;
    bool off[2];

    start(engine, request);
    (void)plan_prefetch_states(&engine->schedule.plan, off);
    describe_machine(request->machine->description, request->journal);
    modules_expect(request->machine->description, request->options, request->journal);
    hardware_errors_start(&engine->schedule.measure.hardware_errors, request->machine,
                          request->journal);
    measure_try_sampler(&engine->schedule.measure);
    controls_prefetch(&engine->schedule.measure.controls, off[0]);
    controls_speed(&engine->schedule.measure.controls, SPEED_PSTATE, request->options->pstate);
    controls_speed(&engine->schedule.measure.controls, SPEED_UNCORE, request->options->uncore);
    status = measure(&engine->schedule);
    note_not_judged(&engine->schedule);
    hardware_errors_conclude(&engine->schedule.measure.hardware_errors);
    slots_note(&engine->schedule.measure.slots, request->journal);
    emit_end(request, &engine->schedule, status);
    if (status == STATUS_OK && request->journal->errors != 0)
        return STATUS_FAULT;
    return status;
}

void engine_refuse(const struct engine_request *request, const char *what, const char *why)
{
    struct engine *engine = request->workspace;
    struct record record = {.kind = RECORD_NOTE};

    start(engine, request);
    record.u.note = (struct record_note){.severity = SEVERITY_ERROR, .what = what, .why = why};
    journal_emit(request->journal, &record);
    emit_end(request, &engine->schedule, STATUS_BAD_INPUT);
}
