/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/cpu/prefetch.h"

struct trial {
    struct prefetch_set *set;
    const struct prefetch_port *port;
    const struct prefetch_request *request; /* NULL: prefetch_set_alone(index) */
    size_t index;
    struct prefetch_report *report;
    bool found;
};

static void trial_body(void *arg)
{
    struct trial *trial = arg;

    if (trial->request)
        prefetch_set_try(trial->set, trial->request, trial->port, trial->report);
    else
        trial->found = prefetch_set_alone(trial->set, trial->port, trial->index, trial->report);
}

static void restore_body(void *arg)
{
    struct trial *trial = arg;

    prefetch_set_leave(trial->set, trial->port);
}

bool prefetch_guarded_run(prefetch_guard *guard, void (*body)(void *arg),
                          void (*restore)(void *arg), void *arg)
{
    if (guard(body, arg))
        return true;
    (void)guard(restore, arg);
    return false;
}

void prefetch_guarded_try(struct prefetch_set *set, const struct prefetch_request *request,
                          const struct prefetch_port *port, prefetch_guard *guard,
                          struct prefetch_report *report)
{
    struct trial trial = {.set = set, .port = port, .request = request, .report = report};

    prefetch_report_start(set, report);
    if (!set->count || prefetch_guarded_run(guard, trial_body, restore_body, &trial))
        return;
    set->count = 0;
    prefetch_report_start(set, report);
    report->state = PREFETCH_REFUSED;
}

bool prefetch_guarded_alone(struct prefetch_set *set, const struct prefetch_port *port,
                            prefetch_guard *guard, size_t index, struct prefetch_report *report)
{
    struct trial trial = {.set = set, .port = port, .index = index, .report = report};

    return prefetch_guarded_run(guard, trial_body, restore_body, &trial) && trial.found;
}
