/* SPDX-License-Identifier: BSD-2-Clause */
/* How long points take: smoothed costs of measured points, per kind of hop and octave of cached
 * bytes, times the pace of the last seconds. The initial guesses only have to be of the right order
 * of magnitude. */
#include "core/plan/estimate.h"

#include "core/dram/verify.h"
#include "core/lib/real.h"
#include "core/plan/estimate_populate.h"
#include "core/plan/estimate_warm.h"
#include "core/plan/sampling.h"
#include "core/plan/uncached.h"

#define NEAR_OCTAVES    2   /* how far a measured octave is taken to be typical */
#define PACE_S          2.0 /* the pace is averaged over about this time */
#define CACHED_NS       5
#define MEMORY_NS       100
#define SAMPLING_HOPS   50000
#define TOUCHES_AT_ONCE 8

static double learn(double old, double now, bool known)
{
    return known ? old + ESTIMATE_NEWEST_WEIGHT * (now - old) : now;
}

void estimate_start(struct estimate *estimate, bool populates)
{
    *estimate = (struct estimate){.build_ns = 20,
                                  .verify_ns = 15,
                                  .populates = populates,
                                  .uncached_bytes = UINT64_MAX,
                                  .took_s = PACE_S,
                                  .expected_s = PACE_S};
    estimate_populate_start(estimate);
}

/* Bytes that the caches have to hold: of a set with a stride of a page or more only one line each,
 * whatever it spans. */
static uint64_t footprint(const struct plan *plan, const struct point *point)
{
    if (point->stride_bytes <= 1ull << PAGE_4K)
        return point->bytes;
    return point->bytes / point->stride_bytes * plan->machine->line_bytes;
}

static uint32_t octave_of(const struct plan *plan, const struct point *point)
{
    return 63 - (uint32_t)__builtin_clzll(footprint(plan, point) | 1);
}

static enum estimate_kind kind_of(const struct point *point)
{
    if (point->kernel == KERNEL_IID)
        return ESTIMATE_DRAWS;
    if (point->kernel == KERNEL_STREAM)
        return ESTIMATE_STREAM;
    if (!point_is_plain(point))
        return ESTIMATE_OTHER;
    return point->error_scale > 0 ? ESTIMATE_EXACT : ESTIMATE_CHASE;
}

/* Octaves to the nearest measured one in direction step; UINT32_MAX: none. */
static uint32_t find(const struct estimate_cost cost[], uint32_t octave, int step)
{
    uint32_t distance = 0;

    while (octave < ESTIMATE_OCTAVES && !cost[octave].known) {
        octave += (uint32_t)step;
        distance++;
    }
    return octave < ESTIMATE_OCTAVES ? distance : UINT32_MAX;
}

static double between(double low, double high, double share)
{
    return low > 0 && high > 0 ? low * real_exp(share * real_log(high / low)) : high;
}

/* Interpolates between the two measured octaves around this one. Beyond the outermost ones by more
 * than NEAR_OCTAVES: unknown. */
static struct estimate_cost interpolate(const struct plan *plan, enum estimate_kind kind,
                                        uint32_t octave)
{
    const struct estimate_cost *cost = plan->estimate.cost[kind], *low, *high;
    uint32_t below = find(cost, octave, -1), above = find(cost, octave, 1);
    double share = (double)below / ((double)below + (double)above + 1e-9);

    if ((below > NEAR_OCTAVES && above == UINT32_MAX) ||
        (above > NEAR_OCTAVES && below == UINT32_MAX))
        return (struct estimate_cost){.known = false};
    low = below == UINT32_MAX ? &cost[octave + above] : &cost[octave - below];
    high = above == UINT32_MAX ? low : &cost[octave + above];
    return (struct estimate_cost){.known = true,
                                  .hop_ns = between(low->hop_ns, high->hop_ns, share),
                                  .sampling_s = between(low->sampling_s, high->sampling_s, share)};
}

void estimate_learn(struct plan *plan, const struct point *point, const struct estimate_seen *seen)
{
    struct estimate *model = &plan->estimate;
    struct estimate_cost *cost = &model->cost[kind_of(point)][octave_of(plan, point)];

    model->build_ns = learn(model->build_ns, seen->build_ns, model->learnt);
    if (seen->verify_ns > 0)
        model->verify_ns = learn(model->verify_ns, seen->verify_ns, model->learnt);
    cost->hop_ns = learn(cost->hop_ns, point->result.ns, cost->known);
    cost->sampling_s = learn(cost->sampling_s, point->result.sampling_s, cost->known);
    cost->known = model->learnt = true;
    model->uncached_bytes = uncached_bytes(plan);
}

static double pace_of(const struct estimate *model)
{
    return model->took_s / model->expected_s;
}

void estimate_learn_pace(struct estimate *model, double expected_s, double took_s)
{
    double kept = PACE_S / (PACE_S + took_s);

    model->expected_s = kept * model->expected_s + expected_s / pace_of(model);
    model->took_s = kept * model->took_s + took_s;
}

double estimate_hop_ns(const struct plan *plan, const struct point *point)
{
    bool cached = footprint(plan, point) <= estimate_last_level_bytes(plan) &&
                  point->load != LOAD_FLUSH && !point->cold;
    uint32_t octave = octave_of(plan, point);
    struct estimate_cost cost = interpolate(plan, kind_of(point), octave);

    if (!cost.known)
        cost = interpolate(plan, ESTIMATE_CHASE, octave);
    if (cost.known)
        return cost.hop_ns;
    return cached ? CACHED_NS : MEMORY_NS;
}

