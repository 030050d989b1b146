/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides when a set of memory is large enough. Figures are in ns; unknown: not measured. Pure. */
#ifndef CORE_EXPERIMENTS_DRAM_SETS_H
#define CORE_EXPERIMENTS_DRAM_SETS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/stats/doubt.h"
#include "core/stats/figure.h"

/* The largest number of sets. */
#define DRAM_SETS_MAX 24

/* The cost of a hop over one of the sets, by a chase and by draws. */
struct dram_set {
    double bytes;
    struct figure chase, draw;
};
/* The largest known caches, 0: none. */
struct dram_caches {
    double declared_bytes;
    double found_bytes; /* from a measured curve */
};
/* What sets that double show together. */
struct dram_search {
    struct figure slope; /* cost of each line of the last octave */
    struct figure rise;  /* of a chase, over the last doubling */
    bool agree;          /* the slopes of the last two octaves agree */
    bool enough;         /* by their costs, a larger set tells nothing new */
    bool ends;           /* no larger set is needed */
    bool rises;      /* the latency keeps rising as no cache makes it: larger sets do not help */
    doubt_set doubt; /* of a figure from the last set, if none larger is measured */
};
/* sets: in ascending order, each twice as large as the one before. The last is large enough if,
 * twice in a row, the slopes of its last two octaves agree within their joint error and the chase
 * is less than 1 % below the slope. Larger ones are also needed if it is smaller than
 * PLAN_MEMORY_MIN_BYTES or four times what a curve found; if there are none, that is a doubt. Pure.
 */
struct dram_search dram_judge_sets(const struct dram_set *sets, size_t count,
                                   const struct dram_caches *caches);
/* Updates slope and rise after the sets' figures have been refined. Pure. */
void dram_update_slope(const struct dram_set *sets, size_t count, struct dram_search *search);

#endif
