/* SPDX-License-Identifier: BSD-2-Clause */
/* The core's frequency over a point: for its cycles, and to detect steps. */
#include "core/lib/real.h"
#include "core/measure/run.h"
#include "core/measure/time.h"

#define CYCLE_PARTS 16 /* a sample's cycles are sorted in this fraction */

static double median_of(double a, double b, double c)
{
    double low = a < b ? a : b, high = a < b ? b : a;

    return c < low ? low : c > high ? high : c;
}

/* The frequency at the end of the last section, corrected by the next measurement: a median of
 * three keeps a step where it is and drops a single bad measurement. */
static void close_section(struct measurement *run, double next_hz)
{
    struct hz_section *section = &run->section;
    double after = median_of(section->before, section->after, next_hz);

    for (uint32_t i = 0; i < section->samples; i++)
        run->m->samples.hz[section->first + i] =
            section->opened > 0 && after > 0 ? (section->opened + after) / 2 : 0;
    if (section->samples > 0 && run->hz_before <= 0)
        run->hz_before = section->opened;
    run->hz_after = after;
}

void point_clock_add(struct measurement *run, const struct chase_result *result, uint32_t first)
{
    double before = result->core_hz_before, after = result->core_hz_after;
    double earlier = run->section.after > 0 ? run->section.after : before;

    core_clock_add(&run->m->clock, before);
    core_clock_add(&run->m->clock, after);
    close_section(run, before);
    run->section = (struct hz_section){.before = before,
                                       .after = after,
                                       .opened = median_of(earlier, before, after),
                                       .first = first,
                                       .samples = result->samples};
}

double point_clock_part(struct measurement *run)
{
    struct hz_section *section = &run->section;

    section->samples = 0;
    run->hz_before = run->hz_before > 0 ? run->hz_before : section->opened;
    return section->opened > 0 && section->after > 0 ? (section->opened + section->after) / 2 : 0;
}

void point_clock_forget(struct measurement *run)
{
    run->section.samples = 0;
    run->hz_before = run->hz_after = 0;
}

bool point_clock_wavers(const struct measurement *run)
{
    return core_clock_differs(&run->m->clock, run->section.before, run->section.after);
}

/* The largest deviation of the frequency from where it was at first, as a fraction; 0: none beyond
 * the measurement error. */
static double largest_step(const struct measurement *run)
{
    const struct measure *m = run->m;
    double step = run->hz_after / run->hz_before - 1;

    for (uint32_t i = 0; i < run->samples; i++) {
        double here = m->samples.hz[i] / run->hz_before - 1;
        if (real_abs(here) > real_abs(step))
            step = here;
    }
    return real_abs(step) > core_clock_step_min(&m->clock) ? step : 0;
}

/* Sorts m->samples.sorted. */
static double median(struct measure *m, uint32_t count)
{
    stats_sort(m->samples.sorted, count);
    return 0.5 *
           ((double)m->samples.sorted[(count - 1) / 2] + (double)m->samples.sorted[count / 2]);
}

void point_clock_conclude(struct measurement *run)
{
    struct measure *m = run->m;
    double tick_s = time_tick_ns(m->machine) * 1e-9;

    close_section(run, run->section.after);
    run->hz = run->hz_step = run->sample_cycles = real_nan();
    if (!(run->hz_before > 0 && run->hz_after > 0))
        return;
    for (uint32_t i = 0; i < run->samples; i++)
        m->samples.sorted[i] = (uint64_t)m->samples.hz[i];
    run->hz = median(m, run->samples);
    for (uint32_t i = 0; i < run->samples; i++)
        m->samples.sorted[i] =
            (uint64_t)((double)m->samples.ticks[i] * tick_s * m->samples.hz[i] * CYCLE_PARTS);
    run->sample_cycles = median(m, run->samples) / CYCLE_PARTS;
    run->hz_step = largest_step(run);
}
