/* SPDX-License-Identifier: BSD-2-Clause */
/* Shared by the files that find, bound and name levels: the fit, and its knees gathered into
 * groups, each of which is one level. */
#ifndef CORE_LEVELS_STATE_H
#define CORE_LEVELS_STATE_H

#include "core/levels/hinge_fit.h"
#include "core/levels/levels.h"

#define LEVELS_POINTS_MIN   (2 * HINGE_BEYOND) /* required in a curve */
#define LEVELS_START_POINTS 4    /* smallest sets of a curve, which fit the first cache and TLB */
#define LEVELS_CLOSE        2.0  /* knees within this factor may be one level */
#define LEVELS_SAME_BYTES   1.06 /* capacities within this factor contradict nobody */
#define LEVELS_NEAR         1.4  /* a knee and a declared size within this factor may match */
#define LEVELS_MODEL_ERROR  1e-3 /* relative error of the piecewise-linear model, for any figure */
#define LEVELS_PARAMETERS   (2 * HINGE_FIT_HINGES + 1)

/* Hinges of one kind and curve without a plateau between them. */
struct level_group {
    enum hinge_kind kind;
    size_t curve;
    uint32_t members; /* bit j: hinge j */
    double bytes, step;
};

/* A TLB found in a page curve: level.bytes is its reach. */
struct levels_reach {
    unsigned page_log2;
    bool alone; /* seen where no cache can interfere, or where one is declared: its cost is known */
    /* Its place is known, its cost perhaps not: declared there, but what prefetchers bring
     * interferes. True of each that is alone. */
    bool placed;
    bool of_pieces; /* in every curve: large pages are mapped by small pieces */
    bool unfit;     /* levels_is_unfit */
    struct level level;
};

#define LEVELS_REACHES HINGE_FIT_KNOWNS

struct levels_state {
    struct hinge_fit fit;
    const struct levels_request *request; /* valid during the search */
    bool places_fixed;
    bool is_spread; /* curve 0 is a page curve, where a TLB's knee is separate from all others */
    doubt_set doubt[HINGE_FIT_POINTS];  /* of each point */
    double own_error[HINGE_FIT_POINTS]; /* as measured, ns, without MODEL_FLOOR */
    double common_error_ns;             /* of the base */
    double offset_ns[HINGE_CURVES];     /* levels_page_offset_ns */
    size_t groups;
    struct level_group group[HINGE_FIT_HINGES];
    struct hinge before[HINGE_FIT_HINGES]; /* a model that a removal may come back to */
    size_t reaches;                        /* TLBs found in page curves */
    struct levels_reach reach[LEVELS_REACHES];
    /* Parameters: the base, then step and ln(place) of each hinge. */
    size_t parameters;
    double jacobian[HINGE_FIT_POINTS][LEVELS_PARAMETERS];
    double bread[LEVELS_PARAMETERS][LEVELS_PARAMETERS];
    double move[LEVELS_PARAMETERS];
    double covariance[LEVELS_PARAMETERS][LEVELS_PARAMETERS];
    double unit[LEVELS_PARAMETERS];
};

/* ---- points.c */

/* Copies the request's points; false: too few. */
bool levels_take_points(struct levels_state *state, const struct levels_request *request);

/* Resets the state for a fit of this request. */
void levels_start(struct levels_state *state, const struct levels_request *request);
/* Inserts a point; all points of a curve are inserted before the next curve's. Ignores points that
 * are not positive and finite, and those beyond the capacity. */
void levels_insert_point(struct levels_state *state, const struct level_point *point, size_t curve);
/* The mean of a curve's smallest sets, which fit the first cache and TLB. */
struct figure levels_start_of(const struct levels_state *state, size_t curve);
/* Drops all curves but that of the largest pages. */
void levels_keep_last_curve(struct levels_state *state);

/* ---- make.c */

/* Makes levels of the fit's caches, ascending, and memory; returns how many. Where prefetchers
 * bring lines, the upper bound of a latency holds what the cache before may serve of its hops. */
size_t levels_make_caches(const struct levels_state *state, struct level *levels, size_t max);
/* Makes all levels of the fit, with names, bounds and doubts, ascending, memory last; returns how
 * many. */
size_t levels_make(struct levels_state *state, const struct levels_request *request,
                   struct level *levels, size_t max);
/* True if the curves end too soon beyond the last capacity to show memory. */
bool levels_is_extrapolated(const struct levels_state *state, double last_bytes);
/* Returns log2 of the curve's page size in bytes. */
unsigned levels_page_of_curve(const struct levels_state *state, size_t curve);

/* ---- reach.c */

