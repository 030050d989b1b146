/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a machine's clock after a comparison with a second one. */
#ifndef CORE_CLOCK_INFO_H
#define CORE_CLOCK_INFO_H

#include "core/clock/refclock.h"
#include "core/machine.h"

#define CLOCK_INFO_WHY_BYTES 160

/* If info->hz is 0 (no declared frequency): adopts the measured frequency and its spread, with
 * `second`, the second clock's name, as the source; the string must outlive *info. Otherwise keeps
 * the declared frequency and sets check_ppm to its excess over the measured one. Returns true if
 * that exceeds CLOCK_WARNING_PPM, with a phrase for a note in why (of CLOCK_INFO_WHY_BYTES). */
bool clock_info_adopt(struct clock_info *info, const char *second,
                      const struct refclock_result *measured, char *why);

#endif
