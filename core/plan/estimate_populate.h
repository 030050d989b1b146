/* SPDX-License-Identifier: BSD-2-Clause */
/* What populating windows costs, on machines that populate on demand. */
#ifndef CORE_PLAN_ESTIMATE_POPULATE_H
#define CORE_PLAN_ESTIMATE_POPULATE_H

#include "core/plan/plan.h"

void estimate_populate_start(struct estimate *estimate);
/* Learns that populating `bytes` of a window took ns (machine.window_populate). */
void estimate_learn_populate(struct estimate *estimate, enum page_size page, uint64_t bytes,
                             uint64_t ns);
/* Bytes of a window of these pages that are populated already; the caller updates it. */
uint64_t *estimate_populated_bytes(struct estimate *estimate, enum page_size page);
/* Expected seconds for the memory that the point still needs populated; 0 if the machine's windows
 * come populated. And expected nanoseconds per byte. */
double estimate_populate_s(const struct plan *plan, const struct point *point);
double estimate_populate_ns(const struct estimate *estimate, enum page_size page);

/* Whether the point makes do with less memory, so that populating it leaves time to use it: tests
 * of what memory holds, within budget=. */
bool estimate_may_shrink(const struct plan *plan, const struct point *point);
/* Seconds that populating such a point's memory may take. */
double estimate_populate_share_s(const struct plan *plan, uint64_t now_ns);

#endif
