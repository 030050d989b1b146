/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes about points that were planned and not measured. */
#ifndef CORE_PLAN_LEFT_OUT_H
#define CORE_PLAN_LEFT_OUT_H

#include "core/plan/plan.h"

/* Emits a warning for each curve of the experiment with points that were not measured: how many,
 * their sizes, and why. */
void left_out_note(const struct plan *plan, uint32_t experiment);

#endif
