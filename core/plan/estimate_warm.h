/* SPDX-License-Identifier: BSD-2-Clause */
/* How far a point is warmed. */
#ifndef CORE_PLAN_ESTIMATE_WARM_H
#define CORE_PLAN_ESTIMATE_WARM_H

#include "core/plan/plan.h"

/* Lines of a set of draws that are touched before it is warmed: as many as caches may hold twice.
 * 0: no draws, or cold. */
uint64_t estimate_touches(const struct plan *plan, const struct point *point);
/* The largest cache, declared or seen by timing; failing both, a guess. */
uint64_t estimate_last_level_bytes(const struct plan *plan);
/* Hops of each chain, hop_ns nanoseconds each, until the machine's caches and TLBs are in steady
 * state; 0 for a cold point. */
uint64_t estimate_warm_hops(const struct plan *plan, const struct point *point, double hop_ns);
bool estimate_lap_fits(const struct plan *plan, const struct point *point, double hop_ns);

#endif
