/* SPDX-License-Identifier: BSD-2-Clause */
/* Measuring one point: build, walk, sample, verify, report. */
#include "core/lib/real.h"
#include "core/measure/run.h"

/* 10 000 ticks keep a sample's quantisation under 0.01 %; a quarter more, since the last look at a
 * hop's cost may have been a slow one. */
#define SAMPLE_MIN_TICKS 12500.0
#define SAMPLE_TARGET_NS \
    50000.0 /* long against the timer's own cost, short against an SMI's period */
#define SAMPLES_MIN         9
#define SAMPLES_PER_ENTRY   16
#define SAMPLES_ENTRY_MOST  256
#define PRECISE_SAMPLES     32 /* before the scatter of a figure that must be exact is believed */
#define PRECISE_CAPS        4
#define SAMPLES_LONG        3  /* of those that are too long for one quiet section */
#define SAMPLE_BUDGETS_MOST 10 /* a longer sample is not begun */
#define SAMPLES_SECONDS \
    2048 /* that seconds= or laps are cut into: half of what there is room for */
#define STEADY_TRIES 4
#define STEADY_LAPS  3
#define LAPS_LEAST   15 /* that are samples: with fewer nobody sees them move */
#define ROUND_HOPS   128
#define REWARM_HOPS \
    16384 /* after each return from the firmware: the TLBs, and a second-level cache */
#define CALIBRATION_LINES         64 /* 4 KiB, or 12: in every first-level cache and TLB */
#define CALIBRATION_ODD           3
#define CALIBRATION_SHARE         0.2 /* of the error target: every draw has this error */
#define CALIBRATION_PATIENCE_HOPS (16u << 20)
#define CALIBRATION_TRIES         3

uint64_t point_hops_asked(const struct options *options, const struct point *point)
{
    if (point->hops != 0)
        return point->hops;
    if (options->iterations != 0)
        return options->iterations * (point->bytes / point->stride_bytes / point->chains);
    return options->hops;
}

static double budget_ns(const struct engine *engine)
{
    return (double)engine->deadline_ns - (double)engine->started_ns;
}

static uint64_t whole(uint64_t hops, uint64_t unit)
{
    return (hops + unit - 1) / unit * unit;
}

/* Hops after which what they cost begins anew: a whole group of the orders that go by groups. */
static uint64_t period_hops(const struct run *run)
{
    const struct point *point = run->point;
    uint64_t hops = point->group_bytes / point->stride_bytes;

    if (point->order == ORDER_HOP_PAGE || hops == 0 || (double)hops * run->hop_ns > POINT_SLICE_NS)
        return 1;
    return hops;
}

static uint64_t sample_hops(const struct run *run)
{
    const struct engine *engine = run->engine;
    double least_ns = SAMPLE_MIN_TICKS * point_tick_ns(engine);
    double target_ns = least_ns > SAMPLE_TARGET_NS ? least_ns : SAMPLE_TARGET_NS;
    double seconds_ns = engine->options->seconds * 1e9, most_ns = budget_ns(engine);
    double spread_ns = (seconds_ns < most_ns ? seconds_ns : most_ns) / SAMPLES_SECONDS;
    uint64_t asked = point_hops_asked(engine->options, run->point),
             length = chain_length(&run->chain), hops;

    if (asked != 0)
        return asked;
    if (run->by_laps)
        return length;
    target_ns = target_ns > spread_ns ? target_ns : spread_ns;
    spread_ns = (double)run->least_hops * run->hop_ns / SAMPLES_SECONDS;
    target_ns = target_ns > spread_ns ? target_ns : spread_ns;
    /* Whole rounds of the unrolled loop, so that no hop costs more than another; whole groups, so
     * that no sample does. */
    hops = (uint64_t)(target_ns / run->hop_ns) + 1;
    hops = whole(whole(hops, ROUND_HOPS), period_hops(run));
    /* A second lap is not cold any more. */
    return run->point->cold && hops > length ? length : hops;
}

