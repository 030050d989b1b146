/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/points.h"

#include "core/lib/real.h"
#include "core/plan/sets.h"

/* A drift goes over all samples, so half of it lies between their mean and its end. */
#define DRIFT_SHARE 0.5

static const struct point *find(const struct plan *plan, uint32_t experiment, uint32_t tag,
                                bool prefetch_off, uint64_t bytes)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == experiment && p->tag == tag && p->prefetch_off == prefetch_off &&
            p->result.known && (bytes == 0 || p->bytes == bytes))
            return p;
    }
    return NULL;
}

const struct point *points_find(const struct plan *plan, uint32_t experiment, uint32_t tag,
                                bool prefetch_off)
{
    return find(plan, experiment, tag, prefetch_off, 0);
}

const struct point *points_find_set(const struct plan *plan, uint32_t experiment, uint32_t tag,
                                    bool prefetch_off, uint64_t bytes)
{
    return bytes == 0 ? NULL : find(plan, experiment, tag, prefetch_off, bytes);
}

bool points_are_alike(const struct point *a, const struct point *b)
{
    return a->experiment == b->experiment && a->tag == b->tag &&
           a->prefetch_off == b->prefetch_off && a->bytes == b->bytes && a->node == b->node;
}

uint32_t points_planned(const struct plan *plan, const struct point *point)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->point_count; i++)
        count += points_are_alike(&plan->point[i], point);
    return count;
}

struct figure points_figure(const struct point *p)
{
    double error_ns, drift_ns;

    if (p == NULL || !p->result.known)
        return figure_unknown();
    error_ns = p->result.mean_rel_error * p->result.mean_ns;
    drift_ns = DRIFT_SHARE * p->result.drift_ns;
    return (struct figure){.value = p->result.mean_ns,
                           .error = real_hypotenuse(error_ns, drift_ns)};
}

struct figure points_more_ns(const struct point *large, const struct point *small)
{
    struct figure less = points_figure(small);

    if (large != NULL && small != NULL && large->result.hz > 0 && small->result.hz > 0)
        less = figure_scaled(less, small->result.hz / large->result.hz);
    return figure_difference(points_figure(large), less);
}

doubt_set points_doubt(const struct plan *plan, const struct point *p)
{
    struct figure ns = points_figure(p);
    doubt_set doubt = p->result.doubt;

    if (!figure_is_known(ns))
        return 0;
    doubt |= plan_set_declared(p->label) == NULL ? plan_set_doubt(plan, p->bytes)
                                                 : plan_cache_set_doubt(plan, p->bytes);
    /* Samples of memory alone never scatter as far as their mean. */
    if (FIGURE_ERRORS * ns.error >= ns.value)
        doubt |= doubt_of(DOUBT_DISTURBED);
    return doubt;
}

doubt_set points_latency_doubt(const struct plan *plan, const struct point *p)
{
    bool is_memory = figure_is_known(points_figure(p)) && plan_set_declared(p->label) == NULL;

    return points_doubt(plan, p) | (is_memory ? plan_pages_doubt(plan, p->page, p->bytes) : 0);
}
