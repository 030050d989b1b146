/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/threads.h"

#include "core/experiments/crew.h"
#include "core/experiments/points.h"
#include "core/lib/real.h"
#include "core/options/cpus.h"
#include "core/options/experiments.h"
#include "core/plan/sets.h"

enum status threads_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    enum page_size page;
    uint64_t bytes = plan_memory_set(plan, "threads: the set of memory", &page);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);

    (void)bench;
    if (bytes != 0)
        plan_note_cached(plan, experiment_list[experiment].name, bytes);
    for (uint32_t i = 0; i < states && bytes != 0; i++) {
        struct point point = plan_point(plan, experiment, page, off[i], bytes);
        point.chains = plan->options->chains;
        point.label = "memory";
        plan_add(plan, &point);
    }
    return STATUS_OK;
}

/* One CPU is measured already; its shares begin at 1, since 0 is nowhere. */
static void add_counts(struct plan *plan, const struct point *alone, uint32_t *share)
{
    uint32_t all = plan->crew.count + 1, cpus = 1;

    while (cpus < all) {
        struct point_traffic load;
        cpus = 2 * cpus < all ? 2 * cpus : all;
        load = (struct point_traffic){.cpus = cpus - 1, .kind = TRAFFIC_CHASE, .share = *share};
        *share += cpus - 1;
        crew_add_step(plan, alone, &load, alone->pass);
    }
}

bool threads_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment)
{
    uint32_t first = plan->point_count, share = 1;

    crew_gather(plan, bench, experiment);
    if (plan->crew.count == 0 || crew_is_planned(plan, experiment))
        return false;
    for (uint32_t i = 0; i < first; i++) {
        struct point alone = plan->point[i];
        if (alone.experiment == experiment)
            add_counts(plan, &alone, &share);
    }
    return plan->point_count > first;
}

/* ---- what was found */

static const struct point *alone_of(const struct plan *plan, const struct point *like)
{
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (points_are_alike(&plan->point[i], like) && plan->point[i].traffic.cpus == 0)
            return &plan->point[i];
    return NULL;
}

static void emit(const struct plan *plan, const struct point *point, uint64_t cpu, struct figure ns,
                 struct figure bytes_per_s)
{
    struct record record = {.kind = RECORD_LOAD, .u.load = crew_record(plan, point)};
    struct record_load *load = &record.u.load;

    load->cpu = cpu;
    load->why = crew_why_none(point);
    if (load->why == NULL && !figure_is_known(ns))
        load->why = "the plan has no room for what each CPU did";
    if (load->why == NULL)
        crew_add_figures(load, ns, bytes_per_s, points_figure(alone_of(plan, point)));
    journal_emit(plan->journal, &record);
}

/* Mean latency over all CPUs, and what all of them read. */
static void emit_all(const struct plan *plan, const struct point *point)
{
    double others = point->traffic.cpus;
    struct figure ns = points_figure(point), bytes = crew_own_bytes(plan, point, ns);

    if (point->traffic.cpus != 0) {
        ns = figure_scaled(figure_sum(ns, figure_scaled(point->result.traffic.ns, others)),
                           1 / (others + 1));
        bytes = figure_sum(bytes, point->result.traffic.bytes_per_s);
    }
    emit(plan, point, RECORD_UNKNOWN, ns, bytes);
}

static void emit_each(const struct plan *plan, const struct workbench *bench,
                      const struct point *point)
{
    const struct machine_description *d = plan->machine;
    struct figure hop = {point->chains * 1e9, 0};

    emit(plan, point, cpus_number(d->cpus, d->cpu_count, point->cpu), points_figure(point),
         crew_own_bytes(plan, point, points_figure(point)));
    for (uint32_t i = 0; i < point->traffic.cpus; i++) {
        uint32_t place = point->traffic.share + i;
        struct figure lines =
            place < LOAD_SHARES_MAX ? bench->shares[place].lines_per_s : figure_unknown();
        emit(plan, point, cpus_number(d->cpus, d->cpu_count, plan->crew.cpu[i]),
             figure_ratio(hop, lines), figure_scaled(lines, d->line_bytes));
    }
}

/* Where there is but one CPU, a record says what two would have been. */
static void emit_none(const struct plan *plan, const struct point *alone)
{
    struct record record = {.kind = RECORD_LOAD};
    struct point two = *alone;

    two.traffic = (struct point_traffic){.cpus = 1, .kind = TRAFFIC_CHASE};
    record.u.load = crew_record(plan, &two);
    record.u.load.cpu = RECORD_UNKNOWN;
    record.u.load.why = plan->crew.why;
    journal_emit(plan->journal, &record);
}

enum status threads_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    crew_note(plan, experiment);
    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *point = &plan->point[i];
        if (point->experiment != experiment)
            continue;
        emit_all(plan, point);
        if (point->traffic.cpus != 0)
            emit_each(plan, bench, point);
        else if (plan->crew.why != NULL)
            emit_none(plan, point);
    }
    return STATUS_OK;
}
