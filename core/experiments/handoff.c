/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/handoff.h"

#include "core/experiments/tags.h"
#include "core/plan/sets.h"

/* Lines far apart in it have homes all over the last cache. */
#define SET_BYTES (64ull << 20)

enum status handoff_plan_points(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    uint64_t limit;
    enum page_size page = plan_reaching_page(plan, plan_page_sizes(plan), SET_BYTES, &limit);
    struct point point;
    bool off[2];

    (void)bench;
    (void)plan_prefetch_states(plan, off);
    point = plan_point(plan, experiment, page, off[0], SET_BYTES < limit ? SET_BYTES : limit);
    point.work_kind = POINT_HANDOFF;
    point.tag = TAG_PLAIN;
    plan_add(plan, &point);
    return STATUS_OK;
}
