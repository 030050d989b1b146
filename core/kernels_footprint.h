/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/kernels.h: whether a line is in a cache after others were touched, by the time of
 * one load (struct probe in core/machine.h). */
#ifndef CORE_KERNELS_FOOTPRINT_H
#define CORE_KERNELS_FOOTPRINT_H

#include "core/kernels_sample.h"

/* Each touch ends before the next begins, and the clock's fences keep a CPU that guesses on from
 * touching one too many. */
KERNEL_INLINE void kernel_touch(uintptr_t address)
{
    uintptr_t value = KERNEL_LOAD(0, address);

    KERNEL_HOLD(value);
    (void)KERNEL_TICKS();
}

/* Flushing the target has translated its address, so that no page walk is timed. */
KERNEL_NOINLINE uint64_t kernel_probe_one(const struct probe *probe, uint32_t touches,
                                          uint32_t line_bytes)
{
    uintptr_t target = probe->target, again = probe->again, drop = probe->drop;
    uintptr_t touch = probe->touch, value;
    uint32_t wait = probe->wait;
    uint64_t begin;

    for (uint32_t i = 0; i < touches; i++)
        KERNEL_FLUSH(touch + i * line_bytes);
    KERNEL_FLUSH(target);
    for (uint32_t i = 0; i < touches; i++)
        kernel_touch(touch + i * line_bytes);
    KERNEL_WAIT(wait);
    kernel_touch(again);
    KERNEL_FLUSH(drop);
    begin = KERNEL_TICKS();
    value = KERNEL_LOAD(0, target);
    KERNEL_HOLD(value);
    return KERNEL_TICKS() - begin;
}

static void kernel_probe(const struct probe_plan *plan)
{
    (void)KERNEL_TICKS_BEGIN();
    for (uint32_t i = 0; i < plan->count; i++)
        plan->ticks[i] = kernel_probe_one(&plan->probe[i], plan->touches, plan->line_bytes);
    (void)KERNEL_TICKS_END();
}

#endif
