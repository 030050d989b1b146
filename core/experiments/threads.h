/* SPDX-License-Identifier: BSD-2-Clause */
/* threads: 1, 2, 4, ... CPUs chase at once, up to all that cpus= takes, `chains=` each: what an
 * access costs each of them, what they read together, and how many times the latency of one CPU
 * alone that is. All go round the same chains in one set of memory, evenly spaced. The first CPU is
 * timed; the others count their own hops by their own clock. The contract of threads_plan,
 * threads_extend and threads_conclude is in table.h. */
#ifndef CORE_EXPERIMENTS_THREADS_H
#define CORE_EXPERIMENTS_THREADS_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status threads_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
bool threads_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment);
enum status threads_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