/* Finds the TLBs in the request's page curves, ascending for each page size; overwrites the state.
 * Returns how many. */
size_t levels_find_reaches(struct levels_state *state, const struct levels_request *request,
                           struct levels_reach reach[LEVELS_REACHES]);

/* ---- known.c */

/* Applies the TLBs found: what is certain becomes part of the fit, or is subtracted from its
 * points. */
void levels_take_reaches(struct levels_state *state, const struct levels_reach *reach,
                         size_t count);
/* Returns the number of known TLBs of that curve's page size with a reach below `bytes`. */
size_t levels_known_below(const struct levels_state *state, size_t curve, double bytes);
/* True if the group is a TLB found in a page curve, which levels_make_reaches reports. */
bool levels_is_known(const struct levels_state *state, const struct level_group *group);
/* Appends the page curves' TLBs to `count` levels; returns the new count. */
size_t levels_make_reaches(const struct levels_state *state, struct level *levels, size_t count,
                           size_t max);

/* ---- pieces.c */

/* Returns the size in bytes of a reach's pages. */
double levels_page_bytes(const struct levels_reach *reach);
/* If large pages are known to be mapped by pieces, marks the reaches of the pieces as such, and
 * drops those of large pages, which no TLB holds. */
void levels_tell_pieces(struct levels_state *state);
/* Returns the largest set that some curve covers without TLB misses: if large pages are mapped by
 * pieces, the reach of the first TLB of the pieces; infinite if no TLB is of pieces. */
double levels_clear_bytes(const struct levels_state *state);

/* ---- group.c */

/* Inserts a group in its order; there must be room. */
void levels_insert_group(struct levels_state *state, const struct level_group *group);
/* Sets a group's step and place by its members. */
void levels_sum_up(const struct hinge_fit *fit, struct level_group *group);

/* True if the hints of a page curve, which are the declared TLBs, have one near low_bytes and
 * another one near high_bytes, which is not less. */
bool levels_declares_two(const struct hinge_fit *fit, double low_bytes, double high_bytes);
/* True if the group, a TLB's of a page curve, has another one so near that both may be one TLB of
 * few ways, or two whose costs are partly each other's. */
bool levels_has_near_tlb(const struct levels_state *state, const struct level_group *group);

/* Gathers the fit's hinges into groups, caches first, ascending. Removes hinges that are not real
 * steps from the fit, except those found in page curves. */
void levels_gather(struct levels_state *state);

/* ---- common.c */

/* If all curves have the misses of the pieces' TLB, a knee of all of them at its reach is that TLB,
 * and one beyond it is of walks, unless a cache is declared there or they cost more than a walk
 * can. Changes the groups' kind, and joins those that are one level. */
void levels_tell_common(struct levels_state *state);

/* ---- bounds.c */

/* Computes the covariance of the current fit. */
void levels_covariance(struct levels_state *state);
/* The kind of figure. LEVELS_COST: of TLB misses and walks. */
enum levels_figure {
    LEVELS_LATENCY,
    LEVELS_CAPACITY,
    LEVELS_REACH,
    LEVELS_COST,
    LEVELS_MEMORY,
    LEVELS_FIGURES
};
/* Returns whether a cache's figures follow from what the levels before it hold: its knee has
 * another law than HINGE_SHARP. */
bool levels_follows_inner(const struct levels_state *state, const struct level_group *group);
/* Returns whether other knees that were taken for a part of this level move its place by more than
 * LEVELS_SAME_BYTES, and leave less than that share of its step to the largest. */
bool levels_is_moved(const struct levels_state *state, const struct level_group *group,
                     double share);
/* Sets the 95 % bounds of a group's place, and of a latency or cost. group: the knee that ends the
 * plateau of that latency, which widens the bounds where the model does not fit it; NULL: none. */
void levels_bound_place(const struct levels_state *state, const struct level_group *group,
                        struct level *level);
void levels_bound_ns(const struct levels_state *state, const double *factor, double ns,
                     enum levels_figure figure, const struct level_group *group,
                     struct level *level);
/* Returns the standard error, from the fit alone, of a linear combination of the parameters. */
double levels_standard_error(const struct levels_state *state, const double *factor);
/* The gradient of a model value, and of a group's place (in ln bytes); these zero factor first. */
void levels_factors_value(const struct levels_state *state, double bytes, size_t curve,
                          double *factor);
void levels_factors_place(const struct levels_state *state, const struct level_group *group,
                          double *factor);
/* The gradient of a group's step; this adds to factor. */
void levels_factors_step(const struct level_group *group, double *factor);

/* ---- others.c */