void point_update_stats(struct run *run)
{
    struct engine *engine = run->engine;
    double quantum = engine->machine->description->clock.resolution_ticks;

    for (uint32_t i = 0; i < run->samples; i++)
        engine->sorted[i] = engine->ticks[i];
    stats_of(engine->sorted, engine->scratch, run->samples, quantum, &run->stats);
    stats_mean(engine->ticks, engine->disturbed, run->samples, quantum, &run->stats);
}

bool point_trend(const struct run *run, struct stats_trend *trend)
{
    struct engine *engine = run->engine;

    return stats_trend(engine->ticks, engine->disturbed, run->samples,
                       engine->machine->description->clock.resolution_ticks, engine->sorted,
                       engine->scratch, trend);
}

/* Some figures are made of others' differences, and those must be known better: by their mean. */
static bool precise(const struct run *run)
{
    return run->point->error_share > 0;
}

/* Where a hop is cheap, a sample holds many of them, and patience is soon at its end. */
static double error_target(const struct run *run)
{
    double target = run->engine->options->error_percent / 100, share = run->point->error_share;
    double hops = (double)run->samples * (double)run->hops;
    double patience = (double)run->point->patience_hops;

    if (!precise(run))
        return target;
    if (patience > 0)
        share += (1 - share) * (hops < patience ? hops / patience : 1);
    return target * share;
}

static double error_reached(const struct run *run)
{
    return precise(run) ? run->stats.mean_rel_error : run->stats.rel_error;
}

static uint32_t samples_least(const struct run *run)
{
    if (run->by_laps)
        return LAPS_LEAST;
    return point_sample_is_long(run) ? SAMPLES_LONG : point_samples_least(run->point);
}

uint32_t point_samples_least(const struct point *point)
{
    return point->error_share > 0 && point->patience_hops == 0 ? PRECISE_SAMPLES : SAMPLES_MIN;
}

/* How many samples the next entry takes: what the error asks for by the square root's law. Each
 * entry costs warming up again, so that one long one is better than many short ones. */
static uint32_t samples_for_seconds(const struct run *run)
{
    const struct machine *machine = run->engine->machine;
    double left_ns = run->ends_ns - (double)machine->wall_ns(machine->self);
    double samples = left_ns / ((double)run->hops * run->hop_ns);

    if (samples < 1)
        return 1;
    return samples < SAMPLES_ENTRY_MOST ? (uint32_t)samples : SAMPLES_ENTRY_MOST;
}

/* Those of the laps that are owed: what a cache keeps of a set that it cannot hold is one part of
 * it, and the samples of another part would tell nothing of that. */
static double samples_owed(const struct run *run)
{
    double hops = (double)run->samples * (double)run->hops;

    return ((double)run->least_hops - hops) / (double)run->hops;
}

static uint32_t samples_next(const struct run *run)
{
    double ratio = error_reached(run) / error_target(run);
    double more = (double)run->samples * (ratio * ratio - 1);
    double patience = (double)run->point->patience_hops / 2 / (double)run->hops;
    uint32_t most = run->point->samples != 0 ? run->point->samples : ENGINE_SAMPLES_MAX;
    uint32_t room = most - run->samples, wanted = SAMPLES_PER_ENTRY;

    if (run->point->samples != 0)
        return room < SAMPLES_ENTRY_MOST ? room : SAMPLES_ENTRY_MOST;
    if (run->samples == 0)
        return samples_least(run);
    if (patience > 0 && more > patience)
        more = patience; /* and the target has risen */
    if (more < samples_owed(run))
        more = samples_owed(run) + 1;
    if (run->engine->options->seconds > 0)
        wanted = samples_for_seconds(run);
    else if (more > SAMPLES_PER_ENTRY)
        wanted = more < SAMPLES_ENTRY_MOST ? (uint32_t)more : SAMPLES_ENTRY_MOST;
    return room < wanted ? room : wanted;
}

