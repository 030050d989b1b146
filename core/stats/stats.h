/* SPDX-License-Identifier: BSD-2-Clause */
/* Order statistics of samples. Nothing is dropped. */
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
    double mean;      /* of the samples that are no outliers */
    double mean_rel_error; /* standard error of it over it; 1 for fewer than 3 such samples */
    size_t outliers;
};

/* Sorts values in place (ascending) and fills *stats; scratch holds `count` values as well.
 * Percentiles are nearest-rank. The standard error of the median is 1.2533 sigma / sqrt(n) with
 * sigma = 1.4826 MAD (normal law), and never below quantum / (sqrt(12) sqrt(n) median), the error
 * of a clock that steps by quantum. */
void stats_of(uint64_t *values, uint64_t *scratch, size_t count, double quantum,
              struct stats *stats);

/* The mean of what is no outlier, and its standard error, into *stats, which stats_of has filled
 * from the same values. An outlier was disturbed (NULL: nothing was), or is more than 6 sigma = 6
 * * 1.4826 MAD, 2 quanta and 0.5 % from the median: an interrupt, never the scatter of refreshes
 * and rows that belongs to what memory costs. Unlike the median, the mean leaves nothing of a
 * skewed scatter out. values are in the order of time: neighbours that resemble each other tell
 * less than their number, and the error grows by sqrt((1 + r) / (1 - r)) with their correlation r.
 * Never below the error of a clock that steps by quantum. */
void stats_mean(const uint64_t *values, const bool *disturbed, size_t count, double quantum,
                struct stats *stats);

/* How values moved from the first to the last: means of their thirds in the order of time, each
 * without its outliers (stats_mean). */
struct stats_trend {
    double early, middle, late;
    double limit; /* a difference of two thirds is chance up to here (1 in 700 at most) */
};

/* False, and all 0: too few values to tell. sorted and scratch hold `count` values as well. */
bool stats_trend(const uint64_t *values, const bool *disturbed, size_t count, double quantum,
                 uint64_t *sorted, uint64_t *scratch, struct stats_trend *trend);
/* How far the values moved, 0 where that may be chance. */
double stats_moved(const struct stats_trend *trend);
/* How far values that approach a limit by equal shares in equal times are above or below it at
 * their end; where they do not approach one, as far as they moved. 0 where what moved may be
 * chance. */
double stats_left(const struct stats_trend *trend);

/* The part of the scatter that neighbours in time share, as a standard deviation: the root of their
 * covariance; 0 where that may be chance. What is above the 99th percentile counts as that much, so
 * that two interrupts beside each other are nothing that is shared. */
double stats_shared(const uint64_t *values, const bool *disturbed, const struct stats *stats);

/* Ascending, in place, no recursion, O(n log n). */
void stats_sort(uint64_t *values, size_t count);

#endif
