/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pairs of lines conflict in a bank, from what a round of two loads takes. Pure. */
#ifndef CORE_DRAM_CONFLICT_H
#define CORE_DRAM_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONFLICT_TICK 256 /* parts of a clock tick that times are in */

/* What a pair takes, in parts of a tick, from the ticks of its rounds, which are sorted in place:
 * their mean without what disturbed them. Steps of a slow clock fall on the rounds at random, so
 * that the mean tells less than one. count is at least 1. */
uint64_t conflict_time(uint64_t *ticks, size_t count);

/* What a time is beyond another, if it is. */
static inline uint64_t conflict_beyond(uint64_t time, uint64_t other)
{
    return time > other ? time - other : 0;
}

/* Two groups of times: pairs below `time` do not conflict, those above do. */
struct conflict_split {
    bool sure;                  /* the groups are apart; otherwise nothing is known */
    double time;                /* midway between the slowest below and the fastest above */
    double low_mean, high_mean; /* of the groups */
    size_t above;
};

/* What a conflict adds at least: the other row's precharge and the activation of its own, each of
 * which takes 10 ns and more in every data sheet (JESD79-4, JESD79-5, JESD209-4: tRP, tRCD). What
 * lines of one channel wait for each other is less. */
#define CONFLICT_LEAST_NS 15

/* Splits times, sorted ascending, into the two groups that two normal distributions of their own
 * means and widths make most likely, or above lower ones of several: pairs in one channel can be a
 * group of their own below those that conflict. sure: the groups are apart, few being expected on
 * the other's side; the upper's mean is `least` beyond the lower's, and it holds `fewest` times at
 * least. The share of conflicts need not be known: it is one in as many as there are banks. */
void conflict_split(const uint64_t *sorted, size_t count, size_t fewest, double least,
                    struct conflict_split *split);
/* CONFLICT_LEAST_NS in parts of a tick. */
double conflict_least(uint64_t hz);

#endif