double point_cap_s(const struct engine *engine, const struct point *point)
{
    return point->error_share > 0 ? PRECISE_CAPS * engine->cap_s : engine->cap_s;
}

/* This point's share of what is left of the budget, and never more than the cap or the time asked
 * for. */
static double allowed_s(const struct run *run, const char **limited_by)
{
    const struct engine *engine = run->engine;
    double cap_s = point_cap_s(engine, run->point), share_s = estimate_sampling_share_s(engine);

    if (engine->options->seconds > 0) {
        bool fits = engine->options->seconds <= share_s / 2;
        *limited_by = fits ? "seconds" : "budget";
        return fits ? engine->options->seconds : share_s / 2;
    }
    *limited_by = share_s < cap_s ? "budget" : "cap";
    return share_s < cap_s ? share_s : cap_s;
}

/* Whether the frequency was last seen elsewhere, and one section more shall say if it stays there.
 */
static bool frequency_open(struct run *run)
{
    if (run->hz_confirmed || !point_clock_wavers(run))
        return false;
    run->hz_confirmed = true;
    return true;
}

/* Whether sampling is over, and what ended it: as many samples as the point asks for, however long
 * they take, or else the error target. */
static bool enough(struct run *run, uint64_t begun_ns, double cap_s, const char *limit)
{
    const struct engine *engine = run->engine;
    uint32_t asked = run->point->samples;
    uint32_t least = point_sample_is_long(run) ? SAMPLES_LONG : SAMPLES_MIN;
    bool late = asked != 0 ? engine->machine->wall_ns(engine->machine->self) >= engine->deadline_ns
                           : run->samples >= least && samples_owed(run) <= 0 &&
                                 point_wall_s(engine, begun_ns) >= cap_s;

    run->limited_by = asked != 0 ? "samples" : "error";
    if (asked != 0 ? run->samples >= asked
                   : engine->options->seconds == 0 && run->samples >= samples_least(run) &&
                         samples_owed(run) <= 0 && error_reached(run) <= error_target(run))
        return asked != 0 || !frequency_open(run);
    run->limited_by = asked != 0 ? "budget" : limit;
    return late || run->samples == ENGINE_SAMPLES_MAX;
}

/* Before the samples of a cold point: empties the caches where what they hold of the set would be
 * met again, and cuts the samples to what is left of the lap. */
static enum status samples_cold(struct run *run, uint32_t *samples)
{
    uint64_t length = chain_length(&run->chain), used = run->position - run->cooled_at;
    enum status status = STATUS_OK;
    uint64_t left;

    if (run->cooled && !point_is_cacheable(run))
        return STATUS_OK;
    if (!run->cooled || used + run->hops > length) {
        status = point_cool(run);
        used = 0;
    }
    if (!point_is_cacheable(run))
        return status;
    left = used < length ? (length - used) / run->hops : 0;
    if (left < *samples)
        *samples = left == 0 ? 1 : (uint32_t)left;
    return status;
}

static enum status sample_once(struct run *run, uint64_t rewarm)
{
    uint32_t samples = samples_next(run);
    enum status status = STATUS_OK;

    if (run->point->cold)
        status = samples_cold(run, &samples);
    if (status != STATUS_OK)
        return status;
    if (point_sample_is_long(run))
        return point_enter_long(run, rewarm);
    return point_enter(run, rewarm, samples);
}

/* Whether one sample of the hops asked for takes many times as long as the whole run may, which is
 * said: whoever waits for it has no reason to expect that it ends. */
static bool exceeds_budget(const struct run *run)
{
    const struct engine *engine = run->engine;

    if (!point_sample_is_long(run) ||
        (double)run->hops * run->hop_ns <= SAMPLE_BUDGETS_MOST * budget_ns(engine))
        return false;
    journal_note(engine->journal, SEVERITY_WARNING, "a point left out",
                 "one sample of as many hops as asked for takes over ten times budget=");
    return true;
}

