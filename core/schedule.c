/* SPDX-License-Identifier: BSD-2-Clause */
/* Pass by pass over all experiments, so that whenever the budget ends, what there is spans
 * everything; within a pass window by window, the one that is open first. */
#include "core/engine_state.h"
#include "core/experiments/table.h"
#include "core/measure/footprint_run.h"
#include "core/measure/time.h"
#include "core/plan/estimate.h"
#include "core/plan/estimate_make.h"
#include "core/plan/left_out.h"
#include "core/plan/sampling.h"
#include "core/plan/shares.h"

#define SLICE_NS          250e6 /* of making memory: a stop and the deadline are seen behind it */
#define SLICE_LEAST       (2ull << 20)
#define LEAST_BUDGET_NS   10000000000ull
#define CLOCK_WARNING_PPM 1000.0 /* 0.1 %: beyond it the figures are marked */

static uint64_t now_ns(const struct engine *engine)
{
    return time_now_ns(engine->machine);
}

static double reckoned_s(const struct engine *engine, const struct point *point)
{
    return estimate_point_s(&engine->plan, point, now_ns(engine));
}

static enum status leave_out(struct point *point, enum left_out why)
{
    point->over = true;
    point->left_out = why;
    return STATUS_OK;
}

/* ---- the open window */

static void close_window(struct engine *engine)
{
    if (engine->window_known)
        engine->machine->window_close(engine->machine->self, &engine->window);
    engine->window_known = false;
}

/* What the largest set to come needs of such a window: it is opened once for all of them. */
static uint64_t wanted_bytes(const struct engine *engine, const struct point *like)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < engine->plan.point_count; i++) {
        const struct point *p = &engine->plan.point[i];
        uint64_t bytes = sampling_window_bytes(engine->plan.machine->line_bytes, p);
        if (!p->over && plan_same_window(p, like) && bytes > most)
            most = bytes;
    }
    return most;
}

/* Half as much may be had. */
static void give_up_larger(struct engine *engine, const struct point *like, uint64_t bytes)
{
    for (uint32_t i = 0; i < engine->plan.point_count; i++) {
        struct point *p = &engine->plan.point[i];
        if (!p->over && plan_same_window(p, like) &&
            sampling_window_bytes(engine->plan.machine->line_bytes, p) > bytes / 2)
            (void)leave_out(p, LEFT_UNMAPPED);
    }
}

/* STATUS_NO_MEMORY: the point has been left out. */
static enum status open_window(struct engine *engine, const struct point *point)
{
    const struct machine *machine = engine->machine;
    uint64_t needed = sampling_window_bytes(engine->plan.machine->line_bytes, point);
    enum status status = STATUS_NO_MEMORY;

    if (engine->window_known && plan_same_window(&engine->window_like, point) &&
        engine->window.bytes >= needed)
        return STATUS_OK;
    close_window(engine);
    while (!point->over) {
        uint64_t bytes = wanted_bytes(engine, point);
        struct window_request request = plan_window(&engine->plan, point, bytes);
        status = machine->window_open(machine->self, &request, &engine->window);
        if (status == STATUS_OK || status == STATUS_ABORTED)
            break;
        give_up_larger(engine, point, bytes);
        status = STATUS_NO_MEMORY;
    }
    if (status != STATUS_OK)
        return status;
    engine->window_known = true;
    engine->window_like = *point;
    *estimate_made_bytes(&engine->plan.estimate, point->page) = engine->window.made_bytes;
    return STATUS_OK;
}

/* ---- time */

/* The first point is what every run has: where the budget is no more than some seconds, or memory
 * takes longer to make than was promised, it is measured all the same. */
static void allow_least(struct engine *engine, const struct point *point)
{
    double left_s = budget_until_s(engine->plan.budget.promise_ns, now_ns(engine));

    if (engine->begun)
        return;
    engine->measure.lenient =
        engine->measure.lenient ||
        engine->plan.budget.deadline_ns - engine->plan.budget.started_ns < LEAST_BUDGET_NS ||
        estimate_make_s(&engine->plan, point) > left_s;
    if (engine->measure.lenient && reckoned_s(engine, point) > left_s)
        measure_say_least(&engine->measure);
}

/* ---- one point */

