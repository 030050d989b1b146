/* SPDX-License-Identifier: BSD-2-Clause */
/* Measuring one point: build, walk, sample, verify, report. */
#include "core/engine_state.h"
#include "core/real.h"

/* 10 000 ticks keep a sample's quantisation under 0.01 %; a quarter more, since the last look at a
 * hop's cost may have been a slow one. */
#define SAMPLE_MIN_TICKS 12500.0
#define SAMPLE_TARGET_NS \
    50000.0 /* long against the timer's own cost, short against an SMI's period */
#define SAMPLES_MIN        9
#define SAMPLES_PER_ENTRY  16
#define SAMPLES_ENTRY_MOST 256
#define PRECISE_SAMPLES    32 /* before the scatter of a figure that must be exact is believed */
#define PRECISE_CAPS       4
#define WALK_SLICE_NS      100e6 /* one quiet section's worth of untimed hops */
#define REWARM_HOPS \
    16384 /* after each return from the firmware: the TLBs, and a second-level cache */
#define PILOT_HOPS        512
#define CALIBRATION_LINES 64 /* 4 KiB: in every first-level cache and TLB */

/* A point in the making. */
struct run {
    struct engine *engine;
    struct point *point;
    const struct window *w;
    struct chain chain;
    struct chase_cursor cursor;
    uint64_t position; /* of the cursor, in hops since the chain's start */
    double hop_ns;
    uint64_t hops; /* of a sample */
    uint64_t warm_hops_done;
    uint32_t samples;
    uint64_t disturbed, smi, machine_checks;
    bool smi_known, machine_checks_known;
    double hz_before, hz_after;
    bool lap;
    const char *limited_by, *verified;
    struct stats stats;
    struct draw_cost draw; /* taken off every hop; zero for a plain chase */
};

static double tick_ns(const struct engine *engine)
{
    return 1e9 / (double)engine->machine->description->clock.hz;
}

static double wall_s(const struct engine *engine, uint64_t since_ns)
{
    return (double)(engine->machine->wall_ns(engine->machine->self) - since_ns) * 1e-9;
}

static void add_counter(uint64_t delta, uint64_t *sum, bool *known)
{
    if (delta == MACHINE_UNKNOWN)
        return;
    *sum += delta;
    *known = true;
}

/* Tells how far the whole run is, and asks whether somebody wants it to stop. */
static enum status breathe(struct run *run)
{
    struct engine *engine = run->engine;
    const struct machine *machine = engine->machine;
    double past_s = wall_s(engine, engine->started_ns);
    struct progress now = {.experiment = experiment_table[run->point->experiment].name,
                           .left_s = estimate_left_s(engine)};

    for (uint32_t i = 0; i < engine->point_count; i++) {
        if (engine->point[i].experiment != run->point->experiment)
            continue;
        now.total++;
        now.done += engine->point[i].over;
    }
    now.done_share = past_s / (past_s + now.left_s + 1e-9);
    machine->progress(machine->self, &now);
    return machine->abort_asked(machine->self) ? STATUS_ABORTED : STATUS_OK;
}

/* One quiet section. The cursor must stand where the order says it stands after that many hops:
 * that is the checkpoint which finds a pointer that leads into a wrong cycle. */
static enum status enter(struct run *run, uint64_t warm_hops, uint32_t samples)
{
    struct engine *engine = run->engine;
    struct chase_plan plan = {.kernel = run->point->kernel,
                              .chains = 1,
                              .line_bytes = run->chain.line_bytes,
                              .base = run->w->base,
                              .lines = run->chain.order->lines,
                              .stride_bytes = run->chain.stride_bytes,
                              .warm_hops = warm_hops,
                              .hops = run->hops,
                              .samples = samples,
                              .ticks = engine->ticks + run->samples,
                              .disturbed = engine->disturbed + run->samples,
                              .limit_ns = (uint64_t)(2 * WALK_SLICE_NS),
                              .start = run->cursor};
    struct chase_result result = {.samples = 0};
    enum status status = engine->machine->chase_run(engine->machine->self, run->w, &plan, &result);
    uintptr_t expected;

