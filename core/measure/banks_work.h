/* SPDX-License-Identifier: BSD-2-Clause */
/* State of a search for banks, and room for its pairs. */
#ifndef CORE_MEASURE_BANKS_WORK_H
#define CORE_MEASURE_BANKS_WORK_H

#include "core/dram/banks.h"
#include "core/machine.h"

#define BANKS_PAIRS_MAX 32768
#define BANKS_SECTION   512 /* pairs of one quiet section: some tens of milliseconds */
#define BANKS_SLOWEST   64  /* of a section, timed again */
#define BANKS_REPEATS   5   /* odd: the median counts */
#define BANKS_KEPT      256 /* conflicts, at most */

/* Lines of the window. */
struct banks_lines {
    uint32_t a, b;
};

struct banks_run {
    struct random random;
    uint64_t lines; /* of the window */
    uint64_t bits;  /* of addresses, in which the drawn lines differ */
    uint32_t count; /* pairs drawn so far */
    struct banks_lines drawn[BANKS_PAIRS_MAX];
    uint64_t drawn_ticks[BANKS_PAIRS_MAX], sorted[BANKS_PAIRS_MAX];
    struct banks_lines kept[BANKS_KEPT]; /* that conflict, again when repeated */
    uint32_t kept_count;
    struct address_pair pair[BANKS_KEPT], any[BANKS_KEPT]; /* any: conflicts or not */
    struct conflict_split split;
    uint32_t slowest[BANKS_SLOWEST];
    uint64_t again[BANKS_REPEATS][BANKS_SLOWEST];
    struct line_pair section[BANKS_SECTION];
    uint64_t section_ticks[BANKS_SECTION];
};

#endif
