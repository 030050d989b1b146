/* SPDX-License-Identifier: BSD-2-Clause */
/* A rate out of stretches of unequal length: how many of something in how long a time. Pure. */
#ifndef CORE_STATS_RATE_H
#define CORE_STATS_RATE_H

#include <stdint.h>

#include "core/stats/figure.h"

/* Start with all zero. */
struct rate_account {
    uint32_t stretches;
    double count, time;                        /* sums */
    double count_count, count_time, time_time; /* sums of products */
};

/* Adds a stretch; nothing is added unless its time is above 0. */
void rate_add(struct rate_account *account, double count, double time);
/* All counts over all time, and its standard error by how the stretches' own rates scatter, each
 * weighing as much as it took (the ratio estimator: Cochran, Sampling Techniques, section 6.3).
 * Unknown without a stretch; error NAN with one alone. */
struct figure rate_figure(const struct rate_account *account);

#endif
