/* SPDX-License-Identifier: BSD-2-Clause */
/* prefetchers: which patterns each prefetcher serves. Patterns that a prefetcher could learn, and
 * one that none can, are chased with all prefetchers as the firmware left them, with all off, and
 * with each controllable one off by itself: how much longer a hop takes without it. The contract of
 * prefetchers_plan and prefetchers_conclude is in table.h. */
#ifndef CORE_EXPERIMENTS_PREFETCHERS_H
#define CORE_EXPERIMENTS_PREFETCHERS_H

#include <stdbool.h>

#include "core/experiments/workbench.h"
#include "core/measure/finding.h"
#include "core/plan/plan.h"

enum status prefetchers_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
enum status prefetchers_conclude(const struct plan *plan, struct workbench *bench,
                                 uint32_t experiment);

/* Whether this ratio of hop costs, without over with a prefetcher, is above 1 beyond error and by
 * over 5 %: the prefetcher serves the pattern. */
bool prefetchers_serves(struct figure without_over_with);

#endif
