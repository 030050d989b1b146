/* SPDX-License-Identifier: BSD-2-Clause */
/* What making memory takes, where a machine makes it as it is needed. */
#ifndef CORE_PLAN_ESTIMATE_MAKE_H
#define CORE_PLAN_ESTIMATE_MAKE_H

#include "core/plan/plan.h"

void estimate_make_start(struct estimate *estimate);
/* What making so many bytes of a window took (machine.window_populate). */
void estimate_learn_make(struct estimate *estimate, enum page_size page, uint64_t bytes,
                         uint64_t ns);
/* How much of windows of such pages needs no making any more. */
uint64_t *estimate_made_bytes(struct estimate *estimate, enum page_size page);
/* Making the memory that the point still needs; and a byte of it. */
double estimate_make_s(const struct plan *plan, const struct point *point);
double estimate_make_ns(const struct estimate *estimate, enum page_size page);

#endif
