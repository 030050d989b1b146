/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/stats/histogram.h"

#include "core/lib/memory.h"
#include "core/lib/real.h"

void histogram_clear(struct histogram *histogram)
{
    memory_fill(histogram, 0, sizeof *histogram);
    histogram->min = UINT64_MAX;
}

static size_t bin_of(uint64_t value)
{
    unsigned octave = 0;
    size_t bin;

    while (value >> octave >= 2 * HISTOGRAM_PER_OCTAVE)
        octave++;
    bin = octave * HISTOGRAM_PER_OCTAVE + (size_t)(value >> octave);
    return bin < HISTOGRAM_BINS ? bin : HISTOGRAM_BINS - 1;
}

double histogram_edge(size_t bin)
{
    size_t octave = bin / HISTOGRAM_PER_OCTAVE;

    if (octave < 2)
        return (double)bin;
    return (double)((uint64_t)(HISTOGRAM_PER_OCTAVE + bin % HISTOGRAM_PER_OCTAVE) << (octave - 1));
}

void histogram_add(struct histogram *histogram, uint64_t value)
{
    histogram->bin[bin_of(value)]++;
    histogram->count++;
    histogram->min = value < histogram->min ? value : histogram->min;
    histogram->max = value > histogram->max ? value : histogram->max;
}

double histogram_percentile(const struct histogram *histogram, double share)
{
    double rank = share * (double)histogram->count, beyond = (double)histogram->count - rank;
    uint64_t below = 0;

    if ((beyond < rank ? beyond : rank) < HISTOGRAM_BEYOND - 1e-6)
        return real_nan();
    for (size_t bin = 0; bin < HISTOGRAM_BINS; bin++) {
        below += histogram->bin[bin];
        if ((double)below + 1e-6 >= rank)
            return (histogram_edge(bin) + histogram_edge(bin + 1) - 1) / 2;
    }
    return real_nan();
}
