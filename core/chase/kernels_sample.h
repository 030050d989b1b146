/* SPDX-License-Identifier: BSD-2-Clause */
/* Common to the kernels of core/chase/kernels.h: one sample, and how values are kept in
 * registers. */
#ifndef CORE_CHASE_KERNELS_SAMPLE_H
#define CORE_CHASE_KERNELS_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"

/* One sample, or untimed warm-up hops. A kernel takes only this: it loads what it needs into
 * registers, so that nothing but the chase touches memory between the marks, and stores the cursor
 * at the end. The caller reads the clock: inside a kernel, it would make the compiler spill
 * registers. */
struct kernel_sample {
    const struct chase_plan *plan;
    uint64_t hops;              /* per chain */
    struct chase_cursor cursor; /* carries on from sample to sample */
    uint64_t single_ticks;      /* LOAD_FLUSH: sum of the hops' ticks */
};

typedef void kernel_function(struct kernel_sample *sample);

/* Knuth's MMIX linear congruential generator. Only its high bits affect a draw; the low bits of an
 * LCG are poor. */
#define KERNEL_DRAW_A 6364136223846793005ull
#define KERNEL_DRAW_C 1442695040888963407ull

/* The chains' pointers p0 .. p6; the first `chains` (a constant) are used. */
#define KERNEL_TAKE_CHAINS(next)                                                              \
    uintptr_t p0 = (next)[0], p1 = (next)[1], p2 = (next)[2], p3 = (next)[3], p4 = (next)[4], \
              p5 = (next)[5], p6 = (next)[6];
#define KERNEL_EACH_CHAIN(what, chains) \
    what(0, p0);                        \
    if (chains > 1)                     \
        what(1, p1);                    \
    if (chains > 2)                     \
        what(2, p2);                    \
    if (chains > 3)                     \
        what(3, p3);                    \
    if (chains > 4)                     \
        what(4, p4);                    \
    if (chains > 5)                     \
        what(5, p5);                    \
    if (chains > 6)                     \
        what(6, p6);
#define KERNEL_HOLD_ONE(chain, p) KERNEL_HOLD(p)
#define KERNEL_PUT_ONE(chain, p)  sample->cursor.next[chain] = p

#define KERNEL_NOINLINE __attribute__((noinline)) static
#define KERNEL_INLINE   __attribute__((always_inline)) static inline

#endif
