/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: one chain. Each node's line is flushed from every cache and then
 * loaded, with that one load between two clock readings. The cost of the readings is measured with
 * the same code. */
#ifndef CORE_CHASE_KERNELS_FLUSH_H
#define CORE_CHASE_KERNELS_FLUSH_H

#include "core/chase/kernels_sample.h"

#define KERNEL_SINGLE_GROUPS      15 /* odd: the median is used */
#define KERNEL_SINGLE_GROUPS_ROOT 3.8730
#define KERNEL_SINGLE_TIMES       32 /* samples a coarse clock at many phases */
#define KERNEL_SINGLE_LONG        256
#define KERNEL_SINGLE_WAIT        1024 /* cycles: some steps of the coarsest clock */

/* 2^32 times the golden ratio's fraction: its multiples fill the range evenly. */
#define KERNEL_GOLDEN 0x9e3779b9u

/* Up to so many cycles, for each turn another number of them: a clock that steps coarsely is read
 * at all of its phases then, and a mean over them is the time. */
static void kernel_wait_varied(uint64_t turn, uint32_t most_cycles)
{
    uint64_t share = (uint32_t)(turn * KERNEL_GOLDEN);
    uint32_t cycles = (uint32_t)(share * most_cycles >> 32);

    if (cycles != 0)
        KERNEL_WAIT(cycles);
}

/* Ticks of `hops` hops from *p, between two clock readings. */
KERNEL_INLINE uint64_t kernel_singly(uintptr_t *p, uint64_t hops)
{
    uintptr_t address = *p;
    uint64_t begin = KERNEL_TICKS();

    do
        address = KERNEL_LOAD(0, address);
    while (--hops != 0);
    *p = address;
    return KERNEL_TICKS() - begin;
}

/* One sample: the sum of its hops' ticks. The flush has translated the address, so no page walk is
 * timed. */
KERNEL_NOINLINE void kernel_flush(struct kernel_sample *sample)
{
    uintptr_t p = sample->cursor.next[0];
    uint64_t sum = 0, hops = sample->hops;

    KERNEL_HOLD(p);
    KERNEL_HOLD(sum);
    KERNEL_HOLD(hops);
    KERNEL_MARK_BEGIN();
    for (; hops != 0; hops--) {
        KERNEL_FLUSH(p);
        sum += kernel_singly(&p, 1);
    }
    KERNEL_MARK_END();
    sample->single_ticks = sum;
    sample->cursor.next[0] = p;
}

/* The median; sorts value[]. */
static double kernel_middle(double *value, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        for (unsigned k = i; k > 0 && value[k] < value[k - 1]; k--) {
            double swapped = value[k];
            value[k] = value[k - 1];
            value[k - 1] = swapped;
        }
    return value[count / 2];
}

/* The standard error of the groups' median, as in stats_of; value[] is sorted, and lost. */
static double kernel_middle_error(double value[KERNEL_SINGLE_GROUPS])
{
    double middle = value[KERNEL_SINGLE_GROUPS / 2];

    for (unsigned i = 0; i < KERNEL_SINGLE_GROUPS; i++)
        value[i] = value[i] > middle ? value[i] - middle : middle - value[i];
    return 1.2533 * 1.4826 * kernel_middle(value, KERNEL_SINGLE_GROUPS) / KERNEL_SINGLE_GROUPS_ROOT;
}

/* Ticks per hop that the clock readings cost, and the standard error of that unless error is NULL.
 * A node temporarily points to itself; timing 1 hop and timing 256 hops differ by 255 L1 hits, and
 * what 1 hop takes beyond such a hit is the cost of the readings. A fence waits for the load, so
 * the cost is the same whatever the load's latency. */
static double kernel_flush_single_ticks(uintptr_t node, double *error)
{
    double one[KERNEL_SINGLE_GROUPS], hop[KERNEL_SINGLE_GROUPS], ticks;
    uintptr_t next = KERNEL_LOAD(0, node), p = node;

    KERNEL_DIRTY(0, node, node);
    (void)kernel_singly(&p, KERNEL_SINGLE_LONG);
    for (unsigned group = 0; group < KERNEL_SINGLE_GROUPS; group++) {
        uint64_t few = 0, many = 0;
        for (unsigned i = 0; i < KERNEL_SINGLE_TIMES; i++) {
            kernel_wait_varied(group * KERNEL_SINGLE_TIMES + i, KERNEL_SINGLE_WAIT);
            few += kernel_singly(&p, 1);
            many += kernel_singly(&p, KERNEL_SINGLE_LONG);
        }
        one[group] = (double)few / KERNEL_SINGLE_TIMES;
        hop[group] = ((double)many - (double)few) / KERNEL_SINGLE_TIMES / (KERNEL_SINGLE_LONG - 1);
    }
    KERNEL_DIRTY(0, node, next);
    ticks = kernel_middle(one, KERNEL_SINGLE_GROUPS) - kernel_middle(hop, KERNEL_SINGLE_GROUPS);
    if (error != NULL)
        *error = kernel_middle_error(one);
    return ticks;
}

#endif
