/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/uncached.h"

#include "core/lib/u64.h"

/* Of what memory costs: one line in twenty may be a hit. */
#define UNCACHED_SHARE 0.95
/* A chase over twice a cache hits a fifth of its lines at most. */
#define LAST_LEVELS 2

/* A settled chase over all lines, one at a time. */
static bool tells(const struct plan *plan, const struct point *p)
{
    return p->result.known && (p->result.doubt & doubt_of(DOUBT_UNSETTLED)) == 0 &&
           p->work_kind == POINT_CHASE && p->kernel == KERNEL_CYCLE && point_is_plain(p) &&
           p->stride_bytes == plan->machine->line_bytes;
}

static bool is_like(const struct plan *plan, const struct point *p, const struct point *like)
{
    return tells(plan, p) && p->page == like->page && p->prefetch_off == like->prefetch_off;
}

/* The smallest set below this one of memory that costs as much, as do all between them. */
static uint64_t smallest_as_dear(const struct plan *plan, const struct point *memory)
{
    uint64_t held = 0, bytes = memory->bytes;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (is_like(plan, p, memory) && p->bytes < memory->bytes && p->bytes > held &&
            p->result.ns < UNCACHED_SHARE * memory->result.ns)
            held = p->bytes;
    }
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (is_like(plan, p, memory) && p->bytes > held && p->bytes < bytes)
            bytes = p->bytes;
    }
    return bytes;
}

uint64_t uncached_bytes(const struct plan *plan)
{
    uint64_t declared = plan_last_level_bytes(plan), bytes = UINT64_MAX;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (declared != 0 && tells(plan, p) && p->bytes >= LAST_LEVELS * declared)
            bytes = u64_min(bytes, smallest_as_dear(plan, p));
    }
    return bytes;
}
