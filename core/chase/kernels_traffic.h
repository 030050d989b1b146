/* SPDX-License-Identifier: BSD-2-Clause */
/* Beside core/chase/kernels.h, and included after it where a machine has it: what a CPU does to
 * memory while another one chases (struct traffic in core/machine.h), until it is told to stop.
 * Two hooks that a machine may define, beyond those of kernels.h:
 *
 * - KERNEL_TICKS_FREE(): the clock of KERNEL_TICKS, unfenced: a fence after every block would have
 *   it wait for the block's last load, and would take the rate away that is to be seen
 * - KERNEL_PUBLISH(shared, done): tells what was done so far, *done, and returns whether to go on;
 *   between two of these a machine whose CPUs take turns may have others run
 *
 * And one that it must define:
 *
 * - KERNEL_PARK(word): halts this CPU while *word, a uint32_t, is 0, until somebody stores to its
 *   line; may return earlier
 *
 * This file defines kernel_traffic. */
#ifndef CORE_CHASE_KERNELS_TRAFFIC_H
#define CORE_CHASE_KERNELS_TRAFFIC_H

#include "core/chase/kernels_cycle.h"
#include "core/chase/traffic.h"

#ifndef KERNEL_TICKS_FREE
#define KERNEL_TICKS_FREE() KERNEL_TICKS()
#endif
#ifndef KERNEL_PUBLISH
#define KERNEL_PUBLISH(shared, done) traffic_publish(shared, done)
#endif

/* Hops between two readings of the clock: so many take far longer than the reading, and stop soon
 * enough. */
#define KERNEL_TRAFFIC_HOPS (2 * KERNEL_UNROLL)
#define KERNEL_TRAFFIC_STEP 4 /* lines of one round of the loops below */
/* Cycles of a CPU that spins between two accounts: its own line of them is all that it touches. */
#define KERNEL_TRAFFIC_SPIN 1024

/* Where it is among its lines, in registers: of a random order the generator's state. */
struct kernel_traffic_walk {
    uintptr_t base;
    uint64_t pos, last; /* last: the highest number of a line */
    uint32_t line_log2, line_bytes, fold;
};

/* The low bits of a congruential generator repeat soon; folding the high ones onto them is a
 * bijection as well, so that each line still comes once a period. */
#define KERNEL_TRAFFIC_NEXT(random)                                            \
    do {                                                                       \
        line = base + (random ? (pos ^ pos >> fold) << log2 : pos << log2);    \
        pos = random ? (pos * KERNEL_DRAW_A + KERNEL_DRAW_C) & last : pos + 1; \
    } while (0)

/* A whole line by stores that bypass the caches. */
KERNEL_INLINE void kernel_traffic_overwrite(uintptr_t line, uint32_t line_bytes)
{
    if (line_bytes == 64) {
        KERNEL_STORE_PAIR(line, CHAIN_POISON, CHAIN_POISON);
        KERNEL_STORE_PAIR(line + 16, CHAIN_POISON, CHAIN_POISON);
        KERNEL_STORE_PAIR(line + 32, CHAIN_POISON, CHAIN_POISON);
        KERNEL_STORE_PAIR(line + 48, CHAIN_POISON, CHAIN_POISON);
        return;
    }
    for (uint32_t byte = 0; byte < line_bytes; byte += 16)
        KERNEL_STORE_PAIR(line + byte, CHAIN_POISON, CHAIN_POISON);
}

/* What is done to a line; kind and turn are constants. A plain store has the CPU read the line and
 * write it back later. */
KERNEL_INLINE void kernel_traffic_line(const enum traffic_kind kind, const unsigned turn,
                                       uintptr_t line, uint32_t line_bytes)
{
    if (kind == TRAFFIC_STORE_NT)
        kernel_traffic_overwrite(line, line_bytes);
    else if (kind == TRAFFIC_1_1 || (kind == TRAFFIC_2_1 && turn % 2 == 1))
        KERNEL_DIRTY(0, line, CHAIN_POISON);
    else
        KERNEL_LOAD_FREE(line);
}

/* One block; kind and random are constants. */
KERNEL_INLINE void kernel_traffic_lines(struct kernel_traffic_walk *walk,
                                        const enum traffic_kind kind, const bool random)
{
    uintptr_t base = walk->base, line = 0;
    uint64_t pos = walk->pos, last = walk->last;
    uint32_t log2 = walk->line_log2, line_bytes = walk->line_bytes, fold = walk->fold;

    for (uint32_t left = TRAFFIC_BLOCK; left != 0; left -= KERNEL_TRAFFIC_STEP) {
        KERNEL_TRAFFIC_NEXT(random);
        kernel_traffic_line(kind, 0, line, line_bytes);
        KERNEL_TRAFFIC_NEXT(random);
        kernel_traffic_line(kind, 1, line, line_bytes);
        KERNEL_TRAFFIC_NEXT(random);
        kernel_traffic_line(kind, 2, line, line_bytes);
        KERNEL_TRAFFIC_NEXT(random);
        kernel_traffic_line(kind, 3, line, line_bytes);
        KERNEL_HOLD(left); /* prevents unrolling */
    }
    walk->pos = pos > last ? 0 : pos;
}

