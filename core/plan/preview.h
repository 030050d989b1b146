/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run would measure (dry=on). */
#ifndef CORE_PLAN_PREVIEW_H
#define CORE_PLAN_PREVIEW_H

#include "core/plan/plan.h"

/* Emits an info note for each window: number of points, sizes, expected time. now_ns: of the wall
 * clock. */
void plan_preview(const struct plan *plan, uint64_t now_ns);

#endif
