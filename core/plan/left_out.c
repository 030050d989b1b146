/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/left_out.h"

#include "core/lib/text.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"

static const char *const reasons[LEFT_REASONS] = {
    [LEFT_DEAR] = "they would take more time than budget= leaves",
    [LEFT_LATE] = "begun, but not done before budget= was used up",
    [LEFT_UNMAPPED] = "such pages could not be mapped for them",
    [LEFT_NO_MEMORY] = "no more memory could be had for them",
};

static bool is_alike(const struct point *a, const struct point *b)
{
    return a->experiment == b->experiment && a->left_out == b->left_out && a->spare == b->spare &&
           plan_same_window(a, b) && plan_pattern_name(a) == plan_pattern_name(b) &&
           a->prefetch_off == b->prefetch_off && a->prefetch_alone == b->prefetch_alone;
}

static bool is_first(const struct plan *plan, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (is_alike(&plan->point[i], &plan->point[index]))
            return false;
    return true;
}

/* Nothing where all points of the experiment ask for the same. */
static void add_prefetchers(struct text *why, const struct plan *plan, const struct point *like)
{
    bool differ = false;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        differ = differ ||
                 (p->experiment == like->experiment && (p->prefetch_off != like->prefetch_off ||
                                                        p->prefetch_alone != like->prefetch_alone));
    }
    if (!differ)
        return;
    if (like->prefetch_alone != 0) {
        text_add(why, " with prefetcher ");
        text_u64(why, like->prefetch_alone);
        text_add(why, " alone off");
    } else {
        text_add(why, like->prefetch_off ? " with prefetchers off" : " with prefetchers on");
    }
}

static void add_sets(struct text *why, const struct plan *plan, const struct point *like)
{
    uint64_t least = like->bytes, most = like->bytes, count = 0;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (!is_alike(p, like))
            continue;
        count++;
        least = p->bytes < least ? p->bytes : least;
        most = p->bytes > most ? p->bytes : most;
    }
    text_u64(why, count);
    text_add(why, " of pattern ");
    text_add(why, plan_pattern_name(like));
    text_add(why, " in pages of ");
    text_add(why, plan_page_name(like->page));
    add_prefetchers(why, plan, like);
    text_add(why, least == most ? ", of " : ", from ");
    text_size(why, least);
    if (least != most) {
        text_add(why, " to ");
        text_size(why, most);
    }
}

void left_out_note(const struct plan *plan, uint32_t experiment)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *point = &plan->point[i];
        char what[80], why[200];
        struct text text;

        if (point->experiment != experiment || point->left_out == LEFT_NOT || !is_first(plan, i))
            continue;
        text_start(&text, what, sizeof what);
        text_add(&text, experiment_list[experiment].name);
        text_add(&text, point->spare ? ": working sets left out" : ": points left out");
        text_start(&text, why, sizeof why);
        add_sets(&text, plan, point);
        text_add(&text, ": ");
        text_add(&text, reasons[point->left_out]);
        journal_note(plan->journal, SEVERITY_WARNING, what, why);
    }
}
