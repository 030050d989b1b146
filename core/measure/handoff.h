/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a line takes from one CPU to another, for all pairs of CPUs that cpus= takes. */
#ifndef CORE_MEASURE_HANDOFF_H
#define CORE_MEASURE_HANDOFF_H

#include "core/measure/measure.h"

/* Emits three records for each pair (clean, modified, swap), those that were not measured with the
 * reason. The window is open and populated to the point's size. STATUS_OK; STATUS_ABORTED (the
 * pairs that were left have no records); STATUS_FAULT (recorded). */
enum status handoff_measure(struct measure *m, struct point *point, const struct window *w);

#endif
