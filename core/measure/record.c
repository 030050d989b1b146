/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes a point's figures of its samples, and its record. */
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/measure/repeated.h"
#include "core/measure/run.h"
#include "core/measure/time.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/estimate_warm.h"
#include "core/plan/names.h"
#include "core/options/cpus.h"

/* Names are up to 24 characters. */
#define FREQUENCY_WORDS_BYTES (FREQUENCY_REGISTERS_MAX * 48)

#define WANDER_MAX 0.01 /* of the frequency: differences between points that every run has */

double point_overhead_ns(const struct measurement *run)
{
    return run->draw.ns + run->single_ticks * time_tick_ns(run->m->machine);
}

/* Converts ticks of a sample to ns per hop, without the overhead. */
static double hop_of(const struct measurement *run, double ticks)
{
    return ticks * time_tick_ns(run->m->machine) / (double)run->hops - point_overhead_ns(run);
}

/* The relative error of a figure: the samples' scatter, their drift, and a draw's calibration. */
static double error_of(const struct measurement *run, double ns, double rel_error)
{
    double error_ns = rel_error * (ns + point_overhead_ns(run)),
           drift_ns = run->point->result.drift_ns;

    error_ns = real_sqrt(error_ns * error_ns + drift_ns * drift_ns +
                         run->draw.error_ns * run->draw.error_ns);
    return ns > 0 ? error_ns / ns : 1;
}

void point_note_coarse(const struct measurement *run, double ticks)
{
    double tick_ns = time_tick_ns(run->m->machine);
    double step_ns = run->m->machine->description->clock.resolution_ticks * tick_ns;

    journal_note_format(run->m->journal, SEVERITY_WARNING, "load=flush: a point left out",
                        "the clock's step of %.1f ns is more than a quarter of the %.1f ns that a "
                        "hop timed singly takes",
                        step_ns, ticks * tick_ns);
}

/* Once per experiment. */
static void note_step(const struct measurement *run, double from_hz, double share)
{
    uint32_t experiment = 1u << run->point->experiment;

    if ((run->m->stepped & experiment) != 0)
        return;
    run->m->stepped |= experiment;
    journal_note_about(run->m->journal, SEVERITY_WARNING,
                       experiment_list[run->point->experiment].name, "the core's frequency stepped",
                       "from %.0f MHz by %.1f %% at a set of %s: nanoseconds before and after it "
                       "are not the same core's",
                       from_hz * 1e-6, 100 * share, TEXT_SIZE(run->point->bytes));
}

static double total_ns(const struct measurement *run)
{
    double ticks = 0;

    for (uint32_t i = 0; i < run->samples; i++)
        ticks += (double)run->m->samples.ticks[i];
    return ticks * time_tick_ns(run->m->machine);
}

/* How far unsampled parts of a lap may differ from the sampled one: where caches were seen to keep
 * part of a set, by as much as they can hold of this one. */
static double parts_of(const struct measurement *run)
{
    double seen = point_parts(run) * run->stats.median, bytes = (double)run->point->bytes;
    double share = (double)estimate_last_level_bytes(run->m->plan) / bytes;

    if (!run->m->parts || !run->point->result.part || !(share < 1))
        return seen;
    return seen > share * run->stats.median ? seen : share * run->stats.median;
}

/* How far a hop's cost was seen to change over the samples, or before them towards a steady state
 * that was not reached; in ticks of a sample. */
static double moved_of(const struct measurement *run)
{
    double moved = 0, left = run->left * run->stats.mean;
    struct stats_trend trend;

    if (point_trend(run, &trend))
        moved = stats_moved(&trend);
    return moved > left ? moved : left;
}

/* How far a hop's cost changed, or may differ in what was not measured, in ns. */
static double drift_ns(const struct measurement *run)
{
    double moved = moved_of(run), parts = parts_of(run);

    return (moved > parts ? moved : parts) * time_tick_ns(run->m->machine) / (double)run->hops;
}

