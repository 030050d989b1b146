/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes level records of the points of a curve; the finding itself is core/levels/levels.h. */
#ifndef CORE_EXPERIMENTS_CURVE_LEVELS_H
#define CORE_EXPERIMENTS_CURVE_LEVELS_H

#include "core/experiments/dram_conclude.h"
#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

/* Tags of the curve's points. */
enum {
    CURVE_FIT = 1, /* levels are found from these */
    CURVE_REACH    /* and from these, with each line in a page of its own */
};

/* Emits one level record for each level that the experiment's fit points show (or, with
 * fit=declared, for each declared cache and memory), or a note if there are none. Leaves the levels
 * in bench->curve. STATUS_ABORTED: the user asked to stop meanwhile, and there are none. */
enum status curve_levels_emit(const struct plan *plan, struct workbench *bench,
                              uint32_t experiment);

/* Caches never hold a larger share of a larger set. A point that costs more than a larger set in
 * the same pages, beyond error and by over 5 %, was not in steady state: it gets
 * DOUBT_CONTRADICTED, and the difference enters its error. count: at most LEVELS_POINTS_MAX. Pure.
 */
void curve_doubt_undercut(struct level_point *points, size_t count);

/* Returns the doubt of memory's level, given how it meets the headline. If they are one figure and
 * the headline has no doubt, what only the model left open is none any more: DOUBT_CONTRADICTED and
 * DOUBT_EXTRAPOLATED. Pure. */
doubt_set curve_doubt_met(doubt_set doubt, enum dram_meeting meeting);

#endif
