/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes of what was planned and not measured. */
#ifndef CORE_PLAN_LEFT_OUT_H
#define CORE_PLAN_LEFT_OUT_H

#include "core/plan/plan.h"

/* A note for each curve of the experiment's points that were planned and not measured, and why. */
void left_out_note(const struct plan *plan, uint32_t experiment);

#endif
