/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds points of a plan and their figures. Pure. */
#ifndef CORE_EXPERIMENTS_POINTS_H
#define CORE_EXPERIMENTS_POINTS_H

#include "core/plan/plan.h"
#include "core/stats/figure.h"

/* The first measured point with that tag in that prefetcher state; NULL: none. */
const struct point *points_find(const struct plan *plan, uint32_t experiment, uint32_t tag,
                                bool prefetch_off);
/* The same with a set of `bytes`; NULL if bytes is 0. */
const struct point *points_find_set(const struct plan *plan, uint32_t experiment, uint32_t tag,
                                    bool prefetch_off, uint64_t bytes);
/* Whether two points are of the same set: experiment, tag, prefetchers, bytes and node are
 * equal. */
bool points_are_alike(const struct point *a, const struct point *b);
/* How many points like this one are in the plan, measured or not (points_are_alike). */
uint32_t points_planned(const struct plan *plan, const struct point *point);
/* How much more ns an access of the one costs than of the other, at the core's frequency of the
 * first: both are cycles of a core whose frequency may have changed in between. Either NULL, or not
 * measured: unknown. */
struct figure points_more_ns(const struct point *large, const struct point *small);
/* Why the figure of a measured point may not be what it says, where its set is called memory's also
 * what plan_set_doubt says of that, and of a cache's plan_cache_set_doubt; DOUBT_DISTURBED if its
 * bounds reach 0. 0: it was not measured. */
doubt_set points_doubt(const struct plan *plan, const struct point *p);
/* The same of its latency by itself, not compared with another one in the same pages: also what
 * plan_pages_doubt says of memory's set. */
doubt_set points_latency_doubt(const struct plan *plan, const struct point *p);
/* A point's mean in ns, with its drift in the error; point NULL, or not measured: unknown. */
struct figure points_figure(const struct point *point);

#endif
