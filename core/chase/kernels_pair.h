/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: times pairs of lines, both flushed and then loaded together, many
 * rounds for each pair (struct pair_plan in core/machine.h). */
#ifndef CORE_CHASE_KERNELS_PAIR_H
#define CORE_CHASE_KERNELS_PAIR_H

#include "core/chase/kernels_sample.h"

/* Only the loads are timed: what a flush takes differs from line to line by more than a conflict
 * adds. The round before the first has the pages' translations loaded. */
KERNEL_NOINLINE void kernel_pair(const struct line_pair *pair, uint32_t rounds, uint64_t *ticks)
{
    uintptr_t a = pair->a, b = pair->b, first, second;
    uint64_t begin;

    for (uint32_t round = 0; round <= rounds; round++) {
        KERNEL_FLUSH(a);
        KERNEL_FLUSH(b);
        begin = KERNEL_TICKS();
        first = KERNEL_LOAD(0, a);
        second = KERNEL_LOAD(1, b);
        KERNEL_HOLD(first);
        KERNEL_HOLD(second);
        begin = KERNEL_TICKS() - begin;
        if (round > 0)
            ticks[round - 1] = begin;
    }
}

static void kernel_pairs(const struct pair_plan *plan)
{
    (void)KERNEL_TICKS_BEGIN();
    for (uint32_t i = 0; i < plan->count; i++)
        kernel_pair(&plan->pair[i], plan->rounds, &plan->ticks[(size_t)i * plan->rounds]);
    (void)KERNEL_TICKS_END();
}

#endif
