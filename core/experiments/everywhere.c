/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/everywhere.h"

#include "core/experiments/tags.h"

enum page_size everywhere_page(const struct plan *plan)
{
    uint32_t sizes = plan_page_sizes(plan);

    if (sizes & 1u << PAGE_2M)
        return PAGE_2M;
    return sizes & 1u << PAGE_4K ? PAGE_4K : PAGE_1G;
}

struct point everywhere_point(const struct plan *plan, uint32_t experiment, enum page_size page)
{
    const struct options *options = plan->options;
    struct point point;
    uint64_t limit;
    bool off[2];

    (void)plan_prefetch_states(plan, off);
    point = plan_point(plan, experiment, page, off[0], 0);
    point.everywhere = true;
    point.frames = plan->machine->hides_physical ? FRAMES_AS_ALLOCATED : FRAMES_CONTIGUOUS;
    point.tag = TAG_PLAIN;
    limit = plan_point_limit(plan, &point);
    point.bytes = plan->machine->process_mapping ? limit / 2 >> page << page : limit;
    if (options->max_bytes != 0)
        point.bytes = (options->max_bytes < limit ? options->max_bytes : limit) >> page << page;
    return point;
}

const char *everywhere_range_words(const struct plan *plan)
{
    return plan->options->range_from.value != plan->options->range_below.value ? " in range=" : "";
}
