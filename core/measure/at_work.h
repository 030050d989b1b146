/* SPDX-License-Identifier: BSD-2-Clause */
/* Which CPUs of a plan's crew are at work beside a point. CPUs are places in
 * machine_description.cpus. Pure. */
#ifndef CORE_MEASURE_AT_WORK_H
#define CORE_MEASURE_AT_WORK_H

#include "core/plan/plan.h"

/* How many of the crew are threads of that CPU's core. */
uint32_t at_work_siblings(const struct plan *plan, uint32_t cpu);
/* The point's next one: *place is 0 at first, and is moved behind it. Asked no more often than
 * point.traffic.cpus says, which is no more than there are. */
uint32_t at_work_next(const struct plan *plan, const struct point *point, uint32_t *place);
/* How many of those at work beside the point are threads of the core that chases it, unless they
 * are parked. */
uint32_t at_work_beside(const struct plan *plan, const struct point *point);
/* Whether what they do touches no memory. */
bool at_work_rests(const struct point *point);
/* Whether that one is parked beside the point; and how many are. */
bool at_work_parks(const struct plan *plan, const struct point *point, uint32_t cpu);
uint32_t at_work_parked(const struct plan *plan, const struct point *point);

#endif
