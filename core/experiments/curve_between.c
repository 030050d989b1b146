/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/curve_between.h"

#include "core/experiments/curve_levels.h"

#define STEEP 1.2 /* how much slower the next set is */

static bool is_of_curve(const struct point *p, const struct point *like)
{
    return p->experiment == like->experiment && p->tag == like->tag && p->page == like->page &&
           p->prefetch_off == like->prefetch_off;
}

/* The next larger set of the same curve; NULL: there is none. */
static const struct point *next_larger(const struct plan *plan, const struct point *like)
{
    const struct point *next = NULL;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (is_of_curve(p, like) && p->bytes > like->bytes &&
            (next == NULL || p->bytes < next->bytes))
            next = p;
    }
    return next;
}

static bool is_steep(const struct point *small, const struct point *large)
{
    return small->result.known && large != NULL && large->result.known &&
           large->result.mean_ns > STEEP * small->result.mean_ns;
}

static void plan_between(struct plan *plan, struct point point, const struct point *large)
{
    uint64_t pages = (point.bytes + large->bytes) / 2 / point.stride_bytes;

    if (pages * point.stride_bytes <= point.bytes)
        return;
    point.bytes = pages * point.stride_bytes;
    point.pass = PASS_FINE;
    point.over = point.again = false;
    point.result = (struct point_result){.known = false};
    plan_add(plan, &point);
}

bool curve_add_between(struct plan *plan, uint32_t experiment)
{
    uint32_t before = plan->point_count;

    for (uint32_t i = 0; i < before; i++) {
        const struct point *small = &plan->point[i], *large = NULL;
        if (small->experiment != experiment || small->tag != CURVE_REACH)
            continue;
        large = next_larger(plan, small);
        if (is_steep(small, large))
            plan_between(plan, *small, large);
    }
    return plan->point_count != before;
}
