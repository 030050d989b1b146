/* SPDX-License-Identifier: BSD-2-Clause */
/* footprint: which lines prefetchers bring after one, two, three and eight touches, in each
 * prefetcher state that prefetch= requests. The contract of both functions is in table.h. */
#ifndef CORE_EXPERIMENTS_FOOTPRINT_H
#define CORE_EXPERIMENTS_FOOTPRINT_H

#include <stdint.h>

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status footprint_experiment_plan(struct plan *plan, struct workbench *bench,
                                      uint32_t experiment);
enum status footprint_experiment_conclude(const struct plan *plan, struct workbench *bench,
                                          uint32_t experiment);

#endif