#define KERNEL_TRAFFIC_OF(name, kind, random)                                    \
    KERNEL_NOINLINE void kernel_traffic_##name(struct kernel_traffic_walk *walk) \
    {                                                                            \
        kernel_traffic_lines(walk, kind, random);                                \
    }
KERNEL_TRAFFIC_OF(read, TRAFFIC_READ, false)
KERNEL_TRAFFIC_OF(read_random, TRAFFIC_READ, true)
KERNEL_TRAFFIC_OF(2_1, TRAFFIC_2_1, false)
KERNEL_TRAFFIC_OF(2_1_random, TRAFFIC_2_1, true)
KERNEL_TRAFFIC_OF(1_1, TRAFFIC_1_1, false)
KERNEL_TRAFFIC_OF(1_1_random, TRAFFIC_1_1, true)
KERNEL_TRAFFIC_OF(store_nt, TRAFFIC_STORE_NT, false)
KERNEL_TRAFFIC_OF(store_nt_random, TRAFFIC_STORE_NT, true)

static void (*const kernel_traffic_blocks[][2])(struct kernel_traffic_walk *) = {
    [TRAFFIC_READ] = {kernel_traffic_read, kernel_traffic_read_random},
    [TRAFFIC_2_1] = {kernel_traffic_2_1, kernel_traffic_2_1_random},
    [TRAFFIC_1_1] = {kernel_traffic_1_1, kernel_traffic_1_1_random},
    [TRAFFIC_STORE_NT] = {kernel_traffic_store_nt, kernel_traffic_store_nt_random}};

static void kernel_traffic_chase(const struct traffic *traffic, struct traffic_progress *shared)
{
    const struct chase_plan plan = {.chains = traffic->chains};
    struct kernel_sample sample = {
        .plan = &plan, .hops = KERNEL_TRAFFIC_HOPS, .cursor = shared->cursor};
    kernel_function *kernel =
        traffic->chains > CHAINS_ANY_HOP ? kernel_many : kernel_cycle[traffic->chains - 1];
    struct traffic_done done = {.ticks = KERNEL_TICKS_FREE()};

    while (KERNEL_PUBLISH(shared, &done)) {
        kernel(&sample);
        done.read_lines += KERNEL_TRAFFIC_HOPS * traffic->chains;
        done.ticks = KERNEL_TICKS_FREE();
        if (traffic->pause_cycles != 0)
            KERNEL_WAIT(traffic->pause_cycles);
    }
    shared->cursor = sample.cursor;
}

static void kernel_traffic_of_lines(const struct traffic *traffic, struct traffic_progress *shared)
{
    struct kernel_traffic_walk walk = {.base = traffic->base,
                                       .pos = shared->pos,
                                       .last = traffic->lines - 1,
                                       .line_bytes = shared->line_bytes,
                                       .line_log2 = traffic_log2(shared->line_bytes),
                                       .fold = traffic_log2(traffic->lines) / 2 + 1};
    void (*block)(struct kernel_traffic_walk *) =
        kernel_traffic_blocks[traffic->kind][traffic->random];
    struct traffic_done each = traffic_block(traffic->kind);
    struct traffic_done done = {.ticks = KERNEL_TICKS_FREE()};

    while (KERNEL_PUBLISH(shared, &done)) {
        block(&walk);
        done.read_lines += each.read_lines;
        done.written_lines += each.written_lines;
        done.ticks = KERNEL_TICKS_FREE();
        if (traffic->pause_cycles != 0)
            KERNEL_WAIT(traffic->pause_cycles);
    }
    KERNEL_STORE_DRAIN();
    shared->pos = walk.pos;
}

/* Work, not KERNEL_SPIN: an instruction that says that this thread waits would hand its share of
 * the core to the other one, and may let the core sleep. */
static void kernel_traffic_awake(struct traffic_progress *shared)
{
    struct traffic_done done = {.ticks = KERNEL_TICKS_FREE()};

    while (KERNEL_PUBLISH(shared, &done)) {
        KERNEL_WAIT(KERNEL_TRAFFIC_SPIN);
        done.ticks = KERNEL_TICKS_FREE();
    }
}

/* It is woken by a store to its word, and by whatever else wakes a CPU: then it halts again. */
static void kernel_traffic_parked(struct traffic_progress *shared)
{
    struct traffic_done done = {.ticks = KERNEL_TICKS_FREE()};

    while (KERNEL_PUBLISH(shared, &done)) {
        KERNEL_PARK(&shared->stop);
        done.wakes++;
        done.ticks = KERNEL_TICKS_FREE();
    }
}

/* Does that until traffic_stop, from where it stopped the last time (traffic_begin), and tells
 * meanwhile what it has done (traffic_done_by). It must not run twice at once on one *shared. */
static void kernel_traffic(const struct traffic *traffic, struct traffic_progress *shared)
{
    if (traffic->kind == TRAFFIC_CHASE)
        kernel_traffic_chase(traffic, shared);
    else if (traffic->kind == TRAFFIC_SPIN)
        kernel_traffic_awake(shared);
    else if (traffic->kind == TRAFFIC_PARK)
        kernel_traffic_parked(shared);
    else
        kernel_traffic_of_lines(traffic, shared);
}

#endif
