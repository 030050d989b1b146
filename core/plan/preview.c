/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/preview.h"

#include "core/lib/text.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/estimate.h"
#include "core/plan/names.h"

/* The end of the run of points that share point `first`'s experiment and window. */
static uint32_t window_end(const struct plan *plan, uint32_t first)
{
    const struct point *like = &plan->point[first];
    uint32_t end = first + 1;

    while (end < plan->point_count && plan->point[end].experiment == like->experiment &&
           plan_same_window(like, &plan->point[end]))
        end++;
    return end;
}

void plan_preview(const struct plan *plan, uint64_t now_ns)
{
    uint32_t end;

    for (uint32_t i = 0; i < plan->point_count; i = end) {
        const struct point *first = &plan->point[i];
        uint64_t min_bytes = first->bytes, max_bytes = first->bytes;
        double seconds = 0;
        end = window_end(plan, i);
        for (uint32_t j = i; j < end; j++) {
            uint64_t bytes = plan->point[j].bytes;
            seconds += estimate_point_s(plan, &plan->point[j], now_ns);
            min_bytes = bytes < min_bytes ? bytes : min_bytes;
            max_bytes = bytes > max_bytes ? bytes : max_bytes;
        }
        journal_note_about(plan->journal, SEVERITY_INFO, "plan",
                           experiment_list[first->experiment].name,
                           "%u points from %s to %s in pages of %s, %s, about %.1f s", end - i,
                           TEXT_SIZE(min_bytes), TEXT_SIZE(max_bytes), page_name(first->page),
                           frame_order_names[first->frames], seconds);
    }
}
