/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/estimate_warm.h"

#define LAST_LEVEL_UNKNOWN_BYTES (32ull << 20)
#define LAPS                     3
#define DRAW_LAPS                2
/* Share of the whole budget: warming takes longer only where a declared cache is not there, or for
 * the least number of laps. */
#define WARM_SHARE 0.025
/* In a second lap hits show if there are any, and as long as they become more the point goes on
 * being warmed. All lines of draws have been touched before. */
#define LAPS_MIN      1.25
#define DRAW_LAPS_MIN 0.25
/* undeclared_bytes is a lower bound from the hit rate of draws, at least half of the cache. */
#define SEEN_LEVELS 2

uint64_t estimate_last_level_bytes(const struct plan *plan)
{
    uint64_t bytes = plan_last_level_bytes(plan), seen = SEEN_LEVELS * plan->undeclared_bytes;

    bytes = bytes == 0 ? LAST_LEVEL_UNKNOWN_BYTES : bytes;
    bytes = plan->estimate.uncached_bytes < bytes ? plan->estimate.uncached_bytes : bytes;
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

/* As many laps, or as fit into a share of the budget, but at least `least`. */
static uint64_t warm_laps(const struct plan *plan, uint64_t laps, double least, uint64_t nodes,
                          double hop_ns)
{
    const struct budget *budget = &plan->budget;
    double whole_ns = (double)(budget->deadline_ns - budget->started_ns);
    double hops = WARM_SHARE * whole_ns / hop_ns, least_hops = least * (double)nodes;

    hops = hops > least_hops ? hops : least_hops;
    return hops < (double)(laps * nodes) ? (uint64_t)hops : laps * nodes;
}

/* Every line has been touched before, so there are no first touches left. What remains to settle is
 * which lines each cache holds and in which order it will replace them. Beyond the caches the hit
 * rate is the same whichever lines they hold. */
static uint64_t warm_draws(const struct plan *plan, double hop_ns, uint64_t lines, uint64_t cached)
{
    return is_near(lines, cached) ? warm_laps(plan, DRAW_LAPS, DRAW_LAPS_MIN, lines, hop_ns)
                                  : cached / 2;
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
        return warm_laps(plan, LAPS, LAPS_MIN, nodes, hop_ns / point->chains);
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
        return warm_draws(plan, hop_ns, nodes, cached) + translations;
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

/* Draws hit by as much as caches hold of any set; laps beyond twice that find next to nothing. */
bool estimate_was_colder(const struct plan *plan, const struct point *point)
{
    uint64_t then = point->result.caches_bytes, now = estimate_last_level_bytes(plan);

    return point->result.known && !point->cold && then > 0 && point->bytes > then &&
           now >= 2 * then && (point->kernel == KERNEL_IID || point->bytes <= 2 * now);
}

bool estimate_lap_fits(const struct plan *plan, const struct point *point, double hop_ns)
{
    uint64_t length = point->bytes / point->stride_bytes / point->chains;
    double lap_s = (double)length * hop_ns * 1e-9;

    /* Draws have no lap to close. */
    return point->kernel == KERNEL_CYCLE && !point->cold && lap_s <= plan->budget.cap_s / 2;
}
