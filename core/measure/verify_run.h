/* SPDX-License-Identifier: BSD-2-Clause */
/* A test of what memory holds, private to core/measure/. */
#ifndef CORE_MEASURE_VERIFY_RUN_H
#define CORE_MEASURE_VERIFY_RUN_H

#include "core/measure/measure.h"

/* ---- verify_emit.c */

/* Emits all that was found. status: how the steps ended. */
void verify_emit(struct measure *m, const struct point *point, const struct window *w,
                 enum status status);

#endif
