/* SPDX-License-Identifier: BSD-2-Clause */
/* What chases over one set show about prefetchers, alone and together with the footprint. Pure. */
#ifndef CORE_EXPERIMENTS_PREFETCH_RATIO_H
#define CORE_EXPERIMENTS_PREFETCH_RATIO_H

#include <stdbool.h>
#include <stdint.h>

#include "core/measure/footprint.h"
#include "core/results/record.h"

/* The largest share of a hop that an open row saves: precharge and activation are less than this of
 * any memory's latency. */
#define PREFETCH_ROW_GAIN_MAX 0.5

/* Nanoseconds per hop of five chases over one set, and of the headline's set. */
struct prefetch_proof {
    double random_ns; /* lines in random order */
    double sparse_ns; /* the same, one line of each pair of neighbours in twice the set; NAN: not
                         measured */
    double sequential_ns; /* lines in order within pages, pages at random */
    double paired_ns;     /* two random lines of a page, then another page */
    double halved_ns;     /* two lines half a page apart, then another page; NAN: not measured */
    double memory_ns;     /* lines of the headline's largest set in random order; 0: not measured */
    uint32_t lines_per_page;
};

/* The sequential chase over what it would cost without prefetching, with 99.9 % bounds. */
struct prefetch_ratio {
    bool known;
    double ratio, low, high;
    bool floored;    /* within errors, open rows would save a whole hop: no verdict */
    bool cached;     /* the chases' set is in a cache that memory_ns tells of: never "off" */
    doubt_set doubt; /* of its chases */
};

/* The ratio of the sequential to the random chase, after open rows and TLB hits (estimated from the
 * paired and the halved chase) are subtracted from random. A random chase may hit lines that
 * prefetchers brought long before; the sparse chase does not and replaces it if measured, but not
 * if a cache holds the other chases' set. errors: the standard error of each figure, NAN where the
 * figure is NAN. Pure. */
struct prefetch_ratio prefetch_proof_ratio(const struct prefetch_proof *proof,
                                           const struct prefetch_proof *errors);
/* "off" if the whole interval is in [0.8, 1.25] (not if cached: prefetches may gain too little
 * there to be seen), "on" if it is below 0.6, else "undecided". Pure. */
const char *prefetch_proof_verdict(const struct prefetch_ratio *ratio);
/* Combines both witnesses into the behaviour's fields of *seen. The footprint's verdict counts; if
 * it is undecided, the ratio's does; if both decide and disagree, that is a doubt. footprint->known
 * or ratio->known false: not measured. Pure. */
void prefetch_proof_judge(const struct footprint_summary *footprint,
                          const struct prefetch_ratio *ratio, struct record_prefetch *seen);

#endif
