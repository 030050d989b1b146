/* SPDX-License-Identifier: BSD-2-Clause */
/* dram: the headline. A set of at least 32 times the last-level cache where memory allows, in the
 * largest page size, prefetchers off; the same set in scattered 4K pages beside it, so that the
 * TLB's share stands alone; and three chases that prove by behaviour whether prefetchers work. The
 * contract of dram_plan and dram_conclude is in experiment.h. */
#ifndef CORE_EXPERIMENT_DRAM_H
#define CORE_EXPERIMENT_DRAM_H

#include "core/experiment.h"

enum status dram_plan(struct engine *engine, uint32_t experiment);
enum status dram_conclude(struct engine *engine, uint32_t experiment);

/* Nanoseconds a hop of three chases over one footprint. */
struct prefetch_proof {
    double random_ns;     /* every hop somewhere else */
    double sequential_ns; /* lines in order within pages, pages at random */
    double paired_ns;     /* two random lines of a page, then another page */
    uint32_t lines_per_page;
};

/* The behavioural ratio: sequential over random, with what open DRAM rows and warm translations
 * gain (measured by the paired chase, which no prefetcher can follow) taken off. Pure. */
double dram_prefetch_ratio(const struct prefetch_proof *proof);
/* "off" in [0.8, 1.25], "on" below 0.6, else "undecided". */
const char *dram_prefetch_verdict(double ratio);

#endif
