/* SPDX-License-Identifier: BSD-2-Clause */
/* State of a measurement of bandwidth by class, and room for its lists of lines. */
#ifndef CORE_MEASURE_BANDWIDTH_WORK_H
#define CORE_MEASURE_BANDWIDTH_WORK_H

#include "core/dram/bandwidth.h"
#include "core/lib/random.h"

#define BANDWIDTH_PIECE  4096  /* lines of a piece of memory that is read together */
#define BANDWIDTH_CACHED 32768 /* lines that a cache is to hold, at most */
#define BANDWIDTH_ROUNDS BANDWIDTH_PART_ROUNDS
/* Of classes that are neither the same nor halved for sure after those. */
#define BANDWIDTH_ROUNDS_MAX 24
#define BANDWIDTH_ALL        4 /* lists of all lines in each round */
#define BANDWIDTH_BANKS      256
#define BANDWIDTH_GROUP      16 /* pieces that are read together, at most */

struct bandwidth_piece {
    uint64_t offset, first;          /* in the window; physical */
    unsigned bank;                   /* of its first line */
    uint16_t order[BANDWIDTH_PIECE]; /* of its lines */
};

struct bandwidth_run {
    struct random random;
    struct bandwidth bandwidth;
    uint32_t node;
    bool can_read;   /* the machine can flush lines and time reads */
    bool known;      /* enough was measured to decide */
    uint32_t rounds; /* that are complete */
    uintptr_t line[BANDWIDTH_CACHED];
    uint32_t first_block, end_block; /* that pieces are drawn of */
    bool of_part;                    /* those are a part: blocks that differ are, too */
    struct bandwidth_piece piece[BANDWIDTH_GROUP];
    uint32_t pieces;
    bool reached[BANDWIDTH_BANKS]; /* banks of one piece, less that of its first line */
    uint8_t bank[BANDWIDTH_PIECE]; /* of a piece's lines, as far as is known */
    uint16_t sorted[BANDWIDTH_PIECE];
    uint16_t first[BANDWIDTH_BANKS + 1]; /* of each bank's, in sorted[] */
    uint8_t turn[BANDWIDTH_BANKS];
    uint64_t all_ticks[BANDWIDTH_ROUNDS * BANDWIDTH_ALL];
    uint64_t in_turn_ticks[BANDWIDTH_ROUNDS];
    uint64_t part_ticks[BANDWIDTH_PARTS][BANDWIDTH_ROUNDS];
    bool no_part[BANDWIDTH_PARTS]; /* there is no such part, or nothing to read in it */
    uint64_t ticks[BANDWIDTH_CLASSES_MAX][2][BANDWIDTH_ROUNDS_MAX];
    uint32_t class_rounds[BANDWIDTH_CLASSES_MAX];
    bool none[BANDWIDTH_CLASSES_MAX]; /* there are too few lines of one parity */
};

#endif
