/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/repeated.h"

#include "core/lib/real.h"

/* Standard errors of the difference; and a part of the smaller figure, below which drift is. */
#define ERRORS 4
#define SHARE  0.05

static bool is_same_hop(const struct point *a, const struct point *b)
{
    return a->kernel == b->kernel && a->order == b->order && a->stride_bytes == b->stride_bytes &&
           a->group_bytes == b->group_bytes && a->chains == b->chains && a->load == b->load &&
           a->hint == b->hint && a->work == b->work && a->word == b->word && a->cold == b->cold;
}

static bool is_same_place(const struct point *a, const struct point *b)
{
    return a->bytes == b->bytes && a->page == b->page && a->map == b->map &&
           a->frames == b->frames && a->everywhere == b->everywhere && a->node == b->node &&
           a->cpu == b->cpu;
}

static bool is_same_state(const struct point *a, const struct point *b)
{
    return a->prefetch_off == b->prefetch_off && a->prefetch_only_off == b->prefetch_only_off &&
           a->turbo == b->turbo;
}

/* Beside what other CPUs do it is another figure each time. */
static bool is_told(const struct point *point)
{
    return point->work_kind == POINT_CHASE && !point->unrecorded && point->traffic.cpus == 0 &&
           point->result.known;
}

static bool differs(const struct point_result *a, const struct point_result *b)
{
    double error_ns =
        real_hypotenuse(a->mean_rel_error * a->mean_ns, b->mean_rel_error * b->mean_ns);
    double apart_ns = real_abs(a->mean_ns - b->mean_ns);
    double min_ns = a->mean_ns < b->mean_ns ? a->mean_ns : b->mean_ns;

    return apart_ns > ERRORS * error_ns && apart_ns > SHARE * min_ns;
}

const struct point *repeated_differs(const struct plan *plan, const struct point *point)
{
    if (!is_told(point))
        return NULL;
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *other = &plan->point[i];
        if (other != point && is_told(other) && is_same_hop(other, point) &&
            is_same_place(other, point) && is_same_state(other, point) &&
            differs(&other->result, &point->result))
            return other;
    }
    return NULL;
}
