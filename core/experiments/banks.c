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

/* A process has pages all over memory in less than all of it. A guest's addresses are the memory's
 * inside one large page at best. 0: all that can be had, so that as many address bits as possible
 * differ. */
static uint64_t default_bytes(const struct plan *plan)
{
    if (plan->machine->guest == GUEST_YES)
        return 1ull << PAGE_2M;
    return plan->machine->process_mapping ? PROCESS_BYTES : 0;
}

/* The largest pages in which as much can be mapped, or, of all, half: the half that they do not
 * reach is one address bit. */
static enum page_size page_of(const struct plan *plan, uint64_t *bytes)
{
    uint32_t sizes = plan_page_sizes(plan);
    uint64_t most, limit;
    enum page_size page;

    (void)plan_reaching_page(plan, sizes, UINT64_MAX, &most);
    page =
        plan_reaching_page(plan, sizes, *bytes != 0 && *bytes < most ? *bytes : most / 2, &limit);
    if (plan->machine->guest == GUEST_YES && plan->options->max_bytes == 0 && page == PAGE_4K)
        *bytes = 1ull << PAGE_4K;
    if (*bytes == 0)
        *bytes = limit;
    plan_clamp(plan, "banks: the set", limit, bytes);
    return page;
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
    uint64_t bytes = plan->options->max_bytes;
    const char *why = refusal(plan);
    enum page_size page;
    struct point point;
    bool off[2];

    (void)bench;
    if (why != NULL) {
        journal_note_about(plan->journal, SEVERITY_WARNING, experiment_list[experiment].name,
                           "no banks are searched for", "%s", why);
        return STATUS_OK;
    }
    bytes = bytes != 0 ? bytes : default_bytes(plan);
    page = page_of(plan, &bytes);
    note_guest(plan, experiment);
    (void)plan_prefetch_states(plan, off);
    point = plan_point(plan, experiment, page, off[0], bytes);
    point.work_kind = POINT_BANKS;
    point.tag = TAG_PLAIN;
    plan_add(plan, &point);
    return STATUS_OK;
}
