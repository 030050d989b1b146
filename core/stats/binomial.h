/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds of a probability that was seen as `hits` in `tries` (Clopper and Pearson, Biometrika 26,
 * 1934): exact, so never tighter than they say. */
#ifndef CORE_STATS_BINOMIAL_H
#define CORE_STATS_BINOMIAL_H

#include <stdint.h>

/* The probability that `tries` throws of success p each give at most `hits`. 0 <= p <= 1; within
 * 1e-9 for up to 2^20 tries. */
double binomial_at_most(uint32_t hits, uint32_t tries, double p);
/* The least and the greatest p that the count does not rule out, each at a one-sided error of
 * `miss` (0.001: 99.9 %), within 1e-7. No tries: 0 and 1. */
double binomial_low(uint32_t hits, uint32_t tries, double miss);
double binomial_high(uint32_t hits, uint32_t tries, double miss);

#endif
