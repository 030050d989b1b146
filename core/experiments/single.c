/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/single.h"

#include "core/experiments/tags.h"
#include "core/options/experiments.h"
#include "core/plan/check.h"
#include "core/plan/sets.h"

/* So much memory has lines of every channel, rank and bank where these are interleaved. */
#define SET_BYTES (1ull << 30)

enum status single_plan_points(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    uint64_t bytes = plan->options->max_bytes != 0 ? plan->options->max_bytes : SET_BYTES, limit;
    enum page_size page = plan_reaching_page(plan, plan_page_sizes(plan), bytes, &limit);
    const char *why = plan_no_flush(plan->machine, plan->probes);
    struct point point;
    bool off[2];

    (void)bench;
    if (why != NULL) {
        journal_note_about(plan->journal, SEVERITY_WARNING, experiment_list[experiment].name,
                           "no single accesses are timed", "%s", why);
        return STATUS_OK;
    }
    (void)plan_prefetch_states(plan, off);
    point = plan_point(plan, experiment, page, off[0], bytes < limit ? bytes : limit);
    point.work_kind = POINT_SINGLE;
    point.tag = TAG_PLAIN;
    plan_add(plan, &point);
    return STATUS_OK;
}
