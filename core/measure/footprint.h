/* SPDX-License-Identifier: BSD-2-Clause */
/* What prefetchers bring: after some lines of a page were touched, the share of tries in which each
 * line of that page and of its two neighbours is found in a cache. This is the evaluation of
 * counts; core/measure/footprint_run.c does the counting. Pure. */
#ifndef CORE_MEASURE_FOOTPRINT_H
#define CORE_MEASURE_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan/point.h"

#define FOOTPRINT_PAGE_BYTES  4096 /* most prefetchers do not cross it */
#define FOOTPRINT_PAGES       3
#define FOOTPRINT_LINES_MAX   192
#define FOOTPRINT_TOUCHES_MAX 8
#define FOOTPRINT_ROWS        4
/* Shares of tries: below the first no prefetcher matters, above the second there surely is one. */
#define FOOTPRINT_OFF_MAX 0.02
#define FOOTPRINT_ON_MIN  0.1
/* One-sided error of every bound: 0.1 %. */
#define FOOTPRINT_MISS 0.001

const char *footprint_verdict_name(enum footprint_verdict verdict); /* "undecided", "off", "on" */

/* Loads that took fewer ticks than the threshold hit a cache. */
struct footprint_threshold {
    double ticks;
    double found, false_found; /* share of known hits, and of known misses, below the threshold */
    double hit_ticks, miss_ticks; /* their medians */
    double cached_ticks;          /* half of the way from one to the other */
    bool tells;                   /* hits and misses are far enough apart for a verdict */
};

/* Finds the threshold from times of known hits and misses; sorts both. Of all thresholds that
 * separate them equally well, the one nearest to the misses, since a prefetched line may be in any
 * cache. Neither count may be 0. */
void footprint_calibrate(uint64_t *hits, size_t hit_count, uint64_t *misses, size_t miss_count,
                         struct footprint_threshold *threshold);

/* Counts for one line, after one number of touches. */
struct footprint_cell {
    uint32_t found, tries;           /* loads below the threshold, and all loads */
    uint32_t false_found, controls;  /* the same for loads right after the line was flushed again */
    uint32_t late_found, late_tries; /* those of found and tries after the longer wait */
    uint32_t cached; /* those of tries in fewer ticks than cached_ticks: some cache has the line,
                        also one that flushed lines stay in */
};
/* Counts for the lines of three pages, from the first line of the page before. Touched lines have
 * no tries. */
struct footprint_row {
    uint32_t touches, touched,
        lines; /* touches: how many lines are touched; touched: the first of them */
    struct footprint_cell cell[FOOTPRINT_LINES_MAX];
};

/* The share of tries in which the line was there, false positives subtracted, with its bounds; 0 to
 * 1 without tries. */
struct footprint_share footprint_share_of(const struct footprint_cell *cell,
                                          const struct footprint_threshold *threshold);

/* How many lines are touched in each row: one, two, three, and as many as most prefetchers need to
 * learn a direction. */
uint32_t footprint_touches(uint32_t row);

/* Whether this line of the row is one of the touched ones. */
bool footprint_is_touched(const struct footprint_row *row, uint32_t line);

/* Which line of a page of page_lines lines is touched first: an odd one in the first half, at
 * unequal distances from the ends of every aligned block, so that an aligned pair differs from the
 * next line, and up from down. */
uint32_t footprint_touched(uint32_t page_lines);

/* Whether lines are found more or less often after the longer wait than chance allows: what
 * prefetchers bring was still under way, or changes with time. */
bool footprint_moved(const struct footprint_row *row);
/* Whether some line is certainly found too often for `off`, assuming next to no false positives. */
bool footprint_seen(const struct footprint_row *row, size_t rows);

/* Summarises rows: `off` if every line's upper bound is below FOOTPRINT_OFF_MAX, `on` if some
 * line's lower bound is above FOOTPRINT_ON_MIN. Not `off`, with the doubt DOUBT_CONTRADICTED, if a
 * line that no row touches is cached though not found; no other doubt is set. */
void footprint_summarise(const struct footprint_row *row, size_t rows,
                         const struct footprint_threshold *threshold,
                         struct footprint_summary *summary);

#endif
