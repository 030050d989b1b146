/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether work may go on, checked at short intervals. */
#include "core/measure/measure.h"
#include "core/measure/run.h"
#include "core/measure/time.h"
#include "core/options/experiments.h"
#include "core/plan/shares.h"

void measure_note_min(struct measure *m)
{
    if (!m->min_noted)
        journal_note(m->journal, SEVERITY_WARNING,
                     "the least that can be measured is longer than the budget",
                     "the first point alone takes longer than that");
    m->min_noted = true;
}

enum status measure_go_on(struct measure *m)
{
    const struct machine *machine = m->machine;

    if (machine->abort_requested(machine->self))
        return STATUS_ABORTED;
    if (time_now_ns(machine) < m->plan->budget.promise_ns)
        return STATUS_OK;
    if (!m->lenient)
        return STATUS_LATE;
    measure_note_min(m);
    return STATUS_OK;
}

enum status measure_leave_section(struct measure *m, enum status status,
                                  const struct fault_info *fault)
{
    measure_show(m, m->plan->current->experiment);
    if (status == STATUS_FAULT)
        diagnose_fault(m->journal, fault);
    if (status == STATUS_OK && m->machine->abort_requested(m->machine->self))
        return STATUS_ABORTED;
    (void)measure_save(m);
    return status;
}

bool measure_save(struct measure *m)
{
    return m->save != NULL && m->save(m->save_context);
}

bool point_save(struct measurement *run)
{
    bool saved = measure_save(run->m);

    run->stirred = run->stirred || saved;
    return saved;
}

void measure_show(struct measure *m, uint32_t experiment)
{
    const struct machine *machine = m->machine;
    const struct plan *plan = m->plan;
    double past_s = time_since_s(machine, plan->budget.started_ns);
    struct progress now = {.experiment = experiment_list[experiment].name,
                           .left_s = estimate_left_s(plan, time_now_ns(machine)),
                           .part = m->part,
                           .number = m->part_number};

    for (uint32_t i = 0; i < plan->point_count; i++) {
        if (plan->point[i].experiment != experiment)
            continue;
        now.total++;
        now.done += plan->point[i].over;
    }
    now.done_share = past_s / (past_s + now.left_s + 1e-9);
    machine->progress(machine->self, &now);
}

enum status point_poll(struct measurement *run)
{
    measure_show(run->m, run->point->experiment);
    return measure_go_on(run->m);
}

bool measure_works_on(struct measure *m, const char *what, double done, uint64_t begun_ns)
{
    const struct machine *machine = m->machine;
    double past_s = time_since_s(machine, begun_ns);
    struct progress now = {.experiment = what,
                           .done_share = done,
                           .left_s = done > 0 ? past_s * (1 - done) / done : 0,
                           .part = m->part,
                           .number = m->part_number};

    machine->progress(machine->self, &now);
    return !machine->abort_requested(machine->self);
}
