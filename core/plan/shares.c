/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/shares.h"

#include "core/plan/estimate.h"

#define OPTIONAL_SHARE_MAX \
    0.0625 /* share of the remaining budget for one optional point while cheaper ones are left */
/* Share of the whole budget that is kept for other experiments until they have their octaves. */
#define OTHERS_SHARE 0.5

static bool others_wait(const struct plan *plan, const struct point *point)
{
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].experiment != point->experiment && !plan->point[i].over &&
            plan->point[i].pass <= PASS_OCTAVES)
            return true;
    return false;
}

/* What shows how far a headline can be trusted must not leave curves without a point. */
static double kept_s(const struct plan *plan, const struct point *point)
{
    bool early = plan->pass > PASS_MIN && plan->pass <= PASS_OCTAVES;

    return early && !point->optional && others_wait(plan, point)
               ? OTHERS_SHARE * budget_until_s(plan->budget.deadline_ns, plan->budget.started_ns)
               : 0;
}

bool estimate_affords(const struct plan *plan, const struct point *point, uint64_t now_ns)
{
    double left_s = budget_left_s(&plan->budget, now_ns) - kept_s(plan, point);

    if (point->optional && point->pass < PASS_POSTPONED)
        left_s *= OPTIONAL_SHARE_MAX;
    return estimate_point_s(plan, point, now_ns) <= left_s;
}

double estimate_left_s(const struct plan *plan, uint64_t now_ns)
{
    double sum_s = plan->current == NULL ? 0 : budget_until_s(plan->current_ns, now_ns);
    double left_s = budget_left_s(&plan->budget, now_ns);

    for (uint32_t i = 0; i < plan->point_count; i++)
        if (!plan->point[i].over)
            sum_s += estimate_point_s(plan, &plan->point[i], now_ns);
    sum_s = sum_s < left_s ? sum_s : left_s;
    return sum_s > 0 ? sum_s : 0;
}

static double share_s(const struct plan *plan, enum point_pass last, uint64_t now_ns)
{
    uint32_t open = 0;

    for (uint32_t i = 0; i < plan->point_count; i++)
        open += !plan->point[i].over && plan->point[i].pass <= last;
    return 2 * budget_left_s(&plan->budget, now_ns) / (open == 0 ? 1 : open);
}

double estimate_share_s(const struct plan *plan, uint64_t now_ns)
{
    return share_s(plan, PASS_POSTPONED, now_ns);
}

double estimate_sampling_share_s(const struct plan *plan, uint64_t now_ns)
{
    return share_s(plan, plan->pass, now_ns);
}
