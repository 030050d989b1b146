/* SPDX-License-Identifier: BSD-2-Clause */
/* Times single flushed accesses: their distribution over a set, what open rows make of them, and
 * refreshes (core/dram/rows.h, core/dram/refresh.h). */
#ifndef CORE_MEASURE_SINGLE_H
#define CORE_MEASURE_SINGLE_H

#include "core/measure/measure.h"

/* Emits a distribution record. The window is open, populated to the point's size, and prefetchers
 * are set as the point requests. STATUS_OK; STATUS_ABORTED (the record has what was
 * measured before); STATUS_LATE (nothing was); STATUS_FAULT (recorded, without a distribution). */
enum status single_measure(struct measure *m, struct point *point, const struct window *w);

#endif
