/* SPDX-License-Identifier: BSD-2-Clause */
/* The machine's two clocks: ticks, in which samples are timed, and the wall clock in nanoseconds.
 */
#ifndef CORE_MEASURE_TIME_H
#define CORE_MEASURE_TIME_H

#include "core/machine.h"

uint64_t time_now_ns(const struct machine *machine);
/* Nanoseconds per tick. */
double time_tick_ns(const struct machine *machine);
/* Seconds by the wall clock since since_ns. */
double time_since_s(const struct machine *machine, uint64_t since_ns);

/* Which clock the machine's own is further from than CLOCK_WARNING_PPM, over the run so far, and by
 * how many ppm; NULL: none that is known. */
const char *time_clock_disagrees(const struct machine *machine, double *ppm);

#endif
