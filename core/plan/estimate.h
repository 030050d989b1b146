/* SPDX-License-Identifier: BSD-2-Clause */
/* How long points take; it learns from those that were measured. Times are nanoseconds of the
 * machine's wall clock; whoever asks says what it shows now. */
#ifndef CORE_PLAN_ESTIMATE_H
#define CORE_PLAN_ESTIMATE_H

#include "core/plan/plan.h"

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

#endif
