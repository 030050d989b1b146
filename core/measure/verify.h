/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests what memory holds: writes all of a window, and reads it back. */
#ifndef CORE_MEASURE_VERIFY_H
#define CORE_MEASURE_VERIFY_H

#include "core/measure/measure.h"

/* Takes the steps of core/dram/verify.h over the point's set and emits a verify record, an error
 * record for each word that was read wrong, and records of kind bad_memory and gap. The window is
 * open and populated to the point's size. Unless max= is given, what memory this leaves is then
 * tested in another window, in place of *w: at the end the caller closes what is there, if its
 * handle is not NULL. Without budget= it takes the time that it needs, which is
 * then added to the run's budget. STATUS_OK also if the budget ended before the last step (the
 * record says so); STATUS_ABORTED; STATUS_FAULT (recorded). What was found before is emitted in any
 * case. */
enum status verify_measure(struct measure *m, struct point *point, struct window *w);

#endif
