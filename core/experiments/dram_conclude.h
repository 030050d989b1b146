/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates dram's points, for its own records and for the curve's. The contract of dram_conclude
 * is in table.h. */
#ifndef CORE_EXPERIMENTS_DRAM_CONCLUDE_H
#define CORE_EXPERIMENTS_DRAM_CONCLUDE_H

#include "core/experiments/dram_figures.h"
#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status dram_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

enum dram_meeting {
    DRAM_UNKNOWN,      /* there is no headline */
    DRAM_APART,        /* too far apart to be one figure, or the headline contradicts itself */
    DRAM_SAME_DOUBTED, /* one figure, but the headline has doubts of its own */
    DRAM_SAME_WAITS,   /* one figure, whose hops wait for prefetches rather than for memory */
    DRAM_SAME          /* one figure */
};

/* Compares memory's level from a curve with the headline so far: if the two do not overlap, the
 * level's bounds are widened, else the level becomes the mean of both. */
enum dram_meeting dram_meets_level(const struct plan *plan, const struct workbench *bench,
                                   struct dram_bounds *level);
/* Stores in plan->undeclared_bytes how much draws find in caches at least, if it is more than twice
 * what is declared (or nothing is). */
void dram_look_for_caches(struct plan *plan, const struct workbench *bench);

#endif
