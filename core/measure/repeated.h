/* SPDX-License-Identifier: BSD-2-Clause */
/* What a run measures twice: two figures of one thing. */
#ifndef CORE_MEASURE_REPEATED_H
#define CORE_MEASURE_REPEATED_H

#include "core/plan/plan.h"

/* Another measured point of the plan that is the same chase over the same set, neither beside other
 * CPUs' work, and whose mean differs from this one's by more than both errors explain; NULL: there
 * is none. Pure. */
const struct point *repeated_differs(const struct plan *plan, const struct point *point);

#endif
