/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: finds whether lines are cached after other lines were touched, from
 * the time of one load of each (struct probe in core/machine.h). */
#ifndef CORE_CHASE_KERNELS_FOOTPRINT_H
#define CORE_CHASE_KERNELS_FOOTPRINT_H

#include "core/chase/kernels_sample.h"

/* Each touch completes before the next begins, and the clock's fences keep a speculating CPU from
 * touching a line too many. */
KERNEL_INLINE void kernel_touch(uintptr_t address)
{
    uintptr_t value = KERNEL_LOAD(0, address);

    KERNEL_HOLD(value);
    (void)KERNEL_TICKS();
}

/* Flushing a target has translated its address, so no page walk is timed. */
KERNEL_NOINLINE void kernel_probe_one(const struct probe *probe, const struct probe_plan *plan,
                                      uint64_t *ticks)
{
    uint32_t touches = plan->touches, targets = plan->targets, line_bytes = plan->line_bytes;
    uintptr_t again = probe->again, drop = probe->drop, touch = probe->touch;
    uint32_t wait = probe->wait;

    for (uint32_t i = 0; i < touches; i++)
        KERNEL_FLUSH(touch + i * line_bytes);
    for (uint32_t i = 0; i < targets; i++)
        KERNEL_FLUSH(probe->target[i]);
    for (uint32_t i = 0; i < touches; i++)
        kernel_touch(touch + i * line_bytes);
    KERNEL_WAIT(wait);
    kernel_touch(again);
    KERNEL_FLUSH(drop);
    for (uint32_t i = 0; i < targets; i++) {
        uintptr_t target = probe->target[i], value;
        uint64_t begin = KERNEL_TICKS();

        value = KERNEL_LOAD(0, target);
        KERNEL_HOLD(value);
        ticks[i] = KERNEL_TICKS() - begin;
    }
}

static void kernel_probe(const struct probe_plan *plan)
{
    (void)KERNEL_TICKS_BEGIN();
    KERNEL_MARK_BEGIN();
    for (uint32_t i = 0; i < plan->count; i++)
        kernel_probe_one(&plan->probe[i], plan, plan->ticks + (size_t)i * plan->targets);
    KERNEL_MARK_END();
    (void)KERNEL_TICKS_END();
}

#endif
