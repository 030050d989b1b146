/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/awake.h"

#include "core/experiments/crew.h"
#include "core/experiments/points.h"
#include "core/lib/real.h"
#include "core/measure/finding.h"
#include "core/options/experiments.h"
#include "core/measure/at_work.h"
#include "core/plan/sets.h"

/* Tags of its points, by where their set lies; and all that are measured once more. */
enum { AWAKE_MEMORY = 1, AWAKE_CACHE, AWAKE_AGAIN };

/* What the machine does meanwhile moves figures as far as other CPUs do: states are measured in
 * turns, and compared with what is beside them. */
#define ROUNDS 4

enum state { ASLEEP, AWAKE, SIBLING_AWAKE, PARKED };

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

/* What others do in it; of 0 CPUs where no CPU makes it. Threads of the core are parked while those
 * of others are awake, where they can be: what the firmware has them do may take their share. */
static struct point_traffic load_of(const struct plan *plan, enum state state, uint32_t cpu)
{
    uint32_t all = plan->crew.count, siblings = at_work_siblings(plan, cpu);
    bool parks = plan->machine->no_park == NULL;

    switch (state) {
    case AWAKE:
        if (all == siblings)
            break;
        return (struct point_traffic){.kind = TRAFFIC_SPIN,
                                      .cpus = parks ? all : all - siblings,
                                      .parks_core = parks,
                                      .spares_core = !parks};
    case SIBLING_AWAKE:
        return (struct point_traffic){.kind = TRAFFIC_SPIN, .cpus = siblings > 0 ? all : 0};
    case PARKED:
        return (struct point_traffic){.kind = TRAFFIC_PARK, .cpus = parks ? all : 0};
    case ASLEEP:
        break;
    }
    return (struct point_traffic){.cpus = 0};
}

static void add_state(struct plan *plan, const struct point *like, enum state state)
{
    struct point_traffic load = load_of(plan, state, like->cpu);

    if (load.cpus != 0 || state == ASLEEP)
        crew_add_step(plan, like, &load, like->pass);
}

/* Asleep is measured already, before the others were asked for; and behind each round once more.
 * Those between go there and back: what moves evenly adds nothing to their difference. */
static void add_rounds(struct plan *plan, const struct point *asleep)
{
    struct point like = *asleep;

    for (unsigned round = 0; round < ROUNDS; round++) {
        like.pass = round == 0 ? asleep->pass : PASS_HALVES;
        add_state(plan, &like, round % 2 == 0 ? AWAKE : PARKED);
        add_state(plan, &like, SIBLING_AWAKE);
        add_state(plan, &like, round % 2 == 0 ? PARKED : AWAKE);
        like.tag = AWAKE_AGAIN;
        add_state(plan, &like, ASLEEP);
    }
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
            add_rounds(plan, &asleep);
    }
    return plan->point_count > first;
}

/* ---- what was found */

static enum state state_of(const struct point *p)
{
    if (p->traffic.cpus == 0)
        return ASLEEP;
    if (p->traffic.kind == TRAFFIC_PARK)
        return PARKED;
    return p->traffic.spares_core || p->traffic.parks_core ? AWAKE : SIBLING_AWAKE;
}

/* Of the set that `first` is the first point of, in that round; NULL: it is not planned. */
static const struct point *in_round(const struct plan *plan, const struct point *first,
                                    enum state state, unsigned round)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == first->experiment && p->bytes == first->bytes &&
            p->prefetch_off == first->prefetch_off && state_of(p) == state && round-- == 0)
            return p;
    }
    return NULL;
}

static struct figure figure_in(const struct plan *plan, const struct point *first, enum state state,
                               unsigned round)
{
    const struct point *p = in_round(plan, first, state, round);

    return p == NULL || crew_why_none(p) != NULL ? figure_unknown() : points_figure(p);
}

/* All rounds of a state together; unknown: none was measured. */
static struct figure figure_of_state(const struct plan *plan, const struct point *first,
                                     enum state state)
{
    struct figure round[ROUNDS + 1];
    unsigned count = 0;

    for (unsigned i = 0; i <= ROUNDS; i++) {
        round[count] = figure_in(plan, first, state, i);
        count += figure_is_known(round[count]);
    }
    return count == 0 ? figure_unknown() : figure_of_rounds(round, count);
}

/* Those of the rounds that its figure is made of. */
static doubt_set doubt_of_state(const struct plan *plan, const struct point *first,
                                enum state state)
{
    doubt_set doubt = 0;