static void note_unsettled(const struct measurement *run, double share)
{
    uint32_t experiment = 1u << run->point->experiment;
    const char *name = experiment_list[run->point->experiment].name;

    /* Once per experiment. */
    if ((run->m->unsettled & experiment) != 0)
        return;
    run->m->unsettled |= experiment;
    if (parts_of(run) > moved_of(run))
        journal_note_about(run->m->journal, SEVERITY_WARNING, name, "steady state not seen",
                           "less than a lap through a set of %s was measured, and caches may hold "
                           "a part of it: the rest may differ by %.1f %%",
                           TEXT_SIZE(run->point->bytes), 100 * share);
    else
        journal_note_about(
            run->m->journal, SEVERITY_WARNING, name, "steady state not seen",
            "after %lu hops through a set of %s the cost of an access still moved by %.1f %%",
            run->warm_hops_done, TEXT_SIZE(run->point->bytes), 100 * share);
}

/* Whether the clock's step exceeds the error target of a sample. */
static bool is_coarse(const struct measurement *run)
{
    const struct measure *m = run->m;

    return m->machine->description->clock.resolution_ticks >
           run->stats.median * m->options->error_percent / 100;
}

static void doubt_point(struct measurement *run)
{
    struct point_result *result = &run->point->result;
    double hop_ns = result->mean_ns + point_overhead_ns(run);
    double share = hop_ns > 0 ? result->drift_ns / hop_ns : 0;
    bool stepped = run->hz_step < 0 || run->hz_step > 0;
    double slower = stepped ? -run->hz_step / (1 + run->hz_step) : 0;
    double step = slower > 0 ? slower : stepped ? run->hz_step : 0;

    if (run->settling)
        result->settled = ANSWER_YES;
    /* A step of the frequency explains a change of the same size. */
    if (share > POINT_STEADY_SHARE + step) {
        result->doubt |= doubt_of(DOUBT_UNSETTLED);
        result->settled = ANSWER_NO;
        note_unsettled(run, share);
    }
    if (stepped) {
        result->doubt |= doubt_of(DOUBT_DRIFT);
        note_step(run, run->hz_before, run->hz_step);
    }
    if (is_coarse(run))
        result->doubt |= doubt_of(DOUBT_COARSE_CLOCK);
    if (2 * run->disturbed > run->samples)
        result->doubt |= doubt_of(DOUBT_DISTURBED);
    if (text_equal(run->limited_by, "budget"))
        result->doubt |= doubt_of(DOUBT_BUDGET);
}

/* Earlier points of the experiment measured at another frequency cannot be compared with this one.
 */
static void doubt_earlier(const struct measurement *run)
{
    struct measure *m = run->m;

    for (uint32_t i = 0; i < m->plan->point_count; i++) {
        struct point *p = &m->plan->point[i];
        double share = run->hz / p->result.hz - 1;

        if (!p->result.known || p->experiment != run->point->experiment ||
            p->turbo != run->point->turbo || p->cpu != run->point->cpu)
            continue;
        if (core_clock_differs(&m->clock, p->result.hz, run->hz) && real_abs(share) > WANDER_MAX) {
            p->result.doubt |= doubt_of(DOUBT_DRIFT);
            note_step(run, p->result.hz, share);
        } else if (p->result.hz_step == 0)
            p->result.doubt &= ~doubt_of(DOUBT_DRIFT);
    }
}

/* A draw's arithmetic takes the same cycles at any frequency. */
static void scale_draw(struct measurement *run)
{
    double scale = run->draw.hz / run->hz;

    if (!core_clock_differs(&run->m->clock, run->draw.hz, run->hz))
        return;
    run->draw.ns *= scale;
    run->draw.error_ns *= scale;
}

static bool is_witnessed(const struct measurement *run)
{
    return run->m->witness.state != WITNESS_UNSOUND && run->counted.accesses != 0;
}

static uint64_t counted(const struct measurement *run, uint64_t events, bool lost)
{
    return is_witnessed(run) && !lost ? events : RECORD_UNKNOWN;
}

static void count_disturbed(struct measurement *run)
{
    run->disturbed = 0;
    for (uint32_t i = 0; i < run->samples; i++)
        run->disturbed += run->m->samples.disturbed[i];
}

