/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures with their standard errors, and the finding records that are made of them. */
#ifndef CORE_MEASURE_FINDING_H
#define CORE_MEASURE_FINDING_H

#include <stdbool.h>

#include "core/results/record.h"

struct engine;
struct point;

/* A figure and its standard error, in the same unit; NAN: too few samples to tell. */
struct figure {
    double value, error;
};

/* rel_error as struct stats has it, where 1 stands for too few samples. */
struct figure figure_of(double value, double rel_error);

/* A hop of a point that was measured: ns, by the median. */
struct figure figure_of_point(const struct point *point);
/* The same by the mean, without outliers. */
struct figure figure_of_mean(const struct point *point);
/* Errors are taken as independent. */
struct figure figure_difference(struct figure a, struct figure b);
struct figure figure_sum(struct figure a, struct figure b);
/* b is not zero. */
struct figure figure_ratio(struct figure a, struct figure b);
struct figure figure_scaled(struct figure a, double by);

/* A finding about a point: experiment, pattern, pages, frames, prefetchers, set, chains and doubts
 * are the point's; exact, and without a figure yet. */
struct record_finding finding_about(const struct point *point);
/* Fills in value and 95 % bounds (two standard errors; unknown where the error is), name and unit,
 * and emits. A figure that is not finite is not emitted. */
void finding_emit(struct engine *engine, struct record_finding finding, const char *name,
                  const char *unit, struct figure figure);

#endif
