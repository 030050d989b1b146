/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/real.h"
#include "core/measure/core_clock.h"
#include "core/stats/stats.h"

#define STEP_MIN    0.003
#define STEP_ERRORS 3
/* A base frequency is a round figure: real ones are off by 0.4 %, and so are measured ones. */
#define BELOW_BASE 0.99

/* Successive measurements differ by their errors except at the few steps, which a median ignores:
 * for two errors of sigma each, the median of differences is 0.6745 sqrt(2) sigma. */
double core_clock_step_min(const struct core_clock *clock)
{
    uint32_t count = clock->count < CORE_CLOCK_KEPT ? clock->count : CORE_CLOCK_KEPT;
    uint64_t sorted[CORE_CLOCK_KEPT];
    double errors;

    if (count == 0)
        return STEP_MIN;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (uint64_t)(clock->apart[i] * 1e9);
    stats_sort(sorted, count);
    errors = STEP_ERRORS * (double)sorted[count / 2] * 1e-9 / 0.6745;
    return errors > STEP_MIN ? errors : STEP_MIN;
}

bool core_clock_differs(const struct core_clock *clock, double a_hz, double b_hz)
{
    return a_hz > 0 && b_hz > 0 && real_abs(b_hz / a_hz - 1) > core_clock_step_min(clock);
}

void core_clock_add(struct core_clock *clock, double hz)
{
    if (!(hz > 0))
        return;
    if (clock->last_hz > 0)
        clock->apart[clock->count++ % CORE_CLOCK_KEPT] = real_abs(hz / clock->last_hz - 1);
    clock->last_hz = hz;
}

double core_clock_over_base(double hz, uint64_t base_hz)
{
    return hz > 0 && base_hz > 0 ? hz / (double)base_hz : real_nan();
}

bool core_clock_is_below_base(double over_base)
{
    return over_base < BELOW_BASE;
}
