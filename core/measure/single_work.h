/* SPDX-License-Identifier: BSD-2-Clause */
/* State of a measurement of single accesses, and room for them. */
#ifndef CORE_MEASURE_SINGLE_WORK_H
#define CORE_MEASURE_SINGLE_WORK_H

#include "core/dram/conflict.h"
#include "core/dram/refresh.h"
#include "core/dram/rows.h"
#include "core/lib/random.h"
#include "core/machine.h"
#include "core/results/record.h"
#include "core/stats/histogram.h"

#define SINGLE_SERIES  65536 /* accesses of one quiet section: some 25 ms */
#define SINGLE_LINES   16384 /* random lines of one section */
#define SINGLE_PAIRS   2048
#define SINGLE_SLOWEST 256 /* pairs, timed again */
/* As many rounds tell 15 ns from the 42 ns of a slow clock's tick. */
#define SINGLE_ROUNDS       200
#define SINGLE_PAIR_SECTION 64 /* pairs of one quiet section */
#define SINGLE_REPEATS      7
#define SINGLE_KEPT         16 /* partners of each kind that rows are told by */

struct single_run {
    struct random random;
    uint64_t lines; /* of the set */
    uintptr_t base; /* the line that is asked again and again */
    double timing_ticks;
    uint64_t start[SINGLE_SERIES], ticks[SINGLE_SERIES], room[SINGLE_SERIES];
    uintptr_t line[SINGLE_LINES];
    struct line_pair pair[SINGLE_PAIRS];
    uint64_t pair_ticks[SINGLE_PAIRS], sorted[SINGLE_PAIRS];
    uint64_t slower[SINGLE_PAIRS]; /* than the base line is each other line, alone; 0: none */
    uint64_t rounds[SINGLE_PAIR_SECTION * SINGLE_ROUNDS]; /* of a section's pairs */
    uint32_t slowest[SINGLE_SLOWEST];
    struct line_pair slow[SINGLE_PAIRS]; /* or lines alone, as both of a pair */
    uint64_t again[SINGLE_REPEATS][SINGLE_SLOWEST];
    bool conflicts[SINGLE_PAIRS];
    struct histogram histogram;
    double bin_ns[RECORD_BINS_MAX];
    uint64_t bin_count[RECORD_BINS_MAX];
    struct conflict_split split;
    struct rows rows;
    struct rows_shares shares;
    struct refresh refresh;
    struct refresh_partners partners;
    uint32_t conflict_count; /* pairs that conflict each time */
};

#endif
