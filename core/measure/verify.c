/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/verify.h"

#include "core/measure/time.h"
#include "core/measure/verify_run.h"
#include "core/options/experiments.h"

#define SLICE_NS    2.5e8
#define LINES_FIRST 16384 /* of a slice, before the pace is known */
#define WAIT_NS     250000000ull

/* Below 1, as the retest is still to come. */
static double share_done(const struct verify_run *run, uint64_t moved)
{
    return (double)moved / ((double)run->lines * VERIFY_MOVES + 1);
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

/* The positions of a step, in slices that let keys and the budget through. */
static enum status march(struct measure *m, const struct window *w, struct march_step *step)
{
    uint32_t moves = (step->expected != NULL) + (step->written != NULL);
    const struct machine *machine = m->machine;
    struct verify_run *run = &m->verify;
    struct fault_info fault = {.kind = 0};
    enum status status = STATUS_OK;
    uint64_t pos = 0;

    while (pos < step->lines && status == STATUS_OK) {
        double fit = run->line_ns > 0 ? SLICE_NS / run->line_ns : LINES_FIRST;
        uint64_t left = step->lines - pos, count = fit < (double)left ? (uint64_t)fit + 1 : left;
        uint64_t begun_ns = time_now_ns(machine);
        double took_ns;
        status =
            machine->work_run(machine->self, w, 0, machine->march, step, pos, pos + count, &fault);
        took_ns = time_since_s(machine, begun_ns) * 1e9;
        run->line_ns = took_ns / (double)count;
        run->seconds += took_ns * 1e-9;
        run->moved += count * moves;
        pos += count;
        if (status == STATUS_OK)
            status = go_on(m);
    }
    if (status == STATUS_FAULT)
        diagnose_fault(m->journal, &fault);
    return status;
}

static enum status take(struct measure *m, const struct window *w, uint32_t number)
{
    const struct verify_step *step = &verify_steps[number];
    struct verify_run *run = &m->verify;
    struct march_data expected, written;
    struct march_step taken = {.lines = run->lines,
                               .key = m->options->seed,
                               .order = step->order,
                               .shuffle = &m->order.bijection,
                               .errors = &run->errors};
    enum status status = step->hold ? hold(m) : STATUS_OK;

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

static void start(struct measure *m, const struct point *point)
{
    struct verify_run *run = &m->verify;

    run->lines = point->bytes / MARCH_LINE_BYTES;
    run->line_ns = run->seconds = 0;
    run->moved = 0;
    run->begun_ns = time_now_ns(m->machine);
    run->steps_done = 0;
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

enum status verify_measure(struct measure *m, struct point *point, const struct window *w)
{
    enum status status = STATUS_OK;

    start(m, point);
    for (uint32_t i = 0; i < VERIFY_STEPS && status == STATUS_OK; i++)
        status = take(m, w, i);
    if (status == STATUS_OK)
        status = retest(m, w);
    extend_budget(m);
    verify_emit(m, point, w, status);
    point->recorded = true;
    return status == STATUS_LATE ? STATUS_OK : status;
}
