/* SPDX-License-Identifier: BSD-2-Clause */
/* Every chase kernel, once: a template that each machine instantiates by defining the hooks below
 * and including this file in one .c. On silicon a hook is a bare instruction; in the simulator a
 * call that returns what its memory holds and advances its clock.
 *
 *   KERNEL_LOAD(address)          the word at address, as uintptr_t: the one dependent load of a
 * hop KERNEL_STORE(address, value)  writes a word, past the caches where the CPU can
 *   KERNEL_STORE_DRAIN()          after stores: everything is in memory
 *   KERNEL_TICKS_BEGIN()          the clock; no later load moves before it
 *   KERNEL_TICKS_END()            the clock; every earlier load is done
 *   KERNEL_DRAW_COST()            nothing on silicon, where a draw's arithmetic costs by itself
 *   KERNEL_DISTURBANCES()         a count that moves when something (SMI, NMI) interrupted
 *
 * It gives kernel_chase, kernel_build and kernel_fill. */
#ifndef CORE_KERNELS_H
#define CORE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chain.h"
#include "core/machine.h"

#define KERNEL_UNROLL 128

#define KERNEL_HOP p = KERNEL_LOAD(p);
#define KERNEL_HOP_8 \
    KERNEL_HOP KERNEL_HOP KERNEL_HOP KERNEL_HOP KERNEL_HOP KERNEL_HOP KERNEL_HOP KERNEL_HOP
#define KERNEL_HOP_64                                                                          \
    KERNEL_HOP_8 KERNEL_HOP_8 KERNEL_HOP_8 KERNEL_HOP_8 KERNEL_HOP_8 KERNEL_HOP_8 KERNEL_HOP_8 \
        KERNEL_HOP_8

/* One chain: hops dependent loads from p on; returns where it stands. A plain register address: a
 * scaled index would cost a cycle a hop. */
__attribute__((always_inline)) static inline uintptr_t kernel_cycle_1(uintptr_t p, uint64_t hops)
{
    for (uint64_t rounds = hops / KERNEL_UNROLL; rounds != 0; rounds--) {
        KERNEL_HOP_64
        KERNEL_HOP_64
    }
    for (uint64_t rest = hops % KERNEL_UNROLL; rest != 0; rest--) {
        KERNEL_HOP
    }
    return p;
}

/* Knuth's MMIX generator: its high half decides the draw, its low bits are never looked at. */
#define KERNEL_DRAW_A 6364136223846793005ull
#define KERNEL_DRAW_C 1442695040888963407ull

/* One draw: the loaded word and the generator's state name the next line. No pointer is stored
 * anywhere, so nothing that follows pointers can run ahead; the generator's step is off the
 * critical path. */
#define KERNEL_DRAW(scale)                                                         \
    KERNEL_DRAW_COST();                                                            \
    draw = draw * KERNEL_DRAW_A + KERNEL_DRAW_C;                                   \
    line = (uint64_t)(((unsigned __int128)(KERNEL_LOAD(p) + draw) * lines) >> 64); \
    p = base + (uintptr_t)(scale);
#define KERNEL_DRAW_8(scale) \
    KERNEL_DRAW(scale)       \
    KERNEL_DRAW(scale)       \
    KERNEL_DRAW(scale)       \
    KERNEL_DRAW(scale) KERNEL_DRAW(scale) KERNEL_DRAW(scale) KERNEL_DRAW(scale) KERNEL_DRAW(scale)

/* One chain of independent uniform draws. A stride that is a power of two is shifted by: a
 * multiplication would lengthen what is calibrated away. */
static uintptr_t kernel_iid_1(const struct chase_plan *plan, uintptr_t p, uint64_t *state,
                              uint64_t hops)
{
    uint64_t draw = *state, line;
    uint64_t stride = plan->stride_bytes;
    uintptr_t base = plan->base;
    uint64_t lines = plan->lines;
    unsigned shift = (unsigned)__builtin_ctzll(stride);
    uint64_t rounds = hops / 8, rest = hops % 8;

    if ((stride & (stride - 1)) == 0) {
        for (; rounds != 0; rounds--) {
            KERNEL_DRAW_8(line << shift)
        }
        for (; rest != 0; rest--) {
            KERNEL_DRAW(line << shift)
        }
    } else {
        for (; rounds != 0; rounds--) {
            KERNEL_DRAW_8(line * stride)
        }
        for (; rest != 0; rest--) {
            KERNEL_DRAW(line * stride)
        }
    }
    *state = draw;
    return p;
}

