/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact confidence bounds of a probability observed as `hits` of `tries` (Clopper and Pearson,
 * Biometrika 26, 1934). Conservative: coverage is never below the nominal level. */
#ifndef CORE_STATS_BINOMIAL_H
#define CORE_STATS_BINOMIAL_H

#include <stdint.h>

/* Returns the probability of at most `hits` successes in `tries` trials of probability p, 0 <= p <=
 * 1. Error below 1e-9 for up to 2^20 tries. */
double binomial_at_most(uint32_t hits, uint32_t tries, double p);
/* Lower and upper confidence bound of p, each with a one-sided error probability of `miss` (0.001:
 * 99.9 %), within 1e-7. For 0 tries: 0 and 1. */
double binomial_low(uint32_t hits, uint32_t tries, double miss);
double binomial_high(uint32_t hits, uint32_t tries, double miss);

#endif
