/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: 1 to 7 chains whose hops are plain dependent loads. The address is
 * a plain register, since a scaled index would cost a cycle. A loop has two instructions besides
 * its loads, so each is unrolled to at least 64 loads. With more than 7 chains compilers spill to
 * the stack; KERNEL_MANY is an operand list per architecture instead. */
#ifndef CORE_CHASE_KERNELS_CYCLE_H
#define CORE_CHASE_KERNELS_CYCLE_H

#include "core/chase/kernels_sample.h"

/* A multiple of the unroll factor of every loop below. */
#define KERNEL_UNROLL 128

#define KERNEL_LOAD_ONE(chain, p) p = KERNEL_LOAD(chain, p)
#define KERNEL_ROUND              KERNEL_EACH_CHAIN(KERNEL_LOAD_ONE, chains)
#define KERNEL_ROUND_4            KERNEL_ROUND KERNEL_ROUND KERNEL_ROUND KERNEL_ROUND
#define KERNEL_ROUND_16           KERNEL_ROUND_4 KERNEL_ROUND_4 KERNEL_ROUND_4 KERNEL_ROUND_4
#define KERNEL_ROUND_32           KERNEL_ROUND_16 KERNEL_ROUND_16
#define KERNEL_ROUND_64           KERNEL_ROUND_32 KERNEL_ROUND_32

/* `chains` is a compile-time constant. */
KERNEL_INLINE void kernel_cycle_loops(struct kernel_sample *sample, const unsigned chains)
{
    const unsigned unroll = chains == 1 ? 128 : chains < 4 ? 32 : 16;
    KERNEL_TAKE_CHAINS(sample->cursor.next)
    uint64_t rounds = sample->hops / unroll, rest = sample->hops % unroll;

    KERNEL_HOLD(rounds);
    KERNEL_HOLD(rest);
    KERNEL_EACH_CHAIN(KERNEL_HOLD_ONE, chains)
    KERNEL_MARK_BEGIN();
    for (; rounds != 0; rounds--) {
        if (chains == 1) {
            KERNEL_ROUND_64
            KERNEL_ROUND_64
        } else if (chains < 4) {
            KERNEL_ROUND_32
        } else {
            KERNEL_ROUND_16
        }
    }
    for (; rest != 0; rest--) {
        KERNEL_ROUND
        KERNEL_HOLD(rest); /* prevents unrolling */
    }
    KERNEL_MARK_END();
    KERNEL_EACH_CHAIN(KERNEL_PUT_ONE, chains)
}

#define KERNEL_CYCLE_OF(chains)                                              \
    KERNEL_NOINLINE void kernel_cycle_##chains(struct kernel_sample *sample) \
    {                                                                        \
        kernel_cycle_loops(sample, chains);                                  \
    }
KERNEL_CYCLE_OF(1)
KERNEL_CYCLE_OF(2)
KERNEL_CYCLE_OF(3)
KERNEL_CYCLE_OF(4)
KERNEL_CYCLE_OF(5)
KERNEL_CYCLE_OF(6)
KERNEL_CYCLE_OF(7)

static kernel_function *const kernel_cycle[] = {kernel_cycle_1, kernel_cycle_2, kernel_cycle_3,
                                                kernel_cycle_4, kernel_cycle_5, kernel_cycle_6,
                                                kernel_cycle_7};

/* For more than CHAINS_ANY_HOP chains. */
KERNEL_NOINLINE void kernel_many(struct kernel_sample *sample)
{
    KERNEL_MANY(sample->cursor.next, sample->plan->chains, sample->hops);
}

#endif