void point_conclude(struct measurement *run)
{
    const struct stats *s = &run->stats;
    struct point_result *result = &run->point->result;
    double own_ns;

    count_disturbed(run);
    point_clock_conclude(run);
    scale_draw(run);
    run->m->clock.point_hz = run->hz;
    run->point->prefetch = controls_prefetch_state(&run->m->controls);
    result->part = point_is_kept(run) && !run->by_laps;
    *result = (struct point_result){.known = true,
                                    .sampling_s = result->sampling_s,
                                    .samples = run->samples,
                                    .total_ns = total_ns(run),
                                    .hz_before = run->hz_before,
                                    .hz_after = run->hz_after,
                                    .hz = run->hz,
                                    .ns = hop_of(run, s->median),
                                    .mean_ns = hop_of(run, s->mean),
                                    .drift_ns = drift_ns(run),
                                    .part = result->part,
                                    .caches_bytes = estimate_last_level_bytes(run->m->plan),
                                    .missed_share = real_nan(),
                                    .walked_share = real_nan(),
                                    .loads = run->loads,
                                    .hz_step = run->hz_step};
    if (is_witnessed(run)) {
        result->missed_share = witness_missed(&run->counted);
        result->walked_share = witness_walked(&run->counted);
    }
    result->rel_error = error_of(run, result->ns, s->rel_error);
    result->mean_rel_error = error_of(run, result->mean_ns, s->mean_rel_error);
    point_load_conclude(run);
    own_ns = s->mean_rel_error * (result->mean_ns + point_overhead_ns(run));
    result->mean_own_error_ns = real_hypotenuse(own_ns, result->drift_ns);
    result->cycles =
        run->sample_cycles / (double)run->hops - point_overhead_ns(run) * 1e-9 * run->hz;
    doubt_point(run);
    doubt_earlier(run);
}

/* A cost that is not positive means that the subtracted overhead was overestimated. */
static double known_figure(double figure)
{
    return figure > 0 ? figure : real_nan();
}

static void note_no_figure(const struct measurement *run)
{
    journal_note_about(run->m->journal, SEVERITY_INFO, experiment_list[run->point->experiment].name,
                       "a point without a figure",
                       "its hops took no more than arithmetic_ns, which is taken off them");
}

/* What the point was to measure, and under which settings. */
static struct record_point record_of(const struct measurement *run)
{
    const struct measure *m = run->m;
    const struct machine_description *d = m->machine->description;
    const struct point *point = run->point;

    return (struct record_point){
        .experiment = experiment_list[point->experiment].name,
        .pattern = plan_pattern_name(point),
        .pages_bytes = plan_pages_bytes(point),
        .frames = frame_order_names[point->frames],
        .map = map_names[point->map],
        .prefetch = point->prefetch,
        .prefetch_only_off = controls_only_off_name(&m->controls),
        .turbo = controls_turbo_name(&m->controls),
        .pstate = controls_speed_name(&m->controls, SPEED_PSTATE),
        .uncore = controls_speed_name(&m->controls, SPEED_UNCORE),
        .bytes = point->bytes,
        .stride_bytes = point->stride_bytes,
        .chains = point->chains,
        .load = load_names[point->load],
        .hint = hint_names[point->hint],
        .work_cycles = point->work,
        .word = point->word,
        .group_bytes = point->group_bytes != 0 ? point->group_bytes : RECORD_UNKNOWN,
        .cpu = cpus_number(d->cpus, d->cpu_count, point->cpu),
        .seed = m->options->seed,
        .purpose = plan_purpose_name(point),
    };
}

static void add_figures(const struct measurement *run, struct record_point *out)
{
    const struct point_result *result = &run->point->result;
    const struct stats *s = &run->stats;

    out->ticks_median = s->median;
    out->ns_min = known_figure(hop_of(run, s->min));
    out->ns_median = known_figure(result->ns);
    out->ns_p95 = known_figure(hop_of(run, s->p95));
    out->ns_p99 = known_figure(hop_of(run, s->p99));
    out->ns_mean = known_figure(result->mean_ns);
    out->ns_mad = s->mad * time_tick_ns(run->m->machine) / (double)run->hops;
    out->cycles_median = known_figure(result->cycles);
    out->cpu_hz_before = run->hz_before > 0 ? run->hz_before : real_nan();
    out->cpu_hz_after = run->hz_after > 0 ? run->hz_after : real_nan();
    out->hz_over_base =
        core_clock_over_base(run->hz, run->m->machine->description->clock.core_base_hz);
    out->hz_step = result->hz_step;
    out->rel_error = result->ns > 0 ? result->rel_error : real_nan();
    out->arithmetic_ns = point_overhead_ns(run);
    out->outliers = s->outliers;
}

