/* SPDX-License-Identifier: BSD-2-Clause */
/* banks: the functions that map physical addresses to channels, ranks and banks, from pairs of
 * lines that conflict. The contract is in table.h. */
#ifndef CORE_EXPERIMENTS_BANKS_H
#define CORE_EXPERIMENTS_BANKS_H

#include <stdint.h>

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status banks_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
