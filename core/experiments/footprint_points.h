/* SPDX-License-Identifier: BSD-2-Clause */
/* Plans and finds footprints of prefetchers, for any experiment. */
#ifndef CORE_EXPERIMENTS_FOOTPRINT_POINTS_H
#define CORE_EXPERIMENTS_FOOTPRINT_POINTS_H

#include "core/plan/plan.h"

/* Bytes of a set with enough pages for every prefetcher to have forgotten a page when its turn
 * comes again. */
#define FOOTPRINT_BYTES (16ull << 20)

/* Adds a footprint in the same window and prefetcher state as *like, over as large a set or
 * FOOTPRINT_BYTES, whichever is less. If the machine cannot measure it, emits a note. */
void footprint_plan(struct plan *plan, const struct point *like, enum point_pass pass);
/* Whether the point is a footprint measured in that prefetcher state. */
bool footprint_is_taken(const struct point *point, bool prefetch_off, uint32_t prefetch_only_off);
/* The experiment's footprint measured in that state; NULL: none. */
const struct point *footprint_find(const struct plan *plan, uint32_t experiment, bool prefetch_off,
                                   uint32_t prefetch_only_off);

#endif
