/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/pairs.h"

#include "core/experiments/points.h"
#include "core/lib/real.h"
#include "core/lib/text.h"
#include "core/options/experiments.h"
#include "core/plan/left_out.h"
#include "core/plan/names.h"
#include "core/plan/sets.h"

void pairs_choice(const struct plan *plan, struct cpus_choice *choice)
{
    const char *words = plan->options->cpus, *why;

    *choice = (struct cpus_choice){.kind = CPUS_ALL};
    if (words[0] != '\0')
        (void)cpus_read(words, text_length(words), choice, &why);
}

bool pairs_takes(const struct plan *plan, const struct cpus_choice *choice, uint32_t cpu)
{
    const struct machine_description *d = plan->machine;

    return cpu == 0 || cpus_chosen(choice, d->cpus, d->cpu_count, cpu);
}

static uint32_t last_number(const struct machine_description *d)
{
    uint32_t last = 0;

    for (size_t i = 0; i < d->cpu_count; i++)
        if (d->cpus[i].enabled && d->cpus[i].number > last)
            last = d->cpus[i].number;
    return last;
}

void pairs_note_missing(const struct plan *plan, const struct cpus_choice *choice)
{
    const struct machine_description *d = plan->machine;
    uint32_t missing = cpus_missing(choice, d->cpus, d->cpu_count);

    if (missing != UINT32_MAX)
        journal_note_format(plan->journal, SEVERITY_WARNING, "cpus= names a CPU that is not there",
                            "CPU %u; of %zu listed CPUs the last is CPU %u", missing, d->cpu_count,
                            last_number(d));
}

bool pairs_ready(const struct workbench *bench, uint32_t cpu, const char **why)
{
    const struct machine *machine = bench->controls->machine;

    *why = "this machine runs chases on one CPU alone";
    return cpu == 0 || (machine->cpu_ready != NULL && machine->cpu_ready(machine->self, cpu, why));
}

const char *pairs_why_none(const struct workbench *bench, uint32_t cpu, const struct point *point)
{
    const char *why;

    if (!pairs_ready(bench, cpu, &why))
        return why;
    if (point == NULL)
        return "the plan has no room for its point";
    return point->left_out != LEFT_NOT ? left_out_reason(point->left_out) : "it was not measured";
}

static uint64_t node_or_unknown(uint32_t node)
{
    return node == NODE_UNKNOWN ? RECORD_UNKNOWN : node;
}

struct record_pair pairs_record(const struct plan *plan, const struct point *like, uint32_t cpu)
{
    const struct cpu_info *info = &plan->machine->cpus[cpu];
    const char *declared = plan_set_declared(like->label);
    struct record_pair pair = record_pair_none();

    pair.experiment = experiment_list[like->experiment].name;
    pair.from = info->number;
    pair.from_id = info->hardware_id;
    pair.from_node = node_or_unknown(info->node);
    pair.to = declared != NULL ? declared : like->label;
    pair.home_node =
        node_or_unknown(like->node != NODE_ANY ? like->node : plan->machine->home_node);
    pair.bytes = like->bytes;
    pair.pages_bytes = plan_pages_bytes(like);
    pair.prefetch = like->prefetch;
    return pair;
}

void pairs_bounds(struct figure figure, double *value, double *low, double *high)
{
    *value = figure.value;
    *low = figure.value - PAIRS_ERRORS * figure.error;
    *high = figure.value + PAIRS_ERRORS * figure.error;
}

void pairs_add_latency(struct record_pair *pair, const struct point *point)
{
    pairs_bounds(points_figure(point), &pair->ns, &pair->ns_low, &pair->ns_high);
    pair->prefetch = point->prefetch;
    pair->cycles = point->result.cycles;
    pair->cpu_hz = point->result.hz;
    pair->doubt = point->result.doubt;
}

void pairs_add_slower(struct record_pair *pair, const struct point *point, const struct point *than)
{
    pairs_bounds(figure_difference(points_figure(point), points_figure(than)), &pair->slower_ns,
                 &pair->slower_low_ns, &pair->slower_high_ns);
}
