/* SPDX-License-Identifier: BSD-2-Clause */
/* Which points are to be measured, and in how much time. Nothing here touches memory or a clock:
 * the caller passes in what the machine can do and what its clock shows. */
#ifndef CORE_PLAN_PLAN_H
#define CORE_PLAN_PLAN_H

#include "core/machine.h"
#include "core/options/options.h"
#include "core/plan/budget.h"
#include "core/plan/learnt.h"
#include "core/plan/point.h"
#include "core/results/journal.h"

#define PLAN_POINTS_MAX      1024
#define PLAN_WHY_MAX         160
#define PLAN_FRAMES          3           /* values of enum frame_order */
#define PLAN_GROUP_NODES_MAX SHUFFLE_MAX /* for orders that work in groups */

/* What only the machine knows, as of the last measure_look. */
struct plan_outlook {
    uint64_t now_ns; /* of the wall clock */
    /* The largest working set for which a window of these pages and frames can be opened; 0: none.
     */
    uint64_t limit_bytes[POINT_PAGES][PLAN_FRAMES];
    uint64_t all_bytes[POINT_PAGES]; /* the same for points that are measured everywhere */
};

/* CPUs other than the first one that can load memory while that one chases, by their places in
 * machine_description.cpus. */
struct plan_crew {
    bool known;     /* the machine was asked */
    uint32_t count; /* of cpu */
    uint32_t cpu[CPUS_MAX];
    const char *why; /* in words, why it is empty; NULL: it is not */
};

/* The points, and everything that deciding about them needs. */
struct plan {
    const struct machine_description *machine;
    const struct options *options;
    struct journal *journal; /* for notes about what was left out or cut */
    bool probes;             /* the machine can time single loads: machine.probe_run is not NULL */
    bool sampler;            /* the CPU's sampler of ops is asked for, and can be used */
    struct plan_outlook outlook;
    struct budget budget;
    struct estimate estimate;
    uint64_t
        undeclared_bytes; /* lower bound of a cache that only timing has shown; 0: none so far */
    enum point_pass pass; /* the pass under way */
    const struct point *current; /* being measured, estimated to end at current_ns; NULL: none */
    uint64_t current_ns;
    struct plan_crew crew;
    bool banks_judged, bandwidth_judged; /* what expect- options expect was held against figures */
    bool full;
    bool stopped;               /* by the user, before all points were measured */
    char refused[PLAN_WHY_MAX]; /* why a point was last refused by plan_add; "": none was */
    uint32_t point_count;
    struct point point[PLAN_POINTS_MAX];
};

/* Bytes of the largest declared data cache; 0: none is declared. */
uint64_t plan_last_level_bytes(const struct plan *plan);
/* Bit n: pages of 2^n bytes are requested and this machine has them. */
uint32_t plan_page_sizes(const struct plan *plan);
/* The same without sizes for which no memory is free now; each such size gets an info note `what`.
 */
uint32_t plan_usable_sizes(const struct plan *plan, const char *what);
/* A set of this many times the last-level cache lies in memory. */
#define PLAN_LAST_LEVELS 32
/* Bytes of a set far larger than every declared cache; 1 GiB if none is declared. */
uint64_t plan_memory_bytes(const struct plan *plan);
/* The largest page size of such a mask; PAGE_4K if it has neither 2M nor 1G. */
enum page_size plan_largest_page(uint32_t page_sizes);
/* The plain, warm chase of one random cycle, with the options' map, the options' stride where it is
 * whole lines (else one line), and the usual frame order of that page size. */
struct point plan_point(const struct plan *plan, uint32_t experiment, enum page_size page,
                        bool prefetch_off, uint64_t bytes);
/* The same with the options' pattern, stride, chains, load, hint, work, word and warm-up. */
struct point plan_option_point(const struct plan *plan, uint32_t experiment, enum page_size page,
                               bool prefetch_off, uint64_t bytes);
/* Appends a copy of *point. If the plan is full, the point is dropped with a warning (once). A
 * point that this machine cannot measure is dropped with a warning (once for each reason in a row).
 * A KERNEL_CYCLE point whose order works in groups gets the options' group, or its order's default,
 * if its group_bytes is 0. */
void plan_add(struct plan *plan, const struct point *point);
/* The request for the window that a point needs, for a working set of `bytes`. */
struct window_request plan_window(const struct plan *plan, const struct point *point,
                                  uint64_t bytes);
/* The largest working set, as of the last measure_look, in pages of this size and their usual frame
 * order; and in those of this point. 0: none. */
uint64_t plan_limit(const struct plan *plan, enum page_size page);
uint64_t plan_point_limit(const struct plan *plan, const struct point *point);
/* Cuts *bytes to limit, with a warning `what` if it was larger. */
void plan_clamp(const struct plan *plan, const char *what, uint64_t limit, uint64_t *bytes);
/* The requested prefetcher states: writes 1 or 2 values (off first), returns how many. */
uint32_t plan_prefetch_states(const struct plan *plan, bool off[2]);
/* Whether two points can use the same window. */
bool plan_same_window(const struct point *a, const struct point *b);

#endif
