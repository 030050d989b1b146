/* SPDX-License-Identifier: BSD-2-Clause */
/* throughput: what a load costs when the next one depends on it, and what it costs when none does.
 * In a set for each cache and in one for memory: a random chase through every line, and independent
 * loads at a fixed stride (stride=), and the ratio of the two. The contract of both functions is in
 * table.h. */
#ifndef CORE_EXPERIMENTS_THROUGHPUT_H
#define CORE_EXPERIMENTS_THROUGHPUT_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status throughput_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
enum status throughput_conclude(const struct plan *plan, struct workbench *bench,
                                uint32_t experiment);

#endif
