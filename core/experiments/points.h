/* SPDX-License-Identifier: BSD-2-Clause */
/* Finding points of a plan, and what they say with their errors. Pure. */
#ifndef CORE_EXPERIMENTS_POINTS_H
#define CORE_EXPERIMENTS_POINTS_H

#include "core/plan/plan.h"
#include "core/stats/figure.h"

/* The first point of that tag in that prefetcher state; NULL where none was measured. */
const struct point *points_find(const struct plan *plan, uint32_t experiment, uint32_t tag,
                                bool prefetch_off);
/* The same over so many bytes. */
const struct point *points_find_set(const struct plan *plan, uint32_t experiment, uint32_t tag,
                                    bool prefetch_off, uint64_t bytes);
/* Whether they are of one set: experiment, tag, prefetchers and bytes. */
bool points_are_alike(const struct point *a, const struct point *b);
/* How many points like this one are in the plan, measured or not. */
uint32_t points_planned(const struct plan *plan, const struct point *point);
/* ns: the mean of a point, what it moved by in its error; NULL: unknown. */
struct figure dram_figure(const struct point *point);

#endif
