/* SPDX-License-Identifier: BSD-2-Clause */
/* What TLB misses cost in large pages. They are fewer than a first-level TLB holds, or they are
 * not; no register says what a miss costs. So one line of each page is chased, and then as many
 * lines that lie together: both are in the caches, a TLB sees in the first what it sees in a chase
 * over the whole set, and the difference is its cost alone. */
#include "core/dram_parts.h"
#include "core/real.h"

#define PROBES_MOST 8192 /* lines: they have to fit the caches' share of one large page */

/* The distance of lines that lie together. No power of two, as that of lines a page apart is none:
 * a draw's arithmetic is the same. */
#define TOGETHER_LINES 3

/* A line further with each page: else they all fell into one set of a cache. */
static uint64_t apart_bytes(const struct engine *engine, const struct point *point)
{
    return (1ull << point->page) + engine->machine->description->line_bytes;
}

static uint64_t probes(const struct engine *engine, const struct point *point)
{
    return point->bytes / apart_bytes(engine, point);
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

    /* One page needs one translation. */
    if (!dram_pages_told(engine, headline) || count < 2)
        return;
    point.kernel = KERNEL_IID;
    point.order = ORDER_RANDOM;
    point.error_share = 0;
    point.role = ROLE_APART;
    point.stride_bytes = apart_bytes(engine, headline);
    point.bytes = count * point.stride_bytes;
    plan_add(engine, &point);
    point.role = ROLE_TOGETHER;
    point.stride_bytes = together_bytes(engine);
    point.bytes = count * point.stride_bytes;
    plan_add(engine, &point);
}

struct dram_ns dram_pages_cost(const struct engine *engine, uint32_t experiment,
                               const struct point *point)
{
    const struct point *apart, *together;
    uint64_t count;

    if (!point || !dram_pages_told(engine, point))
        return (struct dram_ns){.known = false};
    count = probes(engine, point);
    if (count < 2)
        return (struct dram_ns){.known = true};
    apart = dram_find_set(engine, experiment, ROLE_APART, point->prefetch_off,
                          count * apart_bytes(engine, point));
    together = dram_find_set(engine, experiment, ROLE_TOGETHER, point->prefetch_off,
                             count * together_bytes(engine));
    return dram_difference(dram_figure(apart), dram_figure(together));
}