static uintptr_t kernel_hops(const struct chase_plan *plan, struct chase_cursor *cursor,
                             uintptr_t p, uint64_t hops)
{
    if (plan->kernel == KERNEL_IID)
        return kernel_iid_1(plan, p, &cursor->draw[0], hops);
    return kernel_cycle_1(p, hops);
}

/* One sample: where the chains stand afterwards, and the clock around the hops. A function of its
 * own, so that between the two readings nothing but the chase touches memory: everything that it
 * needs there has a register. */
struct kernel_sample {
    uintptr_t p;
    uint64_t begin, end;
};

__attribute__((noinline)) static void kernel_sample_cycle(struct kernel_sample *sample,
                                                          uint64_t hops)
{
    uintptr_t p = sample->p;
    uint64_t begin = KERNEL_TICKS_BEGIN();

    p = kernel_cycle_1(p, hops);
    sample->end = KERNEL_TICKS_END();
    sample->begin = begin;
    sample->p = p;
}

static void kernel_sample_take(const struct chase_plan *plan, struct chase_cursor *cursor,
                               struct kernel_sample *sample)
{
    if (plan->kernel != KERNEL_IID) {
        kernel_sample_cycle(sample, plan->hops);
        return;
    }
    sample->begin = KERNEL_TICKS_BEGIN();
    sample->p = kernel_iid_1(plan, sample->p, &cursor->draw[0], plan->hops);
    sample->end = KERNEL_TICKS_END();
}

/* One quiet section's chase; see struct chase_plan. The cursor carries on from warm-up through
 * every sample, so that no sample can overlap the one before. */
static void kernel_chase(const struct chase_plan *plan, uint64_t tick_hz,
                         struct chase_result *result)
{
    uint64_t limit = plan->limit_ns == 0 ? UINT64_MAX : plan->limit_ns / 1000 * tick_hz / 1000000;
    uint64_t opened = KERNEL_TICKS_END();
    struct chase_cursor cursor = plan->start;
    struct kernel_sample sample = {kernel_hops(plan, &cursor, cursor.at[0], plan->warm_hops), 0, 0};
    uint32_t taken = 0;

    while (taken < plan->samples) {
        uint64_t disturbances = KERNEL_DISTURBANCES();
        kernel_sample_take(plan, &cursor, &sample);
        plan->ticks[taken] = sample.end - sample.begin;
        if (plan->disturbed)
            plan->disturbed[taken] = KERNEL_DISTURBANCES() != disturbances;
        taken++;
        if (sample.end - opened >= limit)
            break;
    }
    result->samples = taken;
    result->hops_done = plan->warm_hops + taken * plan->hops;
    cursor.at[0] = sample.p;
    result->end = cursor;
}

/* window_work: writes the nodes at positions [first, end), at most chain_positions, of the chain
 * that arg points to, each as a whole line where it has one, in visiting order (which needs no
 * inverse of the order). */
static void kernel_build(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    const struct chain *chain = arg;
    uint32_t words = chain_has_lines(chain) ? chain->line_bytes / sizeof(uintptr_t) : 1;
    uintptr_t node = first < end ? chain_node(chain, w, first) : 0;

    for (uint64_t position = first; position < end; position++) {
        uint64_t after = chain_next(chain, position);
        uintptr_t next = chain_node(chain, w, after);
        uintptr_t line = node - chain->word * sizeof node;

        for (uint32_t word = 0; word < words; word++)
            KERNEL_STORE(line + word * sizeof node,
                         word == chain->word ? next : (uintptr_t)CHAIN_POISON);
        /* Where a chain closes, the next one begins elsewhere. */
        if (after == position + 1)
            node = next;
        else if (position + 1 < end)
            node = chain_node(chain, w, position + 1);
    }
    KERNEL_STORE_DRAIN();
}

/* window_work: fills the nodes [first, end) of the window, in address order, with the words that
 * draws are computed from. */
static void kernel_fill(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    const struct chain *chain = arg;

    for (uint64_t line = first; line < end; line++) {
        uintptr_t node = w->base + (uintptr_t)(line * chain->stride_bytes);
        uintptr_t word = draw_word(chain, line);
        for (uint32_t byte = 0; byte < chain->line_bytes; byte += sizeof word)
            KERNEL_STORE(node + byte, word);
    }
    KERNEL_STORE_DRAIN();
}

#endif