    for (unsigned i = 0; i <= ROUNDS; i++)
        if (figure_is_known(figure_in(plan, first, state, i)))
            doubt |= points_doubt(plan, in_round(plan, first, state, i));
    return doubt;
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

static void emit(const struct plan *plan, const struct point *first, enum state state)
{
    const struct point *point = in_round(plan, first, state, 0);
    struct record record = {.kind = RECORD_LOAD, .u.load = crew_record(plan, point)};
    struct record_load *load = &record.u.load;
    struct figure ns = figure_of_state(plan, first, state);

    load->doubt |= doubt_of_state(plan, first, state);
    load->why = crew_why_none(point);
    if (figure_is_known(ns)) {
        load->why = NULL;
        crew_add_figures(load, ns, crew_own_bytes(plan, point, ns),
                         figure_of_state(plan, first, ASLEEP));
    }
    journal_emit(plan->journal, &record);
}

/* Asleep before a round and behind it; only the former if the budget ended between. Unknown without
 * it. *moved_ns: by how much they differ. */
static struct figure asleep_beside(const struct plan *plan, const struct point *first,
                                   unsigned round, double *moved_ns)
{
    struct figure before = figure_in(plan, first, ASLEEP, round);
    struct figure after = figure_in(plan, first, ASLEEP, round + 1);

    *moved_ns = 0;
    if (!figure_is_known(after))
        return before;
    *moved_ns = real_abs(after.value - before.value);
    return figure_scaled(figure_sum(before, after), 0.5);
}

/* What a state takes more than the one it is compared with, in one round. */
static struct figure more_in(const struct plan *plan, const struct point *first, enum state from,
                             enum state to, unsigned round, double *moved_ns)
{
    struct figure asleep = asleep_beside(plan, first, round, moved_ns);
    struct figure base = from == ASLEEP ? asleep : figure_in(plan, first, from, round);

    return figure_difference(figure_in(plan, first, to, round), base);
}

/* By all rounds; of a single one nobody can tell what moved meanwhile but by asleep's own figures.
 * Nothing, unless one round has both states. */
static void find(const struct plan *plan, const struct point *first, enum state from, enum state to,
                 const char *name)
{
    struct record_finding finding = finding_about(in_round(plan, first, to, 0));
    struct figure round[ROUNDS], more;
    double moved_ns = 0;
    unsigned count = 0;

    finding.doubt = doubt_of_state(plan, first, from) | doubt_of_state(plan, first, to);
    finding.detail = first->label;
    for (unsigned i = 0; i < ROUNDS; i++) {
        double moved_now_ns;
        round[count] = more_in(plan, first, from, to, i, &moved_now_ns);
        if (!figure_is_known(round[count]))
            continue;
        moved_ns = moved_now_ns;
        count++;
    }
    if (count == 0)
        return;
    more = figure_of_rounds(round, count);
    if (count == 1)
        more.error = real_hypotenuse(more.error, moved_ns);
    finding_emit(plan->journal, finding, name, "ns", more);
}

static void conclude_set(const struct plan *plan, const struct point *asleep)
{
    bool awake = in_round(plan, asleep, AWAKE, 0) != NULL;
    bool sibling = in_round(plan, asleep, SIBLING_AWAKE, 0) != NULL;
    bool parked = in_round(plan, asleep, PARKED, 0) != NULL;
    const char *why = plan->crew.why;

    if (why == NULL && sibling)
        why = "every other CPU that takes part is a thread of the same core";
    emit(plan, asleep, ASLEEP);
    if (awake)
        emit(plan, asleep, AWAKE);
    else
        emit_none(plan, asleep, why != NULL ? why : "it was not planned");
    if (sibling)
        emit(plan, asleep, SIBLING_AWAKE);
    if (parked)
        emit(plan, asleep, PARKED);
    if (awake)
        find(plan, asleep, ASLEEP, AWAKE, "awake less asleep");
    if (sibling)
        find(plan, asleep, awake ? AWAKE : ASLEEP, SIBLING_AWAKE, "sibling awake less asleep");
    if (parked)
        find(plan, asleep, ASLEEP, PARKED, "parked less asleep");
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
    if (plan->crew.why == NULL && plan->machine->no_park != NULL)
        journal_note_about(plan->journal, SEVERITY_INFO, name, "no CPU is parked",
                           "those that do not run are as they were found: %s",
                           plan->machine->no_park);
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
