/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures with their standard errors. Pure. */
#ifndef CORE_STATS_FIGURE_H
#define CORE_STATS_FIGURE_H

#include <stdbool.h>

/* A figure and its standard error, in the same unit. value NAN: unknown; error NAN: too few samples
 * for an estimate. */
struct figure {
    double value, error;
};

struct figure figure_unknown(void);
bool figure_is_known(struct figure figure);
/* rel_error: as in struct stats, where 1 means too few samples. */
struct figure figure_of(double value, double rel_error);
/* Errors are treated as independent. If an operand is unknown, so is the result. */
struct figure figure_difference(struct figure a, struct figure b);
struct figure figure_sum(struct figure a, struct figure b);
/* b.value is not zero. */
struct figure figure_ratio(struct figure a, struct figure b);
struct figure figure_scaled(struct figure a, double by);

/* Their mean, of a figure that was measured in several rounds, 1 to FIGURE_ROUNDS_MAX of them. Its
 * error is that of the rounds, or what their scatter shows, if that is more: scaled so that
 * FIGURE_ERRORS of it hold as often with few rounds as with many (Student's t). Pure. */
#define FIGURE_ROUNDS_MAX 8
struct figure figure_of_rounds(const struct figure *round, unsigned count);

/* Standard errors of bounds that hold in 99 of 100. */
#define FIGURE_ERRORS 2.58
/* The value, and those bounds; NAN where it or its error is. */
void figure_bounds(struct figure figure, double *value, double *low, double *high);

#endif
