/* SPDX-License-Identifier: BSD-2-Clause */
/* What dram's files share, and nobody else: figures with their standard errors, and what the
 * headline's own pages cost. */
#ifndef CORE_EXPERIMENTS_DRAM_PARTS_H
#define CORE_EXPERIMENTS_DRAM_PARTS_H

#include "core/experiments/dram.h"
#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

/* The standard error that every figure of memory has beside its own, over it: which rows, banks and
 * refreshes its hops met differs from set to set and from order to order. Found on simulated
 * machines, by runs of their own (docs/method.md). */
#define DRAM_ANY_SET_SHARE 0.0015

/* Of a span within which a figure may lie anywhere: its standard error. */
#define DRAM_ANYWHERE_SHARE 0.289
/* Tags of the headline's points. */
enum {
    DRAM_HEADLINE = 1, /* a set in the largest pages, and smaller ones beside it */
    DRAM_SMALL_PAGES,  /* the same set in scattered 4K pages */
    DRAM_DRAW,         /* the same two by independent draws */
    DRAM_DRAW_SMALL_PAGES
};

/* ---- dram_gather.c: the points as sets that double */

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

/* ---- dram_walks.c: what translation costs by all sets together */

struct dram_walks_set {
    double bytes;
    struct figure chase, draw; /* hops over it, walks and all */
    struct figure pages;       /* what its probes say that translation takes */
    double probes;             /* pages that they touch */
    double evicted_ns;         /* as dram_pages_evicted_most_ns */
    struct figure cost;        /* the answer: what translation takes of a hop over it */
};
struct dram_walks {
    struct dram_walks_set set[DRAM_SETS_MAX]; /* ascending; the last one's chase is known */
    size_t count;
    bool brings;               /* prefetchers may bring lines beside those of a chase */
    double row_ns;             /* what a hop saves at most that finds its row open */
    double share, share_error; /* what walks cost beside a chase over what probes say, before */
    struct figure slope_cost;  /* the answer: of each line beyond half of the last set */
    struct figure memory;      /* the answer: a hop without walks that finds nothing anywhere */
};
/* Fills in the answers; false: these sets do not tell it, or do not agree. Pure. */
bool dram_walks_fit(struct dram_walks *walks);

#endif
