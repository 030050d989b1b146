/* SPDX-License-Identifier: BSD-2-Clause */
/* prefetchers: which pattern each prefetcher serves. Every pattern that a prefetcher could learn,
 * and one that none can, chased with all prefetchers as the firmware left them, with all off, and
 * with each controllable one alone off: what a hop takes longer without it. The contract of both
 * functions is in table.h. */
#ifndef CORE_EXPERIMENTS_PREFETCHERS_H
#define CORE_EXPERIMENTS_PREFETCHERS_H

#include <stdbool.h>

#include "core/experiments/workbench.h"
#include "core/measure/finding.h"
#include "core/plan/plan.h"

enum status prefetchers_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
enum status prefetchers_conclude(const struct plan *plan, struct workbench *bench,
                                 uint32_t experiment);

/* True when a hop takes longer without a prefetcher beyond error: that pattern is served by it. */
bool prefetchers_serves(struct figure without_over_with);

#endif
