/* SPDX-License-Identifier: BSD-2-Clause */
/* All chase kernels, written once: each machine defines the hooks below and includes this file in
 * one .c file. On silicon a hook is a bare instruction (arch/<cpu>/hooks.h); in the simulator it is
 * a call that returns what simulated memory holds and advances the simulated clock. `chain` is a
 * constant, counted from 0.
 *
 * - KERNEL_LOAD(chain, address): the word at address, as uintptr_t: the one dependent load of a hop
 * - KERNEL_LOAD_NT(chain, address): the same, non-temporal
 * - KERNEL_LOAD_FREE(address): a load whose result nothing depends on
 * - KERNEL_HINT_NTA(chain, address), _T0, _T1, _T2: a prefetch instruction
 * - KERNEL_FLUSH(address): evicts the line from every cache; complete when it returns
 * - KERNEL_DIRTY(chain, address, value): a store into the caches
 * - KERNEL_WORK(carry, cycles): that many cycles of work; it depends on no load and no load depends
 *   on it, only on the previous work through carry (uint32_t); returns the new carry
 * - KERNEL_WAIT(cycles): lets about that many cycles pass without starting a load
 * - KERNEL_MANY(next, chains, hops): hops of each of more than CHAINS_ANY_HOP chains, whose
 *   next load addresses are next[]; updates them, and contains the marks
 * - KERNEL_STORE(address, value): writes a word, bypassing the caches where the CPU can
 * - KERNEL_STORE_PAIR(address, first, second): the same for two words at a multiple of 16
 * - KERNEL_STORE_PAIRS(address, first, second): the same for two march_pairs at a multiple of 32
 * - KERNEL_STORED_LINE(address): after stores to all of a line: it will be in no cache
 * - KERNEL_STORE_DRAIN(): after stores: waits until all are in memory
 * - KERNEL_WORD(address): the word at address, which nothing times
 * - KERNEL_PAIR(address): the same for the march_pair at a multiple of 16
 * - KERNEL_LOAD_SHARED(address): a word that another CPU stores to: neither it nor what follows is
 *   done earlier
 * - KERNEL_STORE_SHARED(address, value): what other CPUs see after everything before it is done
 * - KERNEL_SWAP(address, expected, desired): compares and swaps a word atomically; true: it did
 * - KERNEL_SPIN(): between two tries in loops that wait for another CPU
 * - KERNEL_TICKS(): the clock, fenced: no load moves past it in either direction, and it does not
 *   touch memory. Only differences of its readings are meaningful
 * - KERNEL_TICKS_BEGIN(), KERNEL_TICKS_END(): a clock of the same rate, for a sample's start and
 * end
 * - KERNEL_MARK_BEGIN(), KERNEL_MARK_END(): delimit the timed loops in an instruction trace;
 * nothing else touches memory between them
 * - KERNEL_HOLD(variable): emits nothing; forces the variable to be computed and in a register here
 * - KERNEL_DRAW_COST(): nothing on silicon; the simulator charges a draw's arithmetic here
 * - KERNEL_EVENTS_BEGIN() and KERNEL_EVENTS_END(): performance counters run between them, which is
 *   all of the timed samples;
 * - KERNEL_SAMPLER_ARM() and KERNEL_SAMPLER_TAKE(sample): around each sample of a plan that has ops
 *   followed (chase_plan.sampled); the latter stores one and returns true, or returns false
 * - KERNEL_DISTURBANCES(): a count that changes when an SMI or NMI interrupted
 *
 * This file defines kernel_chase, kernel_probe, kernel_pairs, kernel_singles, kernel_reads,
 * kernel_handoff_prepare, kernel_handoff_time, kernel_handoff_answer, kernel_build, kernel_fill and
 * kernel_march. */
#ifndef CORE_CHASE_KERNELS_H
#define CORE_CHASE_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/chase/chain.h"
#include "core/chase/traffic.h"
#include "core/machine.h"

#include "core/chase/kernels_sample.h"
#include "core/chase/kernels_cycle.h"
#include "core/chase/kernels_hop.h"
#include "core/chase/kernels_flush.h"
#include "core/chase/kernels_footprint.h"
#include "core/chase/kernels_pair.h"
#include "core/chase/kernels_single.h"
#include "core/chase/kernels_reads.h"
#include "core/chase/kernels_iid.h"
#include "core/chase/kernels_stream.h"
#include "core/chase/kernels_march.h"
#include "core/chase/kernels_handoff.h"

static kernel_function *kernel_for(const struct chase_plan *plan)
{
    if (plan->kernel == KERNEL_IID)
        return kernel_iid;
    if (plan->kernel == KERNEL_STREAM)
        return kernel_stream;
    if (plan->chains > CHAINS_ANY_HOP)
        return kernel_many;
    return kernel_hop_is_plain(plan) ? kernel_cycle[plan->chains - 1]
                                     : kernel_hop[plan->chains - 1];
}

