/* SPDX-License-Identifier: BSD-2-Clause */
/* A logarithmic histogram of whole numbers, and percentiles from it. Pure. */
#ifndef CORE_STATS_HISTOGRAM_H
#define CORE_STATS_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

/* Bins of one value each up to twice this, then this many an octave: under 0.8 % wide. */
#define HISTOGRAM_PER_OCTAVE 128
#define HISTOGRAM_BINS       (HISTOGRAM_PER_OCTAVE * 35) /* values below 2^41 */
/* Values beyond a percentile without which it is not given: the 99th from 10^4 values on, the
 * 99.99th from 10^6 on. */
#define HISTOGRAM_BEYOND 100

struct histogram {
    uint64_t count, min, max; /* min and max: exact; meaningless if count is 0 */
    uint32_t bin[HISTOGRAM_BINS];
};

void histogram_clear(struct histogram *histogram);
/* Larger values than the last bin's count in it. */
void histogram_add(struct histogram *histogram, uint64_t value);
/* The least value of a bin; that of bin HISTOGRAM_BINS is the end of the last one. */
double histogram_edge(size_t bin);
/* The value that `share` (0 to 1) of all values do not exceed, to within its bin, whose middle is
 * returned. NAN: fewer than HISTOGRAM_BEYOND values lie beyond it (and below it, under a half). */
double histogram_percentile(const struct histogram *histogram, double share);

#endif
