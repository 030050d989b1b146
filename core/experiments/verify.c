/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/verify.h"

#include "core/experiments/everywhere.h"
#include "core/options/experiments.h"

/* All at once, or two addresses of one cell would not show. */
enum status verify_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    enum page_size page = everywhere_page(plan);
    struct point point = everywhere_point(plan, experiment, page);

    (void)bench;
    point.work_kind = POINT_VERIFY;
    if (point.bytes != 0) {
        plan_add(plan, &point);
        return STATUS_OK;
    }
    if (plan->options->max_bytes != 0 && plan->options->max_bytes < 1ull << page)
        text_print(plan->refused, sizeof plan->refused, "max=%s is less than a page of %s",
                   TEXT_SIZE(plan->options->max_bytes), TEXT_SIZE(1ull << page));
    else
        text_print(plan->refused, sizeof plan->refused, "no memory%s can be had in pages of %s",
                   everywhere_range_words(plan), TEXT_SIZE(1ull << page));
    journal_note_about(plan->journal, SEVERITY_WARNING, experiment_list[experiment].name,
                       "memory is not tested", "%s", plan->refused);
    return STATUS_OK;
}
