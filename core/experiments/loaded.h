/* SPDX-License-Identifier: BSD-2-Clause */
/* loaded: the latency of the first CPU's random chase in memory while the others that cpus= takes
 * load memory: by reads, two reads to a write, one to one, and non-temporal stores, each in order
 * of addresses and at random, at rates from none to as fast as they can. Each such curve has an
 * unloaded end, a peak, and a knee (loaded_curve.h); curves are compared at equal bandwidth, since
 * equal pauses are equal rates on no two machines. The contract of loaded_plan, loaded_extend and
 * loaded_conclude is in table.h. */
#ifndef CORE_EXPERIMENTS_LOADED_H
#define CORE_EXPERIMENTS_LOADED_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status loaded_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
bool loaded_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment);
enum status loaded_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
