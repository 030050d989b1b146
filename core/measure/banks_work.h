/* SPDX-License-Identifier: BSD-2-Clause */
/* State of a search for banks, and room for its pairs. */
#ifndef CORE_MEASURE_BANKS_WORK_H
#define CORE_MEASURE_BANKS_WORK_H

#include "core/dram/banks.h"
#include "core/machine.h"

#define BANKS_PAIRS_MAX 8192
#define BANKS_SECTION   512 /* pairs drawn together */
#define BANKS_POOL      128 /* lines that these are of */
#define BANKS_KNOWN     4   /* pairs of a section that may be given, at even distances */
#define BANKS_SLOWEST   64  /* of a section, timed again */
#define BANKS_RARE      16  /* of a section, where conflicts are rare */
#define BANKS_REPEATS   5   /* odd: the median counts */
#define BANKS_QUIET     64  /* pairs of one quiet section: some milliseconds */
#define BANKS_ROUNDS    200 /* of each pair, at most */
#define BANKS_KEPT      256 /* conflicts, at most */

/* Lines of the window. */
struct banks_lines {
    uint32_t a, b;
};

struct banks_run {
    struct random random;
    uint64_t lines;       /* of the window */
    uint64_t bits;        /* of addresses, in which the drawn lines differ */
    bool rare;            /* conflicts are */
    uint32_t rounds;      /* of each pair */
    uint32_t looked_at;   /* pairs drawn so far */
    uint32_t count;       /* of them kept below: all, or where conflicts are rare the slowest */
    uint64_t base_time;   /* what most lines take alone; 0: not known yet */
    bool in_turn;         /* two loads together take as long as both alone */
    uint64_t median_time; /* of a section's pairs, where not all are kept */
    struct banks_lines drawn[BANKS_PAIRS_MAX];
    uint64_t drawn_time[BANKS_PAIRS_MAX], sorted[BANKS_PAIRS_MAX];
    struct banks_lines kept[BANKS_KEPT]; /* that conflict, again when repeated */
    uint32_t kept_count;
    struct address_pair pair[BANKS_KEPT], any[BANKS_KEPT]; /* any: conflicts or not */
    bool side_met[3]; /* pairs below 4 GiB, above and across it are among any */
    struct conflict_split split;
    double least; /* that a conflict adds, in parts of a tick */
    uint32_t slowest[BANKS_SLOWEST];
    uint64_t again[BANKS_REPEATS][BANKS_SLOWEST];
    uint32_t pool[BANKS_POOL];
    uint64_t pool_alone[BANKS_POOL]; /* what each of them takes alone */
    struct banks_lines section_lines[BANKS_SECTION];
    struct banks_lines section_pool[BANKS_SECTION]; /* the same by numbers of the pool's lines */
    uint64_t
        section_alone[BANKS_SECTION]; /* what each pair is expected to take by its lines alone */
    struct banks_lines alone_lines[BANKS_KEPT];
    uint64_t alone[2][BANKS_KEPT], some_time[BANKS_KEPT];
    struct line_pair quiet[BANKS_QUIET];
    uint64_t quiet_ticks[BANKS_QUIET * BANKS_ROUNDS];
    uint64_t section_time[BANKS_SECTION];
};

#endif
