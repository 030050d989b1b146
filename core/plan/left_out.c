/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/left_out.h"

#include "core/lib/text.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"

static const char *const reasons[LEFT_REASONS] = {
    [LEFT_OVER_BUDGET] = "over budget",
    [LEFT_LATE] = "started, but the budget ran out",
    [LEFT_NOT_MAPPED] = "such pages could not be mapped",
    [LEFT_NOT_ALLOCATED] = "no more memory could be allocated",
    [LEFT_NO_LOAD] = "the other CPUs could not load memory meanwhile",
    [LEFT_NO_CPU] = "the CPU could not be started any more",
};

const char *left_out_reason(enum left_out why)
{
    return reasons[why];
}

static bool is_alike(const struct point *a, const struct point *b)
{
    return a->experiment == b->experiment && a->left_out == b->left_out &&
           a->optional == b->optional && plan_same_window(a, b) &&
           plan_pattern_name(a) == plan_pattern_name(b) && a->prefetch_off == b->prefetch_off &&
           a->prefetch_only_off == b->prefetch_only_off;
}

static bool is_first(const struct plan *plan, uint32_t index)
{
    for (uint32_t i = 0; i < index; i++)
        if (is_alike(&plan->point[i], &plan->point[index]))
            return false;
    return true;
}

/* Adds nothing if all points of the experiment have the same setting. */
static void add_prefetchers(struct text *why, const struct plan *plan, const struct point *like)
{
    bool differ = false;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        differ = differ || (p->experiment == like->experiment &&
                            (p->prefetch_off != like->prefetch_off ||
                             p->prefetch_only_off != like->prefetch_only_off));
    }
    if (!differ)
        return;
    if (like->prefetch_only_off != 0)
        text_format(why, ", only prefetcher %u off", like->prefetch_only_off);
    else
        text_add(why, like->prefetch_off ? ", prefetchers off" : ", prefetchers on");
}

static void add_sets(struct text *why, const struct plan *plan, const struct point *like)
{
    uint64_t min_bytes = like->bytes, max_bytes = like->bytes, count = 0;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (!is_alike(p, like))
            continue;
        count++;
        min_bytes = p->bytes < min_bytes ? p->bytes : min_bytes;
        max_bytes = p->bytes > max_bytes ? p->bytes : max_bytes;
    }
    text_format(why, "%lu %s of %s", count, count == 1 ? "set" : "sets", TEXT_SIZE(min_bytes));
    if (min_bytes != max_bytes)
        text_format(why, " to %s", TEXT_SIZE(max_bytes));
    text_format(why, ", pattern %s, pages of %s", plan_pattern_name(like), page_name(like->page));
    add_prefetchers(why, plan, like);
    text_add(why, ", skipped");
}

void left_out_note(const struct plan *plan, uint32_t experiment)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *point = &plan->point[i];
        char sets[200];
        struct text text;

        if (point->experiment != experiment || point->left_out == LEFT_NOT || !is_first(plan, i))
            continue;
        text_start(&text, sets, sizeof sets);
        add_sets(&text, plan, point);
        journal_note_about(plan->journal, SEVERITY_WARNING, experiment_list[experiment].name,
                           point->optional ? "working sets left out" : "points left out", "%s: %s",
                           sets, reasons[point->left_out]);
    }
}
