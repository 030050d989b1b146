/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/estimate_populate.h"

#include "core/plan/sampling.h"

#define POPULATE_NS 0.3 /* per byte, before anything is known */
/* Of what is left of the budget. On a virtual machine whose host had to find the memory first,
 * populating was seen to take as long as the ten steps over it; elsewhere it takes much less. */
#define POPULATE_SHARE 0.25
#define POPULATE_MIN   (1ull << 20) /* bytes: smaller ones are not representative of a large set */

void estimate_populate_start(struct estimate *estimate)
{
    for (size_t i = 0; i < POINT_PAGES; i++)
        estimate->populate_ns[i] = POPULATE_NS;
}

void estimate_learn_populate(struct estimate *estimate, enum page_size page, uint64_t bytes,
                             uint64_t ns)
{
    double *populate_ns = &estimate->populate_ns[point_page_index(page)];

    if (bytes >= POPULATE_MIN)
        *populate_ns += ESTIMATE_NEWEST_WEIGHT * ((double)ns / (double)bytes - *populate_ns);
}

uint64_t *estimate_populated_bytes(struct estimate *estimate, enum page_size page)
{
    return &estimate->populated_bytes[point_page_index(page)];
}

double estimate_populate_ns(const struct estimate *estimate, enum page_size page)
{
    return estimate->populate_ns[point_page_index(page)];
}

double estimate_populate_s(const struct plan *plan, const struct point *point)
{
    uint32_t page = point_page_index(point->page);
    uint64_t bytes = sampling_window_bytes(plan->machine->line_bytes, point),
             populated = plan->estimate.populated_bytes[page];

    if (!plan->estimate.populates || bytes <= populated)
        return 0;
    return (double)(bytes - populated) * plan->estimate.populate_ns[page] * 1e-9;
}

bool estimate_may_shrink(const struct plan *plan, const struct point *point)
{
    return plan->estimate.populates && point->work_kind == POINT_VERIFY &&
           plan->options->budget_s > 0;
}

double estimate_populate_share_s(const struct plan *plan, uint64_t now_ns)
{
    double left_s = budget_left_s(&plan->budget, now_ns);

    return left_s > 0 ? left_s * POPULATE_SHARE : 0;
}
