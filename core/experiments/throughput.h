/* SPDX-License-Identifier: BSD-2-Clause */
/* throughput: what a load costs when the next one waits for it, and what it costs when none waits.
 * In a set that each cache holds, and in memory: a chase through every line at random, and loads at
 * a fixed distance (stride=) that nothing waits for, side by side, and their ratio. The contract of
 * both functions is in table.h. */
#ifndef CORE_EXPERIMENTS_THROUGHPUT_H
#define CORE_EXPERIMENTS_THROUGHPUT_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status throughput_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
enum status throughput_conclude(const struct plan *plan, struct workbench *bench,
                                uint32_t experiment);

#endif
