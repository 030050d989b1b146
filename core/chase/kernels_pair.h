/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: times pairs of lines, both flushed and then loaded together, many
 * rounds for each pair (struct pair_plan in core/machine.h). */
#ifndef CORE_CHASE_KERNELS_PAIR_H
#define CORE_CHASE_KERNELS_PAIR_H

#include "core/chase/kernels_sample.h"

/* A flush is complete when it returns, and lets no load pass: a round ends with the next one's
 * first flush. The first round, which is not timed, has the pages' translations loaded. */
KERNEL_NOINLINE uint64_t kernel_pair_ticks(const struct line_pair *pair, uint32_t rounds)
{
    uintptr_t a = pair->a, b = pair->b, first, second;
    uint64_t begin = 0;

    for (uint32_t round = 0; round <= rounds; round++) {
        KERNEL_FLUSH(a);
        KERNEL_FLUSH(b);
        if (round == 1)
            begin = KERNEL_TICKS();
        first = KERNEL_LOAD(0, a);
        second = KERNEL_LOAD(1, b);
        KERNEL_HOLD(first);
        KERNEL_HOLD(second);
    }
    return KERNEL_TICKS() - begin;
}

static void kernel_pairs(const struct pair_plan *plan)
{
    (void)KERNEL_TICKS_BEGIN();
    for (uint32_t i = 0; i < plan->count; i++)
        plan->ticks[i] = kernel_pair_ticks(&plan->pair[i], plan->rounds);
    (void)KERNEL_TICKS_END();
}

#endif
