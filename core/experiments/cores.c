/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/cores.h"

#include "core/experiments/points.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/options/cpus.h"
#include "core/options/experiments.h"
#include "core/plan/left_out.h"
#include "core/plan/names.h"
#include "core/plan/sets.h"

/* Tags of its points, by where their set lies. */
enum { CORES_MEMORY = 1, CORES_CACHE };

/* Bounds of a difference hold in 99 of 100. */
#define ERRORS 2.58
/* A CPU that is farther than the middle one by more than this share of its latency, and sure, is
 * named in a note. */
#define FAR_SHARE 0.05

static void choice_of(const struct plan *plan, struct cpus_choice *choice)
{
    const char *words = plan->options->cpus, *why;

    *choice = (struct cpus_choice){.kind = CPUS_ALL};
    if (words[0] != '\0')
        (void)cpus_read(words, text_length(words), choice, &why);
}

static bool takes(const struct plan *plan, const struct cpus_choice *choice, uint32_t cpu)
{
    const struct machine_description *d = plan->machine;

    return cpu == 0 || cpus_chosen(choice, d->cpus, d->cpu_count, cpu);
}

/* ---- the plan */

static void add_set(struct plan *plan, const struct point *like, uint32_t cpu, uint32_t tag,
                    const struct plan_set *set)
{
    struct point point = *like;

    point.cpu = cpu;
    point.tag = tag;
    point.bytes = set->bytes;
    point.label = set->name;
    point.stays_cached = tag == CORES_CACHE;
    plan_add(plan, &point);
}

/* Of the sets of all caches and memory the last cache's, and memory's if max= leaves any. */
static void add_cpu(struct plan *plan, const struct point *like, uint32_t cpu,
                    const struct plan_set sets[], size_t count)
{
    if (plan_set_declared(sets[count - 1].name) == NULL)
        add_set(plan, like, cpu, CORES_MEMORY, &sets[--count]);
    if (count != 0)
        add_set(plan, like, cpu, CORES_CACHE, &sets[count - 1]);
}

static uint32_t last_number(const struct machine_description *d)
{
    uint32_t last = 0;

    for (size_t i = 0; i < d->cpu_count; i++)
        if (d->cpus[i].enabled && d->cpus[i].number > last)
            last = d->cpus[i].number;
    return last;
}

/* What cpus= asks for that there is not. */
static void note_missing(const struct plan *plan, const struct cpus_choice *choice)
{
    const struct machine_description *d = plan->machine;
    uint32_t missing = cpus_missing(choice, d->cpus, d->cpu_count), others = 0;

    for (uint32_t i = 1; i < d->cpu_count; i++)
        others += takes(plan, choice, i);
    if (missing != UINT32_MAX)
        journal_note_format(plan->journal, SEVERITY_WARNING, "cpus= names a CPU that is not there",
                            "CPU %u; of %zu listed CPUs the last is CPU %u", missing, d->cpu_count,
                            last_number(d));
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
    struct plan_set sets[PLAN_SETS_MAX];
    struct cpus_choice choice;
    size_t count = bytes == 0 ? 0 : plan_sets(plan, bytes, sets);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    (void)bench;
    choice_of(plan, &choice);
    note_missing(plan, &choice);
    for (uint32_t i = 0; i < states && count != 0; i++) {
        struct point point = plan_point(plan, experiment, page, off[i], bytes);
        add_cpu(plan, &point, 0, sets, count);
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

static bool is_ready(const struct workbench *bench, uint32_t cpu, const char **why)
{
    const struct machine *machine = bench->controls->machine;

    *why = "this machine runs chases on one CPU alone";
    return cpu == 0 || (machine->cpu_ready != NULL && machine->cpu_ready(machine->self, cpu, why));
}

/* The points of CPU 0, once more for each other CPU. */
bool cores_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment)
{
    uint32_t first = plan->point_count;
    struct cpus_choice choice;
    const char *why;

    if (is_extended(plan, experiment))
        return false;
    choice_of(plan, &choice);
    for (uint32_t cpu = 1; cpu < plan->machine->cpu_count; cpu++) {
        if (!takes(plan, &choice, cpu) || !is_ready(bench, cpu, &why))
            continue;
        for (uint32_t i = 0; i < first; i++) {
            const struct point *like = &plan->point[i];
            struct plan_set set = {like->label, like->bytes};
            struct point point;
            if (like->experiment != experiment)
                continue;
            point = plan_point(plan, experiment, like->page, like->prefetch_off, like->bytes);
            add_set(plan, &point, cpu, like->tag, &set);
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

static const char *why_none(const struct workbench *bench, uint32_t cpu, const struct point *point)
{
    const char *why;

    if (!is_ready(bench, cpu, &why))
        return why;
    if (point == NULL)
        return "the plan has no room for its point";
    return point->left_out != LEFT_NOT ? left_out_reason(point->left_out) : "it was not measured";
}

static struct record_pair pair_of(const struct plan *plan, const struct point *like, uint32_t cpu)
{
    const struct cpu_info *info = &plan->machine->cpus[cpu];
    const char *declared = plan_set_declared(like->label);
    uint32_t home = plan->machine->home_node;
    double none = real_nan();

    return (struct record_pair){.experiment = experiment_list[like->experiment].name,
                                .from = info->number,
                                .from_id = info->hardware_id,
                                .from_node =
                                    info->node == NODE_UNKNOWN ? RECORD_UNKNOWN : info->node,
                                .to = declared != NULL ? declared : like->label,
                                .to_cpu = RECORD_UNKNOWN,
                                .home_node = home == NODE_ANY ? RECORD_UNKNOWN : home,
                                .bytes = like->bytes,
                                .pages_bytes = plan_pages_bytes(like),
                                .prefetch = like->prefetch,
                                .ns = none,
                                .ns_low = none,
                                .ns_high = none,
                                .ns_min = none,
                                .ns_max = none,
                                .cycles = none,
                                .cpu_hz = none,
                                .slower_ns = none,
                                .slower_low_ns = none,
                                .slower_high_ns = none,
                                .bytes_per_s = none,
                                .claimed = none};
}

static void add_figures(struct record_pair *pair, const struct point *point,
                        const struct point *middle)
{
    struct figure ns = points_figure(point);
    struct figure slower = figure_difference(ns, points_figure(middle));

    pair->prefetch = point->prefetch;
    pair->ns = ns.value;
    pair->ns_low = ns.value - ERRORS * ns.error;
    pair->ns_high = ns.value + ERRORS * ns.error;
    pair->cycles = point->result.cycles;
    pair->cpu_hz = point->result.hz;
    pair->slower_ns = slower.value;
    pair->slower_low_ns = slower.value - ERRORS * slower.error;
    pair->slower_high_ns = slower.value + ERRORS * slower.error;
    pair->doubt = point->result.doubt;
}

static void note_far(const struct plan *plan, const struct record_pair *pair, double middle_ns)
{
    if (pair->slower_low_ns > FAR_SHARE * middle_ns)
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
    struct cpus_choice choice;

    choice_of(plan, &choice);
    for (uint32_t cpu = 0; cpu < plan->machine->cpu_count; cpu++) {
        const struct point *point = find(plan, like, cpu);
        struct record record = {.kind = RECORD_PAIR};
        if (!takes(plan, &choice, cpu))
            continue;
        record.u.pair = pair_of(plan, like, cpu);
        if (point != NULL && point->result.known)
            add_figures(&record.u.pair, point, middle);
        else
            record.u.pair.why = why_none(bench, cpu, point);
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
