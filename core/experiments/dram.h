/* SPDX-License-Identifier: BSD-2-Clause */
/* dram: the headline. A set in the largest page size, prefetchers off, and its half, quarter and
 * eighth, chased and by independent draws: what is declared says where to begin, and the set
 * doubles until larger ones tell nothing new (dram_judge_sets). Slopes say what each further line
 * costs, and what a prefetcher that follows pointers would hide. The same set in scattered 4K pages
 * stands beside it, so that the TLB's share stands alone; and chases that prove by behaviour
 * whether prefetchers work. The contract of dram_plan and dram_extend is in table.h. */
#ifndef CORE_EXPERIMENTS_DRAM_H
#define CORE_EXPERIMENTS_DRAM_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status dram_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
bool dram_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment);

#endif
