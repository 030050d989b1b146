/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: single accesses to given lines, each with the time when it began
 * (struct single_plan in core/machine.h). */
#ifndef CORE_CHASE_KERNELS_SINGLE_H
#define CORE_CHASE_KERNELS_SINGLE_H

#include "core/chase/kernels_flush.h"

/* Numerical Recipes' generator: its high bits are what waits are made of. */
#define KERNEL_SINGLE_FACTOR 1664525u
#define KERNEL_SINGLE_TERM   1013904223u

/* Each access is a sample of its own. The flush has translated the address, so no page walk is
 * timed. */
KERNEL_NOINLINE void kernel_single(uintptr_t line, uint32_t wait, uint64_t *start, uint64_t *ticks)
{
    uint64_t begin;
    uintptr_t value;

    (void)KERNEL_TICKS_BEGIN();
    KERNEL_FLUSH(line);
    KERNEL_WAIT(wait);
    begin = KERNEL_TICKS();
    value = KERNEL_LOAD(0, line);
    KERNEL_HOLD(value);
    *ticks = KERNEL_TICKS() - begin;
    *start = begin;
}

static void kernel_singles(const struct single_plan *plan)
{
    uint32_t draw = (uint32_t)plan->seed, next = 0;

    if (plan->timing_ticks != NULL) {
        (void)KERNEL_TICKS_BEGIN();
        *plan->timing_ticks = kernel_flush_single_ticks(plan->line[0], NULL);
        (void)KERNEL_TICKS_END();
    }
    for (uint32_t i = 0; i < plan->count; i++) {
        draw = draw * KERNEL_SINGLE_FACTOR + KERNEL_SINGLE_TERM;
        kernel_single(plan->line[next], draw >> 12 & (plan->wait_cycles - 1), &plan->start[i],
                      &plan->ticks[i]);
        next = next + 1 == plan->lines ? 0 : next + 1;
    }
    (void)KERNEL_TICKS_END();
}

#endif
