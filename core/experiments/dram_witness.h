/* SPDX-License-Identifier: BSD-2-Clause */
/* The headline beside what the CPU's counters say of the point that it is read from. */
#ifndef CORE_EXPERIMENTS_DRAM_WITNESS_H
#define CORE_EXPERIMENTS_DRAM_WITNESS_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

/* Sets dram->missed_share, and emits the witness record where misses or walks were counted. A share
 * of misses too small for a set so far beyond the caches is a warning, and the headline is marked
 * `contradicted`. */
void dram_witness(const struct plan *plan, const struct workbench *bench, const struct point *shown,
                  struct record_dram *dram);

#endif
