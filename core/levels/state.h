/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files that find, bound and name levels share: the fit, and its knees gathered into
 * groups, each of which is one level. */
#ifndef CORE_LEVELS_STATE_H
#define CORE_LEVELS_STATE_H

#include "core/levels/hinge_fit.h"
#include "core/levels/levels.h"

#define LEVELS_SAME         1.15 /* found and declared sizes so close are the same one's */
#define LEVELS_POINTS_LEAST (2 * HINGE_BEYOND) /* of a curve */
#define LEVELS_CLOSE        2.0                /* knees so close may be one level's */
#define LEVELS_NEAR         1.4  /* knees, and what is declared, so near may be the same one's */
#define LEVELS_MODEL_ERROR  1e-3 /* of any figure: what no model of sharp sums can follow */
#define LEVELS_PARAMETERS   (2 * HINGE_FIT_HINGES + 1)

/* Hinges of one kind and curve between which the curve comes to no rest. */
struct level_group {
    enum hinge_kind kind;
    size_t curve;
    uint32_t members; /* bit j: hinge j */
    double bytes, step;
};

/* A TLB that a curve of pages shows: level.bytes is its reach. */
struct levels_reach {
    unsigned page_log2;
    bool alone;     /* seen before any cache can have to do with it, or where one is declared */
    bool of_pieces; /* every curve meets it: large pages lie in small pieces */
    struct level level;
};

#define LEVELS_REACHES HINGE_FIT_KNOWNS

struct levels_state {
    struct hinge_fit fit;
    const struct levels_request *request; /* while levels are found */
    bool places_fixed;
    bool is_spread; /* curve 0 is one of pages, where a TLB's knee stands clear of all others */
    doubt_set doubt[HINGE_FIT_POINTS];  /* of each point */
    double own_error[HINGE_FIT_POINTS]; /* as measured, ns, without the model's floor */
    double common_error_ns;             /* of the base */
    size_t groups;
    struct level_group group[HINGE_FIT_HINGES];
    size_t reaches; /* TLBs that the curves of pages show */
    struct levels_reach reach[LEVELS_REACHES];
    /* Parameters: the base, then each hinge's step and ln of its place. */
    size_t parameters;
    double jacobian[HINGE_FIT_POINTS][LEVELS_PARAMETERS];
    double bread[LEVELS_PARAMETERS][LEVELS_PARAMETERS];
    double meat[LEVELS_PARAMETERS][LEVELS_PARAMETERS];
    double half[LEVELS_PARAMETERS][LEVELS_PARAMETERS];
    double covariance[LEVELS_PARAMETERS][LEVELS_PARAMETERS];
    double unit[LEVELS_PARAMETERS];
};

/* ---- points.c */

/* Takes the request's points in; false: too few. */
bool levels_take_points(struct levels_state *state, const struct levels_request *request);

/* Empties the state for a fit of this request. */
void levels_start(struct levels_state *state, const struct levels_request *request);
/* One point of a curve; those of a curve are given one after the other. One that is not positive
 * and finite, or that there is no room for, is left out. */
void levels_insert_point(struct levels_state *state, const struct level_point *point, size_t curve);
/* Leaves the curve of the largest page size alone. */
void levels_keep_last_curve(struct levels_state *state);

/* ---- make.c */

/* The fit's caches in ascending order, and memory; returns how many with that. */
size_t levels_make_caches(const struct levels_state *state, struct level *levels, size_t most);
/* All levels of the fit, named, bounded and doubted, in ascending order, memory last; returns how
 * many. */
size_t levels_make(struct levels_state *state, const struct levels_request *request,
                   struct level *levels, size_t most);
/* Whether the curves end too soon beyond the last capacity for memory to be seen. */
bool levels_is_extrapolated(const struct levels_state *state, double last_bytes);
/* log2 of the bytes of its pages. */
unsigned levels_page_of_curve(const struct levels_state *state, size_t curve);

/* ---- reach.c */

/* The TLBs that the request's curves of pages show, ascending for each page size; uses the state
 * up. Returns how many. */
size_t levels_find_reaches(struct levels_state *state, const struct levels_request *request,
                           struct levels_reach reach[LEVELS_REACHES]);

/* ---- known.c */

/* Takes found reaches in: what is sure of them is part of the fit, or taken off its points. */
void levels_take_reaches(struct levels_state *state, const struct levels_reach *reach,
                         size_t count);