/* Samples until the median is known well enough; none where even one would take too long. */
static enum status sample(struct run *run)
{
    struct engine *engine = run->engine;
    uint64_t begun_ns = engine->machine->wall_ns(engine->machine->self);
    uint64_t length = chain_length(&run->chain);
    const char *limit = "cap";
    double cap_s = allowed_s(run, &limit);
    enum status status = STATUS_OK;
    uint64_t rewarm = 0;

    run->hops = sample_hops(run);
    run->samples = 0;
    point_clock_forget(run);
    run->ends_ns = (double)begun_ns + cap_s * 1e9;
    if (exceeds_budget(run))
        return STATUS_OK;
    while (status == STATUS_OK) {
        status = sample_once(run, rewarm);
        if (status != STATUS_OK)
            break;
        point_update_stats(run);
        if (enough(run, begun_ns, cap_s, limit))
            return STATUS_OK;
        if (!run->point->cold && !run->by_laps)
            rewarm = length < REWARM_HOPS ? length : REWARM_HOPS;
        status = point_breathe(run);
    }
    run->limited_by = status == STATUS_LATE ? "budget" : "abort";
    return status == STATUS_LATE && run->samples > 0 ? STATUS_OK : status;
}

/* Samples that moved were a part of the way to steady state, and count as warming up: others are
 * taken, by whole laps, so that their thirds are of the same lines. Where parts of a lap differ,
 * each sample is a lap. */
static enum status sample_steady(struct run *run)
{
    uint64_t length = chain_length(&run->chain), laps = STEADY_LAPS * length;
    bool walks = run->lap && point_is_cacheable(run);
    enum status status = STATUS_OK;

    run->by_laps =
        run->engine->parts && point_is_kept(run) && point_may_repeat(run, LAPS_LEAST * length);

    run->least_hops = walks ? length : 0;
    for (unsigned tries = STEADY_TRIES; status == STATUS_OK; tries--) {
        uint64_t hops;
        bool parts;

        status = sample(run);
        hops = run->samples * run->hops;
        parts = point_parts(run) > 0 && point_may_repeat(run, LAPS_LEAST * length);
        if (status != STATUS_OK || tries == 1 ||
            !(parts || (point_may_repeat(run, hops) && point_moved(run))))
            break;
        run->warm_hops_done += hops;
        run->by_laps = run->by_laps || parts;
        run->engine->parts = run->engine->parts || parts;
        if (walks && point_may_repeat(run, laps))
            run->least_hops = laps;
    }
    return status;
}

/* Whether the clock is fine enough for hops that are timed one by one: a step of it is at most a
 * quarter of what a hop takes, as some hundred of them say. */
static enum status check_single(struct run *run)
{
    double step = run->engine->machine->description->clock.resolution_ticks, ticks;
    enum status status;

    if (run->point->load != LOAD_FLUSH)
        return STATUS_OK;
    run->hops = POINT_PILOT_HOPS;
    status = point_enter(run, 0, 1);
    if (status != STATUS_OK)
        return status;
    ticks = (double)run->engine->ticks[0] / (double)run->hops - run->single_ticks;
    run->samples = 0;
    run->too_coarse = !(ticks >= 4 * step);
    if (run->too_coarse)
        point_note_coarse(run, ticks);
    return STATUS_OK;
}

/* Reads every node back where a whole lap would take too long. */
static enum status verify(struct run *run, double *verify_ns)
{
    struct engine *engine = run->engine;
    const struct machine *machine = engine->machine;
    uint64_t begun_ns = machine->wall_ns(machine->self);
    uint64_t nodes = diagnose_nodes(run->point, &run->chain);
    struct fault_info fault = {.kind = 0};
    enum status status;

