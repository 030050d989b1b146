/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/frequency.h"

#include "core/experiments/points.h"
#include "core/experiments/workbench.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/names.h"
#include "core/plan/plan.h"
#include "core/plan/sets.h"

#define STEADY_SHARE 0.01  /* larger changes during a measurement spoil it */
#define MIN_SHARE    0.03  /* frequencies closer than this separate nothing */
#define HZ_ERROR     0.001 /* of a measured frequency, relative */
#define EXACT_SHARE  0.3   /* factor on the error target: the split is a difference */

/* ---- the split */

static bool is_steady(const struct frequency_side *side)
{
    double moved = side->hz_after / side->hz_before - 1;

    return real_abs(moved) <= STEADY_SHARE;
}

static double middle_hz(const struct frequency_side *side)
{
    return 0.5 * (side->hz_before + side->hz_after);
}

const char *frequency_find(const struct frequency_side *fast, const struct frequency_side *slow,
                           struct frequency_split *split)
{
    double fast_ns, slow_ns, span_ns;
    struct figure more, hz_error;

    if (!(fast->hz_before > 0 && fast->hz_after > 0 && slow->hz_before > 0 && slow->hz_after > 0))
        return "the core's frequency could not be measured";
    if (!is_steady(fast) || !is_steady(slow))
        return "the core's frequency moved while a set was measured";
    split->fast_hz = middle_hz(fast);
    split->slow_hz = middle_hz(slow);
    if (split->fast_hz < split->slow_hz * (1 + MIN_SHARE))
        return "the core's frequency did not change";
    /* of one cycle */
    fast_ns = 1e9 / split->fast_hz;
    slow_ns = 1e9 / split->slow_hz;
    span_ns = slow_ns - fast_ns;
    more = figure_difference(slow->ns, fast->ns);
    split->cycles = figure_scaled(more, 1 / span_ns);
    hz_error = (struct figure){0, split->cycles.value * HZ_ERROR * (slow_ns + fast_ns) / span_ns};
    split->cycles = figure_sum(split->cycles, hz_error);
    split->fixed_ns = figure_difference(fast->ns, figure_scaled(split->cycles, fast_ns));
    return NULL;
}

/* ---- the experiment */

enum status frequency_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    static const enum turbo_choice choices[] = {TURBO_ON, TURBO_OFF};
    enum page_size page;
    uint64_t bytes = plan_memory_set(plan, "frequency: the set of memory", &page);
    struct plan_set sets[PLAN_SETS_MAX];
    size_t count = bytes == 0 ? 0 : plan_sets(plan, bytes, sets);
    bool off[2];

    (void)bench;
    (void)plan_prefetch_states(plan, off);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < count; k++) {
            struct point point = plan_point(plan, experiment, page, off[0], sets[k].bytes);
            point.label = sets[k].name;
            point.turbo = choices[i];
            point.error_scale = EXACT_SHARE;
            plan_add(plan, &point);
        }
    return STATUS_OK;
}

static const struct point *slow_of(const struct plan *plan, const struct point *fast)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == fast->experiment && p->turbo == TURBO_OFF && p->result.known &&
            p->bytes == fast->bytes)
            return p;
    }
    return NULL;
}

static struct frequency_side side_of(const struct point *point)
{
    return (struct frequency_side){.ns = figure_of_mean(point),
                                   .hz_before = point->result.hz_before,
                                   .hz_after = point->result.hz_after};
}

static void note_nothing(const struct plan *plan, const struct turbo_report *turbo,
                         const struct point *point, const char *why)
{
    char what[80];

    text_print(what, sizeof what, "frequency: %s is not split", point->label);
    journal_note_format(plan->journal, SEVERITY_WARNING, what, "%s; turbo's control: %s, %s", why,
                        turbo->name != NULL && turbo->name[0] != '\0' ? turbo->name : "none known",
                        turbo_state_name(turbo->state));
}

/* Else a difference between the two is the machine's own doing, and of no known cause. */
static bool was_switched(const struct turbo_report *turbo)
{
    return turbo->state == TURBO_STATE_OFF || turbo->state == TURBO_STATE_ON;
}

static void conclude_set(const struct plan *plan, const struct turbo_report *turbo,
                         const struct point *fast, bool first)
{
    const struct point *slow = slow_of(plan, fast);
    struct record_finding finding = finding_about(fast);
    struct frequency_split split;
    struct frequency_side sides[2];
    const char *why;

    if (!slow)
        return;
    finding.doubt = points_doubt(plan, fast) | points_doubt(plan, slow);
    sides[0] = side_of(fast);
    sides[1] = side_of(slow);
    why = was_switched(turbo) ? frequency_find(&sides[0], &sides[1], &split)
                              : "the core's frequency did not change: turbo cannot be switched";
    if (why != NULL) {
        note_nothing(plan, turbo, fast, why);
        return;
    }
    if (first) {
        finding.detail = "turbo on";
        finding_emit(plan->journal, finding, "core frequency", "hz",
                     (struct figure){split.fast_hz, split.fast_hz * HZ_ERROR});
        finding.detail = "turbo off";
        finding_emit(plan->journal, finding, "core frequency", "hz",
                     (struct figure){split.slow_hz, split.slow_hz * HZ_ERROR});
    }
    finding.detail = fast->label;
    finding_emit(plan->journal, finding, "core cycles per access", "cycles", split.cycles);
    finding_emit(plan->journal, finding, "fixed time per access", "ns", split.fixed_ns);
}

enum status frequency_conclude(const struct plan *plan, struct workbench *bench,
                               uint32_t experiment)
{
    bool first = true;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment != experiment || p->turbo != TURBO_ON || !p->result.known)
            continue;
        conclude_set(plan, &bench->controls->turbo, p, first);
        first = false;
    }
    return STATUS_OK;
}
