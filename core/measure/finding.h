/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of points, and the finding records that are made of them. */
#ifndef CORE_MEASURE_FINDING_H
#define CORE_MEASURE_FINDING_H

#include "core/plan/point.h"
#include "core/results/journal.h"
#include "core/stats/figure.h"

/* A hop of a point that was measured: ns, by the median. */
struct figure figure_of_point(const struct point *point);
/* The same by the mean, without outliers. */
struct figure figure_of_mean(const struct point *point);
/* A finding about a point: experiment, pattern, pages, frames, prefetchers, set, chains and doubts
 * are the point's; exact, and without a figure yet. */
struct record_finding finding_about(const struct point *point);
/* Fills in value and 95 % bounds (two standard errors; unknown where the error is), name and unit,
 * and emits. A figure that is not finite is not emitted. */
void finding_emit(struct journal *journal, struct record_finding finding, const char *name,
                  const char *unit, struct figure figure);

#endif
