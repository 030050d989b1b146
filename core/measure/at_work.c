/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/at_work.h"

#include "core/cpu/topology.h"

static bool one_core(const struct machine_description *machine, uint32_t a, uint32_t b)
{
    return topology_apart(&machine->cpus[a], &machine->cpus[b]) == APART_CORE;
}

uint32_t at_work_siblings(const struct plan *plan, uint32_t cpu)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->crew.count; i++)
        count += one_core(plan->machine, cpu, plan->crew.cpu[i]);
    return count;
}

uint32_t at_work_next(const struct plan *plan, const struct point *point, uint32_t *place)
{
    while (point->traffic.spares_core && *place + 1 < plan->crew.count &&
           one_core(plan->machine, point->cpu, plan->crew.cpu[*place]))
        ++*place;
    return plan->crew.cpu[(*place)++];
}

bool at_work_rests(const struct point *point)
{
    return point->traffic.kind == TRAFFIC_SPIN || point->traffic.kind == TRAFFIC_PARK;
}

bool at_work_parks(const struct plan *plan, const struct point *point, uint32_t cpu)
{
    return point->traffic.kind == TRAFFIC_PARK ||
           (point->traffic.parks_core && one_core(plan->machine, point->cpu, cpu));
}

/* Of those beside the point: how many are parked, or how many threads of its core are not. */
static uint32_t count(const struct plan *plan, const struct point *point, bool parked)
{
    uint32_t found = 0, place = 0;

    for (uint32_t i = 0; i < point->traffic.cpus && place < plan->crew.count; i++) {
        uint32_t cpu = at_work_next(plan, point, &place);
        found += at_work_parks(plan, point, cpu) == parked &&
                 (parked || one_core(plan->machine, point->cpu, cpu));
    }
    return found;
}

uint32_t at_work_beside(const struct plan *plan, const struct point *point)
{
    return point->traffic.spares_core ? 0 : count(plan, point, false);
}

uint32_t at_work_parked(const struct plan *plan, const struct point *point)
{
    return count(plan, point, true);
}
