/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: one chain of independent uniform draws. */
#ifndef CORE_CHASE_KERNELS_IID_H
#define CORE_CHASE_KERNELS_IID_H

#include "core/chase/kernels_sample.h"

/* One draw: the loaded word and the generator's state choose the next line. No pointer is stored
 * anywhere, so nothing that follows pointers can run ahead. The generator's step is off the
 * critical path. */
#define KERNEL_DRAW(scale)                                                            \
    KERNEL_DRAW_COST();                                                               \
    draw = draw * KERNEL_DRAW_A + KERNEL_DRAW_C;                                      \
    line = (uint64_t)(((unsigned __int128)(KERNEL_LOAD(0, p) + draw) * lines) >> 64); \
    p = base + (uintptr_t)(scale);
#define KERNEL_DRAW_4(scale) \
    KERNEL_DRAW(scale) KERNEL_DRAW(scale) KERNEL_DRAW(scale) KERNEL_DRAW(scale)
#define KERNEL_DRAW_8(scale) KERNEL_DRAW_4(scale) KERNEL_DRAW_4(scale)
#define KERNEL_DRAW_LOOPS(scale)                        \
    if (work != 0) {                                    \
        for (; hops != 0; hops--) {                     \
            KERNEL_DRAW(scale)                          \
            carry = KERNEL_WORK(carry, work);           \
        }                                               \
    } else {                                            \
        for (; hops >= 8; hops -= 8) {                  \
            KERNEL_DRAW_8(scale)                        \
        }                                               \
        for (; hops != 0; hops--) {                     \
            KERNEL_DRAW(scale)                          \
            KERNEL_HOLD(hops); /* prevents unrolling */ \
        }                                               \
    }

/* A power-of-two stride uses a shift: a multiplication would add to the arithmetic that calibration
 * subtracts. */
KERNEL_NOINLINE void kernel_iid(struct kernel_sample *sample)
{
    const struct chase_plan *plan = sample->plan;
    uintptr_t p = sample->cursor.next[0], base = plan->base;
    uint64_t draw = sample->cursor.draw[0], hops = sample->hops, line;
    uint64_t lines = plan->lines, stride = plan->stride_bytes;
    unsigned shift = (unsigned)__builtin_ctzll(stride);
    uint32_t work = plan->work, carry = 1;

    KERNEL_MARK_BEGIN();
    if ((stride & (stride - 1)) == 0) {
        KERNEL_DRAW_LOOPS(line << shift)
    } else {
        KERNEL_DRAW_LOOPS(line * stride)
    }
    KERNEL_MARK_END();
    KERNEL_HOLD(carry);
    sample->cursor.next[0] = p;
    sample->cursor.draw[0] = draw;
}

#endif
