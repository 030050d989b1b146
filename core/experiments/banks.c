/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/banks.h"

#include "core/experiments/tags.h"
#include "core/options/experiments.h"
#include "core/plan/check.h"
#include "core/plan/sets.h"

#define PROCESS_BYTES (1ull << 30)

/* Why banks cannot be searched for; NULL: they can. */
static const char *refusal(const struct plan *plan)
{
    const char *why = plan_no_flush(plan->machine, plan->probes);

    return why != NULL ? why : plan_no_physical(plan->machine);
}

/* All memory that can be had, so that as many address bits as possible differ; a process has pages
 * all over memory in less. A guest's addresses are the memory's inside one large page at best. */
static uint64_t default_bytes(const struct plan *plan, enum page_size page, uint64_t limit)
{
    uint64_t one_page = 1ull << (page < PAGE_2M ? page : PAGE_2M);
    bool guest = plan->machine->guest == GUEST_YES;
    uint64_t bytes = guest ? one_page : PROCESS_BYTES;

    return (guest || plan->machine->process_mapping) && bytes < limit ? bytes : limit;
}

static void note_guest(const struct plan *plan, uint32_t experiment)
{
    const char *name = experiment_list[experiment].name;

    if (plan->machine->guest == GUEST_YES)
        journal_note_about(plan->journal, SEVERITY_INFO, name, "addresses are a guest's",
                           "what is found holds inside the pages that the host maps; bits above "
                           "their size are not those of the memory");
    if (plan->machine->guest == GUEST_UNKNOWN)
        journal_note_about(plan->journal, SEVERITY_INFO, name,
                           "whether addresses are a guest's is not known",
                           "no register of this CPU tells; of a guest, what is found holds inside "
                           "the pages that its host maps");
}

enum status banks_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    enum page_size page = plan_largest_page(plan_page_sizes(plan));
    uint64_t limit = plan_limit(plan, page), bytes = plan->options->max_bytes;
    const char *why = refusal(plan);
    struct point point;
    bool off[2];

    (void)bench;
    if (why != NULL) {
        journal_note_about(plan->journal, SEVERITY_WARNING, experiment_list[experiment].name,
                           "no banks are searched for", "%s", why);
        return STATUS_OK;
    }
    if (bytes == 0)
        bytes = default_bytes(plan, page, limit);
    plan_clamp(plan, "banks: the set", limit, &bytes);
    note_guest(plan, experiment);
    (void)plan_prefetch_states(plan, off);
    point = plan_point(plan, experiment, page, off[0], bytes);
    point.work_kind = POINT_BANKS;
    point.tag = TAG_PLAIN;
    plan_add(plan, &point);
    return STATUS_OK;
}