/* Widens the bounds of the levels to include alternative interpretations that fit the curves about
 * as well: other laws of contents, and what each search found. An undeclared cache that is missing
 * in one of those gets a doubt; a cache whose knee one takes for two levels becomes merged, with
 * both names and a doubt. Overwrites the fit. */
void levels_hold_others(struct levels_state *state, struct level *levels, size_t count);

/* ---- seen.c */

/* True if point i is of that curve (HINGE_CURVES: any) and so near that it shows a knee there. */
bool levels_shows(const struct levels_state *state, size_t i, double bytes, size_t curve);
/* Returns the smallest and the largest set of any curve. */
double levels_smallest_set(const struct levels_state *state);
double levels_largest_set(const struct levels_state *state);
/* True if some curve (HINGE_CURVES: any; else that one) has enough points on both sides of a knee
 * there. */
bool levels_is_seen(const struct levels_state *state, double bytes, size_t curve);
/* Returns by how much more than their errors the points of that curve (HINGE_CURVES: any) lie off
 * the model that show a knee at `bytes` (root of the mean square); at least 1. */
double levels_misfit(const struct levels_state *state, double bytes, size_t curve);
/* Returns the same for a cache's knee, which all curves have in common: by all of them, or by one
 * that shows both of its sides, whichever is least. */
double levels_misfit_of_cache(const struct levels_state *state, double bytes);

/* True if an interpretation whose cost is higher by `more` may still be the correct one. */
bool levels_is_likely(const struct levels_state *state, double more);
/* True if it is as good: what it costs more is less than an expectation is worth. */
bool levels_is_as_good(const struct levels_state *state, double more);

/* ---- doubt.c */

/* True if the points of that curve that show a knee there lie so far off the model that it does not
 * describe the knee. */
bool levels_is_unfit(const struct levels_state *state, double bytes, size_t curve);
/* Adds to the level's doubt. curve: the one that shows it; HINGE_CURVES: all. */
void levels_doubt(const struct levels_state *state, size_t curve, struct level *level);
/* The same for a cost whose bounds hold none. */
void levels_doubt_cost(struct level *level);
/* Marks pairs as doubtful: two TLBs of one name, which may be one; and an undeclared cache that may
 * be part of the knee of a cache whose bounds overlap with its own, or whose size is within
 * LEVELS_CLOSE of its own. The levels must be complete, including bounds. */
void levels_doubt_overlaps(struct level *levels, size_t count);
/* What registers declare against what was found. A cache holds no more than its register says, with
 * all that nearer caches hold: if one is found clearly larger, the points between its knee and the
 * next may say one thing or another, and it and the cache behind it are marked. Where prefetchers
 * bring lines, no law of the model says how they fill a cache: one is marked if neither its
 * register's capacity nor that with all that nearer caches hold is in its bounds or within
 * LEVELS_SAME_BYTES of it. The levels must be ascending. */
void levels_doubt_declared(struct level *levels, size_t count, bool prefetched);

/* ---- name.c */

/* Sets names and kinds from the declared levels. caches: in ascending order. */
void levels_name_caches(const struct levels_request *request, struct level *caches, size_t count);
/* Names a TLB, or two that are merged, with `index` others before, and widens the bounds of its
 * reach to hold the declared one that it is taken for (within HINGE_SAME), or both (within
 * LEVELS_NEAR). If none is declared there, it is doubtful where TLBs of its page size are declared,
 * or two are before it: the timing may be that of walks, or of pieces that a host keeps large pages
 * in. */
void levels_name_tlb(const struct levels_request *request, unsigned page_log2, size_t index,
                     struct level *level);
/* Makes the level one of walks for such pages. */
void levels_name_walk(unsigned page_log2, struct level *level);
/* True if two sizes, or two steps, are within that factor of each other. */
bool levels_are_near(double a, double b, double factor);
/* Widens the bounds of the level's place, if need be, to hold another figure of it. */
void levels_hold_bytes(struct level *level, double bytes);
/* True if a TLB of such pages is declared with a reach within that factor of `bytes`. */
bool levels_is_tlb_declared(const struct levels_request *request, double page_bytes, double bytes,
                            double factor);
/* True if TLBs of such pages are declared but none is near: a knee beyond the first then looks like
 * a TLB but is none. */
bool levels_is_tlb_undeclared(const struct levels_request *request, double page_bytes,
                              double bytes);
/* Lists the declared capacities of data and unified caches, ascending by level; returns how
 * many. */
size_t levels_declared(const struct levels_request *request, uint64_t bytes[CACHE_LEVELS_MAX],
                       unsigned level[CACHE_LEVELS_MAX]);

#endif
