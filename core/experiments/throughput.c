/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/throughput.h"

#include "core/experiments/points.h"
#include "core/experiments/translation.h"
#include "core/lib/real.h"
#include "core/measure/finding.h"
#include "core/plan/names.h"
#include "core/plan/sets.h"

#define AGREE_ERRORS 3
#define AGREE_SHARE  0.02
#define NEXT_MIN     1.1 /* the next level costs at least this many times more */

static void add_set(struct plan *plan, struct point point, const struct plan_set *set)
{
    point.bytes = set->bytes;
    point.label = set->name;
    plan_add(plan, &point);
    point.kernel = KERNEL_STREAM;
    plan_add(plan, &point);
}

/* A cached set is measured in milliseconds, all of which other work may disturb: so it is measured
 * twice, with everything else in between. */
enum status throughput_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    enum page_size page;
    uint64_t bytes = plan_memory_set(plan, "throughput: the set of memory", &page);
    struct plan_set sets[PLAN_SETS_MAX];
    size_t count = bytes == 0 ? 0 : plan_sets(plan, bytes, sets);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    (void)bench;
    for (uint32_t i = 0; i < states; i++) {
        struct point point = plan_point(plan, experiment, page, off[i], bytes);
        for (size_t k = 0; k < count; k++)
            add_set(plan, point, &sets[k]);
        translation_plan(plan, &point);
        for (size_t k = 0; k < count; k++)
            if (plan_set_declared(sets[k].name) != NULL)
                add_set(plan, point, &sets[k]);
    }
    return STATUS_OK;
}

/* A set's figure, from both measurements. */
struct place {
    const struct point *point; /* the first measurement; NULL: there is none */
    struct figure ns;
    doubt_set doubt;
};

/* Two measurements that agree are averaged. If they do not, the lower one was disturbed less, and
 * the bounds reach the other. */
static void add_again(struct place *place, const struct point *again)
{
    struct figure ns = figure_of_point(again);
    struct figure apart = figure_difference(ns, place->ns);
    double max = AGREE_SHARE * place->ns.value;

    place->doubt |= again->result.doubt;
    max = AGREE_ERRORS * apart.error > max ? AGREE_ERRORS * apart.error : max;
    if (real_abs(apart.value) <= max) {
        place->ns = figure_scaled(figure_sum(place->ns, ns), 0.5);
        return;
    }
    place->doubt |= doubt_of(DOUBT_CONTRADICTED);
    place->ns.value = ns.value < place->ns.value ? ns.value : place->ns.value;
    place->ns.error = real_abs(apart.value) / 2;
}

static struct place place_of(const struct plan *plan, const struct point *like,
                             enum chase_kernel kernel)
{
    struct place place = {.point = NULL};

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment != like->experiment || p->kernel != kernel || !p->result.known ||
            p->bytes != like->bytes || p->prefetch_off != like->prefetch_off)
            continue;
        if (place.point != NULL)
            add_again(&place, p);
        else
            place = (struct place){p, figure_of_point(p), points_doubt(plan, p)};
    }
    return place;
}

/* The chase of the next larger set; NULL: this is the largest. */
static const struct point *next_of(const struct plan *plan, const struct point *chase)
{
    const struct point *next = NULL;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == chase->experiment && p->kernel == KERNEL_CYCLE && p->result.known &&
            p->prefetch_off == chase->prefetch_off && p->bytes > chase->bytes &&
            (next == NULL || p->bytes < next->bytes))
            next = p;
    }
    return next;
}

/* The set has the name of a cache only if the next larger set surely costs more; else it is
 * "declared". */
static const char *name_of(const struct plan *plan, struct place *place)
{
    const struct point *next = next_of(plan, place->point);
    const char *declared = plan_set_declared(place->point->label);
    struct figure more;

    if (declared == NULL)
        return place->point->label;
    if (next == NULL)
        return declared;
    more = figure_difference(place_of(plan, next, KERNEL_CYCLE).ns,
                             figure_scaled(place->ns, NEXT_MIN));
    if (more.value > 2 * more.error)
        return place->point->label;
    if (more.value < -2 * more.error)
        place->doubt |= doubt_of(DOUBT_CONTRADICTED);
    return declared;
}

/* Whether the cost of TLB misses exceeds the error of the latency, or is unknown. */
static bool translates(const struct plan *plan, const struct place *latency)
{
    struct figure pages = translation_cost(plan, latency->point);

    if (plan_set_declared(latency->point->label) != NULL)
        return false;
    return !figure_is_known(pages) ||
           (pages.value > 2 * latency->ns.error && pages.value > 2 * pages.error);
}

/* Emits both figures of a set, then bandwidth and ratio. */
static void conclude_set(const struct plan *plan, const struct point *chase)
{
    struct place latency = place_of(plan, chase, KERNEL_CYCLE);
    struct place load = place_of(plan, chase, KERNEL_STREAM);
    struct record_finding finding = finding_about(chase);
    struct figure line = {plan->machine->line_bytes * 1e9, 0};

    finding.detail = name_of(plan, &latency);
    if (translates(plan, &latency))
        latency.doubt |= doubt_of(DOUBT_TRANSLATION);
    finding.doubt = latency.doubt;
    finding_emit(plan->journal, finding, "latency", "ns", latency.ns);
    if (load.point == NULL)
        return;
    finding.pattern = plan_pattern_name(load.point);
    finding.doubt = load.doubt | (latency.doubt & doubt_of(DOUBT_CONTRADICTED));
    finding_emit(plan->journal, finding, "throughput", "ns", load.ns);
    if (load.ns.value <= 0)
        return;
    if (load.point->stride_bytes >= plan->machine->line_bytes)
        finding_emit(plan->journal, finding, "bandwidth", "bytes_per_s",
                     figure_ratio(line, load.ns));
    finding.pattern = NULL;
    finding.doubt |= latency.doubt;
    finding_emit(plan->journal, finding, "latency over throughput", "ratio",
                 figure_ratio(latency.ns, load.ns));
}

enum status throughput_conclude(const struct plan *plan, struct workbench *bench,
                                uint32_t experiment)
{
    (void)bench;
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == experiment && p->kernel == KERNEL_CYCLE && p->result.known &&
            place_of(plan, p, KERNEL_CYCLE).point == p)
            conclude_set(plan, p);
    }
    return STATUS_OK;
}
