/* SPDX-License-Identifier: BSD-2-Clause */
/* The core's frequency over a point: what its cycles are counted by, and whether it stepped. */
#include "core/lib/real.h"
#include "core/measure/run.h"

#define STEP_LEAST  0.003
#define STEP_ERRORS 3
#define CYCLE_PARTS 16 /* that a sample's cycles are sorted in */

/* Neighbouring measurements differ by their errors but for a few steps, which a median leaves out:
 * of two with an error of sigma each the median of differences is 0.6745 sqrt(2) sigma. */
double core_clock_step_least(const struct core_clock *clock)
{
    uint32_t count = clock->count < CORE_CLOCK_KEPT ? clock->count : CORE_CLOCK_KEPT;
    uint64_t sorted[CORE_CLOCK_KEPT];
    double errors;

    if (count == 0)
        return STEP_LEAST;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (uint64_t)(clock->apart[i] * 1e9);
    stats_sort(sorted, count);
    errors = STEP_ERRORS * (double)sorted[count / 2] * 1e-9 / 0.6745;
    return errors > STEP_LEAST ? errors : STEP_LEAST;
}

bool core_clock_differs(const struct core_clock *clock, double a_hz, double b_hz)
{
    return a_hz > 0 && b_hz > 0 && real_abs(b_hz / a_hz - 1) > core_clock_step_least(clock);
}

static void clock_add(struct core_clock *clock, double hz)
{
    if (!(hz > 0))
        return;
    if (clock->last_hz > 0)
        clock->apart[clock->count++ % CORE_CLOCK_KEPT] = real_abs(hz / clock->last_hz - 1);
    clock->last_hz = hz;
}

static double median_of(double a, double b, double c)
{
    double low = a < b ? a : b, high = a < b ? b : a;

    return c < low ? low : c > high ? high : c;
}

/* What the frequency was at the end of the last section, now that the next measurement is known: a
 * step stays where it is, one measurement that went wrong is out. */
static void close_section(struct run *run, double next_hz)
{
    struct hz_section *section = &run->section;
    double after = median_of(section->before, section->after, next_hz);

    for (uint32_t i = 0; i < section->samples; i++)
        run->engine->sample_hz[section->first + i] =
            section->opened > 0 && after > 0 ? (section->opened + after) / 2 : 0;
    if (section->samples > 0 && run->hz_before <= 0)
        run->hz_before = section->opened;
    run->hz_after = after;
}

void point_clock_add(struct run *run, const struct chase_result *result, uint32_t first)
{
    double before = result->core_hz_before, after = result->core_hz_after;
    double earlier = run->section.after > 0 ? run->section.after : before;

    clock_add(&run->engine->clock, before);
    clock_add(&run->engine->clock, after);
    close_section(run, before);
    run->section = (struct hz_section){.before = before,
                                       .after = after,
                                       .opened = median_of(earlier, before, after),
                                       .first = first,
                                       .samples = result->samples};
}

double point_clock_part(struct run *run)
{
    struct hz_section *section = &run->section;

    section->samples = 0;
    run->hz_before = run->hz_before > 0 ? run->hz_before : section->opened;
    return section->opened > 0 && section->after > 0 ? (section->opened + section->after) / 2 : 0;
}

void point_clock_forget(struct run *run)
{
    run->section.samples = 0;
    run->hz_before = run->hz_after = 0;
}

bool point_clock_wavers(const struct run *run)
{
    return core_clock_differs(&run->engine->clock, run->section.before, run->section.after);
}

/* The farthest that the frequency was from where it stood at first, over that; 0: not surely
 * elsewhere. */
static double largest_step(const struct run *run)
{
    const struct engine *engine = run->engine;
    double step = run->hz_after / run->hz_before - 1;

    for (uint32_t i = 0; i < run->samples; i++) {
        double here = engine->sample_hz[i] / run->hz_before - 1;
        if (real_abs(here) > real_abs(step))
            step = here;
    }
    return real_abs(step) > core_clock_step_least(&engine->clock) ? step : 0;
}

/* Of values in engine->sorted. */
static double median(struct engine *engine, uint32_t count)
{
    stats_sort(engine->sorted, count);
    return 0.5 * ((double)engine->sorted[(count - 1) / 2] + (double)engine->sorted[count / 2]);
}

void point_clock_conclude(struct run *run)
{
    struct engine *engine = run->engine;
    double tick_s = point_tick_ns(engine) * 1e-9;

    close_section(run, run->section.after);
    run->hz = run->hz_step = run->sample_cycles = real_nan();
    if (!(run->hz_before > 0 && run->hz_after > 0))
        return;
    for (uint32_t i = 0; i < run->samples; i++)
        engine->sorted[i] = (uint64_t)engine->sample_hz[i];
    run->hz = median(engine, run->samples);
    for (uint32_t i = 0; i < run->samples; i++)
        engine->sorted[i] =
            (uint64_t)((double)engine->ticks[i] * tick_s * engine->sample_hz[i] * CYCLE_PARTS);
    run->sample_cycles = median(engine, run->samples) / CYCLE_PARTS;
    run->hz_step = largest_step(run);
}
