/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests what memory holds, all of it that can be had at once. */
#ifndef CORE_EXPERIMENTS_VERIFY_H
#define CORE_EXPERIMENTS_VERIFY_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

enum status verify_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
