/* SPDX-License-Identifier: BSD-2-Clause */
/* What measurements of the core's frequency are worth. */
#ifndef CORE_MEASURE_CORE_CLOCK_H
#define CORE_MEASURE_CORE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* How far neighbouring ones lie apart. */
#define CORE_CLOCK_KEPT 32
struct core_clock {
    double last_hz; /* 0: none yet */
    double apart[CORE_CLOCK_KEPT];
    uint32_t count;
    double point_hz; /* the frequency over the last point; NAN: not measurable */
};

/* One more measurement; not above 0: unknown. */
void core_clock_add(struct core_clock *clock, double hz);
/* A step of less is the measurements' own error: the larger of 0.3 % and three of those. */
double core_clock_step_min(const struct core_clock *clock);
/* Whether both are known, and further apart than that. */
bool core_clock_differs(const struct core_clock *clock, double a_hz, double b_hz);

#endif
