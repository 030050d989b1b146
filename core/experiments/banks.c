/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/banks.h"

#include "core/experiments/tags.h"
#include "core/options/experiments.h"
#include "core/plan/sets.h"

/* Why banks cannot be searched for; NULL: they can. */
static const char *refusal(const struct plan *plan)
{
    const struct machine_description *d = plan->machine;

    if (!plan->probes || !(d->loads & 1u << LOAD_FLUSH))
        return "this machine cannot flush single lines from its caches";
    if (d->process_mapping)
        return "a process does not know the physical addresses of its memory";
    return NULL;
}

/* All memory that can be had, so that as many address bits as possible differ. */
enum status banks_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    enum page_size page = plan_largest_page(plan_page_sizes(plan));
    uint64_t limit = plan_limit(plan, page);
    const char *why = refusal(plan);
    struct point point;
    bool off[2];

    (void)bench;
    if (why != NULL) {
        journal_note_about(plan->journal, SEVERITY_WARNING, experiment_list[experiment].name,
                           "no banks are searched for", "%s", why);
        return STATUS_OK;
    }
    (void)plan_prefetch_states(plan, off);
    point = plan_point(plan, experiment, page, off[0],
                       plan->options->max_bytes != 0 && plan->options->max_bytes < limit
                           ? plan->options->max_bytes
                           : limit);
    point.work_kind = POINT_BANKS;
    point.tag = TAG_PLAIN;
    plan_add(plan, &point);
    return STATUS_OK;
}
