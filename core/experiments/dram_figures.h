/* SPDX-License-Identifier: BSD-2-Clause */
/* What chases and draws over sets of memory say together. Figures are in ns; unknown: not measured.
 * Pure. */
#ifndef CORE_EXPERIMENTS_DRAM_FIGURES_H
#define CORE_EXPERIMENTS_DRAM_FIGURES_H

#include "core/stats/figure.h"

/* The standard error that every figure of memory has beside its own, over it: which rows, banks and
 * refreshes its hops met differs from set to set and from order to order. Found on simulated
 * machines, by runs of their own (docs/method.md). */
#define DRAM_ANY_SET_SHARE 0.0015

/* Figures of one thing that differ by less of it are one: those of a hop in a chase and in draws,
 * and slopes. */
#define DRAM_SAME_SHARE 0.01

/* Of a span within which a figure may lie anywhere: its standard error. */
#define DRAM_ANYWHERE_SHARE 0.289

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
/* One figure with its bounds. */
struct dram_bounds {
    double ns, low_ns, high_ns;
};
/* Two figures of one thing: where their bounds do not meet, both are widened until each holds the
 * other. True: they lie too far apart to be one (by over 1 %). NAN: there is nothing to compare.
 * Pure. */
bool dram_reconcile(struct dram_bounds *a, struct dram_bounds *b);

#endif
