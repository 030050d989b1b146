/* SPDX-License-Identifier: BSD-2-Clause */
/* The points of a curve that levels are found from, as core/levels takes them. */
#ifndef CORE_EXPERIMENTS_CURVE_GATHER_H
#define CORE_EXPERIMENTS_CURVE_GATHER_H

#include "core/levels/levels.h"
#include "core/plan/plan.h"

/* Fills points with the experiment's measured CURVE_FIT points, spread with its CURVE_REACH points;
 * returns how many. If there are more than have room, those of the plan's first passes are taken,
 * and of the pass that is not taken whole an even part, so that each curve keeps its ends and its
 * octaves; an info note says how many were taken. */
size_t curve_gather_sets(const struct plan *plan, uint32_t experiment,
                         struct level_point points[LEVELS_POINTS_MAX]);
size_t curve_gather_spread(const struct plan *plan, uint32_t experiment,
                           struct level_spread spread[LEVELS_SPREAD_MAX]);

#endif
