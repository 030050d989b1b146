/* SPDX-License-Identifier: BSD-2-Clause */
/* What dram's points say together, for its own records and for those of the curve. The contract of
 * dram_conclude is in table.h. */
#ifndef CORE_EXPERIMENTS_DRAM_CONCLUDE_H
#define CORE_EXPERIMENTS_DRAM_CONCLUDE_H

#include "core/experiments/dram_figures.h"
#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status dram_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

/* Memory's level as a curve has it, beside the headline of the points measured so far: widens its
 * bounds where they do not meet. False: they lie too far apart to be one. */
bool dram_meets_level(const struct plan *plan, const struct workbench *bench,
                      struct dram_bounds *level);
/* Remembers in the plan what draws find in caches at least, by the points measured so far, where
 * that is more than twice what is declared (or nothing is). */
void dram_look_for_caches(struct plan *plan, const struct workbench *bench);

#endif