/* What other CPUs did from the first call to the second one. */
static void kernel_loads_begin(const struct chase_plan *plan)
{
    for (uint32_t i = 0; plan->loads != NULL && i < plan->load_count; i++)
        plan->done[i] = traffic_done_by(plan->loads[i]);
}

static void kernel_loads_end(const struct chase_plan *plan)
{
    for (uint32_t i = 0; plan->loads != NULL && i < plan->load_count; i++)
        plan->done[i] = traffic_between(plan->done[i], traffic_done_by(plan->loads[i]));
}

/* The chase of one quiet section; see struct chase_plan. The cursor continues from the warm-up
 * through every sample, so consecutive samples cannot overlap in an out-of-order core. */
static void kernel_chase(const struct chase_plan *plan, uint64_t tick_hz,
                         struct chase_result *result)
{
    uint64_t limit = plan->limit_ns == 0 ? UINT64_MAX : plan->limit_ns / 1000 * tick_hz / 1000000;
    uint64_t opened = KERNEL_TICKS_END();
    bool singly = plan->load == LOAD_FLUSH;
    struct kernel_sample sample = {.plan = plan, .hops = plan->warm_hops, .cursor = plan->start};
    kernel_function *kernel = kernel_for(plan);
    uint32_t taken = 0;

    if (sample.hops != 0)
        kernel(&sample);
    if (singly) {
        result->single_ticks = kernel_flush_single_ticks(sample.cursor.next[0], NULL);
        kernel = kernel_flush;
    }
    sample.hops = plan->hops;
    kernel_loads_begin(plan);
    KERNEL_EVENTS_BEGIN();
    while (taken < plan->samples) {
        uint64_t disturbances = KERNEL_DISTURBANCES();
        uint64_t begin, end;
        if (plan->sampled)
            KERNEL_SAMPLER_ARM();
        begin = KERNEL_TICKS_BEGIN();
        kernel(&sample);
        end = KERNEL_TICKS_END();
        if (plan->sampled && KERNEL_SAMPLER_TAKE(&plan->sampled[result->sampled]))
            result->sampled++;
        plan->ticks[taken] = singly ? sample.single_ticks : end - begin;
        if (plan->disturbed)
            plan->disturbed[taken] = KERNEL_DISTURBANCES() != disturbances;
        taken++;
        if (end - opened >= limit)
            break;
    }
    KERNEL_EVENTS_END();
    kernel_loads_end(plan);
    result->samples = taken;
    result->hops_done = plan->warm_hops + taken * plan->hops;
    result->end = sample.cursor;
}

/* Words of the most common line. Unrolled by hand: a counted loop takes as long as the stores. */
#define KERNEL_LINE_WORDS 8

/* Writes a node's line: poison, except for its pointer. */
KERNEL_INLINE void kernel_store_node(uintptr_t line, uint32_t words, uint32_t word, uintptr_t next)
{
    uintptr_t poison = (uintptr_t)CHAIN_POISON;

    if (words == KERNEL_LINE_WORDS && word == 0) {
        KERNEL_STORE_PAIR(line, next, poison);
        KERNEL_STORE_PAIR(line + 2 * sizeof line, poison, poison);
        KERNEL_STORE_PAIR(line + 4 * sizeof line, poison, poison);
        KERNEL_STORE_PAIR(line + 6 * sizeof line, poison, poison);
        return;
    }
    for (uint32_t i = 0; i < words; i++)
        KERNEL_STORE(line + i * sizeof line, i == word ? next : poison);
}

/* The random order in address order: computing one batch of successors overlaps with the stores of
 * the previous one. */
static void kernel_build_random(struct chain_links *links, uint32_t words)
{
    const struct chain *chain = links->chain;
    uint64_t next[CHAIN_LINKS_RUN], stride = chain->stride_bytes;
    uintptr_t line = links->w->base + (uintptr_t)(links->pos * stride);
    uintptr_t nodes = links->w->base + chain->word * sizeof line;
    uint32_t word = chain->word, count;

    while ((count = chain_links_lines(links, next)) != 0)
        for (uint32_t i = 0; i < count; i++, line += stride)
            kernel_store_node(line, words, word, nodes + (uintptr_t)(next[i] * stride));
}

/* A window_work: writes the nodes of the share [first, end) (see chain_links_start) of the chain
 * that arg points to. A node that has its line to itself is written as a whole line. */
static void kernel_build(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    const struct chain *chain = arg;
    uint32_t words = chain_has_lines(chain) ? chain->line_bytes / sizeof(uintptr_t) : 1;
    struct chain_link link[CHAIN_LINKS_RUN];
    struct chain_links links;
    uint32_t count;

    chain_links_start(&links, chain, w, first, end);
    if (chain->order->kind == ORDER_RANDOM)
        kernel_build_random(&links, words);
    else
        while ((count = chain_links_next(&links, link)) != 0)
            for (uint32_t i = 0; i < count; i++)
                kernel_store_node(link[i].node - chain->word * sizeof(uintptr_t), words,
                                  chain->word, link[i].next);
    KERNEL_STORE_DRAIN();
}

/* A window_work: fills the nodes [first, end) of the window, in address order, with draw_word. */
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
