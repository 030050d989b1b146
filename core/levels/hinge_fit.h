/* SPDX-License-Identifier: BSD-2-Clause */
/* The model of a machine's latency curves: a base latency and knees, found and placed by weighted
 * least squares with steps that may not be negative. */
#ifndef CORE_LEVELS_HINGE_FIT_H
#define CORE_LEVELS_HINGE_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/levels/hinge.h"
#include "core/stats/nnls.h"

#define HINGE_FIT_POINTS 256
#define HINGE_FIT_HINGES 16 /* below NNLS_MOST */
#define HINGE_FIT_HINTS  12
#define HINGE_FIT_KNOWNS 8

/* What a shape that says more than a place and a step must take off the sum of squares: one that
 * is soft, and rows that stay open. */
#define HINGE_SOFT_COST 6.0
#define HINGE_ROWS_COST 12.0
/* By how much less may be asked of what is to be expected: 2 ln of how much likelier it is. */
#define HINGE_FAVOUR    8.0
#define HINGE_REACH_LOG 0.30 /* how far one search may move a hinge, in ln bytes */
#define HINGE_BEYOND    3    /* points of a curve beyond a knee that they show */

struct hinge_fit {
    /* The caller's: points in ascending order of bytes within each curve, and the curves. */
    size_t count, curves;
    double bytes[HINGE_FIT_POINTS], ns[HINGE_FIT_POINTS];
    double error[HINGE_FIT_POINTS]; /* standard error, ns */
    size_t curve[HINGE_FIT_POINTS];
    double page_bytes[HINGE_CURVES];
    bool pieces;  /* all pages lie in pieces as small as those of the first curve */
    size_t hints; /* knees worth a try */
    struct hinge hint[HINGE_FIT_HINTS];
    /* TLBs that are known beyond doubt: they stand where they are, and of a curve's sets up to
     * `covered` bytes no others are looked for. */
    size_t knowns;
    struct hinge known[HINGE_FIT_KNOWNS];
    double covered[HINGE_CURVES];

    /* The model. */
    double base;
    size_t hinges;
    struct hinge hinge[HINGE_FIT_HINGES];
    double square; /* weighted sum of squared residuals */
    bool sharp;    /* no knee may be soft */
    bool staged;   /* only the largest pages' curve counts, and it shows caches only */
    double noise;  /* robust size of what no model of knees could explain, in errors, at least 1 */

    /* Working room. */
    double weight[HINGE_FIT_POINTS], trust[HINGE_FIT_POINTS];
    double inverse[HINGE_FIT_POINTS], weighed[HINGE_FIT_POINTS]; /* 1 / bytes; a weighted column */
    double column[HINGE_FIT_HINGES + 2][HINGE_FIT_POINTS];
    struct hinge_shape shape[HINGE_FIT_HINGES + 1]; /* of each hinge; of what is tried */
    double residual[HINGE_FIT_POINTS], sorted[HINGE_FIT_POINTS];
    double total; /* weighted sum of squares of ns */
    struct nnls nnls;
    struct hinge saved[HINGE_FIT_HINGES], kept[HINGE_FIT_HINGES], other[HINGE_FIT_HINGES];
    size_t kept_hinges, other_hinges;
};

/* Finds the knees. */
void hinge_fit_find(struct hinge_fit *fit);

/* Hinge j, a walk, as a TLB of that reach: kept, and true, if it then stands within a factor `near`
 * of it and the model costs less. A TLB as one of exactly that reach. */
bool hinge_fit_try_tlb(struct hinge_fit *fit, size_t j, double reach, double near);

/* The model with those hinges, of caches, as one of that law that is at first there, or
 * (HINGE_LAWS; hinges of any kind) without them, fitted anew. Returns what it costs more. */
double hinge_fit_as_one(struct hinge_fit *fit, uint32_t members, double at, enum hinge_law law);

/* The model without open rows of memory where it has them, or with them, fitted anew. Returns what
 * it costs more; infinity: there is no such model. */
