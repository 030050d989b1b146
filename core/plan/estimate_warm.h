/* SPDX-License-Identifier: BSD-2-Clause */
/* How much a point is warmed. */
#ifndef CORE_PLAN_ESTIMATE_WARM_H
#define CORE_PLAN_ESTIMATE_WARM_H

#include "core/plan/plan.h"

/* How many lines of a KERNEL_IID set are touched before warming: twice what the caches may hold, at
 * most the set. 0: another kernel, or a cold point. */
uint64_t estimate_touches(const struct plan *plan, const struct point *point);
/* Bytes of the largest cache, declared or found by timing; if there is neither, a guess. */
uint64_t estimate_last_level_bytes(const struct plan *plan);
/* True for a set of at most one and a half times what the caches may hold: which of its lines they
 * hold decides its hit rate. */
bool estimate_is_near_caches(const struct plan *plan, const struct point *point);
/* Hops of each chain, of hop_ns nanoseconds each, until the machine's caches and TLBs are in steady
 * state; 0 for a cold point. */
uint64_t estimate_warm_hops(const struct plan *plan, const struct point *point, double hop_ns);
/* True for a point that was warmed for a cache at most half as large as has been seen since, in a
 * set that the smaller one could not hold: what the larger one holds of it may not have been there.
 */
bool estimate_was_colder(const struct plan *plan, const struct point *point);
/* Whether warming includes one whole lap of each chain: it takes at most half of the cap. */
bool estimate_lap_fits(const struct plan *plan, const struct point *point, double hop_ns);

#endif