    if (status == STATUS_FAULT)
        diagnose_chain(engine, run->point, run->w, &run->chain, &result.fault, 0, 0);
    if (status != STATUS_OK)
        return status;
    run->cursor = result.end;
    run->position += result.hops_done;
    run->warm_hops_done += warm_hops;
    run->samples += result.samples;
    run->hz_before = run->hz_before > 0 ? run->hz_before : result.core_hz_before;
    run->hz_after = result.core_hz_after;
    add_counter(result.delta.smi, &run->smi, &run->smi_known);
    add_counter(result.delta.machine_checks, &run->machine_checks, &run->machine_checks_known);
    if (run->point->kernel != KERNEL_CYCLE)
        return STATUS_OK;
    expected = chain_after(&run->chain, run->w, 0, run->position);
    if (run->cursor.at[0] != expected) {
        diagnose_chain(engine, run->point, run->w, &run->chain, NULL, expected, run->cursor.at[0]);
        return STATUS_FAULT;
    }
    return STATUS_OK;
}

/* Untimed hops, as many quiet sections as they need. The last hops of each are timed all the same,
 * so that the hop's cost is known for planning. */
static enum status walk(struct run *run, uint64_t hops)
{
    while (hops > 0) {
        uint64_t slice = (uint64_t)(WALK_SLICE_NS / run->hop_ns);
        enum status status;
        uint32_t probe = run->samples;

        slice = slice < PILOT_HOPS ? PILOT_HOPS : slice;
        slice = slice < hops ? slice : hops;
        run->hops = slice > 4 * PILOT_HOPS ? PILOT_HOPS : (slice + 3) / 4;
        status = enter(run, slice - run->hops, 1);
        if (status != STATUS_OK)
            return status;
        run->hop_ns = (double)run->engine->ticks[probe] * tick_ns(run->engine) / (double)run->hops;
        run->samples = probe;
        hops -= slice;
        status = breathe(run);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* Brings caches and TLBs into steady state. Where a lap fits, it is walked in two legs with a
 * checkpoint a little beyond its middle: no single wrong pointer inside the set passes both
 * (a jump ahead is ahead at one of the two, a jump back misses one). */
static enum status warm(struct run *run)
{
    const struct point *point = run->point;
    uint64_t lines = run->chain.order->lines;
    uint64_t wanted = estimate_warm_hops(run->engine, point);
    uint64_t first = lines / 2 + 1;
    enum status status = walk(run, lines < PILOT_HOPS ? lines : PILOT_HOPS);

    if (status != STATUS_OK)
        return status;
    run->lap = estimate_lap_fits(run->engine, point, run->hop_ns);
    if (run->lap && lines > 1) {
        status = walk(run, first);
        if (status == STATUS_OK)
            status = walk(run, lines - first);
        wanted = wanted > lines ? wanted - lines : 0;
    }
    return status == STATUS_OK ? walk(run, wanted) : status;
}

static uint64_t sample_hops(const struct run *run)
{
    const struct engine *engine = run->engine;
    double least_ns = SAMPLE_MIN_TICKS * tick_ns(engine);
    double target_ns = least_ns > SAMPLE_TARGET_NS ? least_ns : SAMPLE_TARGET_NS;
    uint64_t hops = (uint64_t)(target_ns / run->hop_ns) + 1;

    if (run->point->hops != 0)
        return run->point->hops;
    if (engine->options->hops != 0)
        return engine->options->hops;
    /* Whole rounds of the unrolled loop, so that no hop costs more than another. */
    return (hops + 127) / 128 * 128;
}

static void update_stats(struct run *run)
{
    struct engine *engine = run->engine;
    double quantum = engine->machine->description->clock.resolution_ticks;

    for (uint32_t i = 0; i < run->samples; i++)
        engine->sorted[i] = engine->ticks[i];
    stats_of(engine->sorted, engine->scratch, run->samples, quantum, &run->stats);
    stats_mean(engine->ticks, engine->disturbed, run->samples, quantum, &run->stats);
}

/* Some figures are made of others' differences, and those must be known better: by their mean. */
static bool precise(const struct run *run)
{
    return run->point->error_share > 0;
}

static double error_target(const struct run *run)
{
    double target = run->engine->options->error_percent / 100;

    return precise(run) ? target * run->point->error_share : target;
}

static double error_reached(const struct run *run)
{
    return precise(run) ? run->stats.mean_rel_error : run->stats.rel_error;
}

uint32_t point_samples_least(const struct point *point)
{
    return point->error_share > 0 ? PRECISE_SAMPLES : SAMPLES_MIN;
}

/* How many samples the next entry takes: what the error asks for by the square root's law. Each
 * entry costs warming up again, so that one long one is better than many short ones. */
static uint32_t samples_next(const struct run *run)
{
    double ratio = error_reached(run) / error_target(run);
    double more = (double)run->samples * (ratio * ratio - 1);
    uint32_t most = run->point->samples != 0 ? run->point->samples : ENGINE_SAMPLES_MAX;
    uint32_t room = most - run->samples, wanted = SAMPLES_PER_ENTRY;

    if (run->point->samples != 0)
        return room < SAMPLES_ENTRY_MOST ? room : SAMPLES_ENTRY_MOST;
    if (run->samples == 0)
        return point_samples_least(run->point);
    if (more > SAMPLES_PER_ENTRY)
        wanted = more < SAMPLES_ENTRY_MOST ? (uint32_t)more : SAMPLES_ENTRY_MOST;
    return room < wanted ? room : wanted;
}

/* This point's share of what is left of the budget, and never more than the cap. */
static double allowed_s(const struct run *run, const char **limited_by)
{
    const struct engine *engine = run->engine;
    const struct machine *machine = engine->machine;
    double left_s = ((double)engine->deadline_ns - (double)machine->wall_ns(machine->self)) * 1e-9;
    double cap_s = precise(run) ? PRECISE_CAPS * engine->cap_s : engine->cap_s;
    uint32_t open = 0;
    double share_s;

    for (uint32_t i = 0; i < engine->point_count; i++)
        open += !engine->point[i].over;
    /* Twice the even share: most points end early, on their error target. */
    share_s = 2 * left_s / (open == 0 ? 1 : open);
    *limited_by = share_s < cap_s ? "budget" : "cap";
    return share_s < cap_s ? share_s : cap_s;
}

/* Whether sampling is over, and what ended it: as many samples as the point asks for, however long
 * they take, or else the error target. */
static bool enough(struct run *run, uint64_t begun_ns, double cap_s, const char *limit)
{
    const struct engine *engine = run->engine;
    uint32_t asked = run->point->samples;
    bool late = asked != 0 ? engine->machine->wall_ns(engine->machine->self) >= engine->deadline_ns
                           : run->samples >= SAMPLES_MIN && wall_s(engine, begun_ns) >= cap_s;

    run->limited_by = asked != 0 ? "samples" : "error";
    if (asked != 0 ? run->samples >= asked
                   : run->samples >= point_samples_least(run->point) &&
                         error_reached(run) <= error_target(run))
        return true;
    run->limited_by = asked != 0 ? "budget" : limit;
    return late || run->samples == ENGINE_SAMPLES_MAX;
}

/* Samples until the median is known well enough. */
static enum status sample(struct run *run)
{
    struct engine *engine = run->engine;
    uint64_t begun_ns = engine->machine->wall_ns(engine->machine->self);
    uint64_t lines = run->chain.order->lines;
    const char *limit = "cap";
    double cap_s = allowed_s(run, &limit);
    enum status status = STATUS_OK;
    uint64_t rewarm = 0;

    run->hops = sample_hops(run);
    run->samples = 0;
    while (status == STATUS_OK) {
        status = enter(run, rewarm, samples_next(run));
        if (status == STATUS_FAULT)
            return status;
        update_stats(run);
        if (enough(run, begun_ns, cap_s, limit))
            return STATUS_OK;
        rewarm = run->point->cold ? 0 : lines < REWARM_HOPS ? lines : REWARM_HOPS;
        if (status == STATUS_OK)
            status = breathe(run);
    }
    run->limited_by = "abort";
    return status;
}

/* Reads every node back where a whole lap would take too long. */
static enum status verify(struct run *run, double *verify_ns)
{
    struct engine *engine = run->engine;
    const struct machine *machine = engine->machine;
    uint64_t begun_ns = machine->wall_ns(machine->self);
    uint64_t lines = run->chain.order->lines;
    struct fault_info fault = {.kind = 0};
    enum status status;

    *verify_ns = 0;
    run->verified = "lap";
    if (run->lap)
        return STATUS_OK;
    engine->check.chain = &run->chain;
    engine->check.flush = machine->line_flush;
    engine->check.errors = 0;
    status = machine->work_run(machine->self, run->w, 0, diagnose_verifier(run->point),
                               &engine->check, 0, lines, &fault);
    if (status == STATUS_OK && engine->check.errors == 0) {
        run->verified = "readback";
        *verify_ns = wall_s(engine, begun_ns) * 1e9 / (double)lines;
        return STATUS_OK;
    }
    diagnose_chain(engine, run->point, run->w, &run->chain, status == STATUS_FAULT ? &fault : NULL,
                   0, 0);
    return STATUS_FAULT;
}

static double middle_hz(const struct run *run)
{
    if (run->hz_before > 0 && run->hz_after > 0)
        return 0.5 * (run->hz_before + run->hz_after);
    return real_nan();
}

/* A figure of the ticks of a sample, in ns of a hop, without a draw's arithmetic. */
static double hop_of(const struct run *run, double ticks)
{
    return ticks * tick_ns(run->engine) / (double)run->hops - run->draw.ns;
}

/* The share of a figure that is in doubt: the samples' scatter, and a draw's calibration. */
static double error_of(const struct run *run, double ns, double rel_error)
{
    double error_ns = rel_error * (ns + run->draw.ns);

    error_ns = real_sqrt(error_ns * error_ns + run->draw.error_ns * run->draw.error_ns);
    return ns > 0 ? error_ns / ns : 1;
}

static void conclude(struct run *run)
{
    const struct stats *s = &run->stats;
    double ns = hop_of(run, s->median), mean_ns = hop_of(run, s->mean);

    run->engine->core_hz = middle_hz(run);
    run->point->prefetch = controls_prefetch_state(run->engine);
    run->point->result =
        (struct point_result){.known = true,
                              .sampling_s = run->point->result.sampling_s,
                              .samples = run->samples,
                              .ns = ns,
                              .rel_error = error_of(run, ns, s->rel_error),
                              .mean_ns = mean_ns,
                              .mean_rel_error = error_of(run, mean_ns, s->mean_rel_error),
                              .cycles = ns * 1e-9 * middle_hz(run)};
    run->disturbed = 0;
    for (uint32_t i = 0; i < run->samples; i++)
        run->disturbed += run->engine->disturbed[i];
}

static void emit(const struct run *run)
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
        .chains = 1,
        .cpu = 0,
        .node = RECORD_UNKNOWN,
        .warm_hops = run->warm_hops_done,
        .hops = run->hops,
        .samples = run->samples,
        .ticks_median = s->median,
        .ns_min = hop_of(run, s->min),
        .ns_median = point->result.ns,
        .ns_p95 = hop_of(run, s->p95),
        .ns_p99 = hop_of(run, s->p99),
        .ns_mean = point->result.mean_ns,
        .ns_mad = s->mad * tick_ns(engine) / (double)run->hops,
        .cycles_median = point->result.cycles,
        .cpu_hz_before = run->hz_before > 0 ? run->hz_before : real_nan(),
        .cpu_hz_after = run->hz_after > 0 ? run->hz_after : real_nan(),
        .rel_error = point->result.rel_error,
        .arithmetic_ns = run->draw.ns,
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
}

static enum status build(struct run *run, double *build_ns)
{
    struct engine *engine = run->engine;
    const struct machine *machine = engine->machine;
    uint64_t lines = run->point->bytes / run->point->stride_bytes;
    uint64_t begun_ns = machine->wall_ns(machine->self);
    struct fault_info fault = {.kind = 0};
    uint32_t lines_per_page = (uint32_t)(4096 / run->point->stride_bytes);
    window_work *work;
    enum status status;

