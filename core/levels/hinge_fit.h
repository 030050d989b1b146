/* SPDX-License-Identifier: BSD-2-Clause */
/* A model of a machine's latency curves: a base latency and knees, found and placed by weighted
 * least squares with non-negative steps. */
#ifndef CORE_LEVELS_HINGE_FIT_H
#define CORE_LEVELS_HINGE_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/levels/hinge.h"
#include "core/stats/nnls.h"

#define HINGE_FIT_POINTS 256
#define HINGE_FIT_HINGES 16 /* less than NNLS_MAX */
#define HINGE_FIT_HINTS  12
#define HINGE_FIT_KNOWNS 8
#define HINGE_FIT_FOUND  4 /* searches of hinge_fit_find */

/* By how much a further shape parameter must reduce the sum of squares: softness, and open rows. */
#define HINGE_SOFT_COST 6.0
#define HINGE_ROWS_COST 12.0
/* Discount for a hinge that is expected a priori: 2 ln of its likelihood ratio. */
#define HINGE_FAVOUR    8.0
#define HINGE_REACH_LOG 0.30 /* range of one search for a place, in ln bytes */
#define HINGE_BEYOND    3    /* points required beyond a knee */
#define HINGE_SAME      1.15 /* a found and a declared size within this factor are equal */

#define HINGE_LAW_ERROR 0.004 /* of the contents that a law other than the sharp one gives */

/* Who is asked whether the work goes on. */
struct hinge_poll {
    bool (*go_on)(void *context, double done); /* NULL: nobody */
    void *context;
    uint32_t looks; /* evaluations so far */
    bool stopped;   /* then searches end at once, with whatever they have */
};

struct hinge_model {
    size_t hinges;
    struct hinge hinge[HINGE_FIT_HINGES];
};

struct hinge_fit {
    struct hinge_poll poll;
    /* Input: the points, ascending by bytes within each curve, and the curves. */
    size_t count, curves;
    double bytes[HINGE_FIT_POINTS], ns[HINGE_FIT_POINTS];
    double error[HINGE_FIT_POINTS]; /* standard error, ns */
    size_t curve[HINGE_FIT_POINTS];
    double page_bytes[HINGE_CURVES];
    double brought; /* lines that prefetchers bring at a miss; 0: none */
    bool pieces;    /* all pages are mapped by pieces as small as the first curve's pages */
    size_t hints;   /* knees to try */
    struct hinge hint[HINGE_FIT_HINTS];
    /* TLBs that are certain: their places are fixed, and no others are searched for in a curve's
     * sets up to `covered` bytes. */
    size_t knowns;
    struct hinge known[HINGE_FIT_KNOWNS];
    double covered[HINGE_CURVES];

    /* The model. */
    double base;
    size_t hinges;
    struct hinge hinge[HINGE_FIT_HINGES];
    double square; /* weighted sum of squared residuals */
    bool sharp;    /* no soft knees allowed */
    bool staged;   /* use only the curve of the largest pages, with caches only */
    double noise;  /* robust scatter that no model of knees explains, in standard errors; >= 1 */
    size_t founds; /* what each search found, the best one included */
    struct hinge_model found[HINGE_FIT_FOUND];
    struct hinge_model cheapest; /* of the alternatives; `cheaper`: by how much, 0: none */
    double cheaper;

    /* Scratch space. */
    double weight[HINGE_FIT_POINTS], trust[HINGE_FIT_POINTS];
    double inverse[HINGE_FIT_POINTS], weighed[HINGE_FIT_POINTS]; /* 1 / bytes; a weighted column */
    double column[HINGE_FIT_HINGES + 2][HINGE_FIT_POINTS];
    struct hinge_shape shape[HINGE_FIT_HINGES + 1]; /* one per hinge, and one for the candidate */
    double residual[HINGE_FIT_POINTS], sorted[HINGE_FIT_POINTS];
    double total; /* weighted sum of squares of ns */
    struct nnls nnls;
    struct hinge saved[HINGE_FIT_HINGES], kept[HINGE_FIT_HINGES], other[HINGE_FIT_HINGES];
    size_t kept_hinges, other_hinges;
};

/* Counts an evaluation of a model, and asks now and then. False: the search is given up. */
bool hinge_fit_goes_on(struct hinge_fit *fit);

/* Finds the knees. */
void hinge_fit_find(struct hinge_fit *fit);

/* Goes on searching from the cheapest alternative noted. Returns false, and leaves the model, if
 * none is cheaper. */
bool hinge_fit_find_from_noted(struct hinge_fit *fit);

/* Tries hinge j, a walk, as that TLB of its curve; or, if it is a TLB, moves it to exactly that
 * reach. Keeps the change and returns true if the place then fitted is within a factor `near` of
 * the reach and the model costs less. */
bool hinge_fit_try_tlb(struct hinge_fit *fit, size_t j, const struct hinge *tlb, double near);

/* False for the laws of caches that prefetchers fill, where they bring no lines. */
bool hinge_fit_may_follow(const struct hinge_fit *fit, enum hinge_law law);

/* Refits the model with those hinges (bit set of caches) replaced by one hinge of that law,
 * initially at `at`; or, for HINGE_TRIALS, with those hinges (of any kind) removed. Returns the
 * increase in cost. */
