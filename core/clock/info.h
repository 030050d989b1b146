/* SPDX-License-Identifier: BSD-2-Clause */
/* What is known of a machine's clock once a second one was held against it. */
#ifndef CORE_CLOCK_INFO_H
#define CORE_CLOCK_INFO_H

#include "core/clock/refclock.h"
#include "core/machine.h"
#include "core/results/notes.h"

#define CLOCK_INFO_WARNING_PPM 1000.0

/* info->hz 0, nothing declared: takes over the measured frequency, the second clock (by name, which
 * must last) as its source, and the measurement's spread. Else the declared frequency stays;
 * check_ppm says how far it is above the measured one, and a note where that is beyond
 * CLOCK_INFO_WARNING_PPM. */
void clock_info_adopt(struct clock_info *info, const char *second,
                      const struct refclock_result *measured, struct notes *notes);

#endif
