/* SPDX-License-Identifier: BSD-2-Clause */
/* What a measured point says: its figures, and its record. */
#include "core/point_run.h"
#include "core/real.h"

static double middle_hz(const struct run *run)
{
    if (run->hz_before > 0 && run->hz_after > 0)
        return 0.5 * (run->hz_before + run->hz_after);
    return real_nan();
}

double point_overhead_ns(const struct run *run)
{
    return run->draw.ns + run->single_ticks * point_tick_ns(run->engine);
}

/* A figure of the ticks of a sample, in ns of a hop, without what is no part of it. */
static double hop_of(const struct run *run, double ticks)
{
    return ticks * point_tick_ns(run->engine) / (double)run->hops - point_overhead_ns(run);
}

/* The share of a figure that is in doubt: the samples' scatter, and a draw's calibration. */
static double error_of(const struct run *run, double ns, double rel_error)
{
    double error_ns = rel_error * (ns + point_overhead_ns(run));

    error_ns = real_sqrt(error_ns * error_ns + run->draw.error_ns * run->draw.error_ns);
    return ns > 0 ? error_ns / ns : 1;
}

void point_note_coarse(const struct run *run, double ticks)
{
    double tick_ns = point_tick_ns(run->engine);
    double step_ns = run->engine->machine->description->clock.resolution_ticks * tick_ns;
    char why[160];
    struct text text;

    text_start(&text, why, sizeof why);
    text_add(&text, "the clock's step of ");
    text_fixed(&text, step_ns, 1);
    text_add(&text, " ns is more than a quarter of the ");
    text_fixed(&text, ticks * tick_ns, 1);
    text_add(&text, " ns that a hop timed singly takes");
    journal_note(run->engine->journal, SEVERITY_WARNING, "load=flush: a point left out", why);
}

/* A note about a point of its experiment. */
static void note_point(const struct run *run, enum severity severity, const char *words,
                       const char *why)
{
    char what[80];
    struct text text;

    text_start(&text, what, sizeof what);
    text_add(&text, experiment_table[run->point->experiment].name);
    text_add(&text, words);
    journal_note(run->engine->journal, severity, what, why);
}

void point_note_unsettled(const struct run *run)
{
    uint32_t experiment = 1u << run->point->experiment;
    char why[160];
    struct text text;

    /* One says enough. */
    if ((run->engine->unsettled & experiment) != 0)
        return;
    run->engine->unsettled |= experiment;
    text_start(&text, why, sizeof why);
    text_add(&text, "after ");
    text_u64(&text, run->warm_hops_done);
    text_add(&text, " hops through a set of ");
    text_size(&text, run->point->bytes);
    text_add(&text, " a hop's cost still changed, and budget= leaves no time for more");
    note_point(run, SEVERITY_WARNING, ": steady state not seen", why);
}

static double total_ns(const struct run *run)
{
    double ticks = 0;

    for (uint32_t i = 0; i < run->samples; i++)
        ticks += (double)run->engine->ticks[i];
    return ticks * point_tick_ns(run->engine);
}

void point_conclude(struct run *run)
{
    const struct stats *s = &run->stats;
    double ns = hop_of(run, s->median), mean_ns = hop_of(run, s->mean);

    run->engine->core_hz = middle_hz(run);
    run->point->prefetch = controls_prefetch_state(run->engine);
    run->point->result = (struct point_result){
        .known = true,
        .sampling_s = run->point->result.sampling_s,
        .samples = run->samples,
        .total_ns = total_ns(run),
        .hz_before = run->hz_before,
        .hz_after = run->hz_after,
        .ns = ns,
        .rel_error = error_of(run, ns, s->rel_error),
        .mean_ns = mean_ns,
        .mean_rel_error = error_of(run, mean_ns, s->mean_rel_error),
        .mean_own_error_ns = s->mean_rel_error * (mean_ns + point_overhead_ns(run)),
        .cycles = ns * 1e-9 * middle_hz(run)};
    run->disturbed = 0;
    for (uint32_t i = 0; i < run->samples; i++)
        run->disturbed += run->engine->disturbed[i];
}

/* No hop takes less than nothing: a figure below is what was taken off it, taken too large. */
static double known_figure(double figure)
{
    return figure > 0 ? figure : real_nan();
}

static void note_no_figure(const struct run *run)
{
    note_point(run, SEVERITY_INFO, ": a point without a figure",
               "its hops took no more than arithmetic_ns, which is taken off them");
}

void point_emit(const struct run *run)
{
    const struct engine *engine = run->engine;
    const struct point *point = run->point;
    const struct stats *s = &run->stats;
    struct record record = {.kind = RECORD_POINT};

    record.u.point = (struct record_point){
        .experiment = experiment_table[point->experiment].name,
        .pattern = plan_pattern_name(point),
        .pages_bytes = plan_pages_bytes(point),
        .frames = plan_frames_name(point),
        .map = plan_map_name(point),
        .prefetch = point->prefetch,
        .bytes = point->bytes,
        .stride_bytes = point->stride_bytes,
        .chains = point->chains,
        .load = plan_load_name(point->load),
        .hint = plan_hint_name(point->hint),
        .work_cycles = point->work,
        .word = point->word,
        .group_bytes = point->group_bytes != 0 ? point->group_bytes : RECORD_UNKNOWN,
        .cpu = 0,
        .node = RECORD_UNKNOWN,
        .warm_hops = run->warm_hops_done,
        .hops = run->hops,
        .samples = run->samples,
        .ticks_median = s->median,
        .ns_min = known_figure(hop_of(run, s->min)),
        .ns_median = known_figure(point->result.ns),
        .ns_p95 = known_figure(hop_of(run, s->p95)),
        .ns_p99 = known_figure(hop_of(run, s->p99)),
        .ns_mean = known_figure(point->result.mean_ns),
        .ns_mad = s->mad * point_tick_ns(engine) / (double)run->hops,
        .cycles_median = known_figure(point->result.cycles),
        .cpu_hz_before = run->hz_before > 0 ? run->hz_before : real_nan(),
        .cpu_hz_after = run->hz_after > 0 ? run->hz_after : real_nan(),
        .rel_error = point->result.ns > 0 ? point->result.rel_error : real_nan(),
        .arithmetic_ns = point_overhead_ns(run),
        .outliers = s->outliers,
        .limited_by = run->limited_by,
        .verified = run->verified,
        .disturbed = run->disturbed,
        .smi = run->smi_known ? run->smi : RECORD_UNKNOWN,
        .mce = run->machine_checks_known ? run->machine_checks : RECORD_UNKNOWN,
        .seed = engine->options->seed,
        .prefetch_alone = controls_alone_name(engine),
        .turbo = controls_turbo_name(engine),
    };
    journal_emit(engine->journal, &record);
    if (!(point->result.ns > 0))
        note_no_figure(run);
}
