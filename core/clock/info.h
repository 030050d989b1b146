/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a machine's clock after a comparison with a second one. */
#ifndef CORE_CLOCK_INFO_H
#define CORE_CLOCK_INFO_H

#include "core/clock/refclock.h"
#include "core/machine.h"
#include "core/results/notes.h"

#define CLOCK_INFO_WARNING_PPM 1000.0

/* If info->hz is 0 (no declared frequency): adopts the measured frequency and its spread, with
 * `second`, the second clock's name, as the source; the string must outlive *info. Otherwise keeps
 * the declared frequency, sets check_ppm to its excess over the measured one, and adds a note if
 * that exceeds CLOCK_INFO_WARNING_PPM. */
void clock_info_adopt(struct clock_info *info, const char *second,
                      const struct refclock_result *measured, struct notes *notes);

#endif
