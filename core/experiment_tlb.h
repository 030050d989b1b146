/* SPDX-License-Identifier: BSD-2-Clause */
/* tlb: what translations cost, and how many the TLBs hold, for 4K pages on scattered and on
 * contiguous frames, 2M and 1G pages. A chase with one line in each of N pages (a page and a line
 * apart, so that the lines spread over the caches' sets) is held against a chase through as many
 * lines side by side: what it takes longer is the TLB's. The contract of tlb_plan and tlb_conclude
 * is in experiment.h. */
#ifndef CORE_EXPERIMENT_TLB_H
#define CORE_EXPERIMENT_TLB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/experiment.h"
#include "core/finding.h"

enum status tlb_plan(struct engine *engine, uint32_t experiment);
enum status tlb_conclude(struct engine *engine, uint32_t experiment);

#define TLB_KNEES_MAX 4
#define TLB_STEPS_MAX 72

/* What a hop takes longer with its line in a page of its own. */
struct tlb_step {
    uint64_t pages, span; /* span: page numbers from the first to the last of them */
    struct figure cost;   /* ns */
    double packed_ns;     /* a hop through as many lines side by side */
};

/* A level of the TLB: it holds low .. high pages (the step that no longer fits spans more numbers),
 * and a hop that misses it takes miss_ns more than one that hits. */
struct tlb_knee {
    uint64_t low, high;
    struct figure miss_ns;
    bool rising; /* the cost still grew when the pages ended: at least miss_ns */
};

/* Knees in steps of ascending pages: from the last step on a plateau to the first that is beyond
 * doubt above it. Answers how many (at most TLB_KNEES_MAX). */
size_t tlb_find(const struct tlb_step *steps, size_t count, struct tlb_knee knees[TLB_KNEES_MAX]);
/* The i-th number of pages with so many steps to an octave: 4, 5, 6, 7, 8, 10, ... for four. */
uint64_t tlb_pages(uint32_t per_octave, uint32_t i);

#endif
