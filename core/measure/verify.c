/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/verify.h"

#include "core/lib/memory.h"
#include "core/measure/cpus.h"
#include "core/measure/time.h"
#include "core/measure/verify_run.h"
#include "core/options/experiments.h"

#define SLICE_NS    2.5e8
#define LINES_FIRST 16384 /* of a slice, before the pace is known */
/* By several CPUs: starting them may take a tenth of a second of it. The first lines of a step may
 * be cheaper than those that follow. */
#define SHARED_NS    4e8
#define SHARED_GROWS 8
#define WAIT_NS      250000000ull
#define ASIDE_STEP   (1ull << 21)
#define REST_MIN     (1ull << 21) /* less may be what comes and goes in the firmware */

/* Below 1, as the retest is still to come. */
static double share_done(const struct verify_run *run, uint64_t moved)
{
    return (double)(moved - run->moved_before) / ((double)run->lines * run->step_moves + 1);
}

static enum status go_on(struct measure *m)
{
    const struct verify_run *run = &m->verify;
    const char *name = experiment_list[m->plan->current->experiment].name;

    if (!measure_works_on(m, name, share_done(run, run->moved), run->begun_ns))
        return STATUS_ABORTED;
    (void)measure_save(m);
    if (m->options->budget_s > 0 && budget_left_s(&m->plan->budget, time_now_ns(m->machine)) <= 0)
        return STATUS_LATE;
    return STATUS_OK;
}

static enum status hold(struct measure *m)
{
    uint64_t begun_ns = time_now_ns(m->machine);
    enum status status = STATUS_OK;
    double left_s;

    while (status == STATUS_OK &&
           (left_s = m->options->hold_s - time_since_s(m->machine, begun_ns)) > 0) {
        uint64_t left_ns = left_s < WAIT_NS * 1e-9 ? (uint64_t)(left_s * 1e9) + 1 : WAIT_NS;
        m->machine->wait(m->machine->self, left_ns);
        status = go_on(m);
    }
    return status;
}

_Static_assert(CPU_EACH_MAX <= MARCH_STOPS_MAX, "a part may end at what it keeps");

static enum status work(struct measure *m, const struct window *w, uint32_t cpu,
                        struct march_step *step, uint64_t first, uint64_t end)
{
    const struct machine *machine = m->machine;
    struct fault_info fault = {.kind = 0};
    enum status status =
        machine->work_run(machine->self, w, cpu, machine->march, step, first, end, &fault);

    if (status == STATUS_FAULT)
        diagnose_fault(m->journal, &fault);
    return status;
}

/* What all CPUs have found, in the order in which one would have; with it goes what they left. */
static enum status enter_found(struct measure *m, const struct window *w, struct march_step *step,
                               uint64_t first)
{
    const struct march_share *share = &m->verify.share;
    const struct march_found *found;
    enum status status = STATUS_OK;

    while (status == STATUS_OK && (found = march_found_from(share, first)) != NULL) {
        march_enter_found(step, found);
        if (found->end > found->pos + 1)
            status = work(m, w, 0, step, found->pos + 1, found->end);
        first = found->pos + 1;
    }
    return status;
}

/* Each CPU goes through its part in the step's order, and none begins a step before all have ended
 * the one before. So near lines in two parts are visited in one order going up, and in the other
 * going down, as a march test wants it. */
static enum status work_shared(struct measure *m, const struct window *w, struct march_step *step,
                               uint64_t first, uint64_t end)
{
    enum status status;

    m->verify.share.count = 0;
    step->share = &m->verify.share;
    status = work(m, w, CPU_EACH, step, first, end);
    step->share = NULL;
    if (status == STATUS_UNSUPPORTED)
        return work(m, w, 0, step, first, end);
    m->verify.processors = m->machine->work_cpus(m->machine->self);
    return status == STATUS_OK ? enter_found(m, w, step, first) : status;
}

static bool is_shared(const struct machine *machine, const struct march_step *step)
{
    return step->order != MARCH_LISTED && machine->work_cpus != NULL &&
           machine->work_cpus(machine->self) > 1;
}

/* The positions of a step, in slices that let keys and the budget through. */
static enum status march(struct measure *m, const struct window *w, struct march_step *step)
{
    uint32_t moves = (step->expected != NULL) + (step->written != NULL);
    bool shared = is_shared(m->machine, step);
    struct verify_run *run = &m->verify;
    uint64_t pos = 0, most = shared ? LINES_FIRST : step->lines;
    enum status status = STATUS_OK;

