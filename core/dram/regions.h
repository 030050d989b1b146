/* SPDX-License-Identifier: BSD-2-Clause */
/* Which blocks of physical memory take another time than the others, from one latency a block.
 * Pure; core/measure/regions.c measures. Nothing is said of a block from one measurement: what
 * differs here is only worth measuring again. */
#ifndef CORE_DRAM_REGIONS_H
#define CORE_DRAM_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/phys.h"

#define REGIONS_BLOCKS_MAX 32768

/* Why a block is not compared with the others. */
enum region_state {
    REGION_NOT_MEASURED, /* not reached */
    REGION_NO_CHAIN,     /* too small for one */
    REGION_WRONG,        /* memory there reads wrong: what it takes is not known */
    REGION_SMALL, /* measured, but smaller than the others: more of its hops find their row open */
    REGION_COMPARED
};

struct region_block {
    phys_addr first;
    uint64_t offset, bytes; /* offset: in the window */
    uint32_t node;
    enum region_state state;
    bool differs;        /* regions_find */
    bool told;           /* lies in a range that was found to differ when measured again */
    uint64_t start_line; /* of its chain, in the window */
    double at_s;         /* when it was measured */
    double ns, error_ns; /* mean of the middle half of the samples, and its standard error */
    double median_ns, p95_ns, p99_ns, max_ns;
};

static inline bool region_is_measured(const struct region_block *block)
{
    return block->state == REGION_SMALL || block->state == REGION_COMPARED;
}

/* Room for regions_find; large. */
struct regions_room {
    uint32_t index[REGIONS_BLOCKS_MAX];
    double value[REGIONS_BLOCKS_MAX], sum[REGIONS_BLOCKS_MAX + 1];
    uint64_t sorted[REGIONS_BLOCKS_MAX];
};

struct regions_base {
    double ns;       /* of the blocks that do not differ: their median; NAN: there are none */
    double sigma_ns; /* what one block scatters by */
    uint32_t compared, differing;
};

/* Sets `differs` of one node's blocks [0, count), in the order of addresses. Blocks that are not
 * REGION_COMPARED are left alone. By three tests, any of which suffices: a block far from the
 * others (robust); two groups with a gap between them, wherever their blocks lie; a stretch of any
 * length against the rest. What the others are is the fastest group that holds a quarter. */
void regions_find(struct region_block *block, uint32_t count, struct regions_room *room,
                  struct regions_base *base);

/* Blocks [first, end) that follow each other in memory and in the window. */
struct region_run {
    uint32_t first, end;
};

/* Stores the runs of blocks that differ, those furthest from base_ns first; returns how many there
 * are, which may be more than max. */
uint32_t regions_runs(const struct region_block *block, uint32_t count, double base_ns,
                      struct region_run run[], uint32_t max);

/* ---- drift */

/* The reference block's latency at that time. */
struct region_reading {
    double at_s, ns, error_ns;
};

/* Whether the reference moved by more than chance. */
bool regions_drifted(const struct region_reading reading[], uint32_t count);
/* Its latency at that time over that of the first reading, between two readings in proportion.
 * count is at least 1. */
double regions_drift_at(const struct region_reading reading[], uint32_t count, double at_s);

/* ---- measured again */

struct region_difference {
    bool sure; /* it is none of chance's, and at least APART_SHARE */
    double ns; /* mean */
    /* 99 % bounds of what an access takes longer, with what refreshes make of it. They come by time
     * and close rows: where hops take longer, fewer of them find another row open, which saves tRP.
     * That share of the hops differs by 0.3 of the share by which they take longer, at most. */
    double low, high;
    double repeat; /* what the same memory measured once more differs by at most, in 99 of 100 */
};

#define REGIONS_ROUNDS 16

/* From differences of two latencies that were measured one after the other, in REGIONS_ROUNDS
 * rounds; base_ns: the latency of what it is held against. Sorts them. */
struct region_difference regions_compare(double difference[REGIONS_ROUNDS], double base_ns);

/* ---- edges */

#define REGIONS_PIECES_MAX 256

/* Where the part that differs lies among equal pieces: [first, end). */
struct region_edges {
    bool sure;
    uint32_t first, end;
    double ns; /* how much slower its pieces are */
};

/* From one latency a piece, and the standard error of one; slower: whether a slower or a faster
 * part is looked for. Where everything differs, or nothing, nothing is sure. */
struct region_edges regions_edges(const double piece_ns[], uint32_t count, double error_ns,
                                  bool slower);

#endif
