/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/cores.h"

#include "core/experiments/pairs.h"
#include "core/experiments/points.h"
#include "core/measure/cpus.h"
#include "core/plan/sets.h"

/* Tags of its points, by where their set lies. */
enum { CORES_MEMORY = 1, CORES_CACHE };

/* ---- the plan */

/* What cpus= asks for that there is not. */
static void note_choice(const struct plan *plan, const struct cpus_choice *choice)
{
    const struct machine_description *d = plan->machine;
    uint32_t others = 0;

    measure_note_missing_cpu(d, choice, plan->journal);
    for (uint32_t i = 1; i < d->cpu_count; i++)
        others += pairs_takes(plan, choice, i);
    if (others == 0)
        journal_note_format(plan->journal, SEVERITY_WARNING, "cores: one CPU to measure from",
                            d->cpu_count == 1 ? "the machine lists no other"
                                              : "cpus=%s takes none of the others",
                            plan->options->cpus);
}

enum status cores_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    enum page_size page;
    uint64_t bytes = plan_memory_set(plan, "cores: the set of memory", &page);
    struct cpus_choice choice = cpus_of(plan->options->cpus);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    (void)bench;
    note_choice(plan, &choice);
    for (uint32_t i = 0; i < states && bytes != 0; i++) {
        struct point point = plan_point(plan, experiment, page, off[i], bytes);
        plan_add_outer_sets(plan, &point, bytes, CORES_MEMORY, CORES_CACHE);
    }
    return STATUS_OK;
}

static bool is_extended(const struct plan *plan, uint32_t experiment)
{
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].experiment == experiment && plan->point[i].cpu != 0)
            return true;
    return false;
}

/* The points of CPU 0, once more for each other CPU. */
bool cores_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment)
{
    uint32_t first = plan->point_count;
    struct cpus_choice choice = cpus_of(plan->options->cpus);
    const char *why;

    if (is_extended(plan, experiment))
        return false;
    for (uint32_t cpu = 1; cpu < plan->machine->cpu_count; cpu++) {
        if (!pairs_takes(plan, &choice, cpu) ||
            !measure_cpu_ready(bench->controls->machine, cpu, &why))
            continue;
        for (uint32_t i = 0; i < first; i++) {
            const struct point *like = &plan->point[i];
            struct point point;
            if (like->experiment != experiment)
                continue;
            point = plan_point(plan, experiment, like->page, like->prefetch_off, like->bytes);
            point.cpu = cpu;
            point.tag = like->tag;
            point.label = like->label;
            point.stays_cached = like->stays_cached;
            plan_add(plan, &point);
        }
    }
    return plan->point_count > first;
}

/* ---- what was found */

static const struct point *find(const struct plan *plan, const struct point *like, uint32_t cpu)
{
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (points_are_alike(&plan->point[i], like) && plan->point[i].cpu == cpu)
            return &plan->point[i];
    return NULL;
}

/* Of the CPUs that have a figure, the one with as many below it as above; NULL: there are none. */
static const struct point *middle_of(const struct plan *plan, const struct point *like)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        uint32_t below = 0, all = 0;
        if (!points_are_alike(p, like) || !p->result.known)
            continue;
        for (uint32_t k = 0; k < plan->point_count; k++) {
            const struct point *other = &plan->point[k];
            if (!points_are_alike(other, like) || !other->result.known)
                continue;
            all++;
            below += other->result.mean_ns < p->result.mean_ns ||
                     (other->result.mean_ns == p->result.mean_ns && k < i);
        }
        if (below == (all - 1) / 2)
            return p;
    }
    return NULL;
}

static void note_far(const struct plan *plan, const struct record_pair *pair, double middle_ns)
{
    if (pair->slower_low_ns > PAIRS_FAR_SHARE * middle_ns)
        journal_note_format(plan->journal, SEVERITY_WARNING, "a CPU is slower than the others",
                            "CPU %lu to %s: %.2f ns (%.2f to %.2f) more than the %.2f ns of the "
                            "middle one",
                            pair->from, pair->to, pair->slower_ns, pair->slower_low_ns,
                            pair->slower_high_ns, middle_ns);
}

static void conclude_set(const struct plan *plan, const struct workbench *bench,
                         const struct point *like)
{
    const struct point *middle = middle_of(plan, like);
    struct cpus_choice choice = cpus_of(plan->options->cpus);

    for (uint32_t cpu = 0; cpu < plan->machine->cpu_count; cpu++) {
        const struct point *point = find(plan, like, cpu);
        struct record record = {.kind = RECORD_PAIR};
        if (!pairs_takes(plan, &choice, cpu))
            continue;
        record.u.pair = pairs_record(plan, like, cpu);
        if (point != NULL && point->result.known) {
            pairs_add_latency(&record.u.pair, plan, point);
            pairs_add_slower(&record.u.pair, point, middle);
        } else {
            record.u.pair.why = pairs_why_none(bench, cpu, point);
        }
        journal_emit(plan->journal, &record);
        if (record.u.pair.why == NULL)
            note_far(plan, &record.u.pair, middle->result.mean_ns);
    }
}

enum status cores_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].experiment == experiment && plan->point[i].cpu == 0)
            conclude_set(plan, bench, &plan->point[i]);
    return STATUS_OK;
}
