/* SPDX-License-Identifier: BSD-2-Clause */
/* When a set of memory is large enough. Figures are in ns; unknown: not measured. Pure. */
#ifndef CORE_EXPERIMENTS_DRAM_SETS_H
#define CORE_EXPERIMENTS_DRAM_SETS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/stats/doubt.h"
#include "core/stats/figure.h"

/* Sets that double are told apart up to so many. */
#define DRAM_SETS_MAX 24

/* A hop over one of the sets, in a chase and in draws. */
struct dram_set {
    double bytes;
    struct figure chase, draw;
};
/* No undeclared cache is taken to be a fourth as large: a smaller set may be all inside
 * one, and look like memory. */
#define DRAM_MIN_BYTES (256ull << 20)
/* The largest caches that are known, 0: none. */
struct dram_caches {
    double declared_bytes;
    double found_bytes; /* by a curve that has been measured */
};
/* What sets that double say together. */
struct dram_search {
    struct figure slope; /* what each line of the last octave costs */
    struct figure rise;  /* of a chase over the last doubling */
    bool agree;          /* the last octave's slope and that of the octave before */
    bool enough;         /* by their times, a larger set tells nothing new */
    bool ends;           /* no larger set is asked for */
    bool rises;          /* no cache's doing: no larger set changes that */
    doubt_set doubt;     /* of a figure from the last set, were none larger measured */
};
/* Sets in ascending order, each twice as large as the one before. The last is large enough when,
 * twice in a row, the slopes of its last two octaves agree within their joint error and the chase
 * misses less than 1 % of the slope. Larger ones are asked for too where it is under
 * DRAM_MIN_BYTES or four times what a curve found; where there are none, that is a doubt. Pure.
 */
struct dram_search dram_judge_sets(const struct dram_set *sets, size_t count,
                                   const struct dram_caches *caches);
/* Slope and rise of such sets, where they are known better than when they were judged. Pure. */
void dram_tell_slope(const struct dram_set *sets, size_t count, struct dram_search *search);

#endif