double hinge_fit_other_rows(struct hinge_fit *fit);

/* Returns count. */
size_t hinge_fit_copy(struct hinge *to, const struct hinge *from, size_t count);
/* One model is remembered, beside those that the search remembers itself. */
void hinge_fit_keep(struct hinge_fit *fit);
void hinge_fit_kept(struct hinge_fit *fit);

/* Another one; restored, it is as many hinges as it was, and fitted anew. */
void hinge_fit_save(struct hinge_fit *fit);
void hinge_fit_restore(struct hinge_fit *fit, size_t hinges);
void hinge_fit_take_away(struct hinge_fit *fit, size_t j);

/* What a hinge must take off the sum of squares. */
double hinge_fit_gain(const struct hinge_fit *fit);
/* The same of hinge j: one that stands where it was to be expected, less. */
double hinge_fit_price(const struct hinge_fit *fit, size_t j);
/* Of the whole model: what points lie off, in a measure that does not depend on its own weights,
 * and its hinges' prices. */
double hinge_fit_cost(const struct hinge_fit *fit);

/* Base and steps for the hinges as they stand; hinge_fit_steps with the weights as they are (sums
 * of squares can be compared), hinge_fit_weigh sets them first. */
void hinge_fit_steps(struct hinge_fit *fit);
void hinge_fit_weigh(struct hinge_fit *fit);

/* The sum of squares if hinge j were as it is now; the others stand as in the last call of
 * hinge_fit_steps. */
double hinge_fit_square_with(struct hinge_fit *fit, size_t j);

/* No hinges yet but the known ones; finds spikes and noise (how far points stand from the line
 * through their neighbours over 1 / bytes, which is straight between any two knees). */
void hinge_fit_start(struct hinge_fit *fit);

/* How much points are trusted: spikes hardly, and where the fit is staged other curves neither. */
void hinge_fit_trust(struct hinge_fit *fit);

/* Places the hinges where they fit best, starting from where they stand. */
void hinge_fit_refine(struct hinge_fit *fit, unsigned sweeps);

/* Whether, and in what sets, all rows of memory that are touched may be open: the last cache's
 * hinge j gets the best of a few values, to be refined. */
bool hinge_fit_guess_rows(struct hinge_fit *fit, size_t j);

/* Gives hinge j, of a law that has ways, those that fit best; returns the sum of squares.
 */
double hinge_fit_ways(struct hinge_fit *fit, size_t j);

/* The smallest place such a hinge can have. A TLB of large pages has at least eight
 * entries (no data TLB of 2M pages known to us has fewer; unverified); walks miss a cache
 * only when the page table, 8 bytes a page, is of its size, and the smallest cache is the one at
 * the first knee. No TLB stands where all are known. */
double hinge_fit_least(const struct hinge_fit *fit, const struct hinge *hinge);

/* The largest: three points of a curve that shows it must lie beyond, one where the place is given.
 * Walks are known by how they begin, and may end anywhere beyond: infinite. */
double hinge_fit_most(const struct hinge_fit *fit, const struct hinge *hinge);

/* hinge_share at every point; j: which of the fit's shapes is used for it. */
void hinge_fit_shares(struct hinge_fit *fit, const struct hinge *hinge, size_t j, double *column);

/* ns of a hop, by the model. */
double hinge_fit_value(const struct hinge_fit *fit, double bytes, size_t curve);

/* Whether the curve is one of small pages, whose frames are in random order. */
bool hinge_fit_scatters(const struct hinge_fit *fit, size_t curve);

/* What the order of frames may shift a point by, squared. */
double hinge_fit_order(const struct hinge_fit *fit, size_t i);

/* What the law of a victim cache may be off by at a point, squared: the same way at all of them, so
 * that it is no scatter that a model could be rewarded for. */
double hinge_fit_law(const struct hinge_fit *fit, size_t i);

/* How many points of a curve lie strictly between. */
size_t hinge_fit_between(const struct hinge_fit *fit, size_t curve, double from, double to);

#endif
