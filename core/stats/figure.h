/* SPDX-License-Identifier: BSD-2-Clause */
/* Figures with their standard errors. Pure. */
#ifndef CORE_STATS_FIGURE_H
#define CORE_STATS_FIGURE_H

#include <stdbool.h>

/* A figure and its standard error, in the same unit. value NAN: unknown; error NAN: too few samples
 * to tell. */
struct figure {
    double value, error;
};

struct figure figure_unknown(void);
bool figure_is_known(struct figure figure);
/* rel_error as struct stats has it, where 1 stands for too few samples. */
struct figure figure_of(double value, double rel_error);
/* Errors are taken as independent; of what is unknown nothing is known. */
struct figure figure_difference(struct figure a, struct figure b);
struct figure figure_sum(struct figure a, struct figure b);
/* b is not zero. */
struct figure figure_ratio(struct figure a, struct figure b);
struct figure figure_scaled(struct figure a, double by);

#endif
