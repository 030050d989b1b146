/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures physical memory block by block, cold, and says which ranges take another time. */
#ifndef CORE_MEASURE_REGIONS_H
#define CORE_MEASURE_REGIONS_H

#include "core/measure/measure.h"

/* Fills point->regions and emits regions, block, range and gap records. The window is open,
 * populated to the point's size, and prefetchers are set as the point requests. STATUS_OK also if
 * the budget ended before all blocks were measured; STATUS_ABORTED; STATUS_LATE (no block was
 * measured); STATUS_FAULT (recorded). What was measured before is emitted in any case. */
enum status regions_measure(struct measure *m, struct point *point, const struct window *w);

#endif
