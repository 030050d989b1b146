/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/preview.h"

#include "core/lib/text.h"
#include "core/options/experiments.h"
#include "core/plan/estimate.h"
#include "core/plan/names.h"

/* The points in a row that share the window of point `first`; answers where the next begin. */
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
    char what[80], why[160];
    struct text text;
    uint32_t end;

    for (uint32_t i = 0; i < plan->point_count; i = end) {
        const struct point *first = &plan->point[i];
        uint64_t least = first->bytes, most = first->bytes;
        double seconds = 0;
        end = window_end(plan, i);
        for (uint32_t j = i; j < end; j++) {
            uint64_t bytes = plan->point[j].bytes;
            seconds += estimate_point_s(plan, &plan->point[j], now_ns);
            least = bytes < least ? bytes : least;
            most = bytes > most ? bytes : most;
        }
        text_start(&text, what, sizeof what);
        text_add(&text, "plan: ");
        text_add(&text, experiment_list[first->experiment].name);
        text_start(&text, why, sizeof why);
        text_u64(&text, end - i);
        text_add(&text, " points from ");
        text_size(&text, least);
        text_add(&text, " to ");
        text_size(&text, most);
        text_add(&text, " in pages of ");
        text_add(&text, plan_page_name(first->page));
        text_add(&text, ", ");
        text_add(&text, plan_frames_name(first));
        text_add(&text, ", about ");
        text_fixed(&text, seconds, 1);
        text_add(&text, " s");
        journal_note(plan->journal, SEVERITY_INFO, what, why);
    }
}
