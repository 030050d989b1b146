/* SPDX-License-Identifier: BSD-2-Clause */
/* awake: what an access of the first CPU costs in the last cache that registers declare, and in
 * memory, while all other CPUs that cpus= takes are as the firmware or the kernel leaves them;
 * while those of other cores run, without touching memory; and while the threads of its own core do
 * too. The contract of these functions is in table.h. */
#ifndef CORE_EXPERIMENTS_AWAKE_H
#define CORE_EXPERIMENTS_AWAKE_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status awake_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
bool awake_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment);
enum status awake_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
