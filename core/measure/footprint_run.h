/* SPDX-License-Identifier: BSD-2-Clause */
/* Measuring a footprint (core/measure/footprint.h): random pages of a window, each line of three
 * pages probed many times. */
#ifndef CORE_MEASURE_FOOTPRINT_RUN_H
#define CORE_MEASURE_FOOTPRINT_RUN_H

#include "core/measure/measure.h"

/* Measures each row until the verdict stands or time is over, emits a footprint record for each,
 * and leaves the summary in point->footprint. The window is open, its
 * prefetchers are as the point asks. STATUS_ABORTED, STATUS_FAULT (recorded). */
enum status footprint_measure(struct measure *m, struct point *point, const struct window *w);

#endif
