/* SPDX-License-Identifier: BSD-2-Clause */
/* What prefetchers bring: after some lines of a page were touched, the share of tries in which each
 * line of that page and of its two neighbours is found in a cache. Counts and what they say; who
 * counts is core/measure/footprint_run.c. Pure. */
#ifndef CORE_MEASURE_FOOTPRINT_H
#define CORE_MEASURE_FOOTPRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan/point.h"

#define FOOTPRINT_PAGE_BYTES  4096 /* what prefetchers of lines do not cross, mostly */
#define FOOTPRINT_PAGES       3
#define FOOTPRINT_LINES_MAX   192
#define FOOTPRINT_TOUCHES_MAX 8
#define FOOTPRINT_ROWS        4
/* Of tries, at the limit of what is claimed: no prefetcher that counts, and surely one. */
#define FOOTPRINT_OFF_MAX 0.02
#define FOOTPRINT_ON_MIN  0.1
/* One-sided error of every bound: 99.9 % */
#define FOOTPRINT_MISS 0.001

const char *footprint_verdict_name(enum footprint_verdict verdict); /* "undecided", "off", "on" */

/* How a load that found its line is told from one that did not: it took fewer ticks. */
struct footprint_threshold {
    double ticks;
    double found, false_found;    /* share under it of known hits, and of known misses */
    double hit_ticks, miss_ticks; /* their medians */
    bool tells;                   /* hits and misses differ enough for anything to be said */
};

/* From times of known hits and misses, which are sorted. Of all places that tell them apart equally
 * well the one nearest to the misses, since a line that was prefetched may lie in any cache.
 * Neither count is 0. */
void footprint_calibrate(uint64_t *hits, size_t hit_count, uint64_t *misses, size_t miss_count,
                         struct footprint_threshold *threshold);

/* One line, after one number of touches. */
struct footprint_cell {
    uint32_t found, tries;           /* loads under the threshold, and loads */
    uint32_t false_found, controls;  /* the same of loads of the line just dropped again */
    uint32_t late_found, late_tries; /* those of found and tries that waited longer */
};
/* The lines from the first of the page before on; those that were touched stay at no tries. */
struct footprint_row {
    uint32_t touches, touched, lines; /* touched: the first of them */
    struct footprint_cell cell[FOOTPRINT_LINES_MAX];
};

struct footprint_share footprint_share_of(const struct footprint_cell *cell,
                                          const struct footprint_threshold *threshold);

/* After so many touches, of each row: one, two, three, and as many as most that learn a direction
 * wait for. */
uint32_t footprint_touches(uint32_t row);

/* Whether the row's line is one of those that are touched. */
bool footprint_is_touched(const struct footprint_row *row, uint32_t line);

/* Which line of `lines` 64-byte-like lines a page is touched first: an odd one in the first half,
 * unequally far from the ends of every aligned stretch, so that the row tells an aligned pair from
 * the next line, and up from down. */
uint32_t footprint_touched(uint32_t page_lines);

/* Whether lines are found in another share after a longer while, or later on, than chance has it:
 * what prefetchers bring was still under way, or changes with time. */
bool footprint_moved(const struct footprint_row *row);
/* Whether some line is surely found too often for `off`, where next to nothing is found by mistake.
 */
bool footprint_seen(const struct footprint_row *row, size_t rows);

/* What rows say together: `off` when every line's upper bound is under FOOTPRINT_OFF_MAX, `on`
 * when some line's lower one is over FOOTPRINT_ON_MIN. */
void footprint_summarise(const struct footprint_row *row, size_t rows,
                         const struct footprint_threshold *threshold,
                         struct footprint_summary *summary);

#endif