    line_order_start(&engine->order, run->point->order, lines, lines_per_page,
                     engine->options->seed);
    work = run->point->kernel == KERNEL_IID ? machine->draw_fill : machine->chain_build;
    status = machine->work_run(machine->self, run->w, 0, work, &run->chain, 0, lines, &fault);
    if (status == STATUS_FAULT)
        diagnose_fault(engine, &fault);
    *build_ns = wall_s(engine, begun_ns) * 1e9 / (double)lines;
    run->cursor.at[0] = chain_node(&run->chain, run->w, 0);
    return status;
}

/* Builds, warms, samples and verifies; what was seen of its cost is for later estimates. */
static enum status measure(struct run *run, struct estimate_model *seen)
{
    struct engine *engine = run->engine;
    uint64_t begun_ns;
    enum status status;

    run->chain = (struct chain){.order = &engine->order,
                                .stride_bytes = run->point->stride_bytes,
                                .line_bytes = engine->machine->description->line_bytes};
    run->hop_ns = estimate_hop_ns(engine, run->point);
    run->verified = "none";
    status = build(run, &seen->build_ns);
    if (status == STATUS_OK)
        status = breathe(run);
    if (status == STATUS_OK)
        status = warm(run);
    if (status != STATUS_OK)
        return status;
    begun_ns = engine->machine->wall_ns(engine->machine->self);
    status = sample(run);
    run->point->result.sampling_s = wall_s(engine, begun_ns);
    seen->verify_ns = 0;
    if (status == STATUS_OK)
        status = verify(run, &seen->verify_ns);
    if (status != STATUS_FAULT && run->samples > 0)
        conclude(run);
    return status;
}

static struct draw_cost draw_cost_of(const struct point_result *plain,
                                     const struct point_result *drawn)
{
    double plain_error = plain->rel_error * plain->ns, drawn_error = drawn->rel_error * drawn->ns;

    return (struct draw_cost){.known = true,
                              .ns = drawn->ns - plain->ns,
                              .error_ns =
                                  real_sqrt(plain_error * plain_error + drawn_error * drawn_error)};
}

/* What a draw's arithmetic costs: the same small set chased both ways. */
static enum status calibrate_draw(struct engine *engine, const struct point *wanted,
                                  const struct window *w)
{
    struct point small[2] = {*wanted, *wanted};
    enum status status = STATUS_OK;

    for (unsigned i = 0; i < 2 && status == STATUS_OK; i++) {
        struct run run = {.engine = engine, .point = &small[i], .w = w};
        struct estimate_model seen;
        small[i].kernel = i == 0 ? KERNEL_CYCLE : KERNEL_IID;
        small[i].bytes = CALIBRATION_LINES * small[i].stride_bytes;
        small[i].result.known = false;
        status = measure(&run, &seen);
    }
    if (status == STATUS_OK && small[0].result.known && small[1].result.known)
        engine->draw = draw_cost_of(&small[0].result, &small[1].result);
    return status;
}

enum status point_measure(struct engine *engine, struct point *point, const struct window *w)
{
    struct run run = {.engine = engine, .point = point, .w = w};
    struct estimate_model seen = {.build_ns = 0};
    enum status status = STATUS_OK;

    if (point->kernel == KERNEL_IID && !engine->draw.known)
        status = calibrate_draw(engine, point, w);
    if (point->kernel == KERNEL_IID)
        run.draw = engine->draw;
    if (status == STATUS_OK)
        status = measure(&run, &seen);
    if (!point->result.known)
        return status;
    emit(&run);
    point->over = true;
    estimate_learn(engine, &seen);
    return status;
}