double hinge_fit_as_one(struct hinge_fit *fit, uint32_t members, double pos, enum hinge_law law);

/* Refits the model without open rows if it has them, else with them. Returns the increase in cost;
 * infinity if there is no such model. */
double hinge_fit_other_rows(struct hinge_fit *fit);

/* Replaces the model by what search k found. Returns the increase in cost. */
double hinge_fit_as_found(struct hinge_fit *fit, size_t k);

/* Returns count. */
size_t hinge_fit_copy(struct hinge *to, const struct hinge *from, size_t count);
/* Saves and restores one model, independently of the search's own saved models. */
void hinge_fit_keep(struct hinge_fit *fit);
void hinge_fit_kept(struct hinge_fit *fit);
/* Notes the model, an alternative that costs less by `less`, if none noted was cheaper. */
void hinge_fit_note(struct hinge_fit *fit, double less);
/* Replaces the model by the one noted. */
void hinge_fit_noted(struct hinge_fit *fit);

/* Saves and restores another model: its first `hinges` hinges are restored and fitted anew. */
void hinge_fit_save(struct hinge_fit *fit);
void hinge_fit_restore(struct hinge_fit *fit, size_t hinges);
void hinge_fit_take_away(struct hinge_fit *fit, size_t j);

/* Returns by how much a hinge must reduce the sum of squares. */
double hinge_fit_gain(const struct hinge_fit *fit);
/* The same for hinge j, which needs less at an expected place. */
double hinge_fit_price(const struct hinge_fit *fit, size_t j);
/* True for a TLB that is known and costs more than it can: another knee shares its place. */
bool hinge_fit_is_shared(const struct hinge *hinge);
/* Returns the cost of the whole model: its misfit, in a measure independent of its weights, plus
 * its hinges' prices. */
double hinge_fit_cost(const struct hinge_fit *fit);

/* Fits base and steps for the current hinges. hinge_fit_steps keeps the weights, so that sums of
 * squares are comparable; hinge_fit_weigh updates them first. */
void hinge_fit_steps(struct hinge_fit *fit);
void hinge_fit_weigh(struct hinge_fit *fit);

/* Returns the sum of squares with hinge j as it is now and the others as in the last call of
 * hinge_fit_steps. */
double hinge_fit_square_with(struct hinge_fit *fit, size_t j);

/* Resets the model to the known hinges and estimates spikes and noise: the distance of points from
 * the line through their neighbours over 1 / bytes, which is straight between any two knees. */
void hinge_fit_start(struct hinge_fit *fit);

/* Sets the trust of each point: low for spikes and, in a staged fit, for the other curves. */
void hinge_fit_trust(struct hinge_fit *fit);

/* Optimises the hinges' places, starting from the current ones. */
void hinge_fit_refine(struct hinge_fit *fit, unsigned sweeps);

/* Tries a few start values for open rows at hinge j, the last cache, and keeps the best for later
 * refinement. Returns true if one of them improves the fit. */
bool hinge_fit_guess_rows(struct hinge_fit *fit, size_t j);

/* Sets the best-fitting number of ways of hinge j, whose law has ways; returns the sum of
 * squares. */
double hinge_fit_ways(struct hinge_fit *fit, size_t j);

/* Returns the smallest possible place of such a hinge. A TLB of large pages has at least eight
 * entries (no data TLB of 2M pages known to us has fewer; unverified). Walks miss a cache only if
 * the page table, 8 bytes per page, is as large as the cache, and the smallest cache is the one at
 * the first knee. No TLB lies in a range where all are known, except about the places that are
 * known to be possible. */
double hinge_fit_min(const struct hinge_fit *fit, const struct hinge *hinge);

/* Returns the largest possible place: three points of a curve that shows it must lie beyond, or one
 * if the place is given; and that of a known TLB is about where it is possible. Infinite for walks:
 * they are identified by their onset. */
double hinge_fit_max(const struct hinge_fit *fit, const struct hinge *hinge);

/* Evaluates hinge_share at every point, using the fit's shape number j. */
void hinge_fit_shares(struct hinge_fit *fit, const struct hinge *hinge, size_t j, double *column);

/* Returns the model's ns per hop. */
double hinge_fit_value(const struct hinge_fit *fit, double bytes, size_t curve);

/* True if the curve's pages are small, with frames in random order. */
bool hinge_fit_scatters(const struct hinge_fit *fit, size_t curve);

/* Returns the variance of a point due to the random order of frames. */
double hinge_fit_order(const struct hinge_fit *fit, size_t i);

/* Returns the squared systematic error of the laws of contents at a point. It has the same sign at
 * all points, so it must not count as scatter that a model may be rewarded for. */
double hinge_fit_law(const struct hinge_fit *fit, size_t i);

/* Returns the index of the largest cache smaller than `below` bytes; fit->hinges if there is none.
 */
size_t hinge_fit_last_cache(const struct hinge_fit *fit, double below);

/* Returns the number of points of a curve strictly between two sizes. */
size_t hinge_fit_between(const struct hinge_fit *fit, size_t curve, double from, double to);

#endif
