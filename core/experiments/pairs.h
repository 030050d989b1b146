/* SPDX-License-Identifier: BSD-2-Clause */
/* What experiments share that measure from several CPUs: which CPUs cpus= takes and which of them
 * can be had, and records of pairs. */
#ifndef CORE_EXPERIMENTS_PAIRS_H
#define CORE_EXPERIMENTS_PAIRS_H

#include "core/experiments/workbench.h"
#include "core/options/cpus.h"
#include "core/plan/plan.h"

/* Bounds of a pair hold in 99 of 100. */
#define PAIRS_ERRORS 2.58
/* What is slower by more than this share, and sure, is named in a note. */
#define PAIRS_FAR_SHARE 0.05

/* What cpus= says; all unless it is given. */
void pairs_choice(const struct plan *plan, struct cpus_choice *choice);
/* Whether it takes that CPU; CPU 0 always. */
bool pairs_takes(const struct plan *plan, const struct cpus_choice *choice, uint32_t cpu);
/* A warning if cpus= names a CPU that is not there. */
void pairs_note_missing(const struct plan *plan, const struct cpus_choice *choice);
/* Whether chases can run there; *why: in words, static, why not. */
bool pairs_ready(const struct workbench *bench, uint32_t cpu, const char **why);
/* Why a pair has no figure; point NULL: none was planned. */
const char *pairs_why_none(const struct workbench *bench, uint32_t cpu, const struct point *point);

/* A pair of that CPU and such a point's set, without figures. */
struct record_pair pairs_record(const struct plan *plan, const struct point *like, uint32_t cpu);
/* Adds the latency that a point with a result has measured. */
void pairs_add_latency(struct record_pair *pair, const struct point *point);
/* Adds how much slower it is than that one. */
void pairs_add_slower(struct record_pair *pair, const struct point *point,
                      const struct point *than);
/* A figure and its bounds. */
void pairs_bounds(struct figure figure, double *value, double *low, double *high);

#endif
