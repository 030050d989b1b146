/* SPDX-License-Identifier: BSD-2-Clause */
/* From the points of a curve to level records; the finding itself is core/levels/levels.h. */
#ifndef CORE_EXPERIMENTS_CURVE_LEVELS_H
#define CORE_EXPERIMENTS_CURVE_LEVELS_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

/* Tags of the curve's points. */
enum {
    CURVE_FIT = 1, /* levels are found from these */
    CURVE_REACH    /* and from these, each line in a page of its own */
};

/* Emits one level record for each level that the experiment's fit points show (or, with
 * fit=declared, one for each declared cache and memory). Says so in a note when there are none. */
void curve_levels_emit(const struct plan *plan, struct workbench *bench, uint32_t experiment);

/* Of independent draws over more lines caches hold no larger share. A point that a larger set of
 * the same pages surely undercuts, by over a twentieth, was not in steady state: it is
 * contradicted, and what it is undercut by is in its error. At most LEVELS_POINTS_MAX points. Pure.
 */
void curve_doubt_undercut(struct level_point *points, size_t count);

#endif
