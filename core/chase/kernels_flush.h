/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: one chain. Each node's line is flushed from every cache and then
 * loaded, with that one load between two clock readings. The cost of the readings is measured with
 * the same code. */
#ifndef CORE_CHASE_KERNELS_FLUSH_H
#define CORE_CHASE_KERNELS_FLUSH_H

#include "core/chase/kernels_sample.h"

#define KERNEL_SINGLE_GROUPS 15 /* odd: the median is used */
#define KERNEL_SINGLE_TIMES  32 /* samples a coarse clock at many phases */
#define KERNEL_SINGLE_LONG   256

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

/* Ticks per hop that the clock readings cost. A node temporarily points to itself; timing 1 hop and
 * timing 256 hops differ by 255 L1 hits, and what 1 hop takes beyond such a hit is the cost of the
 * readings. A fence waits for the load, so the cost is the same whatever the load's latency. */
static double kernel_flush_single_ticks(uintptr_t node)
{
    double one[KERNEL_SINGLE_GROUPS], hop[KERNEL_SINGLE_GROUPS];
    uintptr_t next = KERNEL_LOAD(0, node), p = node;

    KERNEL_DIRTY(0, node, node);
    (void)kernel_singly(&p, KERNEL_SINGLE_LONG);
    for (unsigned group = 0; group < KERNEL_SINGLE_GROUPS; group++) {
        uint64_t few = 0, many = 0;
        for (unsigned i = 0; i < KERNEL_SINGLE_TIMES; i++) {
            few += kernel_singly(&p, 1);
            many += kernel_singly(&p, KERNEL_SINGLE_LONG);
        }
        one[group] = (double)few / KERNEL_SINGLE_TIMES;
        hop[group] = ((double)many - (double)few) / KERNEL_SINGLE_TIMES / (KERNEL_SINGLE_LONG - 1);
    }
    KERNEL_DIRTY(0, node, next);
    return kernel_middle(one, KERNEL_SINGLE_GROUPS) - kernel_middle(hop, KERNEL_SINGLE_GROUPS);
}

#endif
