/* SPDX-License-Identifier: BSD-2-Clause */
/* What translation costs by all sets together. Figures are in ns; unknown: not measured. */
#ifndef CORE_EXPERIMENTS_DRAM_WALKS_H
#define CORE_EXPERIMENTS_DRAM_WALKS_H

#include "core/experiments/dram_sets.h"

struct dram_walks_set {
    double bytes;
    struct figure chase, draw; /* hops over it, walks and all */
    struct figure pages;       /* what its probes say that translation takes */
    double probes;             /* pages that they touch */
    double evicted_ns;         /* as translation_evicted_max_ns */
    struct figure cost;        /* the answer: what translation takes of a hop over it */
};
struct dram_walks {
    struct dram_walks_set set[DRAM_SETS_MAX]; /* ascending; the last one's chase is known */
    size_t count;
    bool brings;               /* prefetchers may bring lines beside those of a chase */
    double row_ns;             /* what a hop saves at most that finds its row open */
    double share, share_error; /* what walks cost beside a chase over what probes say, before */
    struct figure slope_cost;  /* the answer: of each line beyond half of the last set */
    struct figure memory;      /* the answer: a hop without walks that finds nothing anywhere */
};
/* Fills in the answers; false: these sets do not tell it, or do not agree. Pure. */
bool dram_walks_fit(struct dram_walks *walks);

#endif