    while (pos < step->lines && status == STATUS_OK) {
        double fit =
            run->line_ns > 0 ? (shared ? SHARED_NS : SLICE_NS) / run->line_ns : LINES_FIRST;
        uint64_t left = step->lines - pos < most ? step->lines - pos : most;
        uint64_t count = fit < (double)left ? (uint64_t)fit + 1 : left;
        uint64_t begun_ns = time_now_ns(m->machine);
        double took_ns;
        status = (shared ? work_shared(m, w, step, pos, pos + count)
                         : work(m, w, 0, step, pos, pos + count));
        took_ns = time_since_s(m->machine, begun_ns) * 1e9;
        run->line_ns = took_ns / (double)count;
        run->seconds += took_ns * 1e-9;
        run->moved += count * moves;
        pos += count;
        if (status != STATUS_OK)
            break;
        most = shared ? count * SHARED_GROWS : step->lines;
        run->written += step->written != NULL ? count : 0;
        run->read += step->expected != NULL ? count : 0;
        status = go_on(m);
    }
    return status;
}

static enum status take(struct measure *m, const struct window *w, uint32_t number)
{
    struct verify_run *run = &m->verify;
    const struct verify_step *step = &run->step[number];
    struct march_data expected, written;
    struct march_step taken = {.lines = run->lines,
                               .key = m->options->seed,
                               .order = step->order,
                               .shuffle = &m->order.bijection,
                               .errors = &run->errors};
    enum status status;

    m->part = "step";
    m->part_number = number + 1;
    status = step->hold ? hold(m) : STATUS_OK;
    if (verify_data_of(step->expected, &expected))
        taken.expected = &expected;
    if (verify_data_of(step->written, &written))
        taken.written = &written;
    run->errors.step = number;
    if (status == STATUS_OK)
        status = march(m, w, &taken);
    run->steps_done += status == STATUS_OK;
    return status;
}

/* Every bad line by itself, with the data and its complement in turns. */
static enum status retest(struct measure *m, const struct window *w)
{
    struct verify_run *run = &m->verify;
    struct march_step step = {.order = MARCH_LISTED, .list = run->list, .errors = &run->errors};
    uint64_t moved = run->moved;
    enum status status = STATUS_OK;

    step.lines = verify_bad_lines(&run->errors, run->list);
    run->errors.step = VERIFY_RETEST_STEP;
    m->part = "retest";
    m->part_number = 1;
    for (uint32_t i = 0; i < 2 * VERIFY_RETESTS && step.lines != 0 && status == STATUS_OK; i++) {
        struct march_data data;
        (void)verify_data_of(i % 2 == 0 ? VERIFY_R : VERIFY_NOT_R, &data);
        step.key = m->options->seed + i / 2;
        step.expected = NULL;
        step.written = &data;
        status = march(m, w, &step);
        if (status == STATUS_OK && i < 2)
            status = hold(m);
        step.expected = &data;
        step.written = NULL;
        if (status == STATUS_OK)
            status = march(m, w, &step);
    }
    run->moved = moved;
    run->retested = status == STATUS_OK;
    return status;
}

static void start(struct measure *m)
{
    struct verify_run *run = &m->verify;

    memory_fill(&run->sums, 0, sizeof run->sums);
    run->line_ns = run->seconds = 0;
    run->processors = 1;
    run->moved = 0;
    run->begun_ns = time_now_ns(m->machine);
    run->tested_count = run->bad_count = 0;
    memory_fill(&run->parts, 0, sizeof run->parts);
    run->aside.bytes = 0;
    run->listed = !m->machine->description->hides_physical;
}

/* again: so much of it was tested before; all: by passes that had it apart. */
static void start_pass(struct measure *m, uint64_t bytes, uint64_t again)
{
    struct verify_run *run = &m->verify;
    bool joined = again == bytes;

    run->step = joined ? verify_join_steps : verify_steps;
    run->step_count = joined ? VERIFY_JOIN_STEPS : VERIFY_STEPS;
    run->step_moves = joined ? VERIFY_JOIN_MOVES : VERIFY_MOVES;
    run->again_bytes = again;
    run->moved_before = run->moved;
    run->lines = bytes / MARCH_LINE_BYTES;
    run->steps_done = 0;
    run->written = run->read = 0;
    run->retested = false;
    march_errors_start(&run->errors, run->lines);
    line_order_start(&m->order, ORDER_RANDOM, run->lines, 1, m->options->seed);
}

/* What is to come has the budget that it would have had. */
static void extend_budget(struct measure *m)
{
    uint64_t took_ns = time_now_ns(m->machine) - m->verify.begun_ns;

    if (m->options->budget_s > 0)
        return;
    m->plan->budget.deadline_ns += took_ns;
    m->plan->budget.promise_ns += took_ns;
}

