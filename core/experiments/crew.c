/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/crew.h"

#include "core/experiments/points.h"
#include "core/lib/real.h"
#include "core/measure/cpus.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/measure/at_work.h"
#include "core/plan/left_out.h"
#include "core/plan/names.h"

static void add(struct plan *plan, const struct machine *machine, uint32_t cpu, uint32_t experiment)
{
    const struct machine_description *d = plan->machine;
    struct plan_crew *crew = &plan->crew;
    const char *why;

    if (measure_cpu_ready(machine, cpu, &why))
        crew->cpu[crew->count++] = cpu;
    else
        journal_note_about(plan->journal, SEVERITY_WARNING, experiment_list[experiment].name,
                           "a CPU takes no part", "CPU %u: %s",
                           cpus_number(d->cpus, d->cpu_count, cpu), why);
}

/* Of so many that cpus= takes. */
static const char *why_none(const struct plan *plan, const struct machine *machine, uint32_t taken)
{
    if (plan->crew.count != 0)
        return NULL;
    if (plan->machine->cpu_count < 2)
        return "the machine lists one CPU";
    if (taken == 0)
        return "cpus= takes no other CPU";
    return machine->load_start == NULL ? "this machine runs one CPU at a time"
                                       : "no other CPU could be had";
}

void crew_gather(struct plan *plan, const struct workbench *bench, uint32_t experiment)
{
    const struct machine *machine = bench->controls->machine;
    const struct machine_description *d = plan->machine;
    struct cpus_choice choice = cpus_of(plan->options->cpus);
    uint32_t taken = 0;

    if (plan->crew.known)
        return;
    measure_note_missing_cpu(d, &choice, plan->journal);
    for (uint32_t cpu = 1; cpu < d->cpu_count && cpu < CPUS_MAX; cpu++) {
        if (!cpus_chosen(&choice, d->cpus, d->cpu_count, cpu))
            continue;
        taken++;
        if (machine->load_start != NULL)
            add(plan, machine, cpu, experiment);
    }
    plan->crew.why = why_none(plan, machine, taken);
    plan->crew.known = true;
}

bool crew_is_planned(const struct plan *plan, uint32_t experiment)
{
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].experiment == experiment && plan->point[i].traffic.cpus != 0)
            return true;
    return false;
}

void crew_add_step(struct plan *plan, const struct point *alone, const struct point_traffic *load,
                   enum point_pass pass)
{
    struct point point = *alone;

    point.over = point.again = false;
    point.left_out = LEFT_NOT;
    point.prefetch = PREFETCH_NOT_MEASURED;
    point.result = (struct point_result){.known = false};
    point.traffic = *load;
    point.pass = pass;
    plan_add(plan, &point);
}

struct record_load crew_record(const struct plan *plan, const struct point *point)
{
    const struct machine_description *d = plan->machine;
    const struct point_traffic *load = &point->traffic;
    bool chases = load->kind == TRAFFIC_CHASE, rests = at_work_rests(point);
    uint32_t parked = at_work_parked(plan, point);
    bool no_lines = load->cpus == 0 || chases || rests;
    double none = real_nan();

    return (struct record_load){.experiment = experiment_list[point->experiment].name,
                                .kind = load->cpus == 0 ? "none" : traffic_names[load->kind],
                                .pattern = load->cpus == 0 || rests ? NULL
                                           : load->random || chases ? "random"
                                                                    : "sequential",
                                .processors = load->cpus + 1 - parked,
                                .siblings = at_work_beside(plan, point),
                                .parked = parked,
                                .cpu = cpus_number(d->cpus, d->cpu_count, point->cpu),
                                .prefetch = point->prefetch,
                                .bytes = point->bytes,
                                .pages_bytes = plan_pages_bytes(point),
                                .each_bytes = no_lines ? RECORD_UNKNOWN : load->each_bytes,
                                .chains = point->chains,
                                .pause_cycles = no_lines ? RECORD_UNKNOWN : load->pause_cycles,
                                .ns = none,
                                .ns_low = none,
                                .ns_high = none,
                                .bytes_per_s = none,
                                .bytes_per_s_low = none,
                                .bytes_per_s_high = none,
                                .written_share = none,
                                .over = none,
                                .over_low = none,
                                .over_high = none,
                                .doubt = points_latency_doubt(plan, point)};
}

struct figure crew_own_bytes(const struct plan *plan, const struct point *point, struct figure ns)
{
    struct figure line = {plan->machine->line_bytes * point->chains * 1e9, 0};

    return figure_ratio(line, ns);
}

void crew_add_figures(struct record_load *load, struct figure ns, struct figure bytes_per_s,
                      struct figure alone)
{
    figure_bounds(ns, &load->ns, &load->ns_low, &load->ns_high);
    figure_bounds(bytes_per_s, &load->bytes_per_s, &load->bytes_per_s_low, &load->bytes_per_s_high);
    load->written_share = 0;
    if (figure_is_known(alone))
        figure_bounds(figure_ratio(ns, alone), &load->over, &load->over_low, &load->over_high);
}

const char *crew_why_none(const struct point *point)
{
    if (point->left_out != LEFT_NOT)
        return left_out_reason(point->left_out);
    if (!point->result.known)
        return "it was not measured";
    if (point->traffic.cpus != 0 && !point->result.traffic.known)
        return at_work_rests(point) ? "a CPU that was to be kept awake did not run most of the time"
                                    : "a CPU that was to load memory did not run most of the time";
    return NULL;
}

void crew_note(const struct plan *plan, uint32_t experiment)
{
    const char *name = experiment_list[experiment].name;

    if (plan->crew.why != NULL)
        journal_note_about(plan->journal, SEVERITY_WARNING, name, "no other CPU loads memory", "%s",
                           plan->crew.why);
    if (plan->crew.count != 0 && plan->options->prefetch != PREFETCH_REQUEST_ON)
        journal_note_about(plan->journal, SEVERITY_INFO, name,
                           "prefetchers of the other CPUs are as the firmware set them",
                           "prefetch= is of the CPU that chases");
}