/* A clock that is too far off the second one is said once, when it first is. */
static void check_clock(struct engine *engine)
{
    const struct machine *machine = engine->machine;
    struct clock_check check = {.known = false};
    double distance;

    machine->clock_check(machine->self, &check);
    distance = check.ppm < 0 ? -check.ppm : check.ppm;
    if (!check.known || distance <= CLOCK_WARNING_PPM || engine->clock_ppm_noted != 0)
        return;
    engine->clock_ppm_noted = check.ppm;
    journal_note_format(engine->journal, SEVERITY_WARNING,
                        "the clock disagrees with the second clock",
                        "by %lu ppm; every figure in ns is off by as much", (uint64_t)distance);
}

static uint64_t next_made(const struct engine *engine, enum page_size page, uint64_t made,
                          uint64_t bytes)
{
    double slice = SLICE_NS / estimate_make_ns(&engine->plan.estimate, page);
    uint64_t step = slice < (double)SLICE_LEAST ? SLICE_LEAST : (uint64_t)slice;

    return bytes - made < step ? bytes : made + step;
}

/* The memory of the point's set, where the machine makes it as it is needed. */
static enum status make_memory(struct engine *engine, const struct point *point)
{
    const struct machine *machine = engine->machine;
    uint64_t *made = estimate_made_bytes(&engine->plan.estimate, point->page);
    uint64_t bytes = sampling_window_bytes(engine->plan.machine->line_bytes, point);
    enum status status = STATUS_OK;

    while (machine->window_make != NULL && *made < bytes && status == STATUS_OK) {
        uint64_t begun_ns = time_now_ns(machine);
        uint64_t next = next_made(engine, point->page, *made, bytes);
        status = machine->window_make(machine->self, &engine->window, next);
        if (status != STATUS_OK)
            break;
        estimate_learn_make(&engine->plan.estimate, point->page, next - *made,
                            time_now_ns(machine) - begun_ns);
        *made = next;
        allow_least(engine, point);
        status = measure_go_on(&engine->measure);
    }
    return status;
}

/* As often as asked for, a record each time. What the experiment goes by is the middle one. */
static enum status measure_point(struct engine *engine, struct point *point)
{
    struct point_result *kept = engine->repeat;
    enum status status = STATUS_OK;
    uint32_t count = 0;

    if (point->is_footprint) {
        point->over = true;
        return footprint_measure(&engine->measure, point, &engine->window);
    }
    for (uint32_t i = 0; i < engine->options->repeats && status == STATUS_OK; i++) {
        uint32_t at = count;

        point->result = (struct point_result){.known = false};
        status = point_measure(&engine->measure, point, &engine->window);
        if (!point->result.known)
            break;
        for (; at > 0 && kept[at - 1].ns > point->result.ns; at--)
            kept[at] = kept[at - 1];
        kept[at] = point->result;
        count++;
    }
    if (count > 0)
        point->result = kept[(count - 1) / 2];
    point->over = true;
    return status;
}

static enum status begin(struct engine *engine, struct point *point)
{
    enum status status;

    allow_least(engine, point);
    status = open_window(engine, point);
    if (status == STATUS_OK)
        status = make_memory(engine, point);
    if (status != STATUS_OK)
        return status;
    controls_set(&engine->measure.controls, point);
    engine->plan.current = point;
    engine->plan.current_ns = engine->machine->wall_ns(engine->machine->self);
    status = measure_point(engine, point);
    engine->plan.current = NULL;
    if (point->result.known)
        estimate_learn_pace(&engine->plan.estimate, reckoned_s(engine, point),
                            -budget_until_s(engine->plan.current_ns, now_ns(engine)));
    return status;
}

/* STATUS_OK too where the point was left out. */
static enum status take(struct engine *engine, struct point *point)
{
    struct point_result before = point->result;
    enum status status = begin(engine, point);

    if (before.known && !point->result.known) {
        point->result = before;
        point->over = true;
        return status == STATUS_LATE || status == STATUS_NO_MEMORY ? STATUS_OK : status;
    }
    if (status == STATUS_NO_MEMORY && !point->over)
        leave_out(point, LEFT_NO_MEMORY);
    if (status == STATUS_LATE && !point->result.known)
        leave_out(point, LEFT_LATE);
    if (status == STATUS_NO_MEMORY)
        return STATUS_OK;
    engine->begun = true;
    engine->measure.lenient = false;
    check_clock(engine);
    return status == STATUS_LATE ? STATUS_OK : status;
}

/* ---- the order */

/* Which of two due points comes first: among the dear the cheaper, else the one whose window is
 * open, else the one that was planned first. */
