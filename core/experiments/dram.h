/* SPDX-License-Identifier: BSD-2-Clause */
/* dram: the headline. A set in the largest page size, with prefetchers off, and its half, quarter
 * and eighth, are measured by a chase and by independent draws. The first set comes from declared
 * caches; it is doubled until larger sets tell nothing new (dram_judge_sets). Slopes give the cost
 * of each further line, and reveal a prefetcher that follows pointers. The same set in scattered 4K
 * pages gives the TLB's share; further chases prove by behaviour whether prefetchers work. The
 * contract of dram_plan and dram_extend is in table.h. */
#ifndef CORE_EXPERIMENTS_DRAM_H
#define CORE_EXPERIMENTS_DRAM_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status dram_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
bool dram_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment);

#endif