/* With a requested number of hops: the samples that fit into half of the remaining budget, at least
 * one. */
static double requested_s(const struct plan *plan, const struct point *point, uint64_t hops,
                          uint64_t now_ns)
{
    double sample_s = (double)hops * estimate_hop_ns(plan, point) * 1e-9;
    double max_s = budget_left_s(&plan->budget, now_ns) / 2;
    uint64_t samples = point->samples != 0 ? point->samples : sampling_samples_min(point);
    double all_s = (double)samples * sample_s;

    max_s = max_s > sample_s ? max_s : sample_s;
    return all_s < max_s ? all_s : max_s;
}

static double sampling_s(const struct plan *plan, const struct point *point, uint64_t now_ns)
{
    uint64_t hops = sampling_hops_requested(plan->options, point);
    double cap_s = sampling_cap_s(&plan->budget, point);
    struct estimate_cost cost;

    if (plan->options->seconds > 0)
        return plan->options->seconds;
    if (hops != 0)
        return requested_s(plan, point, hops, now_ns);
    cost = interpolate(plan, kind_of(point), octave_of(plan, point));
    if (!cost.known)
        cost.sampling_s = SAMPLING_HOPS * estimate_hop_ns(plan, point) * 1e-9;
    return cost.sampling_s < cap_s ? cost.sampling_s : cap_s;
}

/* What a point takes besides sampling: building, warming, reading back, flushing. */
static double overhead_s(const struct plan *plan, const struct point *point)
{
    const struct estimate *model = &plan->estimate;
    double lines = (double)(point->bytes / point->stride_bytes);
    double hop_ns = estimate_hop_ns(plan, point);
    double walk_hops = (double)estimate_warm_hops(plan, point, hop_ns);
    double verify_ns = lines * model->verify_ns, drop_ns = sampling_drops(point) ? verify_ns : 0;
    double touch_ns = (double)estimate_touches(plan, point) * hop_ns / TOUCHES_AT_ONCE;

    if (estimate_lap_fits(plan, point, hop_ns)) {
        double lap = lines / point->chains;
        verify_ns = 0;
        walk_hops = walk_hops < lap ? lap : walk_hops;
    }
    if (!point->cold && point->load != LOAD_FLUSH)
        walk_hops += SAMPLING_SETTLE_MIN_NS / hop_ns;
    return (lines * model->build_ns + walk_hops * hop_ns + verify_ns + drop_ns + touch_ns) * 1e-9;
}

/* It makes do with what is left, by shorter chains, and then by fewer blocks. */
static double regions_s(const struct plan *plan, const struct point *point, uint64_t now_ns)
{
    double whole = (double)point->bytes / (double)point->regions.block_bytes * SAMPLING_BLOCK_S;
    double left = budget_left_s(&plan->budget, now_ns) * SAMPLING_REGIONS_SHARE;

    left = left > SAMPLING_BLOCK_S ? left : SAMPLING_BLOCK_S;
    return whole < left ? whole : left;
}

static double populating_s(const struct plan *plan, const struct point *point, uint64_t now_ns)
{
    double all_s = estimate_populate_s(plan, point);
    double share_s = estimate_populate_share_s(plan, now_ns);

    return estimate_may_shrink(plan, point) && share_s < all_s ? share_s : all_s;
}

/* Without budget= it takes what it needs, and with one it is cut. */
static double verify_s(const struct plan *plan, const struct point *point, uint64_t now_ns)
{
    bool joins = !plan->machine->process_mapping && plan->options->max_bytes == 0;
    double moves = joins ? VERIFY_MOVES + VERIFY_JOIN_MOVES : VERIFY_MOVES;
    double whole = (double)point->bytes * moves * SAMPLING_VERIFY_S_PER_BYTE;
    double left = (budget_left_s(&plan->budget, now_ns) - populating_s(plan, point, now_ns)) *
                  SAMPLING_REGIONS_SHARE;

    return whole < left ? whole : left;
}

/* All pairs, or as many as there is time for. */
static double handoff_s(const struct plan *plan, uint64_t now_ns)
{
    double cpus = (double)plan->machine->cpu_count;
    double whole = cpus * (cpus - 1) / 2 * SAMPLING_HANDOFF_S;
    double left = budget_left_s(&plan->budget, now_ns) * SAMPLING_REGIONS_SHARE;

    return whole < left ? whole : left;
}

static double once_s(const struct plan *plan, const struct point *point, uint64_t now_ns)
{
    switch (point->work_kind) {
    case POINT_FOOTPRINT:
        return SAMPLING_FOOTPRINT_S;
    case POINT_BANKS:
        return SAMPLING_BANKS_S;
    case POINT_SINGLE:
        return SAMPLING_SINGLE_S;
    case POINT_REGIONS:
        return regions_s(plan, point, now_ns);
    case POINT_VERIFY:
        return verify_s(plan, point, now_ns);
    case POINT_HANDOFF:
        return handoff_s(plan, now_ns);
    case POINT_CHASE:
    default:
        return overhead_s(plan, point) + sampling_s(plan, point, now_ns);
    }
}

double estimate_point_s(const struct plan *plan, const struct point *point, uint64_t now_ns)
{
    return pace_of(&plan->estimate) *
           (populating_s(plan, point, now_ns) +
            (double)plan->options->repeats * once_s(plan, point, now_ns));
}
