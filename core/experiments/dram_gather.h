/* SPDX-License-Identifier: BSD-2-Clause */
/* dram's points as sets that double. */
#ifndef CORE_EXPERIMENTS_DRAM_GATHER_H
#define CORE_EXPERIMENTS_DRAM_GATHER_H

#include "core/experiments/dram_sets.h"
#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

/* Tags of the headline's points. */
enum {
    DRAM_HEADLINE = 1, /* a set in the largest pages, and smaller ones beside it */
    DRAM_SMALL_PAGES,  /* the same set in scattered 4K pages */
    DRAM_DRAW,         /* the same two by independent draws */
    DRAM_DRAW_SMALL_PAGES
};

/* Whether it is one of the sets that the headline is read from, in a chase or in draws. */
bool dram_is_headline(const struct point *point);

/* What one prefetcher state's points are: the largest set of which all was measured, and those
 * below it. Figures of sets are without what their own pages cost, where that is known and all of
 * translation. */
struct dram_found {
    const struct point *largest;        /* in a chase or in draws */
    const struct point *chase, *draw;   /* of that set; NULL: none */
    struct figure pages;                /* what translation takes of a hop over it */
    struct figure memory;               /* a hop without it by all sets together; may be unknown */
    struct dram_set set[DRAM_SETS_MAX]; /* ascending */
    size_t count;
    struct dram_search search;
};
/* False: nothing was measured. */
bool dram_gather(const struct plan *plan, const struct workbench *bench, uint32_t experiment,
                 bool prefetch_off, struct dram_found *found);

/* What is said against any of the points that headline, slope and rise are read from. */
doubt_set dram_doubts(const struct plan *plan, const struct dram_found *found);

#endif
