/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: reads of a list of lines, as many under way as the CPU can have, or
 * one after the other (struct reads_plan in core/machine.h). */
#ifndef CORE_CHASE_KERNELS_READS_H
#define CORE_CHASE_KERNELS_READS_H

#include "core/chase/kernels_sample.h"

#define KERNEL_READS_ONE(i) KERNEL_LOAD_FREE(line[i]);
#define KERNEL_READS_4(i) \
    KERNEL_READS_ONE(i)   \
    KERNEL_READS_ONE((i) + 1) KERNEL_READS_ONE((i) + 2) KERNEL_READS_ONE((i) + 3)

/* Nothing but the list says what is read next: every read can begin as soon as it is decoded. */
KERNEL_NOINLINE void kernel_reads_free(const uintptr_t *line, uint32_t lines)
{
    const uintptr_t *end = line + lines;

    KERNEL_MARK_BEGIN();
    for (; end - line >= 8; line += 8) {
        KERNEL_READS_4(0)
        KERNEL_READS_4(4)
    }
    for (; line != end; line++) {
        KERNEL_READS_ONE(0)
        KERNEL_HOLD(line); /* prevents unrolling */
    }
    KERNEL_MARK_END();
}

/* Each address has a part that is always 0 of what the read before it returned. */
KERNEL_NOINLINE void kernel_reads_in_turn(const uintptr_t *line, uint32_t lines)
{
    const uintptr_t *end = line + lines;
    uintptr_t value = 0, none = 0;

    KERNEL_HOLD(none);
    for (; line != end; line++) {
        value = KERNEL_LOAD(0, *line + (value & none));
        KERNEL_HOLD(value);
    }
}

static void kernel_reads(const struct reads_plan *plan)
{
    void (*reads)(const uintptr_t *, uint32_t) =
        plan->in_turn ? kernel_reads_in_turn : kernel_reads_free;

    (void)KERNEL_TICKS_BEGIN();
    if (!plan->flush)
        reads(plan->line, plan->lines);
    for (uint32_t round = 0; round < plan->rounds; round++) {
        uint64_t begin;
        for (uint32_t i = 0; plan->flush && i < plan->lines; i++)
            KERNEL_FLUSH(plan->line[i]);
        begin = KERNEL_TICKS();
        reads(plan->line, plan->lines);
        plan->ticks[round] = KERNEL_TICKS() - begin;
    }
    (void)KERNEL_TICKS_END();
}

#endif
