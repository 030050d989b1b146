/* SPDX-License-Identifier: BSD-2-Clause */
/* Pass by pass over all experiments, so that whenever the budget ends, what there is spans
 * everything; within a pass window by window, the one that is open first. */
#include "core/engine_state.h"

#define SLICE_NS        250e6 /* of making memory: a stop and the deadline are seen behind it */
#define SLICE_LEAST     (2ull << 20)
#define LEAST_BUDGET_NS 10000000000ull

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

    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        uint64_t bytes = point_window_bytes(engine, p);
        if (!p->over && plan_same_window(p, like) && bytes > most)
            most = bytes;
    }
    return most;
}

/* Half as much may be had. */
static void give_up_larger(struct engine *engine, const struct point *like, uint64_t bytes)
{
    for (uint32_t i = 0; i < engine->point_count; i++) {
        struct point *p = &engine->point[i];
        if (!p->over && plan_same_window(p, like) && point_window_bytes(engine, p) > bytes / 2)
            (void)leave_out(p, LEFT_UNMAPPED);
    }
}

/* STATUS_NO_MEMORY: the point has been left out. */
static enum status open_window(struct engine *engine, const struct point *point)
{
    const struct machine *machine = engine->machine;
    uint64_t needed = point_window_bytes(engine, point);
    enum status status = STATUS_NO_MEMORY;

    if (engine->window_known && plan_same_window(&engine->window_like, point) &&
        engine->window.bytes >= needed)
        return STATUS_OK;
    close_window(engine);
    while (!point->over) {
        uint64_t bytes = wanted_bytes(engine, point);
        struct window_request request = plan_window(engine, point, bytes);
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
    *estimate_made_bytes(engine, point->page) = engine->window.made_bytes;
    return STATUS_OK;
}

/* ---- time */

/* Said before the point's record, and once. */
static void say_least(struct engine *engine)
{
    if (!engine->least_said)
        journal_note(engine->journal, SEVERITY_WARNING,
                     "the least that can be measured is longer than budget=",
                     "its memory, building, warming and samples take their time");
    engine->least_said = true;
}

/* The first point is what every run has: where the budget is no more than some seconds, or memory
 * takes longer to make than was promised, it is measured all the same. */
static void allow_least(struct engine *engine, const struct point *point)
{
    double left_s = estimate_until_s(engine, engine->promise_ns);

    if (engine->begun)
        return;
    engine->lenient = engine->lenient ||
                      engine->deadline_ns - engine->started_ns < LEAST_BUDGET_NS ||
                      estimate_make_s(engine, point) > left_s;
    if (engine->lenient && estimate_point_s(engine, point) > left_s)
        say_least(engine);
}

enum status schedule_go_on(struct engine *engine)
{
    const struct machine *machine = engine->machine;

    if (machine->abort_asked(machine->self))
        return STATUS_ABORTED;
    if (machine->wall_ns(machine->self) < engine->promise_ns)
        return STATUS_OK;
    if (!engine->lenient)
        return STATUS_LATE;
    say_least(engine);
    return STATUS_OK;
}

/* ---- one point */

static uint64_t next_made(const struct engine *engine, enum page_size page, uint64_t made,
                          uint64_t bytes)
{
    double slice = SLICE_NS / estimate_make_ns(engine, page);
    uint64_t step = slice < (double)SLICE_LEAST ? SLICE_LEAST : (uint64_t)slice;

    return bytes - made < step ? bytes : made + step;
}

/* The memory of the point's set, where the machine makes it as it is needed. */
static enum status make_memory(struct engine *engine, const struct point *point)
{
    const struct machine *machine = engine->machine;
    uint64_t *made = estimate_made_bytes(engine, point->page);
    uint64_t bytes = point_window_bytes(engine, point);
    enum status status = STATUS_OK;

