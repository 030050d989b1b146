/* SPDX-License-Identifier: BSD-2-Clause */
/* What a CPU that loads memory tells the one that chases, and how it is told to stop. The loops
 * are in core/chase/kernels_traffic.h. */
#ifndef CORE_CHASE_TRAFFIC_H
#define CORE_CHASE_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"

/* Two CPUs' words are never in one line, nor in two that an adjacent-line prefetcher pairs. */
#define TRAFFIC_APART_BYTES 128
/* So many accounts lie behind each other that a reader has time to read one while the writer goes
 * on. */
#define TRAFFIC_ACCOUNTS 8

/* Of one CPU that loads memory. */
struct traffic_progress {
    /* Written by those who stop it. */
    _Alignas(TRAFFIC_APART_BYTES) uint32_t stop;
    /* Written by that CPU alone: account number `count` is at [count % TRAFFIC_ACCOUNTS]; 0: there
     * is none. */
    _Alignas(TRAFFIC_APART_BYTES) uint64_t count;
    struct traffic_done account[TRAFFIC_ACCOUNTS];
    /* Where it goes on. */
    _Alignas(TRAFFIC_APART_BYTES) struct chase_cursor cursor;
    uint64_t pos;
    uint32_t line_bytes;
};

/* Before a CPU's first turn: it begins where *traffic says. */
void traffic_open(struct traffic_progress *shared, const struct traffic *traffic,
                  uint32_t line_bytes);
/* Before each further turn, while it does not run. What it did is counted from 0 again. */
void traffic_begin(struct traffic_progress *shared);
/* Has it end after the block under way. */
void traffic_stop(struct traffic_progress *shared);
/* Whether it has begun to load since traffic_begin. */
bool traffic_runs(const struct traffic_progress *shared);
/* What it has done by now; .ticks is its clock's reading. All 0: nothing yet. */
struct traffic_done traffic_done_by(const struct traffic_progress *shared);
/* Of two of these what lies between them. All 0 where it did not run in both. */
struct traffic_done traffic_between(struct traffic_done from, struct traffic_done to);

/* What one block of TRAFFIC_BLOCK lines reads and writes; not of TRAFFIC_CHASE,
 * TRAFFIC_SPIN and TRAFFIC_PARK. Pure. */
struct traffic_done traffic_block(enum traffic_kind kind);
/* Of a power of two. */
uint32_t traffic_log2(uint64_t value);

/* By the CPU that loads: tells what was done so far; false: it is to stop. Two stores and a load
 * that hits, per block. */
static inline bool traffic_publish(struct traffic_progress *shared, const struct traffic_done *done)
{
    uint64_t count = shared->count + 1;

    shared->account[count % TRAFFIC_ACCOUNTS] = *done;
    __atomic_store_n(&shared->count, count, __ATOMIC_RELEASE);
    return __atomic_load_n(&shared->stop, __ATOMIC_RELAXED) == 0;
}

#endif
