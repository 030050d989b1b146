/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds the functions that map physical addresses to banks: pairs of random lines are loaded
 * together, and those that conflict share a bank (core/dram/address.h). */
#ifndef CORE_MEASURE_BANKS_H
#define CORE_MEASURE_BANKS_H

#include "core/measure/measure.h"

/* Fills point->banks and emits a mapping record. The window is open, populated to the point's size,
 * and prefetchers are set as the point requests. STATUS_OK; STATUS_ABORTED; STATUS_LATE (nothing
 * was measured); STATUS_FAULT (recorded). */
enum status banks_measure(struct measure *m, struct point *point, const struct window *w);

/* The search alone, over the window's first `bytes`; nothing is emitted. */
enum status banks_find(struct measure *m, const struct window *w, uint64_t bytes,
                       struct banks_summary *summary);
/* Emits what was found as a mapping record of the point's experiment. */
void banks_emit(struct measure *m, const struct point *point, const struct banks_summary *summary);

#endif
