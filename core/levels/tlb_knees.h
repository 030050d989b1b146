/* SPDX-License-Identifier: BSD-2-Clause */
/* Levels of the TLB in what a hop takes longer with its line in a page of its own: arithmetic over
 * steps of ascending pages. */
#ifndef CORE_LEVELS_TLB_KNEES_H
#define CORE_LEVELS_TLB_KNEES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/stats/figure.h"

#define TLB_KNEES_MAX   4
#define TLB_STEPS_LEAST 3 /* fewer show nothing */
#define TLB_STEPS_MAX   72

/* What a hop takes longer with its line in a page of its own. */
struct tlb_step {
    uint64_t pages, span; /* span: page numbers from the first to the last of them */
    struct figure cost;   /* ns */
    double packed_ns;     /* a hop through as many lines close together */
    double packed_pages;  /* pages that those lie in: their misses are reckoned with */
};

/* A level of the TLB: it holds low .. high pages (the step that no longer fits spans more numbers),
 * and a hop that misses it takes miss_ns more than one that hits. miss_ns holds, beside what the
 * points scatter, how far the steps stand from one cost and from other ways to miss. */
struct tlb_knee {
    uint64_t low, high;
    struct figure miss_ns;
    bool extrapolated; /* its cost is never seen whole, but is the model's */
    bool rising;       /* not even that: the pages ended while it grew, it is at least miss_ns */
};

/* Room for what is left to explain: steps less the knees so far, from `leave` on above them. */
struct tlb_rest {
    struct tlb_step step[TLB_STEPS_MAX];
    size_t count, leave;
};

/* Knees in steps of ascending pages: from the last step that fits to the first that is beyond doubt
 * above it. A chase in one cycle misses a TLB of single pages with every hop as soon as one page is
 * too many; where pages share entries, or an entry is given up at random, ever more often. What is
 * not beyond its own bounds is no knee. At most TLB_STEPS_MAX steps. Answers how many (at most
 * TLB_KNEES_MAX). */
size_t tlb_find(const struct tlb_step *steps, size_t count, struct tlb_rest *rest,
                struct tlb_knee knees[TLB_KNEES_MAX]);

#endif
