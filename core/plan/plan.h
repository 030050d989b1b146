/* SPDX-License-Identifier: BSD-2-Clause */
/* Which points are to be measured, in which time. Nothing here touches memory or a clock: what the
 * machine can do and what its clock shows are handed in. */
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
#define PLAN_FRAMES          3           /* orders of frames */
#define PLAN_GROUP_NODES_MAX SHUFFLE_MAX /* of orders that go by groups */

/* What only the machine can tell, as it last did (measure_look). */
struct plan_outlook {
    uint64_t now_ns; /* by the wall clock */
    /* How large a working set can be had in a window of such pages and frames; 0: none. */
    uint64_t limit_bytes[POINT_PAGES][PLAN_FRAMES];
};

/* The points, and all that deciding about them needs. */
struct plan {
    const struct machine_description *machine;
    const struct options *options;
    struct journal *journal; /* for notes of what is left out or cut */
    bool probes;             /* the machine can time single loads of lines: machine.probe_run */
    struct plan_outlook outlook;
    struct budget budget;
    struct estimate estimate;
    uint64_t undeclared_bytes; /* of a cache that only timing has shown: no less; 0: none so far */
    enum point_pass pass;      /* that is due */
    const struct point *current; /* being measured, reckoned to end at current_ns; NULL: none */
    uint64_t current_ns;
    bool full;
    char refused[PLAN_WHY_MAX]; /* why a point was last left out of the plan; "": none was */
    uint32_t point_count;
    struct point point[PLAN_POINTS_MAX];
};

/* The largest declared data cache; 0 when none is declared. */
uint64_t plan_last_level_bytes(const struct plan *plan);
/* Bit n: pages of 2^n bytes are asked for and can be had. */
uint32_t plan_page_sizes(const struct plan *plan);
/* The same without those that no memory can be had for now, each with a note `what`. */
uint32_t plan_usable_sizes(const struct plan *plan, const char *what);
/* A set that is so many times as large as the last-level cache is memory's. */
#define PLAN_LAST_LEVELS 32
/* A set far beyond every declared cache. */
uint64_t plan_memory_bytes(const struct plan *plan);
/* The largest and smallest page size of such a mask. */
enum page_size plan_largest_page(uint32_t page_sizes);
/* A point of the options' map, whole lines of their stride, and the page size's frame order: the
 * plain, warm chase of one random cycle. */
struct point plan_point(const struct plan *plan, uint32_t experiment, enum page_size page,
                        bool prefetch_off, uint64_t bytes);
/* The same as the options ask for it: their pattern, stride, group, and every key of the hop. */
struct point plan_asked(const struct plan *plan, uint32_t experiment, enum page_size page,
                        bool prefetch_off, uint64_t bytes);
/* A plan that is full keeps what it has, and a note says so. A point that this machine cannot
 * measure is left out with a warning (once for each reason in a row). A chase whose order goes by
 * groups and that names none gets the options' group, or its order's own. */
void plan_add(struct plan *plan, const struct point *point);
/* The window a point needs, for a working set of `bytes`. */
struct window_request plan_window(const struct plan *plan, const struct point *point,
                                  uint64_t bytes);
/* How large a working set can be had in such pages, in the frames that they stand on by themselves;
 * and in those of this point. */
uint64_t plan_limit(const struct plan *plan, enum page_size page);
uint64_t plan_point_limit(const struct plan *plan, const struct point *point);
/* Cuts *bytes to what limit allows, and notes it under `what` when asked for more. */
void plan_clamp(const struct plan *plan, const char *what, uint64_t limit, uint64_t *bytes);
/* The states asked for: writes 1 or 2 values (off first), answers how many. */
uint32_t plan_prefetch_states(const struct plan *plan, bool off[2]);
/* Whether two points can be measured in one window. */
bool plan_same_window(const struct point *a, const struct point *b);

#endif
