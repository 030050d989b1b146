/* SPDX-License-Identifier: BSD-2-Clause */
/* dram: the headline. A set in the largest page size, prefetchers off, and its half, quarter and
 * eighth, chased and by independent draws: what is declared says where to begin, and the set
 * doubles until larger ones tell nothing new (dram_judge_sets). Slopes say what each further line
 * costs, and what a prefetcher that follows pointers would hide. The same set in scattered 4K pages
 * stands beside it, so that the TLB's share stands alone; and chases that prove by behaviour
 * whether prefetchers work. The contract of dram_plan, dram_extend and dram_conclude is in
 * table.h. */
#ifndef CORE_EXPERIMENTS_DRAM_H
#define CORE_EXPERIMENTS_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/experiments/points.h"
#include "core/experiments/table.h"
#include "core/stats/doubt.h"
#include "core/stats/figure.h"

enum status dram_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
bool dram_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment);
enum status dram_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

/* Figures are in ns; unknown: not measured. */

/* What a chase is, beside what independent draws say that a line of memory costs. */
enum dram_chase {
    DRAM_CHASE_PLAIN,   /* it costs as much, as far as errors tell */
    DRAM_CHASE_CACHED,  /* less: some of its lines were in caches before their turn */
    DRAM_CHASE_FOLLOWED /* less: something follows its pointers */
};
struct dram_chase_parts {
    struct figure chase, draw; /* a hop over the set, in a chase and in draws */
    struct figure chase_slope; /* what each line beyond half the set costs in a chase */
    struct figure draw_slope;  /* and in draws */
    bool agree;                /* draws cost as much beyond a quarter of it */
};
/* Slopes are compared: hits of open rows, and lines that prefetchers left in caches, are as many in
 * half the set and fall out, but whoever follows pointers does so in every set. Where the set is
 * not far beyond the caches, slopes say less, and a chase that is followed must also take less than
 * draws over the same set. Where slopes do not agree, a slope is no line's cost, and tells nothing.
 * Pure. */
enum dram_chase dram_judge_chase(const struct dram_chase_parts *parts);
/* Which one a line's cost is told by: the slope where it is known to 1 % or the draws surely (95 %)
 * differ from it, else the draws' own mean, whose bounds are not those of a difference. Pure. */
struct figure dram_draws_figure(struct figure slope, struct figure draw);
/* What a chase says of memory where prefetchers are not seen to be off: lines that they brought
 * beside others wait in the caches, and the chase finds none of them, or as many as draws find. As
 * many again would it find of half the set, so that no more is hidden than it rises by from there
 * (two standard errors). The middle, with what it may be off by in its error. The chase's own
 * figure where draws and slope tell of nothing in caches, or are not known. Pure. */
struct figure dram_chase_figure(struct figure chase, struct figure draw, struct figure slope,
                                struct figure rise);
/* ns of a hop over a large set and over a small one of so many bytes: what each line of the rest
 * costs. What is in caches at a hop is the same number of lines in both, and falls out. Unknown too
 * where noise leaves nothing or less. Pure. */
struct figure dram_slope(struct figure whole, double large, struct figure half, double small);
/* The share of draws that surely (95 %) find their line in a cache, from what a draw over the set
 * and one beyond every cache take, hits taken as free; 0: none is sure. Pure. */
double dram_share_cached(struct figure draw, struct figure slope);
/* Sets that double are told apart up to so many. */
#define DRAM_SETS_MAX 24

/* A hop over one of the sets, in a chase and in draws. */
struct dram_set {
    double bytes;
    struct figure chase, draw;
};
/* No cache that nothing declares is taken to be a fourth as large: a smaller set may be all inside
 * one, and look like memory. */
#define DRAM_LEAST_BYTES (256ull << 20)
/* The largest caches that are known, 0: none. */
struct dram_caches {
    double declared_bytes;
    double found_bytes; /* by a curve that has been measured */
};
/* What sets that double say together. */
struct dram_search {
    struct figure slope; /* what each line of the last octave costs */
    struct figure rise;  /* of a chase over the last doubling */
    bool agree;          /* the last octave's slope and that of the octave before */
    bool enough;         /* by their times, a larger set tells nothing new */
    bool ends;           /* no larger set is asked for */
    bool rises;          /* no cache's doing: no larger set changes that */
    doubt_set doubt;     /* of a figure from the last set, were none larger measured */
};
/* Sets in ascending order, each twice as large as the one before. The last is large enough when,
 * twice in a row, the slopes of its last two octaves agree within their joint error and the chase
 * misses less than 1 % of the slope. Larger ones are asked for too where it is under
 * DRAM_LEAST_BYTES or four times what a curve found; where there are none, that is a doubt. Pure.
 */
struct dram_search dram_judge_sets(const struct dram_set *sets, size_t count,
                                   const struct dram_caches *caches);
/* Slope and rise of such sets, where they are known better than when they were judged. Pure. */
void dram_tell_slope(const struct dram_set *sets, size_t count, struct dram_search *search);

/* One figure with its bounds. */
struct dram_bounds {
    double ns, low_ns, high_ns;
};
/* Two figures of one thing: where their bounds do not meet, both are widened until each holds the
 * other. True: they lie too far apart to be one (by over 1 %). NAN: there is nothing to compare.
 * Pure. */
bool dram_reconcile(struct dram_bounds *a, struct dram_bounds *b);
/* Memory's level as a curve has it, beside the headline of the points measured so far: widens its
 * bounds where they do not meet. False: they lie too far apart to be one. */
bool dram_meets_level(const struct plan *plan, const struct workbench *bench,
                      struct dram_bounds *level);
/* Remembers in the plan what draws find in caches at least, by the points measured so far, where
 * that is more than twice what is declared (or nothing is). */
void dram_look_for_caches(struct plan *plan, const struct workbench *bench);

#endif
