/* SPDX-License-Identifier: BSD-2-Clause */
/* Order statistics of samples. Nothing is dropped. */
#ifndef CORE_STATS_H
#define CORE_STATS_H

#include <stddef.h>
#include <stdint.h>

struct stats {
    size_t count;
    double min, median, p95, p99;
    double mad;       /* median absolute deviation from the median */
    double rel_error; /* standard error of the median over the median; 1 for fewer than 3 samples */
};

/* Sorts values in place (ascending) and fills *stats; scratch holds `count` values as well.
 * Percentiles are nearest-rank. The standard error of the median is 1.2533 sigma / sqrt(n) with
 * sigma = 1.4826 MAD (normal law), and never below quantum / (sqrt(12) sqrt(n) median), the error
 * of a clock that steps by quantum. */
void stats_of(uint64_t *values, uint64_t *scratch, size_t count, double quantum,
              struct stats *stats);

/* Ascending, in place, no recursion, O(n log n). */
void stats_sort(uint64_t *values, size_t count);

#endif
