/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/cpu/pmu.h"

static bool is_planned(const struct pmu_plan *plan)
{
    for (size_t i = 0; i < PMU_KINDS; i++)
        if (plan->event[i].name != NULL)
            return true;
    return false;
}

static enum pmu_state find_busy(const struct pmu_plan *plan, const struct prefetch_port *port)
{
    for (size_t i = 0; i < plan->busy_count; i++) {
        uint64_t value;
        if (!port->read(port->context, plan->busy[i].reg, &value))
            return PMU_REFUSED;
        if ((value & plan->busy[i].mask) != 0)
            return PMU_IN_USE;
    }
    return PMU_WORKS;
}

/* Whether the register holds what was written; the value of a counter is not compared, since it
 * moves. */
static bool is_set(const struct pmu *pmu, size_t i, const struct prefetch_port *port)
{
    const struct pmu_set *set = &pmu->plan.set[i];
    uint64_t value;

    return port->read(port->context, set->reg, &value) &&
           (set->counter || (value & set->mask) == set->value);
}

static bool enter(struct pmu *pmu, const struct prefetch_port *port)
{
    for (size_t i = 0; i < pmu->plan.set_count; i++) {
        const struct pmu_set *set = &pmu->plan.set[i];
        if (!port->read(port->context, set->reg, &pmu->saved[i]))
            return false;
        pmu->entered = i + 1;
        if (!port->write(port->context, set->reg, (pmu->saved[i] & ~set->mask) | set->value))
            return false;
    }
    return true;
}

static bool begin(const struct pmu *pmu, const struct prefetch_port *port)
{
    for (size_t i = 0; i < pmu->plan.start_count; i++)
        if (!port->write(port->context, pmu->plan.start[i].reg, pmu->plan.start[i].start))
            return false;
    return true;
}

/* Firmware or a hypervisor may have stopped the counters. */
static bool still_counts(const struct pmu *pmu, const struct prefetch_port *port)
{
    for (size_t i = 0; i < pmu->plan.start_count; i++) {
        const struct pmu_start *start = &pmu->plan.start[i];
        uint64_t value;
        if (!port->read(port->context, start->reg, &value) ||
            (value & start->counting) != start->counting)
            return false;
    }
    for (size_t i = 0; i < pmu->plan.set_count; i++)
        if (!pmu->plan.set[i].started && !is_set(pmu, i, port))
            return false;
    return true;
}

static bool stop(const struct pmu *pmu, const struct prefetch_port *port)
{
    bool stopped = true;

    for (size_t i = 0; i < pmu->plan.start_count; i++)
        stopped =
            port->write(port->context, pmu->plan.start[i].stop_reg, pmu->plan.start[i].stop) &&
            stopped;
    return stopped;
}

static bool read_counts(struct pmu *pmu, const struct prefetch_port *port)
{
    for (size_t i = 0; i < PMU_KINDS; i++) {
        uint64_t value = 0;
        if (pmu->plan.event[i].name != NULL &&
            !port->read(port->context, pmu->plan.counter[i], &value))
            return false;
        pmu->count[i] = value & pmu->plan.width_mask;
    }
    return true;
}

/* True: every register holds the firmware's value again. */
static bool leave(struct pmu *pmu, const struct prefetch_port *port)
{
    bool restored = true;

    while (pmu->entered > 0) {
        const struct pmu_set *set = &pmu->plan.set[--pmu->entered];
        uint64_t value;
        restored = port->write(port->context, set->reg, pmu->saved[pmu->entered]) &&
                   port->read(port->context, set->reg, &value) &&
                   value == pmu->saved[pmu->entered] && restored;
    }
    return restored;
}

/* Enters, counts nothing in particular, and leaves. */
static enum pmu_state try_all(struct pmu *pmu, const struct prefetch_port *port)
{
    enum pmu_state state = PMU_WORKS;
    bool entered = enter(pmu, port);

    if (!entered)
        state = PMU_REFUSED;
    for (size_t i = 0; entered && i < pmu->plan.set_count; i++)
        if (!is_set(pmu, i, port))
            state = PMU_NOT_HONOURED;
    if (state == PMU_WORKS && !begin(pmu, port))
        state = PMU_REFUSED;
    if (state == PMU_WORKS && !still_counts(pmu, port))
        state = PMU_NOT_HONOURED;
    if (entered && !stop(pmu, port) && state == PMU_WORKS)
        state = PMU_REFUSED;
    return leave(pmu, port) || state == PMU_REFUSED ? state : PMU_STUCK;
}

void pmu_try(struct pmu *pmu, const struct prefetch_port *port)
{
    pmu->state = is_planned(&pmu->plan) ? find_busy(&pmu->plan, port) : PMU_ABSENT;
    if (pmu->state == PMU_WORKS)
        pmu->state = try_all(pmu, port);
}

static const char *problem_of(enum pmu_state state)
{
    switch (state) {
    case PMU_IN_USE:
        return "the performance counters are in use by the firmware or a hypervisor";
    case PMU_REFUSED:
        return "the performance counters' registers refuse access";
    case PMU_NOT_HONOURED:
        return "the performance counters' registers do not keep what is written";
    case PMU_STUCK:
        return "the firmware's values of the performance counters could not be restored";
    default:
        return "not tried";
    }
}

void pmu_report(const struct pmu *pmu, struct pmu_report *report)
{
    bool works = pmu->state == PMU_WORKS || pmu->state == PMU_ABSENT;

    for (size_t i = 0; i < PMU_KINDS; i++) {
        bool planned = pmu->plan.event[i].name != NULL;
        report->event[i] =
            planned && works ? pmu->plan.event[i] : (struct counter_event){.name = NULL};
        report->why[i] = !planned ? pmu->plan.why[i] : works ? NULL : problem_of(pmu->state);
    }
}

void pmu_enter(struct pmu *pmu, const struct prefetch_port *port)
{
    pmu->counted = false;
    if (pmu->state == PMU_WORKS && pmu->entered == 0 && !enter(pmu, port))
        (void)leave(pmu, port);
}

void pmu_begin(struct pmu *pmu, const struct prefetch_port *port)
{
    if (pmu->entered != 0)
        pmu->counted = begin(pmu, port);
}

void pmu_end(struct pmu *pmu, const struct prefetch_port *port)
{
    if (!pmu->counted)
        return;
    pmu->counted = still_counts(pmu, port);
    pmu->counted = stop(pmu, port) && pmu->counted;
    pmu->counted = read_counts(pmu, port) && pmu->counted;
}

void pmu_leave(struct pmu *pmu, const struct prefetch_port *port)
{
    if (pmu->entered == 0)
        return;
    (void)stop(pmu, port);
    if (!leave(pmu, port))
        pmu->state = PMU_STUCK;
}

static uint64_t count_of(const struct pmu *pmu, enum pmu_kind kind)
{
    return pmu->counted && pmu->plan.event[kind].name != NULL ? pmu->count[kind] : MACHINE_UNKNOWN;
}

void pmu_counts(const struct pmu *pmu, struct machine_counters *delta)
{
    delta->llc_misses = count_of(pmu, PMU_LLC_MISSES);
    delta->page_walks = count_of(pmu, PMU_PAGE_WALKS);
    delta->accesses = count_of(pmu, PMU_ACCESSES);
}
