/* SPDX-License-Identifier: BSD-2-Clause */
/* The record of single accesses. */
#include "core/lib/real.h"
#include "core/measure/single_run.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"

#define COARSE 0.02 /* of a median access: steps of the clock that percentiles show */

/* The histogram counts steps of the clock. */
static double ns_of_steps(const struct measure *m, double steps)
{
    double ticks = steps * m->machine->description->clock.resolution_ticks;

    return (ticks - m->single.timing_ticks) * single_clock_ns(m);
}

/* Groups of the histogram's bins, eight an octave, that hold any; the last holds all beyond. */
static size_t collect_bins(const struct measure *m, struct single_run *run)
{
    size_t bins = 0, group = 1;

    for (size_t first = 0; first < HISTOGRAM_BINS; first += group) {
        uint64_t count = 0;
        if (first == 2 * RECORD_BINS_OCTAVE * group &&
            group < HISTOGRAM_PER_OCTAVE / RECORD_BINS_OCTAVE)
            group *= 2;
        for (size_t i = first; i < first + group; i++)
            count += run->histogram.bin[i];
        if (count != 0 && bins < RECORD_BINS_MAX) {
            run->bin_ns[bins] = ns_of_steps(m, histogram_edge(first));
            run->bin_count[bins++] = count;
        } else if (count != 0)
            run->bin_count[bins - 1] += count;
    }
    return bins;
}

static double percentile(const struct measure *m, double share)
{
    return ns_of_steps(m, histogram_percentile(&m->single.histogram, share));
}

static struct record_bounded bounded(struct figure figure)
{
    return (struct record_bounded){.value = figure.value,
                                   .low = figure.value - 2 * figure.error,
                                   .high = figure.value + 2 * figure.error};
}

static doubt_set doubt_of_run(const struct measure *m, bool late)
{
    const struct clock_info *clock = &m->machine->description->clock;
    doubt_set doubt = 0;

    if (clock->resolution_ticks * single_clock_ns(m) > COARSE * percentile(m, 0.5))
        doubt |= doubt_of(DOUBT_COARSE_CLOCK);
    if (late)
        doubt |= doubt_of(DOUBT_BUDGET);
    return doubt;
}

void single_emit(struct measure *m, const struct point *point, bool late)
{
    struct single_run *run = &m->single;
    const struct refresh *refresh = &run->refresh;
    struct record record = {.kind = RECORD_DISTRIBUTION};
    struct record_distribution *d = &record.u.distribution;

    *d = (struct record_distribution){
        .experiment = experiment_list[point->experiment].name,
        .pages_bytes = plan_pages_bytes(point),
        .frames = frame_order_names[point->frames],
        .map = map_names[point->map],
        .prefetch = controls_prefetch_state(&m->controls),
        .bytes = point->bytes,
        .accesses = run->histogram.count,
        .clock_step_ns = m->machine->description->clock.resolution_ticks * single_clock_ns(m),
        .timing_ns = run->timing_ticks * single_clock_ns(m),
        .ns_min = ns_of_steps(m, (double)run->histogram.min),
        .ns_median = percentile(m, 0.5),
        .ns_p90 = percentile(m, 0.9),
        .ns_p99 = percentile(m, 0.99),
        .ns_p999 = percentile(m, 0.999),
        .ns_p9999 = percentile(m, 0.9999),
        .ns_max = ns_of_steps(m, (double)run->histogram.max),
        .bin_ns = run->bin_ns,
        .bin_count = run->bin_count,
        .bins = collect_bins(m, run),
        .pairs = SINGLE_PAIRS,
        .conflicts = run->split.sure ? run->conflict_count : RECORD_UNKNOWN,
        .rows = rows_verdict_name(run->rows.verdict),
        .rows_why = run->rows.why,
        .hit_ns = bounded(run->rows.hit_ns),
        .empty_ns = bounded(run->rows.empty_ns),
        .conflict_ns = bounded(run->rows.conflict_ns),
        .hit_share = run->shares.known ? run->shares.hit : real_nan(),
        .empty_share = run->shares.known ? run->shares.empty : real_nan(),
        .conflict_share = run->shares.known ? run->shares.conflict : real_nan(),
        .refresh = refresh_verdict_name(refresh->verdict),
        .refresh_why = refresh->why,
        .period_ns = {refresh->period_ns, refresh->period_low, refresh->period_high},
        .stall_ns = {refresh->stall_ns, refresh->stall_low, refresh->stall_high},
        .coherence = refresh->coherence,
        .slow = refresh->events,
        .scope = refresh_scope_name(refresh_scope_of(&run->partners)),
        .lines = run->partners.tried,
        .lines_in_phase = run->partners.same,
        .doubt = doubt_of_run(m, late)};
    journal_emit(m->journal, &record);
}
