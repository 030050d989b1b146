/* SPDX-License-Identifier: BSD-2-Clause */
/* What is left of the budget, and whom it is for. */
#include "core/engine_state.h"

#define SPARE_MOST 0.0625 /* of what is left, for one of many, while there are cheaper ones */

double estimate_until_s(const struct engine *engine, uint64_t ns)
{
    const struct machine *machine = engine->machine;

    return ((double)ns - (double)machine->wall_ns(machine->self)) * 1e-9;
}

double estimate_budget_left_s(const struct engine *engine)
{
    return estimate_until_s(engine, engine->deadline_ns);
}

bool estimate_affords(const struct engine *engine, const struct point *point)
{
    double left_s = estimate_budget_left_s(engine);

    if (point->spare && point->pass < PASS_DEAR)
        left_s *= SPARE_MOST;
    return estimate_point_s(engine, point) <= left_s;
}

double estimate_left_s(const struct engine *engine)
{
    double sum_s = engine->current == NULL ? 0 : estimate_until_s(engine, engine->current_ns);
    double left_s = estimate_budget_left_s(engine);

    for (uint32_t i = 0; i < engine->point_count; i++)
        if (!engine->point[i].over)
            sum_s += estimate_point_s(engine, &engine->point[i]);
    sum_s = sum_s < left_s ? sum_s : left_s;
    return sum_s > 0 ? sum_s : 0;
}

static double share_s(const struct engine *engine, enum point_pass last)
{
    uint32_t open = 0;

    for (uint32_t i = 0; i < engine->point_count; i++)
        open += !engine->point[i].over && engine->point[i].pass <= last;
    return 2 * estimate_budget_left_s(engine) / (open == 0 ? 1 : open);
}

double estimate_share_s(const struct engine *engine)
{
    return share_s(engine, PASS_DEAR);
}

double estimate_sampling_share_s(const struct engine *engine)
{
    return share_s(engine, engine->pass);
}
