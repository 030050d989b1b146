/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/conflict.h"

#include "core/lib/real.h"
#include "core/stats/stats.h"

#define ROOT_TWO_PI 2.5066282746310002
/* So many times the mistaken may be the smaller group. */
#define MISTAKEN_SHARE 16
/* Widths are at least this part of the mean: clocks have steps, and a group may have one value. */
#define WIDTH_MIN 1e-3

/* A round that takes so much more than the median is no round of its pair alone: refreshes,
 * interrupts and other programs only add. A clock's own steps are not cut off. */
#define DISTURBED   (1.0 / 8)
#define STEPS_CLEAN 2

uint64_t conflict_time(uint64_t *ticks, size_t count)
{
    double limit, sum = 0;
    size_t clean = 0;

    stats_sort(ticks, count);
    limit = (double)ticks[count / 2] * (1 + DISTURBED);
    if (limit < (double)(ticks[count / 2] + STEPS_CLEAN))
        limit = (double)(ticks[count / 2] + STEPS_CLEAN);
    for (; clean < count && (double)ticks[clean] <= limit; clean++)
        sum += (double)ticks[clean];
    return (uint64_t)(sum / (double)clean * CONFLICT_TICK);
}

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

/* The share of a normal distribution beyond so many of its widths: an upper bound, close from 2 on
 * (Mills's ratio). */
static double share_beyond(double widths)
{
    return widths > 1 ? real_exp(-widths * widths / 2) / (widths * ROOT_TWO_PI) : 1;
}

/* As many of each group as are expected on the other's side. */
static bool are_apart(const struct group *low, const struct group *high, double between)
{
    double mistaken = low->count * share_beyond((between - low->mean) / low->width) +
                      high->count * share_beyond((high->mean - between) / high->width);

    return mistaken * MISTAKEN_SHARE <= (low->count < high->count ? low->count : high->count);
}

/* Where two normal distributions of their own means and widths make sorted[first, count) most
 * likely; count if less than `fewest` are above anywhere. */
static size_t likeliest(const uint64_t *sorted, size_t first, size_t count, size_t fewest)
{
    double sum = 0, squares = 0, low_sum = 0, low_squares = 0, best = 0;
    size_t all = count - first, found = count;

    for (size_t i = first; i < count; i++) {
        sum += (double)sorted[i];
        squares += (double)sorted[i] * (double)sorted[i];
    }
    for (size_t i = first + 1; i < count && count - i >= fewest; i++) {
        struct group low, high;
        double likely;
        low_sum += (double)sorted[i - 1];
        low_squares += (double)sorted[i - 1] * (double)sorted[i - 1];
        low = group_of((double)(i - first), low_sum, low_squares);
        high = group_of((double)(count - i), sum - low_sum, squares - low_squares);
        likely = likelihood(&low, (double)all) + likelihood(&high, (double)all);
        if (found != count && likely <= best)
            continue;
        best = likely;
        found = i;
    }
    return found;
}

static struct group group_between(const uint64_t *sorted, size_t first, size_t end)
{
    double sum = 0, squares = 0;

    for (size_t i = first; i < end; i++) {
        sum += (double)sorted[i];
        squares += (double)sorted[i] * (double)sorted[i];
    }
    return group_of((double)(end - first), sum, squares);
}

/* The split of sorted[first, count), seen from what is below it. */
static struct conflict_split split_of(const uint64_t *sorted, size_t first, size_t end,
                                      size_t count)
{
    struct group low = group_between(sorted, first, end);
    struct group high = group_between(sorted, end, count);
    double between = ((double)sorted[end - 1] + (double)sorted[end]) / 2;

    return (struct conflict_split){.sure = are_apart(&low, &high, between),
                                   .time = between,
                                   .low_mean = low.mean,
                                   .high_mean = high.mean,
                                   .above = count - end};
}

double conflict_least(uint64_t hz)
{
    return CONFLICT_LEAST_NS * 1e-9 * (double)hz * CONFLICT_TICK;
}

void conflict_split(const uint64_t *sorted, size_t count, size_t fewest, double least,
                    struct conflict_split *split)
{
    size_t from = 0, first = likeliest(sorted, 0, count, fewest), second;

    *split = (struct conflict_split){.sure = false};
    while (first != count) {
        struct conflict_split here = split_of(sorted, from, first, count), lower = here;
        if (here.sure && here.high_mean - here.low_mean >= least) {
            *split = here;
            return;
        }
        second = likeliest(sorted, first, count, fewest);
        if (!here.sure && second != count)
            lower = split_of(sorted, from, first, second);
        if (!lower.sure || second == count)
            return;
        from = first;
        first = second;
    }
}
