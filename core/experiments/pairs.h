/* SPDX-License-Identifier: BSD-2-Clause */
/* What experiments share that measure from several CPUs: which CPUs cpus= takes and which of them
 * can be had, and records of pairs. */
#ifndef CORE_EXPERIMENTS_PAIRS_H
#define CORE_EXPERIMENTS_PAIRS_H

#include "core/experiments/workbench.h"
#include "core/options/cpus.h"
#include "core/plan/plan.h"

/* What is slower by more than this share, and sure, is named in a note. */
#define PAIRS_FAR_SHARE 0.05

/* Whether the choice takes that CPU; CPU 0 always. */
bool pairs_takes(const struct plan *plan, const struct cpus_choice *choice, uint32_t cpu);
/* Why a pair has no figure; point NULL: none was planned. */
const char *pairs_why_none(const struct workbench *bench, uint32_t cpu, const struct point *point);

/* A pair of that CPU and such a point's set, without figures. */
struct record_pair pairs_record(const struct plan *plan, const struct point *like, uint32_t cpu);
/* Adds the latency that a point with a result has measured. */
void pairs_add_latency(struct record_pair *pair, const struct plan *plan,
                       const struct point *point);
/* Adds how much slower it is than that one. */
void pairs_add_slower(struct record_pair *pair, const struct point *point,
                      const struct point *than);
#endif
