/* SPDX-License-Identifier: BSD-2-Clause */
/* What dram's files share, and nobody else: figures with their standard errors, and what the
 * headline's own pages cost. */
#ifndef CORE_DRAM_PARTS_H
#define CORE_DRAM_PARTS_H

#include "core/engine_state.h"
#include "core/experiment_dram.h"

/* The point that plays that role in that prefetcher state; NULL where it was not measured. */
const struct point *dram_find(const struct engine *engine, uint32_t experiment,
                              enum point_role role, bool prefetch_off);
/* The mean of a point; NULL: unknown. */
struct dram_ns dram_figure(const struct point *point);
struct dram_ns dram_difference(struct dram_ns a, struct dram_ns b);

/* ---- dram_pages.c: what translation costs in the headline's own pages */

/* Whether it can be told: pages are large, and their probes few enough to stay in the caches. */
bool dram_pages_told(const struct engine *engine, const struct point *headline);
/* Plans the chases that tell it, for a set like this one and for half of it, where it can be. */
void dram_plan_pages(struct engine *engine, const struct point *headline);
/* ns that a random hop over the set of this point (half: half of it) spends on TLB misses.
 * Unknown where pages are too many for their probes to stay in the caches. */
struct dram_ns dram_pages_cost(const struct engine *engine, uint32_t experiment,
                               const struct point *headline, bool half);

#endif
