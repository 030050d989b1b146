/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/handoff.h"

#include "core/experiments/nodes_view.h"
#include "core/experiments/tags.h"
#include "core/plan/sets.h"

/* Lines far apart in it have homes all over the last cache. */
#define SET_BYTES (64ull << 20)
/* Enough for them to be of different pages. */
static const uint64_t least_bytes = 1 << 20;

static struct point point_of(const struct plan *plan, uint32_t experiment, enum page_size page)
{
    struct point point;
    bool off[2];

    (void)plan_prefetch_states(plan, off);
    point = plan_point(plan, experiment, page, off[0], SET_BYTES);
    point.work_kind = POINT_HANDOFF;
    point.tag = TAG_PLAIN;
    return point;
}

/* Lines whose home is that node, in the largest pages of which it has enough. */
static void add_home(struct plan *plan, const struct workbench *bench, uint32_t experiment,
                     const struct nodes_view *view, uint32_t column)
{
    const struct machine *machine = bench->controls->machine;
    uint32_t sizes = plan_page_sizes(plan);

    for (unsigned page = PAGE_1G; page >= PAGE_4K; page--) {
        struct point point = point_of(plan, experiment, (enum page_size)page);
        struct window_request request;
        uint64_t limit;
        point.node = view->number[column];
        point.everywhere = !view->has_ordinary[column];
        request = plan_window(plan, &point, 0);
        limit = sizes & 1u << page ? machine->window_limit(machine->self, &request) : 0;
        if (limit < least_bytes || (page != PAGE_4K && limit < SET_BYTES))
            continue;
        point.bytes = SET_BYTES < limit ? SET_BYTES : limit;
        plan_add(plan, &point);
        return;
    }
    journal_note_format(plan->journal, SEVERITY_WARNING, "handoff: a home node is left out",
                        "node %u has less than %s in the pages asked for", view->number[column],
                        TEXT_SIZE(least_bytes));
}

static enum status plan_homes(struct plan *plan, const struct workbench *bench, uint32_t experiment,
                              const struct nodes_view *view)
{
    if (!nodes_view_any(plan, view))
        journal_note(plan->journal, SEVERITY_WARNING, "handoff: no home for lines",
                     "node= and cpus= together take no node");
    for (uint32_t column = 0; column < view->count; column++)
        if (nodes_view_column(plan, view, column))
            add_home(plan, bench, experiment, view, column);
    return STATUS_OK;
}

enum status handoff_plan_points(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    enum page_size page;
    struct nodes_view view;
    struct point point;
    uint64_t limit;

    nodes_view_make(plan, &view);
    view.place.kind = PLACE_ANY; /* which says where chains lie that one CPU walks through */
    nodes_view_note_missing(plan, &view);
    if (view.count > 1)
        return plan_homes(plan, bench, experiment, &view);
    page = plan_reaching_page(plan, plan_page_sizes(plan), SET_BYTES, &limit);
    point = point_of(plan, experiment, page);
    point.bytes = SET_BYTES < limit ? SET_BYTES : limit;
    plan_add(plan, &point);
    return STATUS_OK;
}