static bool comes_before(const struct engine *engine, const struct point *a, const struct point *b)
{
    const struct point *like = &engine->window_like;

    if (engine->plan.pass == PASS_DEAR)
        return reckoned_s(engine, a) < reckoned_s(engine, b);
    return engine->window_known && plan_same_window(a, like) && !plan_same_window(b, like);
}

static struct point *next_due(struct engine *engine, uint32_t experiment)
{
    struct point *next = NULL;

    for (uint32_t i = 0; i < engine->plan.point_count; i++) {
        struct point *p = &engine->plan.point[i];
        if (p->experiment == experiment && !p->over && p->pass <= engine->plan.pass &&
            (next == NULL || comes_before(engine, p, next)))
            next = p;
    }
    return next;
}

/* What does not fit waits: later it may, if others leave the machine alone again. */
static enum status run_due(struct engine *engine, uint32_t experiment)
{
    enum status status = STATUS_OK;
    struct point *point;

    while (status == STATUS_OK && (point = next_due(engine, experiment)) != NULL) {
        if (!engine->begun || estimate_affords(&engine->plan, point, now_ns(engine)))
            status = take(engine, point);
        else if (point->result.known)
            point->over = true;
        else if (engine->plan.pass == PASS_DEAR)
            leave_out(point, LEFT_DEAR);
        else
            point->pass = point->spare ? PASS_DEAR : engine->plan.pass + 1;
    }
    return status;
}

/* Whether the experiment asks for more, by what was measured so far. */
static bool extend(struct engine *engine, uint32_t experiment)
{
    const struct experiment *row = &experiment_table[experiment];
    uint32_t planned = engine->plan.point_count;

    if (row->extend == NULL)
        return false;
    measure_look(engine->machine, &engine->plan);
    return row->extend(&engine->plan, &engine->bench, experiment) &&
           engine->plan.point_count > planned;
}

static enum status run_pass(struct engine *engine, uint32_t experiment)
{
    enum status status;

    do
        status = run_due(engine, experiment);
    while (status == STATUS_OK && extend(engine, experiment));
    return status;
}

static bool is_over(const struct engine *engine, uint32_t experiment)
{
    for (uint32_t i = 0; i < engine->plan.point_count; i++)
        if (engine->plan.point[i].experiment == experiment && !engine->plan.point[i].over)
            return false;
    return true;
}

/* What was measured while the core ran at another frequency than it does now, or before caches were
 * seen to keep a part of a lap that may not have been among the samples. */
static bool is_outdated(const struct engine *engine, const struct point *p)
{
    return (p->result.doubt & doubt_of(DOUBT_DRIFT)) != 0 ||
           (engine->measure.parts && p->result.part);
}

/* That is due once more. */
static bool ask_again(struct engine *engine, uint32_t experiment)
{
    bool any = false;

    for (uint32_t i = 0; i < engine->plan.point_count; i++) {
        struct point *p = &engine->plan.point[i];
        if (p->experiment != experiment || p->again || !p->result.known || !is_outdated(engine, p))
            continue;
        p->again = true;
        p->over = false;
        any = true;
    }
    return any;
}

static enum status conclude(struct engine *engine, uint32_t experiment)
{
    enum status status = STATUS_OK;

    if (ask_again(engine, experiment))
        status = run_due(engine, experiment);
    if (status != STATUS_OK)
        return status;
    left_out_note(&engine->plan, experiment);
    status = experiment_table[experiment].conclude(&engine->plan, &engine->bench, experiment);
    (void)journal_flush(engine->journal);
    return status;
}

enum status schedule_run(struct engine *engine, const uint32_t tests[], uint32_t count)
{
    enum status status = STATUS_OK;
    uint32_t concluded = 0;

    for (unsigned pass = PASS_LEAST; pass <= PASS_DEAR && status == STATUS_OK; pass++) {
        engine->plan.pass = (enum point_pass)pass;
        for (uint32_t i = concluded; i < count && status == STATUS_OK; i++)
            status = run_pass(engine, tests[i]);
        (void)journal_save(engine->journal);
        /* Until then an experiment may still ask for more, also by what the one before says. */
        while (status == STATUS_OK && pass >= PASS_OCTAVES && concluded < count &&
               is_over(engine, tests[concluded])) {
            status = run_pass(engine, tests[concluded]);
            if (status != STATUS_OK || !is_over(engine, tests[concluded]))
                break;
            status = conclude(engine, tests[concluded++]);
            if (status == STATUS_OK && concluded < count)
                status = run_pass(engine, tests[concluded]);
        }
    }
    close_window(engine);
    return status;
}
