/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/estimate_warm.h"

#define LAST_LEVEL_UNKNOWN_BYTES (32ull << 20)
#define DRAW_LAPS                2
/* undeclared_bytes is a lower bound from the hit rate of draws, at least half of the cache. */
#define SEEN_LEVELS 2

uint64_t estimate_last_level_bytes(const struct plan *plan)
{
    uint64_t bytes = plan_last_level_bytes(plan), seen = SEEN_LEVELS * plan->undeclared_bytes;

    bytes = bytes == 0 ? LAST_LEVEL_UNKNOWN_BYTES : bytes;
    return seen > bytes ? seen : bytes;
}

/* In lines. */
static uint64_t last_level(const struct plan *plan)
{
    return estimate_last_level_bytes(plan) / plan->machine->line_bytes;
}

uint64_t estimate_touches(const struct plan *plan, const struct point *point)
{
    uint64_t lines = point->bytes / point->stride_bytes, cached = last_level(plan);

    if (point->kernel != KERNEL_IID || point->cold)
        return 0;
    return lines < 2 * cached ? lines : 2 * cached;
}

static bool is_near(uint64_t lines, uint64_t cached)
{
    return lines <= cached + cached / 2;
}

bool estimate_is_near_caches(const struct plan *plan, const struct point *point)
{
    return is_near(point->bytes / point->stride_bytes, last_level(plan));
}

/* Every line has been touched before, so there are no first touches left. What remains to settle is
 * which lines each cache holds and in which order it will replace them. Beyond the caches the hit
 * rate is the same whichever lines they hold. */
static uint64_t warm_draws(uint64_t lines, uint64_t cached)
{
    return is_near(lines, cached) ? DRAW_LAPS * lines : cached / 2;
}

/* Three laps bring any replacement policy into its steady state while the set is not much larger
 * than a cache. Far beyond it every hop misses, and only what the caches held before has to go.
 * Where building left none of the set in them (build_bypasses), these are lines of other memory,
 * whose only trace is write-backs: hops for the time of one cap then suffice, because they displace
 * as much as the point itself will use. */
static uint64_t warm_nodes(const struct plan *plan, const struct point *point, double hop_ns,
                           uint64_t nodes, uint64_t cached)
{
    uint64_t sweep = cached + cached / 4, brief;

    if (nodes <= 2 * cached)
        return 3 * nodes;
    brief = (uint64_t)(plan->budget.cap_s * 1e9 / hop_ns) * point->chains;
    return plan->machine->build_bypasses && brief < sweep ? brief : sweep;
}

uint64_t estimate_warm_hops(const struct plan *plan, const struct point *point, double hop_ns)
{
    uint64_t nodes = point->bytes / point->stride_bytes;
    uint64_t line_bytes = plan->machine->line_bytes;
    uint64_t cached = last_level(plan);
    uint64_t translations = (point->bytes >> point->page) / 8 * 4;
    uint64_t hops;

    if (point->cold)
        return 0;
    if (point->kernel == KERNEL_IID)
        return warm_draws(nodes, cached) + translations;
    /* Several nodes may share a line. */
    if (point->stride_bytes < line_bytes)
        cached *= line_bytes / point->stride_bytes;
    hops = warm_nodes(plan, point, hop_ns, nodes, cached);
    /* Beyond the caches, page tables compete for them too: every line of the tables (8 entries) is
     * touched a few times. */
    if (nodes > 2 * cached)
        hops += translations;
    return (hops + point->chains - 1) / point->chains;
}

bool estimate_lap_fits(const struct plan *plan, const struct point *point, double hop_ns)
{
    uint64_t length = point->bytes / point->stride_bytes / point->chains;
    double lap_s = (double)length * hop_ns * 1e-9;

    /* Draws have no lap to close. */
    return point->kernel == KERNEL_CYCLE && !point->cold && lap_s <= plan->budget.cap_s / 2;
}
