/* SPDX-License-Identifier: BSD-2-Clause */
/* nodes: from one CPU of each node to the memory of each node, one at a time, what a dependent
 * access costs and at what rate that CPU alone reads. CPU 0 stands for its node; of the others
 * cpus= takes some, of the memories node= and place=. All sets are of one size and in pages of one
 * size, so that cells of the matrix can be compared. The contract of these functions is in
 * table.h. */
#ifndef CORE_EXPERIMENTS_NODES_H
#define CORE_EXPERIMENTS_NODES_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status nodes_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
bool nodes_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment);
enum status nodes_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
