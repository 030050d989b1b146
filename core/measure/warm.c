/* SPDX-License-Identifier: BSD-2-Clause */
/* Warming: fills the caches with what a point's set leaves in them, before its samples. */
#include "core/measure/run.h"
#include "core/measure/time.h"
#include "core/plan/estimate_warm.h"
#include "core/plan/sampling.h"

#define TOUCH_LINES    (1u << 20)
#define SETTLE_PARTS   16 /* a stretch is at least this fraction of a lap */
#define DECIDE_LEVELS  4  /* largest set, in last-level caches, over which adaptive caches decide */
#define DECIDE_STEPS   4  /* smaller ones, each half as large */
#define DECIDE_HOPS    (3u << 14) /* over each, besides a lap */
#define DECIDE_LEAST   32         /* sets up to this fraction of the last level fit */
#define DECIDE_CLEANS  48         /* last-level caches whose lines replace all that one keeps */
#define DECIDE_SECTION (1u << 16)
#define DECIDE_SHARE   0.05 /* share of the remaining budget */
#define UNLIMITED_S    1e18

/* Walks untimed hops, in sections, until they are done or max_s has passed. *plan gives the kernel,
 * the lines and the start. */
static enum status walk_untimed(struct measurement *run, struct chase_plan *plan, uint64_t hops,
                                uint64_t section, double max_s)
{
    const struct machine *machine = run->m->machine;
    uint64_t since_ns = time_now_ns(machine);
    enum status status = STATUS_OK;

    plan->cpu = run->point->cpu;
    plan->chains = plan->samples = 1;
    plan->line_bytes = run->chain.line_bytes;
    plan->base = run->w->base;
    plan->stride_bytes = run->chain.stride_bytes;
    plan->ticks = run->m->samples.ticks;
    plan->disturbed = run->m->samples.disturbed;
    for (; hops > 0 && status == STATUS_OK && time_since_s(machine, since_ns) < max_s;
         hops -= plan->hops) {
        struct chase_result result = {.samples = 0};
        plan->hops = hops < section ? hops : section;
        status = machine->chase_run(machine->self, run->w, plan, &result);
        plan->start = result.end;
        if (status == STATUS_OK)
            status = point_poll(run);
        (void)point_save(run);
    }
    return status;
}

/* Touches as many lines of a set of draws as caches can hold, many at a time: any lines of the set
 * are as good for draws, which would need many laps to reach as many. */
static enum status touch_lines(struct measurement *run)
{
    struct chase_plan plan = {.kernel = KERNEL_STREAM,
                              .lines = run->chain.order->lines,
                              .start = {.next = {run->w->base}}};

    return walk_untimed(run, &plan, estimate_touches(run->m->plan, run->point), TOUCH_LINES,
                        UNLIMITED_S);
}

/* A lap and more over ever larger parts of the set, up to `lines`, and then `cleaning` hops. */
static enum status walk_parts(struct measurement *run, uint64_t lines, uint64_t cleaning)
{
    struct chase_plan plan = {.kernel = KERNEL_STREAM};
    uint64_t since_ns = time_now_ns(run->m->machine);
    double max_s = DECIDE_SHARE * budget_left_s(&run->m->plan->budget, since_ns);
    enum status status = STATUS_OK;

    for (int step = DECIDE_STEPS; step >= 0 && status == STATUS_OK; step--) {
        plan.lines = lines >> step;
        plan.start = (struct chase_cursor){.next = {run->w->base}};
        if (plan.lines > 0)
            status = walk_untimed(run, &plan, DECIDE_HOPS + plan.lines + (step == 0 ? cleaning : 0),
                                  DECIDE_SECTION, max_s - time_since_s(run->m->machine, since_ns));
    }
    return status;
}

/* What the set, which is about to be walked, does to what adaptive caches decided. */
static void note_set(struct measurement *run, uint64_t cached)
{
    struct measure *m = run->m;
    uint64_t lines = run->chain.order->lines;

    m->decided_min = lines < m->decided_min ? lines : m->decided_min;
    m->decided_max = lines > m->decided_max ? lines : m->decided_max;
    m->foreign |= lines > cached && !sampling_drops(run->point);
}

/* Whether adaptive caches may hold the set otherwise than they will if they decide on it. */
static bool may_decide(const struct measurement *run, uint64_t cached)
{
    const struct measure *m = run->m;
    const struct point *point = run->point;
    uint64_t lines = run->chain.order->lines;

    return (m->foreign || lines > m->decided_min || lines << DECIDE_STEPS <= m->decided_max) &&
           sampling_drops(point) && point->kernel == KERNEL_IID &&
           point->stride_bytes == run->chain.line_bytes && lines > cached / DECIDE_LEAST;
}

