/* SPDX-License-Identifier: BSD-2-Clause */
/* How long points take; it learns from those that were measured. Times are nanoseconds of the
 * machine's wall clock; whoever asks says what it shows now. */
#ifndef CORE_PLAN_ESTIMATE_H
#define CORE_PLAN_ESTIMATE_H

#include "core/plan/budget.h"
#include "core/plan/point.h"

struct plan;

/* Hops that are reckoned alike, and octaves of what the caches have to hold of their sets. */
enum estimate_kind {
    ESTIMATE_CHASE, /* the plain one */
    ESTIMATE_EXACT, /* the same to a part of the error target */
    ESTIMATE_DRAWS,
    ESTIMATE_STREAM,
    ESTIMATE_OTHER,
    ESTIMATE_KINDS
};
#define ESTIMATE_OCTAVES 64
#define ESTIMATE_PAGES   3 /* 4K, 2M, 1G */

/* Which of them a page size is. */
static inline uint32_t estimate_page(enum page_size page)
{
    return (uint32_t)(page - PAGE_4K) / (PAGE_2M - PAGE_4K);
}

struct estimate_cost {
    bool known;
    double hop_ns, sampling_s;
};

/* What measured points teach about the ones to come. */
struct estimate {
    double build_ns, verify_ns;     /* per line */
    bool makes_memory;              /* the machine makes it as it is needed: machine.window_make */
    double make_ns[ESTIMATE_PAGES]; /* per byte */
    uint64_t made_bytes[ESTIMATE_PAGES]; /* of windows of each page size (window.made_bytes) */
    double took_s, reckoned_s; /* of the last seconds: what they took, and were reckoned to */
    bool learnt;
    struct estimate_cost cost[ESTIMATE_KINDS][ESTIMATE_OCTAVES];
};

/* What one measured point took, a line; verify_ns 0: it was not read back. */
struct estimate_seen {
    double build_ns, verify_ns;
};

/* Before anything is known. */
void estimate_start(struct estimate *estimate, bool makes_memory);
/* What one measured point took, its result included. */
void estimate_learn(struct plan *plan, const struct point *point, const struct estimate_seen *seen);
/* What estimate_point_s says now of a point that was measured, and what it took. */
void estimate_learn_pace(struct estimate *estimate, double expected_s, double took_s);
/* Nanoseconds a hop of this point will take. */
double estimate_hop_ns(const struct plan *plan, const struct point *point);
/* Memory, building, warming, sampling and reading back, all repeats, at the last seconds' pace. */
double estimate_point_s(const struct plan *plan, const struct point *point, uint64_t now_ns);

/* ---- estimate_make.c: what making memory takes */

void estimate_make_start(struct estimate *estimate);
/* What making so many bytes of a window took (machine.window_make). */
void estimate_learn_make(struct estimate *estimate, enum page_size page, uint64_t bytes,
                         uint64_t ns);
/* How much of windows of such pages needs no making any more. */
uint64_t *estimate_made_bytes(struct estimate *estimate, enum page_size page);
/* Making the memory that the point still needs; and a byte of it. */
double estimate_make_s(const struct plan *plan, const struct point *point);
double estimate_make_ns(const struct estimate *estimate, enum page_size page);

/* ---- estimate_warm.c: how far a point is warmed */

/* Lines of a set of draws that are touched before it is warmed: as many as caches may hold twice.
 * 0: no draws, or cold. */
uint64_t estimate_touches(const struct plan *plan, const struct point *point);
/* The largest cache, declared or seen by timing; failing both, a guess. */
uint64_t estimate_last_level_bytes(const struct plan *plan);
/* Hops of each chain, hop_ns nanoseconds each, until the machine's caches and TLBs are in steady
 * state; 0 for a cold point. */
uint64_t estimate_warm_hops(const struct plan *plan, const struct point *point, double hop_ns);
bool estimate_lap_fits(const struct plan *plan, const struct point *point, double hop_ns);

/* ---- shares.c: what is left of the budget, and whom it is for */

/* Whether the budget's rest holds this point; of a spare one that is not among the dear yet, a
 * small part of it. */
bool estimate_affords(const struct plan *plan, const struct point *point, uint64_t now_ns);
/* The sum over all points that are not over, less what the current one has used already, and no
 * more than the budget holds. */
double estimate_left_s(const struct plan *plan, uint64_t now_ns);
/* Twice the even share of the budget's rest, since most points end early: of all that are not over,
 * and of those that are due in this pass. */
double estimate_share_s(const struct plan *plan, uint64_t now_ns);
double estimate_sampling_share_s(const struct plan *plan, uint64_t now_ns);

#endif
