/* SPDX-License-Identifier: BSD-2-Clause */
/* Which ranges of physical memory take longer than the rest. */
#ifndef CORE_EXPERIMENTS_REGIONS_H
#define CORE_EXPERIMENTS_REGIONS_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status regions_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
