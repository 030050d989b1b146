/* SPDX-License-Identifier: BSD-2-Clause */
/* Measures a footprint (core/measure/footprint.h): every line of three pages is probed many times,
 * at random places of a window. */
#ifndef CORE_MEASURE_FOOTPRINT_RUN_H
#define CORE_MEASURE_FOOTPRINT_RUN_H

#include "core/measure/measure.h"

/* Measures each row until the verdict is certain or time is up, emits a footprint record for each,
 * and leaves the summary in point->footprint. The window is open, populated to the point's size,
 * and prefetchers are set as the point requests. STATUS_OK; STATUS_ABORTED; STATUS_FAULT
 * (recorded). */
enum status footprint_measure(struct measure *m, struct point *point, const struct window *w);

#endif
