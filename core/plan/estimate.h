/* SPDX-License-Identifier: BSD-2-Clause */
/* How long points take, learnt from those already measured. now_ns is the machine's wall clock,
 * passed in by the caller. */
#ifndef CORE_PLAN_ESTIMATE_H
#define CORE_PLAN_ESTIMATE_H

#include "core/plan/plan.h"

/* What one measured point took per line; verify_ns 0: it was not read back. */
struct estimate_seen {
    double build_ns, verify_ns;
};

/* Sets the initial guesses. populates: the machine has window_populate. */
void estimate_start(struct estimate *estimate, bool populates);
/* Learns from one measured point; its result is filled in. */
void estimate_learn(struct plan *plan, const struct point *point, const struct estimate_seen *seen);
/* Learns how far estimates are off: expected_s is what estimate_point_s returned for a point,
 * took_s what it took. */
void estimate_learn_pace(struct estimate *estimate, double expected_s, double took_s);
/* Expected nanoseconds per hop of this point. */
double estimate_hop_ns(const struct plan *plan, const struct point *point);
/* Expected seconds for populating, building, warming, sampling and reading back, over all repeats,
 * at the pace of the last seconds. */
double estimate_point_s(const struct plan *plan, const struct point *point, uint64_t now_ns);

#endif