/* How many TLBs of a curve's pages below so many bytes a curve of pages shows. */
size_t levels_known_below(const struct levels_state *state, size_t curve, double bytes);
/* Whether the group is one that a curve of pages shows, and levels_make_reaches makes. */
bool levels_is_known(const struct levels_state *state, const struct level_group *group);
/* Up to which sets some curve is without translation. A host that keeps a guest's large pages in
 * small pieces leaves none beyond the first TLB of those: infinite where no TLB is of pieces. */
double levels_clear_bytes(const struct levels_state *state);
/* Adds the reaches to `count` levels; returns how many there are then. */
size_t levels_make_reaches(const struct levels_state *state, struct level *levels, size_t count,
                           size_t most);

/* ---- group.c */

/* Gathers the fit's hinges into groups, caches first, ascending; hinges that are no step are taken
 * out of the fit, but for those that a curve of pages shows. */
void levels_gather(struct levels_state *state);

/* ---- bounds.c */

/* Fills covariance from the fit as it stands. */
void levels_covariance(struct levels_state *state);
/* What is bounded; walks cost what TLB misses do. */
enum levels_figure {
    LEVELS_LATENCY,
    LEVELS_CAPACITY,
    LEVELS_REACH,
    LEVELS_COST,
    LEVELS_MEMORY,
    LEVELS_FIGURES
};
/* Half a 95 % interval about a group's place and step. */
void levels_bound_place(const struct levels_state *state, const struct level_group *group,
                        struct level *level);
void levels_bound_ns(const struct levels_state *state, const double *factor, double ns,
                     enum levels_figure figure, struct level *level);
/* Half of the 95 % interval of a sum of parameters, each times its factor. */
double levels_half_width(const struct levels_state *state, const double *factor,
                         enum levels_figure figure);
/* Its standard error, by the fit alone. */
double levels_standard_error(const struct levels_state *state, const double *factor);
/* The factors of a model value, of a group's place (in ln bytes) and of its step; zeroed first. */
void levels_factors_value(const struct levels_state *state, double bytes, size_t curve,
                          double *factor);
void levels_factors_place(const struct levels_state *state, const struct level_group *group,
                          double *factor);
/* Adds to the factors. */
void levels_factors_step(const struct level_group *group, double *factor);

/* ---- others.c */

/* Bounds of the levels that were made of the fit hold what other readings say of them that fit the
 * curves about as well, and a cache that no register speaks of is in doubt where one of those has
 * none. Uses the fit up. */
void levels_hold_others(struct levels_state *state, struct level *levels, size_t count);
/* Whether a reading that costs so much more than the one that is told may be the true one. */
bool levels_is_likely(const struct levels_state *state, double more);

/* ---- doubt.c */

/* The largest set of any curve. */
double levels_largest_set(const struct levels_state *state);
/* Adds to the level's doubt; curve: the one that shows it, HINGE_CURVES: all of them. */
void levels_doubt(const struct levels_state *state, size_t curve, struct level *level);
/* A cache that no register speaks of may be a part of the knee of one whose bounds overlap with its
 * own: then both are in doubt. Levels are as they will be told, bounds and all. */
void levels_doubt_overlaps(struct level *levels, size_t count);

/* ---- name.c */

/* Memory among them; not a TLB or a walk. */
bool levels_is_of_caches(const struct level *level);
/* Names and kinds of found levels by what is declared. caches: in ascending order. */
void levels_name_caches(const struct levels_request *request, struct level *caches, size_t count);
/* A TLB is doubted, too, where none of those that are declared of its pages is near: walks or a
 * host's tables may be what is timed. */
void levels_name_tlb(const struct levels_request *request, unsigned page_log2, size_t index,
                     struct level *level);
/* Makes it one of walks in such pages. */
void levels_name_walk(unsigned page_log2, struct level *level);
/* Whether two sizes, or two steps, are within that factor of each other. */
bool levels_are_near(double a, double b, double factor);
/* Whether a TLB is declared of such pages that reaches within a factor of so many bytes. */
bool levels_is_tlb_declared(const struct levels_request *request, double page_bytes, double bytes,
                            double factor);
/* Whether TLBs are declared of such pages, and none is near: a knee beyond the first is then the
 * timing of a TLB, but no TLB. */
bool levels_is_tlb_undeclared(const struct levels_request *request, double page_bytes,
                              double bytes);
/* The declared capacities of data and unified caches, ascending by level; returns how many. */
size_t levels_declared(const struct levels_request *request, uint64_t bytes[CACHE_LEVELS_MAX],
                       unsigned level[CACHE_LEVELS_MAX]);
/* "4k", "2m", "1g". */
const char *levels_page_name(unsigned page_log2);

#endif
