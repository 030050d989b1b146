/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the caches are in steady state: a cache that no register declares may be far larger than
 * the last one that is, and then what warms that one does not warm it. Only time tells. */
#include "core/point_run.h"
#include "core/real.h"

#define STRETCH_SAMPLES 16
#define STEADY_SHARE    0.003
#define STEADY_ERRORS   3.5
#define MOST_LAPS       10
#define SETTLE_SHARE    0.05 /* of what is left of the budget: few points take so long */
#define PILOT_TICKS     32
#define PILOT_HOPS_MOST (1u << 20)

/* A stretch of the chase: what a hop took. */
struct stretch {
    double ns, error_ns;
};

/* The standard error of a stretch's mean by what neighbouring samples differ: a trend over the
 * stretch, which is what is looked for, would make any other scatter as large as itself. The median
 * of the differences is 0.6745 sqrt(2) sigma, whatever a few interrupts do. */
static double error_ticks(struct engine *engine, uint32_t samples)
{
    uint32_t count = samples - 1;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t a = engine->ticks[i], b = engine->ticks[i + 1];
        engine->sorted[i] = a > b ? a - b : b - a;
    }
    stats_sort(engine->sorted, count);
    return (double)engine->sorted[count / 2] / 0.6745 / real_sqrt(2.0 * samples);
}

/* Hops that are timed in STRETCH_SAMPLES samples, or more where those would be too long for a quiet
 * section. They count as warming up. */
static enum status time_stretch(struct run *run, uint64_t hops, struct stretch *stretch)
{
    uint64_t most = (uint64_t)(POINT_SLICE_NS / run->hop_ns) + 1, per = hops / STRETCH_SAMPLES + 1;
    enum status status = STATUS_OK;
    double tick_ns;
    uint32_t samples;

    run->hops = per < most ? per : most;
    tick_ns = point_tick_ns(run->engine) / (double)run->hops;
    samples = (uint32_t)(hops / run->hops + 1);
    run->samples = 0;
    while (status == STATUS_OK && run->samples < samples && run->samples < ENGINE_SAMPLES_MAX) {
        uint32_t before = run->samples;
        status = point_enter(run, 0, samples - before);
        run->warm_hops_done += (run->samples - before) * run->hops;
        if (status == STATUS_OK)
            status = point_breathe(run);
    }
    if (status != STATUS_OK || run->samples < 2)
        return status;
    point_update_stats(run);
    stretch->ns = run->stats.mean * tick_ns;
    stretch->error_ns = error_ticks(run->engine, run->samples) * tick_ns;
    run->hop_ns = stretch->ns;
    run->samples = 0;
    return status;
}

static bool is_steady(const struct stretch *before, const struct stretch *now)
{
    double error_ns =
        real_sqrt(before->error_ns * before->error_ns + now->error_ns * now->error_ns);
    double change_ns = real_abs(now->ns - before->ns);

    return change_ns <= STEADY_SHARE * now->ns || change_ns <= STEADY_ERRORS * error_ns;
}

/* On a machine that others disturb no two stretches may ever agree. */
static bool has_time(const struct run *run, uint64_t hops)
{
    double share_s = estimate_share_s(run->engine);
    double some_s = SETTLE_SHARE * estimate_budget_left_s(run->engine);

    return (double)hops * run->hop_ns * 1e-9 <= (share_s > some_s ? share_s : some_s);
}

enum status point_settle(struct run *run, uint64_t hops)
{
    uint64_t most = MOST_LAPS * chain_length(&run->chain);
    struct stretch before = {0, 0}, now = {0, 0};
    enum status status = time_stretch(run, hops, &before);

    while (status == STATUS_OK) {
        /* As far again as everything so far, so that what fills slowly shows too. */
        hops *= 2;
        if (!has_time(run, hops)) {
            point_note_unsettled(run);
            break;
        }
        status = time_stretch(run, hops, &now);
        if (status != STATUS_OK || is_steady(&before, &now) || run->warm_hops_done >= most)
            break;
        before = now;
    }
    return status;
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
