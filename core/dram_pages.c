/* SPDX-License-Identifier: BSD-2-Clause */
/* What TLB misses cost in large pages. They are fewer than a first-level TLB holds, or they are
 * not; no register says what a miss costs. So one line of each 2 MiB is chased, and then as many
 * lines that lie together: both are in the caches, a TLB sees in the first what it sees in a chase
 * over the whole set, and the difference is its cost alone. Pages of 1 GiB are asked by the same
 * distance: a host that has only smaller ones behind them, or a TLB that has no such entries, keeps
 * them in pieces. */
#include "core/dram_parts.h"
#include "core/real.h"

#define PROBES_MOST 8192 /* lines: they have to fit the caches' share of one large page */

/* The distance of lines that lie together. No power of two, as that of lines a page apart is none:
 * a draw's arithmetic is the same. */
#define TOGETHER_LINES 3

/* A line further with each piece: else they all fell into one set of a cache. */
static uint64_t apart_bytes(const struct engine *engine)
{
    return (1ull << PAGE_2M) + engine->machine->description->line_bytes;
}

static uint64_t probes(const struct engine *engine, const struct point *point)
{
    return point->bytes / apart_bytes(engine);
}

static uint64_t together_bytes(const struct engine *engine)
{
    return (uint64_t)TOGETHER_LINES * engine->machine->description->line_bytes;
}

bool dram_pages_told(const struct engine *engine, const struct point *point)
{
    return point->page != PAGE_4K && point->map != MAP_FIRMWARE &&
           probes(engine, point) <= PROBES_MOST;
}

void dram_plan_pages(struct engine *engine, const struct point *headline)
{
    struct point point = *headline;
    uint64_t count = probes(engine, headline);

    /* One piece needs one translation. */
    if (!dram_pages_told(engine, headline) || count < 2)
        return;
    point.kernel = KERNEL_IID;
    point.order = ORDER_RANDOM;
    point.error_share = 0;
    point.role = ROLE_APART;
    point.stride_bytes = apart_bytes(engine);
    point.bytes = count * point.stride_bytes;
    plan_add(engine, &point);
    point.role = ROLE_TOGETHER;
    point.stride_bytes = together_bytes(engine);
    point.bytes = count * point.stride_bytes;
    plan_add(engine, &point);
}

/* The chases that tell it of a set like this one's; NULL: not measured. */
static void find_pair(const struct engine *engine, uint32_t experiment, const struct point *point,
                      const struct point *pair[2])
{
    uint64_t count = probes(engine, point);

    pair[0] = dram_find_set(engine, experiment, ROLE_APART, point->prefetch_off,
                            count * apart_bytes(engine));
    pair[1] = dram_find_set(engine, experiment, ROLE_TOGETHER, point->prefetch_off,
                            count * together_bytes(engine));
}

struct dram_ns dram_pages_cost(const struct engine *engine, uint32_t experiment,
                               const struct point *point)
{
    const struct point *pair[2];

    if (!point || !dram_pages_told(engine, point))
        return (struct dram_ns){.known = false};
    if (probes(engine, point) < 2)
        return (struct dram_ns){.known = true};
    find_pair(engine, experiment, point, pair);
    return dram_difference(dram_figure(pair[0]), dram_figure(pair[1]));
}

doubt_set dram_pages_doubt(const struct engine *engine, uint32_t experiment,
                           const struct point *point)
{
    const struct point *pair[2];

    if (!dram_pages_told(engine, point) || probes(engine, point) < 2)
        return 0;
    find_pair(engine, experiment, point, pair);
    return (pair[0] ? pair[0]->result.doubt : 0) | (pair[1] ? pair[1]->result.doubt : 0);
}