/* An adaptive cache has two insertion policies and a few sets dedicated to each; the others follow
 * the one that misses less (Qureshi and others, ISCA 2007). What it holds therefore depends on
 * earlier misses. Sets that fit leave it with the policy that evicts old lines soonest, and so do
 * page tables beside very large sets. Draws from a set that does not fit do better with the other
 * one, but so slightly that the switch takes millions of them. Laps over a set that is not much
 * larger show the difference at once: that policy misses every line. The other one keeps lines of
 * earlier sets that were not flushed: it replaces one in 32 misses. */
static enum status decide(struct measurement *run)
{
    struct measure *m = run->m;
    uint64_t cached = estimate_last_level_bytes(m->plan) / run->chain.line_bytes;
    uint64_t lines = run->chain.order->lines, most = DECIDE_LEVELS * cached, cleaning;

    note_set(run, cached);
    if (!may_decide(run, cached))
        return STATUS_OK;
    cleaning = m->foreign ? DECIDE_CLEANS * cached : 0;
    m->decided_min = m->decided_max = lines;
    m->foreign = false;
    return walk_parts(run, lines < most ? lines : most, cleaning);
}

/* Walks `hops` in as many quiet sections as needed. The last hops of each are timed, to learn
 * hop_ns. */
static enum status walk(struct measurement *run, uint64_t hops)
{
    while (hops > 0) {
        uint64_t slice = (uint64_t)(POINT_SLICE_NS / run->hop_ns);
        enum status status;
        uint32_t probe = run->samples;

        slice = slice < POINT_PILOT_HOPS ? POINT_PILOT_HOPS : slice;
        slice = slice < hops ? slice : hops;
        run->hops = slice > 4 * POINT_PILOT_HOPS ? POINT_PILOT_HOPS : (slice + 3) / 4;
        status = point_enter(run, slice - run->hops, 1);
        if (status != STATUS_OK)
            return status;
        point_learn_hop_ns(run, run->m->samples.ticks[probe]);
        run->samples = probe;
        hops -= slice;
        status = point_poll(run);
        if (status != STATUS_OK)
            return status;
        (void)point_save(run);
    }
    return STATUS_OK;
}

enum status point_rewarm(struct measurement *run)
{
    uint64_t hops = run->hops, length = chain_length(&run->chain), wanted;
    struct witness_counts counted = run->counted;
    enum status status = STATUS_OK;

    while (run->stirred && status == STATUS_OK) {
        run->stirred = false;
        if (run->point->cold)
            break;
        wanted = estimate_warm_hops(run->m->plan, run->point, run->hop_ns);
        status = touch_lines(run);
        if (status == STATUS_OK)
            status = walk(run, run->lap && wanted < length ? length : wanted);
    }
    run->hops = hops;
    run->counted = counted;
    point_load_spread(run);
    return status;
}

/* In a shorter stretch, relative to the set, a cache that already holds much of it gains too few
 * lines to show; in a shorter time a step of the core's frequency does not show. */
static uint64_t settle_hops(const struct measurement *run, uint64_t warm_hops)
{
    uint64_t hops = chain_length(&run->chain) / SETTLE_PARTS;
    uint64_t min = (uint64_t)(SAMPLING_SETTLE_MIN_NS / run->hop_ns) + 1;

    hops = hops > min ? hops : min;
    return hops > warm_hops - warm_hops / 4 ? hops : warm_hops - warm_hops / 4;
}

/* A lap that fits is walked in two legs with a checkpoint just past its middle: no single wrong
 * pointer inside the set passes both (a jump ahead is ahead at one of them, a jump back misses
 * one). */
enum status point_warm(struct measurement *run)
{
    const struct point *point = run->point;
    uint64_t length = chain_length(&run->chain);
    uint64_t first = length / 2 + 1, wanted;
    enum status status;
    bool settling;

    if (point->cold)
        return STATUS_OK;
    status = decide(run);
    if (status == STATUS_OK)
        status = touch_lines(run);
    if (status == STATUS_OK)
        status = walk(run, length < POINT_PILOT_HOPS ? length : POINT_PILOT_HOPS);
    if (status != STATUS_OK)
        return status;
    wanted = estimate_warm_hops(run->m->plan, point, run->hop_ns);
    run->lap = estimate_lap_fits(run->m->plan, point, run->hop_ns);
    if (run->lap && length > 1) {
        status = walk(run, first);
        if (status == STATUS_OK)
            status = walk(run, length - first);
        wanted = wanted > length ? wanted - length : 0;
    }
    /* A line that is flushed before it is timed finds the caches in the same state every time. */
    settling = point->load != LOAD_FLUSH;
    if (status == STATUS_OK)
        status = walk(run, settling ? wanted / 4 : wanted);
    if (status == STATUS_OK)
        status = point_rewarm(run);
    if (status == STATUS_OK && settling)
        status = point_settle(run, settle_hops(run, wanted));
    return status == STATUS_OK ? point_pilot(run) : status;
}
