/* SPDX-License-Identifier: BSD-2-Clause */
/* What is left of the budget, and whom it is for. Times are nanoseconds of the wall clock. */
#ifndef CORE_PLAN_SHARES_H
#define CORE_PLAN_SHARES_H

#include "core/plan/plan.h"

/* Whether the rest of the budget holds this point. An optional point that has not been postponed
 * may only take a small part of it. */
bool estimate_affords(const struct plan *plan, const struct point *point, uint64_t now_ns);
/* The sum over all points that are not over, less what the current one has used already, and no
 * more than the budget holds. */
double estimate_left_s(const struct plan *plan, uint64_t now_ns);
/* Twice the even share of the budget's rest, since most points end early: of all that are not over,
 * and of those that are due in this pass. */
double estimate_share_s(const struct plan *plan, uint64_t now_ns);
double estimate_sampling_share_s(const struct plan *plan, uint64_t now_ns);

#endif
