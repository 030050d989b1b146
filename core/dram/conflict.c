/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/conflict.h"

#include "core/lib/real.h"

/* The middle third between the groups' means may hold one in this many of the smaller group. */
#define VALLEY_SHARE 20
/* Widths are at least this part of the mean: clocks have steps, and a group may have one value. */
#define WIDTH_MIN 1e-3

struct group {
    double count, mean, width;
};

static struct group group_of(double count, double sum, double squares)
{
    struct group group = {.count = count, .mean = sum / count};
    double variance = squares / count - group.mean * group.mean;
    double least = WIDTH_MIN * group.mean;

    group.width = variance > least * least ? real_sqrt(variance) : least;
    return group;
}

/* Log likelihood of a group's members, but for what every split has in common. */
static double likelihood(const struct group *group, double all)
{
    return group->count * (real_log(group->count / all) - real_log(group->width));
}

static bool has_valley(const uint64_t *sorted, size_t count, const struct group *low,
                       const struct group *high)
{
    double third = (high->mean - low->mean) / 3, fewer = low->count;
    size_t inside = 0;

    fewer = high->count < fewer ? high->count : fewer;
    for (size_t i = 0; i < count; i++)
        inside += (double)sorted[i] > low->mean + third && (double)sorted[i] < high->mean - third;
    return (double)inside * VALLEY_SHARE <= fewer;
}

void conflict_split(const uint64_t *sorted, size_t count, size_t fewest,
                    struct conflict_split *split)
{
    double sum = 0, squares = 0, low_sum = 0, low_squares = 0, best = 0;
    struct group lower = {0}, upper = {0};
    size_t below = 0;

    *split = (struct conflict_split){.sure = false};
    for (size_t i = 0; i < count; i++) {
        sum += (double)sorted[i];
        squares += (double)sorted[i] * (double)sorted[i];
    }
    for (size_t i = 1; i < count && count - i >= fewest; i++) {
        struct group low, high;
        double likely;
        low_sum += (double)sorted[i - 1];
        low_squares += (double)sorted[i - 1] * (double)sorted[i - 1];
        low = group_of((double)i, low_sum, low_squares);
        high = group_of((double)(count - i), sum - low_sum, squares - low_squares);
        likely = likelihood(&low, (double)count) + likelihood(&high, (double)count);
        if (below != 0 && likely <= best)
            continue;
        best = likely;
        below = i;
        lower = low;
        upper = high;
    }
    if (below != 0)
        *split = (struct conflict_split){
            .sure = has_valley(sorted, count, &lower, &upper),
            .ticks = ((double)sorted[below - 1] + (double)sorted[below]) / 2,
            .low_mean = lower.mean,
            .high_mean = upper.mean,
            .above = count - below};
}
