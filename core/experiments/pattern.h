/* SPDX-License-Identifier: BSD-2-Clause */
/* pattern: one working set, measured exactly as the options say, in each page size of pages= or
 * else in the largest. The contract of both functions is in table.h. */
#ifndef CORE_EXPERIMENTS_PATTERN_H
#define CORE_EXPERIMENTS_PATTERN_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status pattern_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
enum status pattern_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
