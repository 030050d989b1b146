/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/footprint_points.h"

#include "core/experiments/tags.h"
#include "core/lib/text.h"
#include "core/measure/footprint.h"
#include "core/options/experiments.h"
#include "core/plan/check.h"

#define SITE_BYTES (FOOTPRINT_PAGES * FOOTPRINT_PAGE_BYTES)
#define SITES_MIN  64 /* prefetchers remember fewer pages */

/* Why no footprint can be measured; NULL: it can. */
static const char *refusal(const struct plan *plan, uint64_t bytes)
{
    const struct machine_description *d = plan->machine;
    const char *why = plan_no_flush(d, plan->probes);

    if (why != NULL)
        return why;
    if (FOOTPRINT_PAGE_BYTES * FOOTPRINT_PAGES / d->line_bytes > FOOTPRINT_LINES_MAX ||
        FOOTPRINT_PAGE_BYTES / d->line_bytes < 2 * FOOTPRINT_TOUCHES_MAX)
        return "its lines are too short or too long";
    return bytes < SITES_MIN * SITE_BYTES ? "the set is too small" : NULL;
}

void footprint_plan(struct plan *plan, const struct point *like, enum point_pass pass)
{
    struct point point = *like;
    const char *why;

    point.work_kind = POINT_FOOTPRINT;
    point.tag = TAG_PLAIN;
    point.purpose = PURPOSE_ITSELF;
    point.pass = pass;
    point.bytes = like->bytes < FOOTPRINT_BYTES ? like->bytes : FOOTPRINT_BYTES;
    why = refusal(plan, point.bytes);
    if (why == NULL) {
        plan_add(plan, &point);
        return;
    }
    journal_note_about(plan->journal, SEVERITY_INFO, experiment_list[point.experiment].name,
                       "no footprint of prefetchers", "%s", why);
}

bool footprint_is_taken(const struct point *point, bool prefetch_off, uint32_t prefetch_only_off)
{
    return point->work_kind == POINT_FOOTPRINT && point->footprint.known &&
           point->prefetch_off == prefetch_off && point->prefetch_only_off == prefetch_only_off;
}

const struct point *footprint_find(const struct plan *plan, uint32_t experiment, bool prefetch_off,
                                   uint32_t prefetch_only_off)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == experiment && footprint_is_taken(p, prefetch_off, prefetch_only_off))
            return p;
    }
    return NULL;
}
