/* SPDX-License-Identifier: BSD-2-Clause */
/* Statistics of samples. No sample is discarded. */
#ifndef CORE_STATS_STATS_H
#define CORE_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stats {
    size_t count;
    double min, median, p95, p99;
    double mad;       /* median absolute deviation from the median */
    double rel_error; /* standard error of the median over the median; 1 for fewer than 3 samples */
    double mean;      /* without outliers */
    double mean_rel_error; /* standard error of mean over mean; 1 for fewer than 3 such samples */
    size_t outliers;
};

/* Sorts values in place (ascending) and fills *stats, except for the mean. scratch has room for
 * `count` values. Percentiles are nearest-rank. The standard error of the median is 1.2533 sigma /
 * sqrt(n) with sigma = 1.4826 MAD (normal distribution), but at least quantum / (sqrt(12) sqrt(n)
 * median), the error of a clock that steps by quantum. */
void stats_of(uint64_t *values, uint64_t *scratch, size_t count, double quantum,
              struct stats *stats);

/* Adds to *stats, which stats_of has filled from the same values, the mean without outliers and its
 * standard error. values are in time order. An outlier is a disturbed sample (NULL: none), or one
 * further from the median than 6 sigma = 6 * 1.4826 MAD, 2 quanta and 0.5 %: an interrupt, but not
 * the scatter of refreshes and row conflicts, which is part of memory latency. Unlike the median,
 * the mean accounts for a skewed distribution. Autocorrelation r of neighbouring samples increases
 * the error by sqrt((1 + r) / (1 - r)). The error is at least that of a clock that steps by
 * quantum. */
void stats_mean(const uint64_t *values, const bool *disturbed, size_t count, double quantum,
                struct stats *stats);

/* The mean of the middle half of values, which are sorted ascending, and its standard error, which
 * is at least that of a clock that steps by quantum: a quarter is cut at each end, whatever the
 * values, so that a group of slower ones counts alike in each of two sets. Equal values count as if
 * they lay evenly within a quantum about theirs. count is at least 4. */
double stats_middle(const uint64_t *sorted, size_t count, double quantum, double *error);

/* A trend over time: the means of the first, middle and last third of the values, each without
 * outliers (stats_mean). */
struct stats_trend {
    double early, middle, late;
    double limit; /* largest difference of two thirds that may be chance (at most 1 in 700) */
};

/* Returns false, with *trend all 0, if there are too few values. sorted and scratch have room for
 * `count` values each. */
bool stats_trend(const uint64_t *values, const bool *disturbed, size_t count, double quantum,
                 uint64_t *sorted, uint64_t *scratch, struct stats_trend *trend);
/* Returns the change over the run; 0 if it may be chance. */
double stats_moved(const struct stats_trend *trend);
/* For values that decay exponentially to a limit: returns how far they are above or below it at
 * their end. If they do not converge: the whole change. 0 if the change may be chance. */
double stats_left(const struct stats_trend *trend);

/* Returns the correlated part of the scatter as a standard deviation: the square root of the
 * covariance of neighbours in time; 0 if it may be chance. Values are clipped at the 99th
 * percentile, so that two adjacent interrupts do not count as correlation. */
double stats_shared(const uint64_t *values, const bool *disturbed, const struct stats *stats);

/* Sorts in place, ascending, without recursion. O(n log n). */
void stats_sort(uint64_t *values, size_t count);
/* A few numbers, ascending, in place. O(n^2). */
void stats_sort_few(double *values, size_t count);

#endif
