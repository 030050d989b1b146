/* SPDX-License-Identifier: BSD-2-Clause */
/* TLB levels from the additional cost per hop of having each line in a page of its own, measured in
 * steps of ascending numbers of pages. Pure arithmetic. */
#ifndef CORE_LEVELS_TLB_KNEES_H
#define CORE_LEVELS_TLB_KNEES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/stats/figure.h"

#define TLB_KNEES_MAX 4
#define TLB_STEPS_MIN 3 /* fewer are not conclusive */
#define TLB_STEPS_MAX 72

/* Additional cost per hop with each line in a page of its own. */
struct tlb_step {
    uint64_t pages, span; /* span: page numbers from the first page to the last */
    struct figure cost;   /* ns */
    double packed_ns;     /* ns/hop of the baseline: the same number of lines, packed */
    double packed_pages;  /* pages of the baseline: their misses are accounted for */
};

/* A TLB level. It holds low .. high pages (the first step that does not fit spans more than high),
 * and a hop that misses it takes miss_ns more than one that hits. The error of miss_ns covers the
 * scatter of the points, the steps' deviations from a single cost, and alternative miss models. */
struct tlb_knee {
    uint64_t low, high;
    struct figure miss_ns;
    bool extrapolated; /* its full cost was not reached: the value comes from the model */
    bool rising;       /* the cost still rose at the last step: miss_ns is a lower bound */
};

/* Scratch space: steps minus the knees found so far; from `leave` on they are above. */
struct tlb_rest {
    struct tlb_step step[TLB_STEPS_MAX];
    size_t count, leave;
};

/* Finds knees in steps of ascending pages. A knee lies between the last step that fits and the
 * first one clearly above it. A chase in one cycle misses an LRU TLB of single pages on every hop
 * as soon as there is one page too many; if pages share entries or replacement is random, the miss
 * rate rises gradually. Rises within their own error are ignored. count is at most TLB_STEPS_MAX.
 * Returns the number of knees, at most TLB_KNEES_MAX. */
size_t tlb_find(const struct tlb_step *steps, size_t count, struct tlb_rest *rest,
                struct tlb_knee knees[TLB_KNEES_MAX]);

#endif
