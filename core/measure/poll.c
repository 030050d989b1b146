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
                     "the least that can be measured is longer than budget=",
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

enum status point_poll(struct measurement *run)
{
    const struct machine *machine = run->m->machine;
    const struct plan *plan = run->m->plan;
    double past_s = time_since_s(machine, plan->budget.started_ns);
    struct progress now = {.experiment = experiment_list[run->point->experiment].name,
                           .left_s = estimate_left_s(plan, time_now_ns(machine))};

    for (uint32_t i = 0; i < plan->point_count; i++) {
        if (plan->point[i].experiment != run->point->experiment)
            continue;
        now.total++;
        now.done += plan->point[i].over;
    }
    now.done_share = past_s / (past_s + now.left_s + 1e-9);
    machine->progress(machine->self, &now);
    return measure_go_on(run->m);
}
