/* SPDX-License-Identifier: BSD-2-Clause */
/* What is left of the budget, and how points share it. now_ns: of the wall clock. */
#ifndef CORE_PLAN_SHARES_H
#define CORE_PLAN_SHARES_H

#include "core/plan/plan.h"

/* Whether the remaining budget covers this point. An optional point that was not postponed yet may
 * only take a small share of it. */
bool estimate_affords(const struct plan *plan, const struct point *point, uint64_t now_ns);
/* Seconds that the remaining points will take, the current one included, at most what is left of
 * the budget. */
double estimate_left_s(const struct plan *plan, uint64_t now_ns);
/* Seconds for one point: twice an equal share of the remaining budget, since most points end early.
 * Shared among all points that are not over, or among those of the passes up to the current one. */
double estimate_share_s(const struct plan *plan, uint64_t now_ns);
double estimate_sampling_share_s(const struct plan *plan, uint64_t now_ns);

#endif
