/* SPDX-License-Identifier: BSD-2-Clause */
/* What dram's files share, and nobody else: figures with their standard errors, and what the
 * headline's own pages cost. */
#ifndef CORE_DRAM_PARTS_H
#define CORE_DRAM_PARTS_H

#include "core/engine_state.h"

/* ns of a hop, with its standard error. */
struct figure {
    bool known;
    double ns, error_ns;
};

/* The point that plays that role in that prefetcher state; NULL where it was not measured. */
const struct point *dram_find(const struct engine *engine, uint32_t experiment,
                              enum point_role role, bool prefetch_off);
/* The mean of a point; NULL: unknown. */
struct figure dram_figure(const struct point *point);
struct figure dram_difference(struct figure a, struct figure b);

/* ---- dram_pages.c: what translation costs in the headline's own pages */

/* Plans the chases that tell it for a set like this one, and for half of it. */
void dram_plan_pages(struct engine *engine, const struct point *headline);
/* ns that a random hop over the set of this point (half: half of it) spends on TLB misses.
 * Unknown where pages are too many for their probes to stay in the caches. */
struct figure dram_pages_cost(const struct engine *engine, uint32_t experiment,
                              const struct point *headline, bool half);

#endif