    *verify_ns = 0;
    run->verified = "lap";
    if (run->lap)
        return STATUS_OK;
    engine->check.chain = &run->chain;
    engine->check.flush = machine->line_flush;
    engine->check.errors = 0;
    status = point_work(run, diagnose_verifier(run->point), &engine->check, 0, nodes, &fault);
    if (status == STATUS_ABORTED || status == STATUS_LATE) {
        run->verified = "none";
        return status == STATUS_LATE ? STATUS_OK : status;
    }
    if (status == STATUS_OK && engine->check.errors == 0) {
        run->verified = "readback";
        *verify_ns = point_wall_s(engine, begun_ns) * 1e9 / (double)nodes;
        return STATUS_OK;
    }
    diagnose_chain(engine, run->point, run->w, &run->chain, status == STATUS_FAULT ? &fault : NULL,
                   0, 0);
    return STATUS_FAULT;
}

static enum status build(struct run *run, double *build_ns)
{
    struct engine *engine = run->engine;
    const struct machine *machine = engine->machine;
    const struct point *point = run->point;
    uint64_t begun_ns = machine->wall_ns(machine->self), nodes;
    struct fault_info fault = {.kind = 0};
    window_work *work;
    enum status status;

    line_order_start(&engine->order, point->order, point->bytes / point->stride_bytes,
                     point->group_bytes / point->stride_bytes, engine->options->seed);
    nodes = diagnose_nodes(point, &run->chain);
    work = point->kernel == KERNEL_IID ? machine->draw_fill : machine->chain_build;
    status = point_work(run, work, &run->chain, 0, nodes, &fault);
    if (status == STATUS_FAULT)
        diagnose_fault(engine, &fault);
    *build_ns = point_wall_s(engine, begun_ns) * 1e9 / (double)nodes;
    for (uint32_t k = 0; k < point->chains; k++)
        run->cursor.at[k] = chain_after(&run->chain, run->w, k, 0);
    /* Loads that nothing waits for go through the set as it lies. */
    if (point->kernel == KERNEL_STREAM)
        run->cursor.at[0] = run->w->base;
    return status;
}

/* Builds, warms, samples and verifies; what was seen of its cost is for later estimates. */
static enum status measure(struct run *run, struct estimate_seen *seen)
{
    struct engine *engine = run->engine;
    uint64_t begun_ns;
    enum status status;

    run->chain = (struct chain){.order = &engine->order,
                                .stride_bytes = run->point->stride_bytes,
                                .line_bytes = engine->machine->description->line_bytes,
                                .chains = run->point->chains,
                                .word = run->point->word};
    run->hop_ns = estimate_hop_ns(engine, run->point);
    run->verified = "none";
    status = build(run, &seen->build_ns);
    if (status == STATUS_OK)
        status = point_breathe(run);
    if (status == STATUS_OK)
        status = point_warm(run);
    if (status == STATUS_OK)
        status = check_single(run);
    if (status != STATUS_OK || run->too_coarse)
        return status;
    begun_ns = engine->machine->wall_ns(engine->machine->self);
    status = sample_steady(run);
    run->point->result.sampling_s = point_wall_s(engine, begun_ns);
    seen->verify_ns = 0;
    if (status == STATUS_OK)
        status = verify(run, &seen->verify_ns);
    if (status != STATUS_FAULT && run->samples > 0)
        point_conclude(run);
    return status == STATUS_OK ? point_leave(run) : status;
}

/* Both in cycles, since the core's frequency may have stepped in between. */
static struct draw_cost draw_cost_of(const struct engine *engine, const struct point_result *plain,
                                     const struct point_result *drawn)
{
    double plain_error = plain->mean_rel_error * plain->mean_ns;
    double drawn_error = drawn->mean_rel_error * drawn->mean_ns;
    bool stepped = core_clock_differs(&engine->clock, plain->hz, drawn->hz);
    double plain_ns = plain->mean_ns * (stepped ? plain->hz / drawn->hz : 1);

    return (struct draw_cost){.known = true,
                              .ns = drawn->mean_ns - plain_ns,
                              .error_ns = real_hypotenuse(plain_error, drawn_error),
                              .hz = drawn->hz};
}

