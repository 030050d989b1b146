/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/estimate_make.h"

#include "core/plan/sampling.h"

#define MAKE_NS  0.3          /* a byte, before anything is known */
#define MAKE_MIN (1ull << 20) /* bytes: fewer say nothing about a large set */

void estimate_make_start(struct estimate *estimate)
{
    for (size_t i = 0; i < POINT_PAGES; i++)
        estimate->make_ns[i] = MAKE_NS;
}

void estimate_learn_make(struct estimate *estimate, enum page_size page, uint64_t bytes,
                         uint64_t ns)
{
    double *make_ns = &estimate->make_ns[point_page_index(page)];

    if (bytes >= MAKE_MIN)
        *make_ns += ESTIMATE_NEWEST * ((double)ns / (double)bytes - *make_ns);
}

uint64_t *estimate_made_bytes(struct estimate *estimate, enum page_size page)
{
    return &estimate->populated_bytes[point_page_index(page)];
}

double estimate_make_ns(const struct estimate *estimate, enum page_size page)
{
    return estimate->make_ns[point_page_index(page)];
}

double estimate_make_s(const struct plan *plan, const struct point *point)
{
    uint32_t page = point_page_index(point->page);
    uint64_t bytes = sampling_window_bytes(plan->machine->line_bytes, point),
             made = plan->estimate.populated_bytes[page];

    if (!plan->estimate.makes_memory || bytes <= made)
        return 0;
    return (double)(bytes - made) * plan->estimate.make_ns[page] * 1e-9;
}
