/* SPDX-License-Identifier: BSD-2-Clause */
/* dram: the headline. A set of at least 32 times the last-level cache where memory allows, in the
 * largest page size, prefetchers off; the same set in scattered 4K pages beside it, so that the
 * TLB's share stands alone; the same by independent draws, and half the set, for what each further
 * line costs (the slope) and for what a prefetcher that follows pointers would hide; and three
 * chases that prove by behaviour whether prefetchers work. The contract of dram_plan and
 * dram_conclude is in experiment.h. */
#ifndef CORE_EXPERIMENT_DRAM_H
#define CORE_EXPERIMENT_DRAM_H

#include <stdbool.h>

#include "core/experiment.h"

/* The proof's pages: what a prefetcher does not cross. */
#define DRAM_PROOF_PAGE_BYTES 4096

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
/* What a chase is, beside what independent draws say that a line of memory costs. */
enum dram_chase {
    DRAM_CHASE_PLAIN,   /* it costs as much, as far as errors tell */
    DRAM_CHASE_CACHED,  /* less: prefetchers that are not off left some of its lines in caches */
    DRAM_CHASE_FOLLOWED /* less: something follows its pointers */
};
/* seen_off: the other prefetchers have been seen to be off. Errors are standard errors. Pure. */
enum dram_chase dram_judge_chase(double chase_ns, double chase_error_ns, double slope_ns,
                                 double slope_error_ns, bool seen_off);
/* "off" in [0.8, 1.25], "on" below 0.6, else "undecided". */
const char *dram_prefetch_verdict(double ratio);

#endif
