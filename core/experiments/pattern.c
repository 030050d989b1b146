/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/pattern.h"

#include "core/experiments/flushed.h"
#include "core/plan/plan.h"
#include "core/plan/sets.h"

static void plan_page(struct plan *plan, uint32_t experiment, enum page_size page, uint64_t limit)
{
    uint64_t bytes = plan_wanted_bytes(plan);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    plan_clamp(plan, "pattern: the working set", limit, &bytes);
    for (uint32_t i = 0; i < states; i++) {
        struct point point = plan_option_point(plan, experiment, page, off[i], bytes);

        /* A set below the stride keeps its size: plan_add then notes why it cannot be measured. */
        if (bytes >= point.stride_bytes)
            point.bytes = bytes - bytes % point.stride_bytes;
        plan_add(plan, &point);
    }
}

enum status pattern_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    const struct options *options = plan->options;
    uint32_t sizes = plan_usable_sizes(plan, "pattern: a page size left out");
    enum page_size largest = plan_largest_page(sizes);

    (void)bench;
    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        enum page_size page = (enum page_size)bit;

        if (!(sizes & 1u << bit) || (options->pages == 0 && page != largest))
            continue;
        plan_page(plan, experiment, page, plan_limit(plan, page));
    }
    return STATUS_OK;
}

enum status pattern_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    flushed_conclude(plan, bench, experiment);
    return STATUS_OK;
}
