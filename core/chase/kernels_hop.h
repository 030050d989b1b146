/* SPDX-License-Identifier: BSD-2-Clause */
/* Part of core/chase/kernels.h: 1 to 7 chains whose hops are more than a plain load: another kind
 * of load, a store, a prefetch of the next line, work. A round is one hop of every chain, then all
 * their prefetches (otherwise an in-order core would wait for one chain before starting the next),
 * then the work. Hint and work are chosen by branches that always go the same way and depend on no
 * load. */
#ifndef CORE_CHASE_KERNELS_HOP_H
#define CORE_CHASE_KERNELS_HOP_H

#include "core/chase/kernels_sample.h"

/* load is a constant; dirty_bytes is the distance from a node's pointer to the word that is
 * stored. */
#define KERNEL_HOP_ONE(chain, p)                                                              \
    do {                                                                                      \
        uintptr_t next_ = load == LOAD_NT ? KERNEL_LOAD_NT(chain, p) : KERNEL_LOAD(chain, p); \
        if (load == LOAD_DIRTY)                                                               \
            KERNEL_DIRTY(chain, p + dirty_bytes, next_);                                      \
        p = next_;                                                                            \
    } while (0)
/* KERNEL_HOLD(more) makes one loop for all values of `more` instead of one loop for each. */
#define KERNEL_HOP_LOOP(load_)                                                   \
    do {                                                                         \
        const enum chase_load load = (load_);                                    \
        do {                                                                     \
            KERNEL_EACH_CHAIN(KERNEL_HOP_ONE, chains)                            \
            KERNEL_HOLD(more);                                                   \
            if ((more & KERNEL_MORE_HINT) == 0) {                                \
            } else if ((more & KERNEL_MORE_NTA) != 0) {                          \
                KERNEL_EACH_CHAIN(KERNEL_HINT_NTA, chains)                       \
            } else if ((more & KERNEL_MORE_T0) != 0) {                           \
                KERNEL_EACH_CHAIN(KERNEL_HINT_T0, chains)                        \
            } else if ((more & KERNEL_MORE_T1) != 0) {                           \
                KERNEL_EACH_CHAIN(KERNEL_HINT_T1, chains)                        \
            } else {                                                             \
                KERNEL_EACH_CHAIN(KERNEL_HINT_T2, chains)                        \
            }                                                                    \
            if (more >= KERNEL_MORE_WORK)                                        \
                carry = KERNEL_WORK(carry, (uint32_t)(more / KERNEL_MORE_WORK)); \
        } while (--hops != 0);                                                   \
    } while (0)

/* What a round does besides its loads, packed into one word so that it takes one register. */
#define KERNEL_MORE_NTA  1u
#define KERNEL_MORE_T0   2u
#define KERNEL_MORE_T1   4u
#define KERNEL_MORE_T2   8u
#define KERNEL_MORE_HINT 15u
#define KERNEL_MORE_WORK 16u /* per cycle */

static uint64_t kernel_more(enum chase_hint hint, uint32_t work)
{
    return (uint64_t)work * KERNEL_MORE_WORK | (hint == HINT_NTA  ? KERNEL_MORE_NTA
                                                : hint == HINT_T0 ? KERNEL_MORE_T0
                                                : hint == HINT_T1 ? KERNEL_MORE_T1
                                                : hint == HINT_T2 ? KERNEL_MORE_T2
                                                                  : 0);
}

/* Distance in bytes from a node's pointer to another word of the same line, modulo the word size.
 * It is the same for every node of the chain because nodes are whole lines apart. */
static uintptr_t kernel_dirty_bytes(uintptr_t node, uint32_t line_bytes)
{
    uintptr_t inside = line_bytes - 1;

    return ((node + sizeof node) & inside) - (node & inside);
}

/* `chains` is a compile-time constant; sample->hops is at least 1. */
KERNEL_INLINE void kernel_hop_loops(struct kernel_sample *sample, const unsigned chains)
{
    const struct chase_plan *plan = sample->plan;
    KERNEL_TAKE_CHAINS(sample->cursor.next)
    uintptr_t dirty_bytes = kernel_dirty_bytes(p0, plan->line_bytes);
    enum chase_load load_wanted = plan->load;
    uint64_t more = kernel_more(plan->hint, plan->work), hops = sample->hops;
    uint32_t carry = 1;

    KERNEL_HOLD(dirty_bytes);
    KERNEL_HOLD(load_wanted);
    KERNEL_HOLD(more);
    KERNEL_HOLD(hops);
    KERNEL_EACH_CHAIN(KERNEL_HOLD_ONE, chains)
    KERNEL_MARK_BEGIN();
    if (load_wanted == LOAD_NT)
        KERNEL_HOP_LOOP(LOAD_NT);
    else if (load_wanted == LOAD_DIRTY)
        KERNEL_HOP_LOOP(LOAD_DIRTY);
    else
        KERNEL_HOP_LOOP(LOAD_PLAIN);
    KERNEL_MARK_END();
    KERNEL_HOLD(carry);
    KERNEL_EACH_CHAIN(KERNEL_PUT_ONE, chains)
}

#define KERNEL_HOP_OF(chains)                                              \
    KERNEL_NOINLINE void kernel_hop_##chains(struct kernel_sample *sample) \
    {                                                                      \
        kernel_hop_loops(sample, chains);                                  \
    }
KERNEL_HOP_OF(1)
KERNEL_HOP_OF(2)
KERNEL_HOP_OF(3)
KERNEL_HOP_OF(4)
KERNEL_HOP_OF(5)
KERNEL_HOP_OF(6)
KERNEL_HOP_OF(7)

/* True if a hop of this plan is a load and nothing else. */
static bool kernel_hop_is_plain(const struct chase_plan *plan)
{
    return (plan->load == LOAD_PLAIN || plan->load == LOAD_FLUSH) && plan->hint == HINT_NONE &&
           plan->work == 0;
}

static kernel_function *const kernel_hop[] = {kernel_hop_1, kernel_hop_2, kernel_hop_3,
                                              kernel_hop_4, kernel_hop_5, kernel_hop_6,
                                              kernel_hop_7};

#endif
