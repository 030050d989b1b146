/* SPDX-License-Identifier: BSD-2-Clause */
/* curve: latency over working sets, for each requested page size and prefetcher state. The contract
 * of the first three functions is in table.h. */
#ifndef CORE_EXPERIMENTS_CURVE_H
#define CORE_EXPERIMENTS_CURVE_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status curve_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
bool curve_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment);
enum status curve_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

/* The i-th working set from min_bytes on, with `points` sizes per octave, evenly spaced within it
 * (8K, 12K, 16K, 24K, ... for two): round numbers, which include usual cache sizes. Rounded down to
 * whole lines of line_bytes below 64 KiB, to 4 KiB above. */
uint64_t curve_size(uint64_t min_bytes, uint32_t points, uint32_t line_bytes, uint32_t i);

#endif
