/* SPDX-License-Identifier: BSD-2-Clause */
/* What would be measured (dry=on). */
#ifndef CORE_PLAN_PREVIEW_H
#define CORE_PLAN_PREVIEW_H

#include "core/plan/plan.h"

/* A note for each window: its points, their sizes and about what they take, by a wall clock that
 * shows now_ns. */
void plan_preview(const struct plan *plan, uint64_t now_ns);

#endif
