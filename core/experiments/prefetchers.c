/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/prefetchers.h"

#include "core/experiments/footprint_points.h"
#include "core/experiments/workbench.h"
#include "core/lib/text.h"
#include "core/plan/plan.h"
#include "core/plan/sets.h"

#define LAST_LEVELS    4
#define MIN_BYTES      (16ull << 20)
#define GROUP_BYTES    4096 /* most prefetchers do not cross it */
#define SERVES_SHARE   0.05 /* rows and TLBs make differences of a few per cent */
#define SWITCHABLE_MAX 24

static const enum order_kind orders[] = {
    ORDER_RANDOM, ORDER_FORWARD, ORDER_REVERSE, ORDER_SEQUENTIAL_PAGES, ORDER_PAGED, ORDER_HOP_PAGE,
};
#define ORDERS (sizeof orders / sizeof orders[0])

bool prefetchers_serves(struct figure ratio)
{
    return ratio.value > 1 + SERVES_SHARE + 3 * ratio.error;
}

static void plan_state(struct plan *plan, struct point point, uint32_t only_off, const char *label)
{
    point.prefetch_only_off = only_off;
    point.label = label;
    footprint_plan(plan, &point, PASS_PROOF);
    for (size_t i = 0; i < ORDERS; i++) {
        point.order = orders[i];
        point.group_bytes = GROUP_BYTES;
        plan_add(plan, &point);
    }
}

/* Counts the prefetchers that can be switched individually, by trying, and stores their names. */
static uint32_t count_switchable(struct controls *controls, const char *names[SWITCHABLE_MAX])
{
    uint32_t count = 0;

    while (count < SWITCHABLE_MAX && controls_prefetch_only_off(controls, count + 1)) {
        names[count] = controls->only_off.control[0].name;
        count++;
    }
    return count;
}

static uint64_t set_bytes(struct plan *plan, enum page_size *page)
{
    uint64_t bytes = plan_last_level_bytes(plan) * LAST_LEVELS;
    uint64_t max = plan_memory_set(plan, "prefetchers: the set", page);

    if (bytes < MIN_BYTES)
        bytes = MIN_BYTES;
    if (plan->options->max_bytes != 0 || bytes > max)
        bytes = max;
    return bytes - bytes % GROUP_BYTES;
}

enum status prefetchers_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    const char *names[SWITCHABLE_MAX];
    enum page_size page;
    uint64_t bytes = set_bytes(plan, &page);
    struct point point = plan_point(plan, experiment, page, false, bytes);
    bool off[2], all_off;
    uint32_t count;

    if (bytes == 0)
        return STATUS_OK;
    point.stride_bytes = plan->machine->line_bytes;
    count = count_switchable(bench->controls, names);
    controls_prefetch(bench->controls, true);
    all_off = bench->controls->prefetch[true].state == PREFETCH_OFF &&
              bench->controls->prefetch[true].count != 0;
    (void)plan_prefetch_states(plan, off);
    controls_prefetch(bench->controls, off[0]);
    plan_state(plan, point, 0, NULL);
    for (uint32_t i = 0; i < count; i++)
        plan_state(plan, point, i + 1, names[i]);
    point.prefetch_off = true;
    if (count != 0 || all_off)
        plan_state(plan, point, 0, "all that can be switched");
    if (count == 0)
        journal_note(plan->journal, SEVERITY_WARNING, "prefetchers: none can be switched by itself",
                     all_off ? "only all on and all off are compared"
                             : "there is nothing to compare all on with");
    return STATUS_OK;
}

static const struct point *find(const struct plan *plan, uint32_t experiment, bool off,
                                uint32_t only_off, enum order_kind order)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == experiment && p->prefetch_off == off &&
            p->prefetch_only_off == only_off && p->order == order && p->result.known)
            return p;
    }
    return NULL;
}

static void note_none(const struct plan *plan, const char *name)
{
    journal_note_about(plan->journal, SEVERITY_INFO, "prefetchers", name,
                       "no pattern is slower without it while the others are on");
}

/* Compares one state with all prefetchers on, pattern by pattern, and finds the pattern served
 * most. */
static void conclude_state(const struct plan *plan, uint32_t experiment, bool off,
                           uint32_t only_off, const char *name)
{
    struct record_finding best = {.experiment = NULL};
    struct figure max = {0, 0};
    bool any = false;

    for (size_t i = 0; i < ORDERS; i++) {
        const struct point *with = find(plan, experiment, false, 0, orders[i]);
        const struct point *without = find(plan, experiment, off, only_off, orders[i]);
        struct record_finding finding;
        struct figure ratio;

        if (!with || !without || without->prefetch == PREFETCH_NOT_HONOURED)
            continue;
        any = true;
        ratio = figure_ratio(figure_of_point(without), figure_of_point(with));
        finding = finding_about(without);
        finding.doubt |= with->result.doubt;
        finding.detail = name;
        finding_emit(plan->journal, finding, "hop without over with", "ratio", ratio);
        if (!prefetchers_serves(ratio) || ratio.value <= max.value)
            continue;
        max = ratio;
        best = finding;
    }
    if (best.experiment != NULL)
        finding_emit(plan->journal, best, "serves this pattern most", "ratio", max);
    else if (any)
        note_none(plan, name);
}

/* What was switched off for the points of that state; NULL: no such points. */
static const char *label_of(const struct plan *plan, uint32_t experiment, bool off,
                            uint32_t only_off)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == experiment && p->prefetch_off == off &&
            p->prefetch_only_off == only_off)
            return p->label;
    }
    return NULL;
}

enum status prefetchers_conclude(const struct plan *plan, struct workbench *bench,
                                 uint32_t experiment)
{
    const char *label;

    (void)bench;
    for (uint32_t only_off = 1; (label = label_of(plan, experiment, false, only_off)) != NULL;
         only_off++)
        conclude_state(plan, experiment, false, only_off, label);
    label = label_of(plan, experiment, true, 0);
    if (label != NULL)
        conclude_state(plan, experiment, true, 0, label);
    return STATUS_OK;
}
