/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/stats.h"

#include "core/real.h"

static void sift_down(uint64_t *values, size_t root, size_t count)
{
    for (;;) {
        size_t child = 2 * root + 1;
        uint64_t moved = values[root];
        if (child >= count)
            return;
        if (child + 1 < count && values[child + 1] > values[child])
            child++;
        if (values[child] <= moved)
            return;
        values[root] = values[child];
        values[child] = moved;
        root = child;
    }
}

void stats_sort(uint64_t *values, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        sift_down(values, i, count);
    for (size_t end = count; end > 1; end--) {
        uint64_t largest = values[0];
        values[0] = values[end - 1];
        values[end - 1] = largest;
        sift_down(values, 0, end - 1);
    }
}

static double median_sorted(const uint64_t *values, size_t count)
{
    size_t middle = count / 2;

    if (count % 2 != 0)
        return (double)values[middle];
    return 0.5 * ((double)values[middle - 1] + (double)values[middle]);
}

static double rank_sorted(const uint64_t *values, size_t count, size_t per_cent)
{
    size_t rank = (count * per_cent + 99) / 100;

    return (double)values[rank == 0 ? 0 : rank - 1];
}

void stats_of(uint64_t *values, uint64_t *scratch, size_t count, double quantum,
              struct stats *stats)
{
    double root, spread_error, quantum_error;

    *stats = (struct stats){.count = count, .rel_error = 1};
    if (count == 0)
        return;
    stats_sort(values, count);
    stats->min = (double)values[0];
    stats->median = median_sorted(values, count);
    stats->p95 = rank_sorted(values, count, 95);
    stats->p99 = rank_sorted(values, count, 99);
    for (size_t i = 0; i < count; i++) {
        /* Doubled, so that a median between two values keeps its half. */
        double distance = 2 * ((double)values[i] - stats->median);
        scratch[i] = (uint64_t)(distance < 0 ? -distance : distance);
    }
    stats_sort(scratch, count);
    stats->mad = median_sorted(scratch, count) / 2;
    if (count < 3 || stats->median <= 0)
        return;
    root = real_sqrt((double)count);
    spread_error = 1.2533 * 1.4826 * stats->mad / (stats->median * root);
    quantum_error = quantum / (3.4641 * root * stats->median);
    stats->rel_error = spread_error > quantum_error ? spread_error : quantum_error;
}
