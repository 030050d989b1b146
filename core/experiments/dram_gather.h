/* SPDX-License-Identifier: BSD-2-Clause */
/* Collects dram's points as sets that double. */
#ifndef CORE_EXPERIMENTS_DRAM_GATHER_H
#define CORE_EXPERIMENTS_DRAM_GATHER_H

#include "core/experiments/dram_sets.h"
#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

/* Tags of the headline's points. */
enum {
    DRAM_HEADLINE = 1, /* a set in the largest pages, and smaller ones beside it */
    DRAM_SMALL_PAGES,  /* the same set in scattered 4K pages */
    DRAM_DRAW,         /* the same two, by independent draws */
    DRAM_DRAW_SMALL_PAGES
};

/* Whether the point is one of the headline's sets, by a chase or by draws. */
bool dram_is_headline(const struct point *point);

/* The points of one prefetcher state: the largest set that was measured completely, and those below
 * it. The figures of sets exclude translation if its whole cost is known. */
struct dram_found {
    const struct point *largest;      /* by a chase or by draws */
    const struct point *chase, *draw; /* of that set; NULL: not measured */
    struct figure pages;              /* cost of translation per hop over it */
    bool in_pieces; /* TLBs hold a host's smaller pages: the larger the set, the longer its walks,
                       and a slope that no set ends (search.agree is false) has that in it */
    struct figure memory; /* a hop without translation, from all sets together; may be unknown */
    struct figure contradicts; /* where the sets have no such figure in common: the one that is the
                                  least far from them all; else unknown */
    struct dram_set set[DRAM_SETS_MAX]; /* ascending */
    size_t count;
    struct dram_search search;
};
/* Collects them into *found. False: nothing was measured. */
bool dram_gather(const struct plan *plan, const struct workbench *bench, uint32_t experiment,
                 bool prefetch_off, struct dram_found *found);

/* The doubts of all points that headline, slope and rise are computed from. */
doubt_set dram_doubts(const struct plan *plan, const struct dram_found *found);

#endif
