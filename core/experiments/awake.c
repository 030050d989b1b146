/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/awake.h"

#include "core/experiments/crew.h"
#include "core/experiments/points.h"
#include "core/lib/real.h"
#include "core/measure/finding.h"
#include "core/options/experiments.h"
#include "core/measure/at_work.h"
#include "core/plan/sets.h"

/* Tags of its points, by where their set lies. */
enum { AWAKE_MEMORY = 1, AWAKE_CACHE, AWAKE_AGAIN };

/* ---- the plan */

enum status awake_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    enum page_size page;
    uint64_t bytes = plan_memory_set(plan, "awake: the set of memory", &page);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    (void)bench;
    for (uint32_t i = 0; i < states && bytes != 0; i++) {
        struct point point = plan_point(plan, experiment, page, off[i], bytes);
        plan_add_outer_sets(plan, &point, bytes, AWAKE_MEMORY, AWAKE_CACHE);
    }
    return STATUS_OK;
}

/* Asleep is measured already, and before the others were asked for; and once more behind them: what
 * moved meanwhile is no difference between states. */
static void add_states(struct plan *plan, const struct point *asleep)
{
    uint32_t all = plan->crew.count, siblings = at_work_siblings(plan, asleep->cpu);
    struct point_traffic load = {.kind = TRAFFIC_SPIN}, none = {.cpus = 0};
    struct point again = *asleep;

    if (all > siblings) {
        load.cpus = all - siblings;
        load.spares_core = true;
        crew_add_step(plan, asleep, &load, asleep->pass);
    }
    if (siblings > 0) {
        load.cpus = all;
        load.spares_core = false;
        crew_add_step(plan, asleep, &load, asleep->pass);
    }
    again.tag = AWAKE_AGAIN;
    crew_add_step(plan, &again, &none, asleep->pass);
}

bool awake_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment)
{
    uint32_t first = plan->point_count;

    crew_gather(plan, bench, experiment);
    if (plan->crew.count == 0 || crew_is_planned(plan, experiment))
        return false;
    for (uint32_t i = 0; i < first; i++) {
        struct point asleep = plan->point[i];
        if (asleep.experiment == experiment)
            add_states(plan, &asleep);
    }
    return plan->point_count > first;
}

/* ---- what was found */

static void emit(const struct plan *plan, const struct point *point, const struct point *asleep)
{
    struct record record = {.kind = RECORD_LOAD, .u.load = crew_record(plan, point)};
    struct record_load *load = &record.u.load;

    load->why = crew_why_none(point);
    if (load->why == NULL)
        crew_add_figures(load, points_figure(point), crew_own_bytes(plan, point), asleep);
    journal_emit(plan->journal, &record);
}

/* Where no CPU of another core takes part, a record says what one awake would have been. */
static void emit_none(const struct plan *plan, const struct point *asleep, const char *why)
{
    struct record record = {.kind = RECORD_LOAD};
    struct point one = *asleep;

    one.result = (struct point_result){.known = false};
    one.traffic = (struct point_traffic){.cpus = 1, .kind = TRAFFIC_SPIN, .spares_core = true};
    record.u.load = crew_record(plan, &one);
    record.u.load.why = why;
    journal_emit(plan->journal, &record);
}

/* How far it moved, from before the other states to behind them. */
static double moved_ns(const struct plan *plan, const struct point *asleep)
{
    const struct point *again =
        points_find_set(plan, asleep->experiment, AWAKE_AGAIN, asleep->prefetch_off, asleep->bytes);

    return again == NULL ? 0 : real_abs(again->result.mean_ns - asleep->result.mean_ns);
}

/* What the latter takes more than the former; unless one of them has no figure. */
static void find(const struct plan *plan, const struct point *from, const struct point *to,
                 double moved, const char *name)
{
    struct record_finding finding;
    struct figure more;

    if (crew_why_none(from) != NULL || crew_why_none(to) != NULL)
        return;
    finding = finding_about(to);
    finding.detail = to->label;
    finding.doubt = points_doubt(plan, from) | points_doubt(plan, to);
    more = figure_difference(points_figure(to), points_figure(from));
    more.error = real_hypotenuse(more.error, moved);
    finding_emit(plan->journal, finding, name, "ns", more);
}

static const struct point *state_of(const struct plan *plan, const struct point *asleep,
                                    bool spares_core)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (points_are_alike(p, asleep) && p->traffic.cpus != 0 &&
            p->traffic.spares_core == spares_core)
            return p;
    }
    return NULL;
}

static void conclude_set(const struct plan *plan, const struct point *asleep)
{
    const struct point *awake = state_of(plan, asleep, true);
    const struct point *sibling = state_of(plan, asleep, false);
    const char *why = plan->crew.why;

    if (why == NULL && sibling != NULL)
        why = "every other CPU that takes part is a thread of the same core";
    emit(plan, asleep, asleep);
    if (awake != NULL)
        emit(plan, awake, asleep);
    else
        emit_none(plan, asleep, why != NULL ? why : "it was not planned");
    if (sibling != NULL)
        emit(plan, sibling, asleep);
    if (awake != NULL)
        find(plan, asleep, awake, moved_ns(plan, asleep), "awake less asleep");
    if (sibling != NULL)
        find(plan, awake != NULL ? awake : asleep, sibling, moved_ns(plan, asleep),
             "sibling awake less asleep");
}

static void note(const struct plan *plan, uint32_t experiment)
{
    const char *name = experiment_list[experiment].name;

    if (plan->crew.why != NULL)
        journal_note_about(plan->journal, SEVERITY_WARNING, name, "no other CPU is kept awake",
                           "%s", plan->crew.why);
    else if (at_work_siblings(plan, 0) == 0)
        journal_note_about(plan->journal, SEVERITY_INFO, name, "no sibling is kept awake", "%s",
                           "no CPU that takes part is a thread of the core that chases");
}

enum status awake_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    (void)bench;
    note(plan, experiment);
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].experiment == experiment && plan->point[i].traffic.cpus == 0 &&
            plan->point[i].tag != AWAKE_AGAIN)
            conclude_set(plan, &plan->point[i]);
    return STATUS_OK;
}
