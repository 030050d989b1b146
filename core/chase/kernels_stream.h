/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: loads at a fixed stride, lap after lap over the set. They are
 * independent, so the CPU may keep as many in flight as it can. */
#ifndef CORE_CHASE_KERNELS_STREAM_H
#define CORE_CHASE_KERNELS_STREAM_H

#include "core/chase/kernels_sample.h"

#define KERNEL_STREAM_ONE \
    KERNEL_LOAD_FREE(p);  \
    p += stride;
#define KERNEL_STREAM_4  KERNEL_STREAM_ONE KERNEL_STREAM_ONE KERNEL_STREAM_ONE KERNEL_STREAM_ONE
#define KERNEL_STREAM_16 KERNEL_STREAM_4 KERNEL_STREAM_4 KERNEL_STREAM_4 KERNEL_STREAM_4

KERNEL_NOINLINE void kernel_stream(struct kernel_sample *sample)
{
    const struct chase_plan *plan = sample->plan;
    uintptr_t p = sample->cursor.next[0], base = plan->base, stride = (uintptr_t)plan->stride_bytes;
    uint64_t lines = plan->lines, left = lines - (p - base) / stride, hops = sample->hops;

    KERNEL_HOLD(p);
    KERNEL_HOLD(base);
    KERNEL_HOLD(stride);
    KERNEL_HOLD(lines);
    KERNEL_HOLD(left);
    KERNEL_HOLD(hops);
    KERNEL_MARK_BEGIN();
    while (hops != 0) {
        uint64_t now = left < hops ? left : hops;
        hops -= now;
        left -= now;
        for (; now >= 16; now -= 16) {
            KERNEL_STREAM_16
        }
        for (; now != 0; now--) {
            KERNEL_STREAM_ONE
            KERNEL_HOLD(now); /* prevents unrolling */
        }
        p = left == 0 ? base : p;
        left = left == 0 ? lines : left;
    }
    KERNEL_MARK_END();
    sample->cursor.next[0] = p;
}

#endif
