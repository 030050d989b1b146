/* SPDX-License-Identifier: BSD-2-Clause */
/* random-sequential: the same number of steps through the same set, once at random and cold, once
 * in address order and warm: the time of all steps, core cycles per step, and the ratio. 20 million
 * steps through 256 MiB unless hops= and max= say otherwise. The contract of both functions is in
 * table.h. */
#ifndef CORE_EXPERIMENTS_RANDOM_SEQUENTIAL_H
#define CORE_EXPERIMENTS_RANDOM_SEQUENTIAL_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status random_sequential_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
enum status random_sequential_conclude(const struct plan *plan, struct workbench *bench,
                                       uint32_t experiment);

#endif
