/* SPDX-License-Identifier: BSD-2-Clause */
/* single: single accesses that miss every cache: their distribution, open rows, refreshes. The
 * contract is in table.h. */
#ifndef CORE_EXPERIMENTS_SINGLE_H
#define CORE_EXPERIMENTS_SINGLE_H

#include <stdint.h>

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status single_plan_points(struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
