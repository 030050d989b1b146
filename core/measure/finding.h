/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures of points, and finding records made of them. */
#ifndef CORE_MEASURE_FINDING_H
#define CORE_MEASURE_FINDING_H

#include "core/plan/point.h"
#include "core/results/journal.h"
#include "core/stats/figure.h"

/* Nanoseconds per hop of a measured point: the median. */
struct figure figure_of_point(const struct point *point);
/* The same: the mean without outliers. */
struct figure figure_of_mean(const struct point *point);
/* A finding with the point's experiment, pattern, pages, frames, prefetchers, set, chains and
 * doubts, bound "exact", and no value yet. */
struct record_finding finding_about(const struct point *point);
/* Fills in name, unit, value and 95 % bounds (two standard errors; unknown if the error is), and
 * emits. A value that is not finite is not emitted. */
void finding_emit(struct journal *journal, struct record_finding finding, const char *name,
                  const char *unit, struct figure figure);

#endif
