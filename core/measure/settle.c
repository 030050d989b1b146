/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether the caches are in steady state. An undeclared cache may be far larger than the last
 * declared one, and warming for that one is then not enough: only timing shows it. */
#include "core/measure/run.h"
#include "core/measure/time.h"
#include "core/plan/estimate_warm.h"
#include "core/plan/sampling.h"
#include "core/plan/shares.h"

#define STRETCH_SAMPLES 48
#define SETTLE_SHARE    0.05 /* share of the remaining budget: few points need this long */
/* Of a hop's cost: a stretch that could hide a larger trend does not show steady state. */
#define TREND_SHARE    0.035
#define PILOT_TICKS    32
#define PILOT_HOPS_MAX (1u << 20)

/* Walks timed hops in STRETCH_SAMPLES samples, or more if those would be too long for a quiet
 * section. They count as warming. After a save the stretch begins anew: what the save left in the
 * caches shows in it as any other warming does. */
static enum status time_stretch(struct measurement *run, uint64_t hops, struct stats_trend *trend)
{
    uint64_t max = (uint64_t)(POINT_SLICE_NS / run->hop_ns) + 1, per = hops / STRETCH_SAMPLES + 1;
    struct measure *m = run->m;
    enum status status = STATUS_OK;
    uint32_t samples;

    run->hops = per < max ? per : max;
    samples = (uint32_t)(hops / run->hops + 1);
    run->samples = 0;
    while (status == STATUS_OK && run->samples < samples && run->samples < MEASURE_SAMPLES_MAX) {
        uint32_t before = run->samples;
        status = point_enter(run, 0, samples - before);
        run->warm_hops_done += (run->samples - before) * run->hops;
        if (status == STATUS_OK)
            status = point_poll(run);
        if (status == STATUS_OK && point_save(run))
            run->samples = 0;
    }
    if (status == STATUS_OK && point_trend(run, trend) && trend->late >= PILOT_TICKS)
        run->hop_ns = trend->late * time_tick_ns(m->machine) / (double)run->hops;
    run->samples = 0;
    return status;
}

static void settle_starts(struct measurement *run)
{
    const struct budget *budget = &run->m->plan->budget;
    double share_s = estimate_share_s(run->m->plan, time_now_ns(run->m->machine));
    double some_s = SETTLE_SHARE * budget_left_s(budget, time_now_ns(run->m->machine));
    double cap_s = sampling_cap_s(budget, run->point);

    run->settling = true;
    run->settle_ns = time_now_ns(run->m->machine);
    run->settle_from = run->position;
    run->settle_s = share_s > some_s ? share_s : some_s;
    run->trend_s = share_s < cap_s ? share_s : cap_s;
}

/* Measured by the wall clock over all stretches: on a machine busy with other work no stretch may
 * ever be steady, and hops take longer than their samples show. */
static bool has_time(const struct measurement *run, uint64_t hops, double max_s)
{
    double passed_s = time_since_s(run->m->machine, run->settle_ns), next_s;
    double walked = (double)(run->position - run->settle_from);

    next_s = walked > 0 ? passed_s / walked * (double)hops : 0;
    return passed_s + next_s <= max_s;
}

/* Whether the trend continues in the same direction. A change back and forth is interference, and
 * the samples will show how much. */
static bool goes_on(const struct stats_trend *before, const struct stats_trend *now)
{
    return (before->late - before->early) * (now->late - now->early) >= 0;
}

/* Whether a trend of draws may be hidden in a stretch's scatter that more hops can show, for as
 * long as the point's samples may take. */
static bool may_hide(const struct measurement *run, const struct stats_trend *trend, uint64_t hops)
{
    return run->point->kernel == KERNEL_IID && estimate_is_near_caches(run->m->plan, run->point) &&
           trend->limit > TREND_SHARE * trend->late && has_time(run, hops, run->trend_s);
}

/* Rounded up so that thirds are whole laps: parts of a lap may always differ. */
static uint64_t in_thirds(const struct measurement *run, uint64_t hops)
{
    uint64_t laps = 3 * chain_length(&run->chain);

    return run->lap ? (hops + laps - 1) / laps * laps : hops;
}

enum status point_settle(struct measurement *run, uint64_t hops)
{
    struct stats_trend before, now = {0, 0, 0, 0};
    enum status status;

    settle_starts(run);
    do {
        before = now;
        run->left = 0;
        status = time_stretch(run, hops, &now);
        if (run->stirred)
            before = (struct stats_trend){0, 0, 0, 0};
        run->stirred = false;
        if (status != STATUS_OK || !goes_on(&before, &now))
            return status;
        run->left = now.late > 0 ? stats_left(&now) / now.late : 0;
        hops = in_thirds(run, run->warm_hops_done);
        if (run->left <= POINT_STEADY_SHARE && !may_hide(run, &now, hops))
            return status;
    } while (has_time(run, hops, run->settle_s));
    return status;
}

bool point_may_repeat(const struct measurement *run, uint64_t hops)
{
    return run->settling && run->m->options->seconds == 0 && run->point->samples == 0 &&
           has_time(run, hops, run->settle_s);
}

bool point_moved(struct measurement *run)
{
    struct stats_trend trend;

    point_clock_conclude(run);
    if (run->hz_step < 0 || run->hz_step > 0)
        return true;
    return point_trend(run, &trend) && stats_moved(&trend) > POINT_STEADY_SHARE * trend.late;
}

void point_learn_hop_ns(struct measurement *run, uint64_t ticks)
{
    run->probe_ticks = ticks;
    run->hop_ns =
        (double)(ticks > 0 ? ticks : 1) * time_tick_ns(run->m->machine) / (double)run->hops;
}

enum status point_pilot(struct measurement *run)
{
    enum status status = STATUS_OK;

    run->hops = POINT_PILOT_HOPS;
    run->samples = 0;
    while (status == STATUS_OK && run->probe_ticks < PILOT_TICKS && run->hops < PILOT_HOPS_MAX) {
        run->hops *= 4;
        status = point_enter(run, 0, 1);
        if (status == STATUS_OK && run->samples > 0)
            point_learn_hop_ns(run, run->m->samples.ticks[0]);
        run->warm_hops_done += run->hops;
        run->samples = 0;
    }
    return status;
}
