/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates chases and draws over sets of memory together. Figures are in ns; unknown: not
 * measured. Pure. */
#ifndef CORE_EXPERIMENTS_DRAM_FIGURES_H
#define CORE_EXPERIMENTS_DRAM_FIGURES_H

#include "core/stats/figure.h"

/* A relative standard error that every figure of memory has in addition to its own: which rows,
 * banks and refreshes its hops meet differs between sets and orders. Determined on simulated
 * machines (docs/method.md). */
#define DRAM_ANY_SET_SHARE 0.0015

/* Two figures of the same quantity that differ by less than this share agree: a hop in a chase and
 * in draws, or slopes. */
#define DRAM_SAME_SHARE 0.01

/* The standard error of a value that may lie anywhere in a span, as a share of the span (1 / sqrt
 * 12). */
#define DRAM_ANYWHERE_SHARE 0.289

/* What a chase is, compared with the cost of a line of memory by independent draws. */
enum dram_chase {
    DRAM_CHASE_PLAIN,   /* it costs the same, within errors */
    DRAM_CHASE_CACHED,  /* less: caches still held some of its lines */
    DRAM_CHASE_FOLLOWED /* less: a prefetcher follows its pointers */
};
struct dram_chase_parts {
    struct figure chase, draw; /* per hop over the set, in a chase and in draws */
    struct figure chase_slope; /* per hop to the lines beyond half the set, in a chase */
    struct figure draw_slope;  /* and in draws */
    bool agree;                /* draws have the same slope beyond a quarter of the set */
    bool in_pieces;            /* walks get longer with the set, as with a host's smaller pages */
};
/* Compares slopes: hits of open rows, and lines that prefetchers left in caches, are equally many
 * in half the set and cancel, while a prefetcher that follows pointers does so in every set. If the
 * set is not far beyond the caches, slopes say less, and a followed chase must also be faster than
 * draws over the same set. Where slopes do not agree they are no line's cost: DRAM_CHASE_PLAIN.
 * Where walks get longer with the set, a slope is above every set's own hop without any cache, so
 * no DRAM_CHASE_CACHED. Pure. */
enum dram_chase dram_judge_chase(const struct dram_chase_parts *parts);
/* Which of the two gives a line's cost: the slope if it is known to 1 % or surely (95 %) differs
 * from draws, else the draws' mean, whose bounds are narrower than those of a difference. Pure. */
struct figure dram_draws_figure(struct figure slope, struct figure draw);
/* Memory's latency by a chase while prefetchers may be on. Lines that they brought wait in the
 * caches, and the chase hits none of them, or as many as draws do: so between nothing and slope -
 * draw is hidden. As many would be hit over half the set, so what is hidden is at most the rise
 * from there (plus two standard errors). Returns the middle, with the uncertainty in its error; the
 * chase itself if draws and slope show nothing in caches or are unknown. Pure. */
struct figure dram_chase_figure(struct figure chase, struct figure draw, struct figure slope,
                                struct figure rise);
/* The cost in ns of each line beyond the small set, from the costs of a hop over a large set and
 * over a small one (bytes). The same number of lines is cached in both, and cancels. Unknown also
 * if noise leaves nothing. Pure. */
struct figure dram_slope(struct figure whole, double large, struct figure half, double small);
/* The share of draws that surely (95 %) hit a cache, from the cost of a draw over the set and of
 * one beyond every cache, with hits counted as free; 0: none is certain. Pure. */
double dram_share_cached(struct figure draw, struct figure slope);
/* One figure with its bounds. */
struct dram_bounds {
    double ns, low_ns, high_ns;
};
/* Two figures of the same quantity: if their bounds do not overlap, both are widened until each
 * contains the other's figure. True: they are too far apart to be one (over 1 %). With NAN there is
 * nothing to compare. Pure. */
bool dram_reconcile(struct dram_bounds *a, struct dram_bounds *b);
/* Replaces a by the mean of both, each weighted by the inverse square of its bounds' width: two
 * figures of the same quantity that do not contradict each other, from other points. Its bounds
 * contain both. Unchanged if either has no bounds, or bounds without width. Pure. */
void dram_take_mean(struct dram_bounds *a, const struct dram_bounds *b);

#endif
