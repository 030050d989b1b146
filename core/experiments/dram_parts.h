/* SPDX-License-Identifier: BSD-2-Clause */
/* What dram's files share, and nobody else: figures with their standard errors, and what the
 * headline's own pages cost. */
#ifndef CORE_EXPERIMENTS_DRAM_PARTS_H
#define CORE_EXPERIMENTS_DRAM_PARTS_H

#include "core/engine_state.h"
#include "core/experiments/dram.h"

/* The standard error that every figure of memory has beside its own, over it: which rows, banks and
 * refreshes its hops met differs from set to set and from order to order. Found on simulated
 * machines, by runs of their own (docs/method.md). */
#define DRAM_ANY_SET_SHARE 0.0015
/* The standard error that what probes say of translation has beside its own, over it: while a walk
 * lasts refreshes go on, and its entries may be in a farther cache beside a large set than beside a
 * few lines. */
#define DRAM_PAGES_SHARE 0.03

/* Of a span within which a figure may lie anywhere: its standard error. */
#define DRAM_ANYWHERE_SHARE 0.289

/* ---- dram_gather.c: the points as sets that double */

/* The first point that plays that role in that prefetcher state; NULL where none was measured. */
const struct point *dram_find(const struct engine *engine, uint32_t experiment,
                              enum point_role role, bool prefetch_off);
/* The same over so many bytes. */
const struct point *dram_find_set(const struct engine *engine, uint32_t experiment,
                                  enum point_role role, bool prefetch_off, uint64_t bytes);
/* How many points like this one are in the plan, measured or not. */
uint32_t dram_planned(const struct engine *engine, const struct point *point);
/* The mean of a point, what it moved by in its error; NULL: unknown. */
struct figure dram_figure(const struct point *point);

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
bool dram_gather(const struct engine *engine, uint32_t experiment, bool prefetch_off,
                 struct dram_found *found);

/* What is said against any of the points that headline, slope and rise are read from. */
doubt_set dram_doubts(const struct engine *engine, const struct dram_found *found);

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

/* ---- translation.c: what translation costs in the headline's own pages */

/* Whether it can be told: pages are large, and their probes few enough to stay in the caches. */
bool dram_pages_told(const struct engine *engine, const struct point *point);
/* Plans the chases that tell it for a set like this one, where it can be. */
void dram_plan_pages(struct engine *engine, const struct point *point);
/* The same of what tells whether pages are what they are called. */
void dram_plan_pieces(struct engine *engine, const struct point *point);
/* What is left of a cost of walks where prefetchers keep memory busy for so long after each miss:
 * as much of it as that is longer than a hop may be hidden. The half of that is taken off, and is
 * a standard error: all or nothing of it is what memory does most often. Pure. */
struct figure dram_pages_hidden(struct figure cost, double busy_ns, double hop_ns);
/* ns that a random hop over the set of this point spends on TLB misses, as its probes say alone.
 * Unknown where pages are too many for them to stay in the caches. */
struct figure dram_pages_seen(const struct engine *engine, const struct point *point);
/* How many pages those probes touch. */
double dram_pages_probes(const struct engine *engine, const struct point *point);
/* The same, with what prefetchers may hide of it. */
struct figure dram_pages_busy(const struct engine *engine, const struct point *point);
/* ns a hop that walks may cost more at most where the set's own lines drive lines of its tables out
 * of the caches, which they do not in the probes: an inclusive last level gives up a line that only
 * nearer caches hit, once in as many hops as it has lines; other caches may keep them all. So a
 * share of hops of up to table lines over cache lines waits for memory once more. 0 where no cost
 * is seen, or a TLB holds all pages. */
double dram_pages_evicted_most_ns(const struct engine *engine, const struct point *point);
/* The middle of that, with what it may be off by in its error. Pure. */
struct figure dram_pages_evicted(struct figure cost, double most_ns);
/* All of it, by this set alone. */
struct figure dram_pages_cost(const struct engine *engine, const struct point *point);
/* Whether the TLBs hold smaller pieces than those, so that a hop over this set misses them more
 * often than dram_pages_cost knows. Of prefetched lines only few are asked: what was brought beside
 * more of them may drive others out of the caches. */
bool dram_pages_in_pieces(const struct engine *engine, const struct point *point, bool prefetched);
/* Whether lines in many small pieces cost more than as many large pages as they lie in, beside hops
 * that take so long: the TLBs then hold the small pieces. Pure. */
bool dram_pages_differ(struct figure small, struct figure large, double hop_ns);
/* What is said against the chases that tell it. */
doubt_set dram_pages_doubt(const struct engine *engine, const struct point *point);

#endif
