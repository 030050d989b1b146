/* SPDX-License-Identifier: BSD-2-Clause */
/* A test of what memory holds, private to core/measure/. */
#ifndef CORE_MEASURE_VERIFY_RUN_H
#define CORE_MEASURE_VERIFY_RUN_H

#include "core/measure/measure.h"

/* ---- verify_emit.c */

/* Emits the words and ranges that a pass over the window's first `bytes` found, and adds to the
 * sums. */
void verify_end_pass(struct measure *m, const struct point *point, const struct window *w,
                     uint64_t bytes);
/* Emits what all passes found together, and what they left. status: how the last one ended. */
void verify_emit(struct measure *m, const struct point *point, enum status status);

#endif
