/* SPDX-License-Identifier: BSD-2-Clause */
/* How precise measurements of the core's frequency are, learnt from their scatter. */
#ifndef CORE_MEASURE_CORE_CLOCK_H
#define CORE_MEASURE_CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* The latest relative differences between successive measurements. */
#define CORE_CLOCK_KEPT 32
struct core_clock {
    double last_hz; /* 0: none yet */
    double apart[CORE_CLOCK_KEPT];
    uint32_t count;
    double point_hz; /* over the last point; NAN: unknown */
};

/* Adds a measurement; it is ignored unless above 0. */
void core_clock_add(struct core_clock *clock, double hz);
/* The smallest relative step that is not measurement error: the larger of 0.3 % and three standard
 * errors. */
double core_clock_step_min(const struct core_clock *clock);
/* Whether both are known (above 0) and further apart than core_clock_step_min. */
bool core_clock_differs(const struct core_clock *clock, double a_hz, double b_hz);

/* The frequency over the base frequency; NAN: either is unknown (not above 0). */
double core_clock_over_base(double hz, uint64_t base_hz);
/* True if that is surely below the base: beyond what a nominal base may be off. NAN: false. */
bool core_clock_is_below_base(double over_base);

#endif
