/* SPDX-License-Identifier: BSD-2-Clause */
/* dram: the headline. A set of at least 32 times the last-level cache where memory allows, in the
 * largest page size, prefetchers off; the same set in scattered 4K pages beside it, so that the
 * TLB's share stands alone; the same by independent draws, and half the set, for what each further
 * line costs (the slope) and for what a prefetcher that follows pointers would hide; and five
 * chases that prove by behaviour whether prefetchers work. The contract of dram_plan and
 * dram_conclude is in experiment.h. */
#ifndef CORE_EXPERIMENT_DRAM_H
#define CORE_EXPERIMENT_DRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "core/experiment.h"

/* The proof's pages: what a prefetcher does not cross. */
#define DRAM_PROOF_PAGE_BYTES 4096

enum status dram_plan(struct engine *engine, uint32_t experiment);
enum status dram_conclude(struct engine *engine, uint32_t experiment);

/* Nanoseconds a hop of five chases over one footprint. */
struct prefetch_proof {
    double random_ns;     /* every hop somewhere else */
    double sparse_ns;     /* the same, over one line of each pair of twice the set; NAN as below */
    double sequential_ns; /* lines in order within pages, pages at random */
    double paired_ns;     /* two random lines of a page, then another page */
    double halved_ns;     /* two lines half a page apart, then another page; NAN: not measured */
    uint32_t lines_per_page;
};

/* The behavioural ratio: sequential over random, with what open DRAM rows and warm translations
 * gain (measured by the paired and the halved chase) taken off random. A chase at random finds
 * lines that prefetchers brought beside others long before; a sparse one does not, and stands for
 * it where it was measured. Pure. */
double dram_prefetch_ratio(const struct prefetch_proof *proof);
/* A figure in ns with its standard error; not known: not measured. */
struct dram_ns {
    bool known;
    double ns, error_ns;
};

/* What a chase is, beside what independent draws say that a line of memory costs. */
enum dram_chase {
    DRAM_CHASE_PLAIN,   /* it costs as much, as far as errors tell */
    DRAM_CHASE_CACHED,  /* less: prefetchers that are not off left some of its lines in caches */
    DRAM_CHASE_FOLLOWED /* less: something follows its pointers */
};
struct dram_chase_parts {
    struct dram_ns chase, draw; /* a hop over the set, in a chase and in draws */
    struct dram_ns chase_slope; /* what each line beyond half the set costs in a chase */
    struct dram_ns draw_slope;  /* and in draws */
    bool seen_off;              /* the other prefetchers have been seen to be off */
    uint64_t bytes;             /* of the set */
};
/* Slopes are compared: hits of open rows, and lines that prefetchers left in caches, are as many in
 * half the set and fall out, but whoever follows pointers does so in every set. Where the set is
 * not far beyond the caches, slopes say less, and a chase that is followed must also take less than
 * draws over the same set. Pure. */
enum dram_chase dram_judge_chase(const struct dram_chase_parts *parts);
/* ns of a hop over a large set and over a small one of so many bytes: what each line of the rest
 * costs. What is in caches at a hop is the same number of lines in both, and falls out. Unknown too
 * where noise leaves nothing or less. Pure. */
struct dram_ns dram_slope(struct dram_ns whole, double large, struct dram_ns half, double small);
/* The share of draws that surely (95 %) find their line in a cache, from what a draw over the set
 * and one beyond every cache take, hits taken as free; 0: none is sure. Pure. */
double dram_share_cached(struct dram_ns draw, struct dram_ns slope);
/* "off" in [0.8, 1.25], "on" below 0.6, else "undecided". */
const char *dram_prefetch_verdict(double ratio);

#endif