/* Names and values, as they stand in the record; NULL: none was read. */
static const char *frequency_words(const struct frequency_registers *registers, char *buffer,
                                   size_t capacity)
{
    struct text text;

    text_start(&text, buffer, capacity);
    for (uint32_t i = 0; i < registers->count; i++)
        text_format(&text, "%s%s=0x%lx", i != 0 ? " " : "", registers->list[i].name,
                    registers->list[i].value);
    return registers->count != 0 ? buffer : NULL;
}

/* Once in a run: a register that faults does so in every point. */
static void note_frequency(const struct measurement *run)
{
    const struct frequency_registers *registers = &run->frequency;
    char buffer[FREQUENCY_WORDS_BYTES];
    struct text names;

    if (registers->unread_count == 0 || run->m->frequency_noted)
        return;
    run->m->frequency_noted = true;
    text_start(&names, buffer, sizeof buffer);
    for (uint32_t i = 0; i < registers->unread_count; i++)
        text_format(&names, "%s%s", i != 0 ? ", " : "", registers->unread[i]);
    journal_note_format(run->m->journal, SEVERITY_INFO, "frequency registers could not be read",
                        "%s; points do not have them in frequency_registers", buffer);
}

/* One note says enough. */
static void note_counts_lost(const struct measurement *run)
{
    struct measure *m = run->m;
    const struct machine_description *d = m->machine->description;
    bool lost = (d->llc_misses.name != NULL && run->counted.misses_lost) ||
                (d->page_walks.name != NULL && run->counted.walks_lost);

    if (!lost || m->counts_lost_noted || m->witness.state == WITNESS_UNSOUND)
        return;
    m->counts_lost_noted = true;
    journal_note(m->journal, SEVERITY_WARNING, "counts are lost",
                 "the CPU's counters were stopped or taken away while they counted; points "
                 "without counts have null in their place");
}

static void add_place(const struct measurement *run, struct record_point *out)
{
    const struct machine *machine = run->m->machine;
    struct window_span span = {phys_make(UINT64_MAX), phys_make(UINT64_MAX), NODE_UNKNOWN};

    if (machine->window_span != NULL)
        machine->window_span(machine->self, run->w, run->point->bytes, &span);
    run->point->result.node = span.node;
    out->node = span.node == NODE_UNKNOWN ? RECORD_UNKNOWN : span.node;
    out->physical_low = span.low;
    out->physical_high = span.high;
}

/* Whether another figure of the same set contradicts this one. One note an experiment. */
static bool is_contradicted(const struct measurement *run)
{
    const struct point *point = run->point, *other = repeated_differs(run->m->plan, point);
    uint32_t experiment = 1u << point->experiment;

    if (other == NULL)
        return false;
    if ((run->m->repeated & experiment) == 0)
        journal_note_about(run->m->journal, SEVERITY_WARNING,
                           experiment_list[point->experiment].name, "a set measured twice",
                           "%s, pattern %s: %.2f ns, and %.2f ns in %s before: what caches keep of "
                           "it, or the machine, changed between",
                           TEXT_SIZE(point->bytes), plan_pattern_name(point), point->result.mean_ns,
                           other->result.mean_ns, experiment_list[other->experiment].name);
    run->m->repeated |= experiment;
    return true;
}

void point_emit(const struct measurement *run)
{
    struct record record = {.kind = RECORD_POINT};
    struct record_point *out = &record.u.point;
    char registers[FREQUENCY_WORDS_BYTES];

    *out = record_of(run);
    out->frequency_registers = frequency_words(&run->frequency, registers, sizeof registers);
    out->warm_hops = run->warm_hops_done;
    out->hops = run->hops;
    out->samples = run->samples;
    out->settled = is_contradicted(run) ? ANSWER_NO : run->point->result.settled;
    out->limited_by = run->limited_by;
    out->verified = run->verified;
    out->disturbed = run->disturbed;
    out->smi = run->smi_known ? run->smi : RECORD_UNKNOWN;
    out->mce = run->machine_checks_known ? run->machine_checks : RECORD_UNKNOWN;
    out->llc_misses = counted(run, run->counted.llc_misses, run->counted.misses_lost);
    out->page_walks = counted(run, run->counted.page_walks, run->counted.walks_lost);
    out->counted_accesses =
        counted(run, run->counted.accesses, run->counted.misses_lost && run->counted.walks_lost);
    add_place(run, out);
    add_figures(run, out);
    journal_emit(run->m->journal, &record);
    note_counts_lost(run);
    note_frequency(run);
    if (!(run->point->result.ns > 0))
        note_no_figure(run);
}
