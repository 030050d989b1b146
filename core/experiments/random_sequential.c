/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/random_sequential.h"

#include "core/measure/finding.h"
#include "core/plan/plan.h"
#include "core/plan/sets.h"

#define SET_BYTES (256ull << 20)
#define STEPS     20000000ull
#define PARTS     64 /* samples: one quiet section is too short for all steps */

enum status random_sequential_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    const struct options *options = plan->options;
    uint64_t bytes = options->max_bytes != 0 ? options->max_bytes : SET_BYTES, limit;
    uint64_t steps = options->hops != 0 ? options->hops : STEPS;
    enum page_size page = plan_reaching_page(plan, plan_page_sizes(plan), bytes, &limit);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    (void)bench;
    if (limit == 0) {
        journal_note(plan->journal, SEVERITY_WARNING, "random-sequential: left out",
                     "none of the requested page sizes can be mapped");
        return STATUS_OK;
    }
    plan_clamp(plan, "random-sequential: the set", limit, &bytes);
    for (uint32_t i = 0; i < states; i++) {
        struct point point = plan_point(plan, experiment, page, off[i], bytes);
        point.bytes -= point.bytes % point.stride_bytes;
        point.samples = PARTS;
        point.hops = steps < PARTS ? 1 : steps / PARTS;
        point.cold = true;
        plan_add(plan, &point);
        point.cold = false;
        point.order = ORDER_SEQUENTIAL;
        plan_add(plan, &point);
    }
    return STATUS_OK;
}

static const struct point *find(const struct plan *plan, uint32_t experiment, bool cold, bool off)
{
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == experiment && p->cold == cold && p->prefetch_off == off &&
            p->result.known)
            return p;
    }
    return NULL;
}

static double cycles_a_ns(const struct point *point)
{
    return point->result.cycles / point->result.ns;
}

/* Emits the time of all steps and of one. The error is that of the samples' median. */
static struct figure conclude_way(const struct plan *plan, const struct point *point)
{
    struct record_finding finding = finding_about(point);
    double steps = (double)point->result.samples * (double)point->hops;
    struct figure total = figure_of(point->result.total_ns, point->result.rel_error);
    struct figure step = figure_scaled(total, 1 / steps);

    finding.detail = point->cold ? "random and cold" : "sequential and warm";
    if (point->result.samples < point->samples) {
        finding.bound = "at_least";
        finding.limited_by = "budget";
    }
    finding_emit(plan->journal, finding, "time of all steps", "s", figure_scaled(total, 1e-9));
    finding.bound = "exact";
    finding.limited_by = NULL;
    finding_emit(plan->journal, finding, "a step", "ns", step);
    finding_emit(plan->journal, finding, "a step", "cycles",
                 figure_scaled(step, cycles_a_ns(point)));
    return step;
}

enum status random_sequential_conclude(const struct plan *plan, struct workbench *bench,
                                       uint32_t experiment)
{
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    (void)bench;
    for (uint32_t i = 0; i < states; i++) {
        const struct point *random = find(plan, experiment, true, off[i]);
        const struct point *sequential = find(plan, experiment, false, off[i]);
        struct record_finding finding;
        struct figure cold = {0, 0}, warm = {0, 0};

        if (random)
            cold = conclude_way(plan, random);
        if (sequential)
            warm = conclude_way(plan, sequential);
        if (!random || !sequential)
            continue;
        finding = finding_about(random);
        finding.pattern = NULL;
        finding.doubt |= sequential->result.doubt;
        finding_emit(plan->journal, finding, "random over sequential", "ratio",
                     figure_ratio(cold, warm));
    }
    return STATUS_OK;
}