/* What a draw computes: a line is found by a shift or by a multiplication. */
static bool multiplies(const struct point *point)
{
    return (point->stride_bytes & (point->stride_bytes - 1)) != 0;
}

static uint64_t calibration_stride_bytes(const struct engine *engine, const struct point *point)
{
    return engine->machine->description->line_bytes * (multiplies(point) ? CALIBRATION_ODD : 1);
}

uint64_t point_window_bytes(const struct engine *engine, const struct point *point)
{
    uint64_t calibration = CALIBRATION_LINES * calibration_stride_bytes(engine, point);

    return point->kernel == KERNEL_IID && point->bytes < calibration ? calibration : point->bytes;
}

static enum status measure_small(struct engine *engine, const struct point *wanted,
                                 enum chase_kernel kernel, const struct window *w,
                                 struct point_result *result)
{
    struct point small = *wanted;
    struct run run = {.engine = engine, .point = &small, .w = w};
    struct estimate_seen seen;
    enum status status;

    small.kernel = kernel;
    small.stride_bytes = calibration_stride_bytes(engine, wanted);
    small.bytes = CALIBRATION_LINES * small.stride_bytes;
    small.error_share = multiplies(wanted) ? 0 : CALIBRATION_SHARE;
    small.patience_hops = CALIBRATION_PATIENCE_HOPS;
    small.work = 0;
    small.cold = false;
    small.hops = 0;
    small.samples = 0;
    small.result.known = false;
    status = measure(&run, &seen);
    *result = small.result;
    return status;
}

/* What a draw's arithmetic costs: the same small set chased both ways. Every figure of draws
 * contains its error, and so it is measured well; where draws multiply, only differences of them
 * are used. A step of the core's frequency in one of them spoils it. */
static enum status calibrate_draw(struct engine *engine, const struct point *wanted,
                                  const struct window *w)
{
    struct draw_cost *draw = &engine->draw[multiplies(wanted)];
    enum status status = STATUS_OK;
    bool stepped = true;

    for (unsigned i = 0; i < CALIBRATION_TRIES && stepped; i++) {
        struct point_result plain, drawn = {.known = false};
        status = measure_small(engine, wanted, KERNEL_CYCLE, w, &plain);
        if (status == STATUS_OK)
            status = measure_small(engine, wanted, KERNEL_IID, w, &drawn);
        if (status != STATUS_OK || !plain.known || !drawn.known)
            return status;
        *draw = draw_cost_of(engine, &plain, &drawn);
        draw->experiment = wanted->experiment;
        stepped = ((plain.doubt | drawn.doubt) & doubt_of(DOUBT_DRIFT)) != 0;
    }
    return status;
}

/* What was learnt at another frequency holds in cycles; where that is not known, the frequency may
 * be another one in every experiment. */
static bool calibrated(const struct engine *engine, const struct point *point)
{
    const struct draw_cost *draw = &engine->draw[multiplies(point)];

    return draw->known && (draw->hz > 0 || draw->experiment == point->experiment);
}

enum status point_measure(struct engine *engine, struct point *point, const struct window *w)
{
    struct run run = {.engine = engine, .point = point, .w = w};
    struct estimate_seen seen = {.build_ns = 0};
    enum status status = STATUS_OK;

    if (point->kernel == KERNEL_IID && !calibrated(engine, point))
        status = calibrate_draw(engine, point, w);
    if (point->kernel == KERNEL_IID)
        run.draw = engine->draw[multiplies(point)];
    if (status == STATUS_OK)
        status = measure(&run, &seen);
    if (!point->result.known)
        return status;
    /* What a round from rest takes holds the clock's own cost, and is no hop's figure. */
    if (point->role != ROLE_BURST)
        point_emit(&run);
    estimate_learn(engine, point, &seen);
    return status;
}
