/* SPDX-License-Identifier: BSD-2-Clause */
/* Notes about points that were planned and not measured. */
#ifndef CORE_PLAN_LEFT_OUT_H
#define CORE_PLAN_LEFT_OUT_H

#include "core/plan/plan.h"

/* Why, in words that follow "skipped: "; not of LEFT_NOT. */
const char *left_out_reason(enum left_out why);
/* Emits a warning for each curve of the experiment with points that were not measured: how many,
 * their sizes, and why. */
void left_out_note(const struct plan *plan, uint32_t experiment);

#endif