    while (machine->window_make != NULL && *made < bytes && status == STATUS_OK) {
        uint64_t begun_ns = machine->wall_ns(machine->self);
        uint64_t next = next_made(engine, point->page, *made, bytes);
        status = machine->window_make(machine->self, &engine->window, next);
        if (status != STATUS_OK)
            break;
        estimate_learn_make(engine, point->page, next - *made,
                            machine->wall_ns(machine->self) - begun_ns);
        *made = next;
        allow_least(engine, point);
        status = schedule_go_on(engine);
    }
    return status;
}

/* As often as asked for, a record each time. What the experiment goes by is the middle one. */
static enum status measure_point(struct engine *engine, struct point *point)
{
    struct point_result *kept = engine->repeat;
    enum status status = STATUS_OK;
    uint32_t count = 0;

    if (point->role == ROLE_FOOTPRINT) {
        point->over = true;
        return footprint_measure(engine, point, &engine->window);
    }
    for (uint32_t i = 0; i < engine->options->repeats && status == STATUS_OK; i++) {
        uint32_t at = count;

        point->result = (struct point_result){.known = false};
        status = point_measure(engine, point, &engine->window);
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
    controls_set(engine, point);
    engine->current = point;
    engine->current_ns = engine->machine->wall_ns(engine->machine->self);
    status = measure_point(engine, point);
    engine->current = NULL;
    if (point->result.known)
        estimate_learn_pace(engine, estimate_point_s(engine, point),
                            -estimate_until_s(engine, engine->current_ns));
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
    engine->lenient = false;
    engine_check_clock(engine);
    return status == STATUS_LATE ? STATUS_OK : status;
}

/* ---- the order */

/* Which of two due points comes first: among the dear the cheaper, else the one whose window is
 * open, else the one that was planned first. */
static bool comes_before(const struct engine *engine, const struct point *a, const struct point *b)
{
    const struct point *like = &engine->window_like;

    if (engine->pass == PASS_DEAR)
        return estimate_point_s(engine, a) < estimate_point_s(engine, b);
    return engine->window_known && plan_same_window(a, like) && !plan_same_window(b, like);
}

static struct point *next_due(struct engine *engine, uint32_t experiment)
{
    struct point *next = NULL;

    for (uint32_t i = 0; i < engine->point_count; i++) {
        struct point *p = &engine->point[i];
        if (p->experiment == experiment && !p->over && p->pass <= engine->pass &&
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
        if (!engine->begun || estimate_affords(engine, point))
            status = take(engine, point);
        else if (point->result.known)
            point->over = true;
        else if (engine->pass == PASS_DEAR)
            leave_out(point, LEFT_DEAR);
        else
            point->pass = point->spare ? PASS_DEAR : engine->pass + 1;
    }
    return status;
}

static enum status run_pass(struct engine *engine, uint32_t experiment)
{
    const struct experiment *row = &experiment_table[experiment];
    enum status status;
    uint32_t planned;

    do {
        status = run_due(engine, experiment);
        planned = engine->point_count;
    } while (status == STATUS_OK && row->extend != NULL && row->extend(engine, experiment) &&
             engine->point_count > planned);
    return status;
}

static bool is_over(const struct engine *engine, uint32_t experiment)
{
    for (uint32_t i = 0; i < engine->point_count; i++)
        if (engine->point[i].experiment == experiment && !engine->point[i].over)
            return false;
    return true;
}

/* What was measured while the core ran at another frequency than it does now, or before caches were
 * seen to keep a part of a lap that may not have been among the samples. */
static bool is_outdated(const struct engine *engine, const struct point *p)
{
    return (p->result.doubt & doubt_of(DOUBT_DRIFT)) != 0 || (engine->parts && p->result.part);
}

/* That is due once more. */
static bool ask_again(struct engine *engine, uint32_t experiment)
{
    bool any = false;

    for (uint32_t i = 0; i < engine->point_count; i++) {
        struct point *p = &engine->point[i];
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
    left_out_note(engine, experiment);
    status = experiment_table[experiment].conclude(engine, experiment);
    (void)journal_flush(engine->journal);
    return status;
}

enum status schedule_run(struct engine *engine, const uint32_t tests[], uint32_t count)
{
    enum status status = STATUS_OK;
    uint32_t concluded = 0;

    for (unsigned pass = PASS_LEAST; pass <= PASS_DEAR && status == STATUS_OK; pass++) {
        engine->pass = (enum point_pass)pass;
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
