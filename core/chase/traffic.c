/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/chase/traffic.h"

/* CPUs begin so many blocks apart in their lines, times their number: equal places are often in one
 * bank. Odd, so that it is in step with no power of two. */
#define APART_BLOCKS 2654435769ull

void traffic_open(struct traffic_progress *shared, const struct traffic *traffic,
                  uint32_t line_bytes)
{
    *shared = (struct traffic_progress){.cursor = traffic->start, .line_bytes = line_bytes};
    if (traffic->lines >= TRAFFIC_BLOCK)
        shared->pos =
            traffic->cpu * APART_BLOCKS % (traffic->lines / TRAFFIC_BLOCK) * TRAFFIC_BLOCK;
}

void traffic_begin(struct traffic_progress *shared)
{
    shared->count = 0;
    __atomic_store_n(&shared->stop, 0, __ATOMIC_RELEASE);
}

void traffic_stop(struct traffic_progress *shared)
{
    __atomic_store_n(&shared->stop, 1, __ATOMIC_RELEASE);
}

/* The first account is told before the first block. */
bool traffic_runs(const struct traffic_progress *shared)
{
    return __atomic_load_n(&shared->count, __ATOMIC_ACQUIRE) > 1;
}

struct traffic_done traffic_done_by(const struct traffic_progress *shared)
{
    struct traffic_done done;
    uint64_t count, now;

    do {
        count = __atomic_load_n(&shared->count, __ATOMIC_ACQUIRE);
        done = *(const volatile struct traffic_done *)&shared->account[count % TRAFFIC_ACCOUNTS];
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        now = __atomic_load_n(&shared->count, __ATOMIC_RELAXED);
        /* Half of them is a margin of blocks: stores of one may be seen before those of the block
           before it. */
    } while (now - count >= TRAFFIC_ACCOUNTS / 2);
    return count == 0 ? (struct traffic_done){.ticks = 0} : done;
}

struct traffic_done traffic_between(struct traffic_done from, struct traffic_done to)
{
    if (from.ticks == 0 || to.ticks <= from.ticks)
        return (struct traffic_done){.ticks = 0};
    return (struct traffic_done){.read_lines = to.read_lines - from.read_lines,
                                 .written_lines = to.written_lines - from.written_lines,
                                 .wakes = to.wakes - from.wakes,
                                 .ticks = to.ticks - from.ticks};
}

struct traffic_done traffic_block(enum traffic_kind kind)
{
    struct traffic_done block = {.read_lines = TRAFFIC_BLOCK, .written_lines = TRAFFIC_BLOCK};

    if (kind == TRAFFIC_READ)
        block.written_lines = 0;
    if (kind == TRAFFIC_2_1)
        block.written_lines = TRAFFIC_BLOCK / 2;
    if (kind == TRAFFIC_STORE_NT)
        block.read_lines = 0;
    return block;
}

uint32_t traffic_log2(uint64_t value)
{
    return 63 - (uint32_t)__builtin_clzll(value | 1);
}
