/* SPDX-License-Identifier: BSD-2-Clause */
/* The cost of translation, from all sets together. Figures are in ns; unknown: not measured. */
#ifndef CORE_EXPERIMENTS_DRAM_WALKS_H
#define CORE_EXPERIMENTS_DRAM_WALKS_H

#include "core/experiments/dram_sets.h"

struct dram_walks_set {
    double bytes;
    struct figure chase, draw; /* hops over it, including walks */
    struct figure pages;       /* cost of translation by its probes */
    double probes;             /* pages that the probes touch */
    double evicted_ns;         /* see translation_evicted_max_ns */
    struct figure cost;        /* output: cost of translation per hop over it */
};
struct dram_walks {
    struct dram_walks_set set[DRAM_SETS_MAX]; /* ascending; the last one's chase is known */
    size_t count;
    bool brings;               /* prefetchers may bring lines during a chase */
    bool busy;                 /* with which memory may be busy beyond the next hop */
    double row_ns;             /* the most that a hop saves if its row is open */
    double share, share_error; /* cost of walks during a chase, relative to the probes, as expected
                                  beforehand */
    struct figure slope_cost;  /* output: of each line beyond half of the last set */
    struct figure memory;      /* output: a hop without walks that hits nothing */
};
/* Fills in the outputs. False: the sets do not determine them, and memory is unknown, or contradict
 * each other, and memory is the figure that they contradict least. Pure. */
bool dram_walks_fit(struct dram_walks *walks);

#endif
