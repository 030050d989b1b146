/* SPDX-License-Identifier: BSD-2-Clause */
/* witness=ibs: by how much misses in memory take longer than misses in a near cache, as the CPU's
 * sampler of ops saw single loads, beside the same by the chase. */
#ifndef CORE_EXPERIMENTS_DRAM_SAMPLER_H
#define CORE_EXPERIMENTS_DRAM_SAMPLER_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

/* Adds a set in the first-level cache, one in the next, and `headline` itself, if the sampler can
 * be used. */
void dram_sampler_plan(struct plan *plan, const struct point *headline);
/* Emits the ibs record, and a warning where sampler and chase contradict each other; otherwise a
 * note says why there is nothing to compare. */
void dram_sampler_conclude(const struct plan *plan, const struct workbench *bench,
                           uint32_t experiment);

/* Cycles by which loads of the far set take longer than those of the near one. */
struct sampler_difference {
    struct figure sampled; /* of the medians from miss to data */
    struct figure chased;
    double refill; /* of the means of the first-level TLB's refills */
    enum answer agrees;
};

/* Pure. They agree if the chase's difference is the sampled one, or up to `refill` more: a miss is
 * counted from after the translation, a hop is not. A tenth is allowed for, since the median of
 * loads leaves out what few of them wait for, and two standard errors. Unknown: one of them is. */
struct sampler_difference dram_sampler_compare(const struct point_result *near,
                                               const struct point_result *far);

#endif
