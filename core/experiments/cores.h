/* SPDX-License-Identifier: BSD-2-Clause */
/* cores: what an access costs from every CPU that cpus= takes, one at a time: in the last cache
 * that registers declare, and in memory, which CPU 0 wrote. CPU 0 is measured whatever cpus= says,
 * and before the others are asked for. The contract of these functions is in table.h. */
#ifndef CORE_EXPERIMENTS_CORES_H
#define CORE_EXPERIMENTS_CORES_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status cores_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
bool cores_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment);
enum status cores_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