static enum status take_all(struct measure *m, const struct point *point, const struct window *w,
                            uint64_t bytes, uint64_t again)
{
    struct verify_run *run = &m->verify;
    enum status status = STATUS_OK;

    start_pass(m, bytes, again);
    for (uint32_t i = 0; i < run->step_count && status == STATUS_OK; i++)
        status = take(m, w, i);
    if (status == STATUS_OK)
        status = retest(m, w);
    if (again == bytes)
        run->parts.joined = bytes;
    else
        verify_parts_add(&run->parts, bytes, again);
    verify_end_pass(m, point, w, bytes);
    return status;
}

/* ---- what the first window left */

static struct window_request request_all_but(const struct measure *m, const struct point *point,
                                             const struct phys_range avoid[], size_t avoided)
{
    struct point rest = *point;
    struct window_request request;

    rest.page = PAGE_4K;
    rest.frames = FRAMES_CONTIGUOUS;
    request = plan_window(m->plan, &rest, 0);
    request.avoid = avoid;
    request.avoided = avoided;
    request.bytes = m->machine->window_limit(m->machine->self, &request);
    return request;
}

static void close_window(const struct measure *m, struct window *w)
{
    m->machine->window_close(m->machine->self, w);
    *w = (struct window){.handle = NULL};
}

/* The largest range of the first window, if it has more than so much. */
static struct phys_range *largest_tested(struct verify_run *run, uint64_t bytes)
{
    struct phys_range *largest = NULL;

    for (size_t i = 0; i < run->tested_count; i++)
        if (largest == NULL || run->tested[i].bytes > largest->bytes)
            largest = &run->tested[i];
    return largest != NULL && largest->bytes > bytes ? largest : NULL;
}

/* Puts a window of what was not tested yet in the place of *w; false: that is nothing, or is not
 * asked for. What our tables and the firmware's reserve took is free now. */
static bool open_rest(struct measure *m, const struct point *point, struct window *w)
{
    const struct machine *machine = m->machine;
    struct verify_run *run = &m->verify;
    struct window_request request;

    if (!run->listed || machine->description->process_mapping || m->options->max_bytes != 0)
        return false;
    close_window(m, w);
    request = request_all_but(m, point, run->tested, run->tested_count);
    return request.bytes != 0 && machine->window_open(machine->self, &request, w) == STATUS_OK;
}

/* The same, after the first window, and with it as much again of what that had, which can be the
 * firmware's when all other memory is one window. */
static bool open_rest_and_aside(struct measure *m, const struct point *point, struct window *w)
{
    struct verify_run *run = &m->verify;
    struct window_request request;
    struct phys_range *range;
    uint64_t bytes;
    bool opened;

    if (!open_rest(m, point, w))
        return false;
    bytes = (w->bytes + ASIDE_STEP - 1) / ASIDE_STEP * ASIDE_STEP;
    range = largest_tested(run, bytes);
    if (range == NULL || w->map != MAP_WINDOW)
        return true;
    close_window(m, w);
    range->bytes -= bytes;
    request = request_all_but(m, point, run->tested, run->tested_count);
    opened = m->machine->window_open(m->machine->self, &request, w) == STATUS_OK;
    run->aside = (struct phys_range){phys_make(range->base.value + range->bytes), bytes};
    range->bytes += bytes;
    if (opened && w->bytes > bytes)
        return true;
    run->aside.bytes = 0;
    return open_rest(m, point, w);
}

/* What is found only after two passes is what the firmware has freed by then. */
static enum status take_rest(struct measure *m, const struct point *point, struct window *w)
{
    enum status status;

    if (!open_rest_and_aside(m, point, w))
        return STATUS_OK;
    status = take_all(m, point, w, w->bytes, m->verify.aside.bytes);
    while (status == STATUS_OK && w->bytes - m->verify.again_bytes >= REST_MIN &&
           open_rest(m, point, w))
        status = take_all(m, point, w, w->bytes, 0);
    return status;
}

/* All but what was tested with the rest already, so that of every two addresses some pass has had
 * both. */
static enum status take_joined(struct measure *m, const struct point *point, struct window *w)
{
    struct verify_run *run = &m->verify;
    struct window_request request;

    if (run->aside.bytes == 0)
        return STATUS_OK;
    close_window(m, w);
    request = request_all_but(m, point, &run->aside, 1);
    if (request.bytes == 0 || m->machine->window_open(m->machine->self, &request, w) != STATUS_OK)
        return STATUS_OK;
    return take_all(m, point, w, w->bytes, w->bytes);
}

enum status verify_measure(struct measure *m, struct point *point, struct window *w)
{
    enum status status;

    start(m);
    measure_ask_for_cpus(m->machine, m->options, m->journal, &m->cpus_asked);
    status = take_all(m, point, w, point->bytes, 0);
    if (status == STATUS_OK)
        status = take_rest(m, point, w);
    if (status == STATUS_OK)
        status = take_joined(m, point, w);
    extend_budget(m);
    verify_emit(m, point, status);
    point->recorded = true;
    return status == STATUS_LATE ? STATUS_OK : status;
}
