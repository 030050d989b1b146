/* SPDX-License-Identifier: BSD-2-Clause */
/* handoff: how long a cache line takes from one CPU to another, for all pairs of CPUs that cpus=
 * takes (core/measure/handoff.h). The contract of this function is in table.h. */
#ifndef CORE_EXPERIMENTS_HANDOFF_H
#define CORE_EXPERIMENTS_HANDOFF_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status handoff_plan_points(struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
