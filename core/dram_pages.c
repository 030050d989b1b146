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
static uint64_t apart_bytes(const struct engine *engine, const struct point *headline)
{
    return (1ull << headline->page) + engine->machine->description->line_bytes;
}

static uint64_t probes(const struct engine *engine, const struct point *headline, bool half)
{
    return headline->bytes / (half ? 2 : 1) / apart_bytes(engine, headline);
}

bool dram_pages_told(const struct engine *engine, const struct point *headline)
{
    return headline->page != PAGE_4K && headline->map != MAP_FIRMWARE &&
           probes(engine, headline, false) <= PROBES_MOST;
}

static void plan_pair(struct engine *engine, const struct point *headline, bool half)
{
    struct point point = *headline;
    uint64_t count = probes(engine, headline, half);

    if (count < 2)
        return;
    point.kernel = KERNEL_IID;
    point.order = ORDER_RANDOM;
    point.error_share = 0;
    point.role = half ? ROLE_APART_HALF : ROLE_APART;
    point.stride_bytes = apart_bytes(engine, headline);
    point.bytes = count * point.stride_bytes;
    plan_add(engine, &point);
    point.role = half ? ROLE_TOGETHER_HALF : ROLE_TOGETHER;
    point.stride_bytes = (uint64_t)TOGETHER_LINES * engine->machine->description->line_bytes;
    point.bytes = count * point.stride_bytes;
    plan_add(engine, &point);
}

void dram_plan_pages(struct engine *engine, const struct point *headline)
{
    if (!dram_pages_told(engine, headline))
        return;
    plan_pair(engine, headline, false);
    plan_pair(engine, headline, true);
}

struct dram_ns dram_pages_cost(const struct engine *engine, uint32_t experiment,
                               const struct point *headline, bool half)
{
    const struct point *apart, *together;

    if (!headline || !dram_pages_told(engine, headline))
        return (struct dram_ns){.known = false};
    /* One page needs one translation. */
    if (probes(engine, headline, half) < 2)
        return (struct dram_ns){.known = true};
    apart =
        dram_find(engine, experiment, half ? ROLE_APART_HALF : ROLE_APART, headline->prefetch_off);
    together = dram_find(engine, experiment, half ? ROLE_TOGETHER_HALF : ROLE_TOGETHER,
                         headline->prefetch_off);
    return dram_difference(dram_figure(apart), dram_figure(together));
}
