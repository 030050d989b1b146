/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/pairs.h"

#include "core/experiments/points.h"
#include "core/measure/cpus.h"
#include "core/options/experiments.h"
#include "core/plan/left_out.h"
#include "core/plan/names.h"
#include "core/plan/sets.h"

bool pairs_takes(const struct plan *plan, const struct cpus_choice *choice, uint32_t cpu)
{
    const struct machine_description *d = plan->machine;

    return cpu == 0 || cpus_chosen(choice, d->cpus, d->cpu_count, cpu);
}

const char *pairs_why_none(const struct workbench *bench, uint32_t cpu, const struct point *point)
{
    const char *why;

    if (!measure_cpu_ready(bench->controls->machine, cpu, &why))
        return why;
    if (point == NULL)
        return "the plan has no room for its point";
    return point->left_out != LEFT_NOT ? left_out_reason(point->left_out) : "it was not measured";
}

struct record_pair pairs_record(const struct plan *plan, const struct point *like, uint32_t cpu)
{
    const char *declared = plan_set_declared(like->label);
    uint32_t home = like->node != NODE_ANY ? like->node : plan->machine->home_node;
    struct record_pair pair = record_pair_from(&plan->machine->cpus[cpu]);

    pair.experiment = experiment_list[like->experiment].name;
    pair.to = declared != NULL ? declared : like->label;
    pair.home_node = home == NODE_UNKNOWN ? RECORD_UNKNOWN : home;
    pair.bytes = like->bytes;
    pair.pages_bytes = plan_pages_bytes(like);
    pair.prefetch = like->prefetch;
    return pair;
}

void pairs_add_latency(struct record_pair *pair, const struct plan *plan, const struct point *point)
{
    figure_bounds(points_figure(point), &pair->ns, &pair->ns_low, &pair->ns_high);
    pair->prefetch = point->prefetch;
    pair->cycles = point->result.cycles;
    pair->cpu_hz = point->result.hz;
    pair->doubt = points_latency_doubt(plan, point);
}

void pairs_add_slower(struct record_pair *pair, const struct point *point, const struct point *than)
{
    figure_bounds(figure_difference(points_figure(point), points_figure(than)), &pair->slower_ns,
                  &pair->slower_low_ns, &pair->slower_high_ns);
}
