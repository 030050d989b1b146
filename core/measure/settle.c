/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the caches are in steady state: a cache that no register declares may be far larger than
 * the last one that is, and then what warms that one does not warm it. Only time tells. */
#include "core/measure/run.h"

#define STRETCH_SAMPLES 48
#define SETTLE_SHARE    0.05 /* of what is left of the budget: few points take so long */
#define PILOT_TICKS     32
#define PILOT_HOPS_MOST (1u << 20)
#define DECIDE_LEVELS   2 /* last levels that a set holds of which adaptive caches decide soonest */
#define DECIDE_HOPS     (1u << 20)
#define DECIDE_ENTRY    (1u << 16)

/* Hops that are timed in STRETCH_SAMPLES samples, or more where those would be too long for a quiet
 * section. They count as warming up. */
static enum status time_stretch(struct run *run, uint64_t hops, struct stats_trend *trend)
{
    uint64_t most = (uint64_t)(POINT_SLICE_NS / run->hop_ns) + 1, per = hops / STRETCH_SAMPLES + 1;
    struct engine *engine = run->engine;
    enum status status = STATUS_OK;
    uint32_t samples;

    run->hops = per < most ? per : most;
    samples = (uint32_t)(hops / run->hops + 1);
    run->samples = 0;
    while (status == STATUS_OK && run->samples < samples && run->samples < ENGINE_SAMPLES_MAX) {
        uint32_t before = run->samples;
        status = point_enter(run, 0, samples - before);
        run->warm_hops_done += (run->samples - before) * run->hops;
        if (status == STATUS_OK)
            status = point_breathe(run);
    }
    if (status == STATUS_OK && point_trend(run, trend) && trend->late >= PILOT_TICKS)
        run->hop_ns = trend->late * point_tick_ns(engine) / (double)run->hops;
    run->samples = 0;
    return status;
}

static void settle_starts(struct run *run)
{
    double share_s = estimate_share_s(run->engine);
    double some_s = SETTLE_SHARE * estimate_budget_left_s(run->engine);

    run->settling = true;
    run->settle_ns = run->engine->machine->wall_ns(run->engine->machine->self);
    run->settle_from = run->position;
    run->settle_s = share_s > some_s ? share_s : some_s;
}

/* On a machine that others disturb no stretch may ever be steady, and hops take longer than they
 * are seen to: by the wall clock, all stretches together. */
static bool has_time(const struct run *run, uint64_t hops)
{
    double passed_s = point_wall_s(run->engine, run->settle_ns), next_s;
    double walked = (double)(run->position - run->settle_from);

    next_s = walked > 0 ? passed_s / walked * (double)hops : 0;
    return passed_s + next_s <= run->settle_s;
}

/* Draws from the first `lines` of the set, in sections of DECIDE_ENTRY, as far as time goes. */
static enum status walk_first(struct run *run, uint64_t lines, uint64_t hops)
{
    struct engine *engine = run->engine;
    uint64_t since_ns = engine->machine->wall_ns(engine->machine->self);
    double some_s = SETTLE_SHARE * estimate_budget_left_s(engine);
    enum status status = STATUS_OK;
    struct chase_plan plan = {.kernel = KERNEL_IID,
                              .chains = 1,
                              .line_bytes = run->chain.line_bytes,
                              .base = run->w->base,
                              .lines = lines,
                              .stride_bytes = run->chain.stride_bytes,
                              .hops = DECIDE_ENTRY,
                              .samples = 1,
                              .ticks = engine->ticks,
                              .disturbed = engine->disturbed,
                              .start = run->cursor};

    for (; hops >= DECIDE_ENTRY && status == STATUS_OK && point_wall_s(engine, since_ns) < some_s;
         hops -= DECIDE_ENTRY) {
        struct chase_result result = {.samples = 0};
        status = engine->machine->chase_run(engine->machine->self, run->w, &plan, &result);
        plan.start = result.end;
        if (status == STATUS_OK)
            status = point_breathe(run);
    }
    return status;
}

enum status point_decide(struct run *run)
{
    struct engine *engine = run->engine;
    uint64_t cached = estimate_last_level_bytes(engine) / run->chain.line_bytes;
    uint64_t lines = run->chain.order->lines;

    if (run->point->kernel != KERNEL_IID)
        return STATUS_OK;
    if (lines <= cached || engine->decided || run->point->stride_bytes != run->chain.line_bytes)
        return STATUS_OK;
    engine->decided = lines >= DECIDE_LEVELS * cached;
    return walk_first(run, engine->decided ? DECIDE_LEVELS * cached : lines, DECIDE_HOPS);
}

/* Whether that is an approach that goes on: what moves to and fro is others' work, and the samples
 * will say how much of it there is. */
static bool goes_on(const struct stats_trend *before, const struct stats_trend *now)
{
    return (before->late - before->early) * (now->late - now->early) >= 0;
}

/* As many hops or a few more, so that thirds are whole laps: parts of a lap may differ for ever. */
static uint64_t in_thirds(const struct run *run, uint64_t hops)
{
    uint64_t laps = 3 * chain_length(&run->chain);

    return run->lap ? (hops + laps - 1) / laps * laps : hops;
}

enum status point_settle(struct run *run, uint64_t hops)
{
    struct stats_trend before, now = {0, 0, 0, 0};
    enum status status;

    settle_starts(run);
    do {
        before = now;
        run->left = 0;
        status = time_stretch(run, hops, &now);
        if (status != STATUS_OK || !goes_on(&before, &now))
            return status;
        run->left = now.late > 0 ? stats_left(&now) / now.late : 0;
        if (run->left <= POINT_STEADY_SHARE)
            return status;
        hops = in_thirds(run, run->warm_hops_done);
    } while (has_time(run, hops));
    return status;
}

bool point_may_repeat(const struct run *run, uint64_t hops)
{
    return run->settling && run->engine->options->seconds == 0 && run->point->samples == 0 &&
           has_time(run, hops);
}

bool point_moved(struct run *run)
{
    struct stats_trend trend;

    point_clock_conclude(run);
    if (run->hz_step < 0 || run->hz_step > 0)
        return true;
    return point_trend(run, &trend) && stats_moved(&trend) > POINT_STEADY_SHARE * trend.late;
}

double point_parts(const struct run *run)
{
    const struct engine *engine = run->engine;
    double share;

    if (run->by_laps || !point_is_kept(run) || !(run->stats.median > 0))
        return 0;
    share = stats_shared(engine->ticks, engine->disturbed, &run->stats) / run->stats.median;
    return share > POINT_STEADY_SHARE ? share : 0;
}

void point_learn_hop(struct run *run, uint64_t ticks)
{
    run->probe_ticks = ticks;
    run->hop_ns = (double)(ticks > 0 ? ticks : 1) * point_tick_ns(run->engine) / (double)run->hops;
}

enum status point_pilot(struct run *run)
{
    enum status status = STATUS_OK;

    run->hops = POINT_PILOT_HOPS;
    run->samples = 0;
    while (status == STATUS_OK && run->probe_ticks < PILOT_TICKS && run->hops < PILOT_HOPS_MOST) {
        run->hops *= 4;
        status = point_enter(run, 0, 1);
        if (status == STATUS_OK && run->samples > 0)
            point_learn_hop(run, run->engine->ticks[0]);
        run->warm_hops_done += run->hops;
        run->samples = 0;
    }
    return status;
}
