/* SPDX-License-Identifier: BSD-2-Clause */
/* Footprints of prefetchers as any experiment plans and finds them. */
#ifndef CORE_EXPERIMENTS_FOOTPRINT_POINTS_H
#define CORE_EXPERIMENTS_FOOTPRINT_POINTS_H

#include "core/plan/plan.h"

/* Bytes of a set of pages so many that each is out of every prefetcher's mind when it is its turn
 * again. */
#define FOOTPRINT_BYTES (16ull << 20)

/* Adds a footprint in a window like this point's, prefetchers as the point asks; its set is as
 * large or smaller. Where none can be had, a note says why. */
void footprint_plan(struct plan *plan, const struct point *like);
/* Whether the point is a footprint that was measured in that state of the prefetchers. */
bool footprint_is_taken(const struct point *point, bool prefetch_off, uint32_t prefetch_only_off);
/* The one of that state that was measured; NULL: none. */
const struct point *footprint_find(const struct plan *plan, uint32_t experiment, bool prefetch_off,
                                   uint32_t prefetch_only_off);

#endif
