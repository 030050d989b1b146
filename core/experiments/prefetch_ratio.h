/* SPDX-License-Identifier: BSD-2-Clause */
/* What chases over one set say of prefetchers, and what they and the footprint say together. Pure.
 */
#ifndef CORE_EXPERIMENTS_PREFETCH_RATIO_H
#define CORE_EXPERIMENTS_PREFETCH_RATIO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/measure/footprint.h"
#include "core/results/record.h"

/* Of a hop: what one that finds its row open saves at most. More than a row's precharge and
 * activation are of any memory's latency. */
#define PREFETCH_ROW_GAIN_MAX 0.5

/* Nanoseconds a hop of five chases over one footprint. */
struct prefetch_proof {
    double random_ns;     /* every hop somewhere else */
    double sparse_ns;     /* the same, over one line of each pair of twice the set; NAN as below */
    double sequential_ns; /* lines in order within pages, pages at random */
    double paired_ns;     /* two random lines of a page, then another page */
    double halved_ns;     /* two lines half a page apart, then another page; NAN: not measured */
    uint32_t lines_per_page;
};

/* The behavioural ratio with its 99.9 % bounds. */
struct prefetch_ratio {
    bool known;
    double ratio, low, high;
    bool floored;    /* within errors, rows would gain more than a hop takes: nothing can be said */
    doubt_set doubt; /* of its chases */
};

/* Sequential over random, with what open DRAM rows and warm translations gain (measured by the
 * paired and the halved chase) taken off random. A chase at random finds lines that prefetchers
 * brought beside others long before; a sparse one does not, and stands for it where it was
 * measured. errors: the standard error of each figure, NAN where the figure is. Pure. */
struct prefetch_ratio prefetch_proof_ratio(const struct prefetch_proof *proof,
                                           const struct prefetch_proof *errors);
/* "off" with all of the interval in [0.8, 1.25], "on" with all of it below 0.6, else "undecided".
 * Pure. */
const char *prefetch_proof_verdict(const struct prefetch_ratio *ratio);
/* Both witnesses together, into the behaviour's fields of *seen. What the footprint decides stands;
 * where it is undecided the ratio's verdict does, and where both are decided and disagree that is a
 * doubt. footprint->known, ratio->known false: not measured. Pure. */
void prefetch_proof_judge(const struct footprint_summary *footprint,
                          const struct prefetch_ratio *ratio, struct record_prefetch *seen);

#endif
