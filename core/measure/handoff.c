/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/handoff.h"

#include "core/lib/memory.h"
#include "core/lib/random.h"
#include "core/lib/real.h"
#include "core/measure/cpus.h"
#include "core/measure/time.h"
#include "core/options/experiments.h"
#include "core/plan/left_out.h"
#include "core/plan/names.h"
#include "core/stats/figure.h"
#include "core/stats/stats.h"

/* Two lines that a CPU may fetch together. */
#define PAIR_BYTES 128
/* Cores reach their frequency, and branches are learnt. */
#define WARM_ROUNDS 16
/* Of a swap between two readings of the clock. */
#define BATCH    16
#define LIMIT_NS 400000000ull
/* A step of the clock of more than so much of what is timed is a doubt. */
#define STEP_SHARE_MAX 0.25
#define WAIT_STEPS     16
#define CYCLES_NS_MAX  6
/* Of a median over a mean (stats_of). */
#define MEDIAN_ERROR 1.2533
/* A pair whose lines take so many times as long as those of another of its kind, and surely, is
 * named in a note. */
#define FAR_RATIO 1.5

static const char *const kind_names[HANDOFF_KINDS] = {
    [HANDOFF_CLEAN] = "clean", [HANDOFF_MODIFIED] = "modified", [HANDOFF_SWAP] = "swap"};

static bool is_ready(const struct machine *machine, uint32_t cpu, const char **why)
{
    *why = "this machine runs one CPU at a time";
    return machine->handoff_run != NULL && measure_cpu_ready(machine, cpu, why);
}

static void choose_cpus(struct measure *m)
{
    const struct machine_description *d = m->machine->description;
    struct handoff_run *run = &m->handoff;
    struct cpus_choice choice = cpus_of(m->options->cpus);
    const char *why;

    measure_note_missing_cpu(d, &choice, m->journal);
    run->cpus = 0;
    for (uint32_t i = 0; i < d->cpu_count && i < CPUS_MAX; i++) {
        if (!cpus_chosen(&choice, d->cpus, d->cpu_count, i))
            continue;
        run->cpu[run->cpus++] = i;
        run->why[i] = is_ready(m->machine, i, &why) ? NULL : why;
    }
}

/* A random pair of lines in each of as many parts of the window, so that they are of as many
 * slices and pages, and none meets another. The last part is for the control words. */
static void choose_lines(struct measure *m, const struct point *point, const struct window *w)
{
    struct handoff_run *run = &m->handoff;
    uint64_t part = point->bytes / (HANDOFF_LINES + 1) / PAIR_BYTES;
    struct window_span span = {.node = NODE_UNKNOWN};
    struct random random;

    random_start(&random, m->options->seed);
    for (uint32_t i = 0; i < HANDOFF_LINES; i++)
        run->line[i] = w->base + (uintptr_t)((i * part + random_below(&random, part)) * PAIR_BYTES);
    run->control = w->base + (uintptr_t)(HANDOFF_LINES * part * PAIR_BYTES);
    if (m->machine->window_span != NULL)
        m->machine->window_span(m->machine->self, w, point->bytes, &span);
    run->home_node = span.node == NODE_UNKNOWN ? RECORD_UNKNOWN : span.node;
}

/* ---- one kind of one pair */

static struct record_pair record_of(const struct measure *m, const struct point *point, uint32_t a,
                                    uint32_t b, enum handoff_kind kind)
{
    const struct cpu_info *from = &m->machine->description->cpus[a];
    const struct cpu_info *to = &m->machine->description->cpus[b];
    struct record_pair pair = record_pair_from(from);

    pair.experiment = experiment_list[point->experiment].name;
    pair.to = topology_apart_name(topology_apart(from, to));
    pair.to_cpu = to->number;
    pair.kind = kind_names[kind];
    pair.home_node = m->handoff.home_node;
    pair.bytes = point->bytes;
    pair.pages_bytes = plan_pages_bytes(point);
    pair.prefetch = point->prefetch;
    return pair;
}

/* Each reading of the clock is of a load, or of so many turns. */
static double turns_of(const struct handoff_plan *plan)
{
    return plan->kind == HANDOFF_SWAP ? 2.0 * plan->batch : 1;
}

/* The mean over a line's rounds in ticks, which is right however coarsely the clock steps. */
static struct figure line_ticks(const struct measure *m, const struct handoff_plan *plan,
                                uint32_t line)
{
    double quantum = m->machine->description->clock.resolution_ticks;
    const uint64_t *ticks = &plan->ticks[line * plan->rounds];
    uint64_t sorted[HANDOFF_ROUNDS], scratch[HANDOFF_ROUNDS];
    struct stats stats;

    memory_copy(sorted, ticks, sizeof sorted);
    stats_of(sorted, scratch, plan->rounds, quantum, &stats);
    stats_mean(ticks, NULL, plan->rounds, quantum, &stats);
    return (struct figure){stats.mean, stats.mean * stats.mean_rel_error};
}

/* Of the lines' figures the median, because they differ by where their homes are, and its standard
 * error (stats_of); ns[] is sorted. */
static struct figure middle_line(double ns[HANDOFF_LINES])
{
    double away[HANDOFF_LINES];
    struct figure figure;

    stats_sort_few(ns, HANDOFF_LINES);
    figure.value = (ns[HANDOFF_LINES / 2 - 1] + ns[HANDOFF_LINES / 2]) / 2;
    for (uint32_t i = 0; i < HANDOFF_LINES; i++)
        away[i] = real_abs(ns[i] - figure.value);
    stats_sort_few(away, HANDOFF_LINES);
    figure.error = MEDIAN_ERROR * 1.4826 * away[HANDOFF_LINES / 2] / real_sqrt(HANDOFF_LINES);
    return figure;
}

/* Errors of lines are independent, but for what the readings cost and for the phases of the clock
 * at which they are taken. */
static struct figure conclude(const struct measure *m, const struct handoff_plan *plan,
                              struct record_pair *pair)
{
    const struct clock_info *clock = &m->machine->description->clock;
    double turn_ns = 1e9 / (double)clock->hz / turns_of(plan), ns[HANDOFF_LINES], squares = 0;
    double phases = clock->resolution_ticks / (3.4641 * real_sqrt(plan->rounds));
    double common_ns = real_hypotenuse(*plan->timing_error_ticks, phases) * turn_ns;
    struct figure figure;

    for (uint32_t i = 0; i < HANDOFF_LINES; i++) {
        struct figure ticks = line_ticks(m, plan, i);
        ns[i] = (ticks.value - *plan->timing_ticks) * turn_ns;
        squares += ticks.error * ticks.error * turn_ns * turn_ns;
    }
    figure = middle_line(ns);
    squares *= MEDIAN_ERROR * MEDIAN_ERROR / (HANDOFF_LINES * HANDOFF_LINES);
    figure.error = real_sqrt(figure.error * figure.error + squares + common_ns * common_ns);
    if (clock->resolution_ticks * turn_ns > STEP_SHARE_MAX * figure.value)
        pair->doubt |= doubt_of(DOUBT_COARSE_CLOCK);
    figure_bounds(figure, &pair->ns, &pair->ns_low, &pair->ns_high);
    pair->ns_min = ns[0];
    pair->ns_max = ns[HANDOFF_LINES - 1];
    return figure;
}

/* Up to many steps of the clock, for a core of any frequency. */
static uint32_t wait_cycles(const struct measure *m)
{
    const struct clock_info *clock = &m->machine->description->clock;

    return (uint32_t)(WAIT_STEPS * CYCLES_NS_MAX * clock->resolution_ticks * 1e9 /
                      (double)clock->hz);
}

static enum status run_kind(struct measure *m, const struct window *w, struct handoff_plan *plan,
                            const char **why)
{
    const struct machine *machine = m->machine;
    struct fault_info fault = {.kind = 0};
    enum status status;

    plan->why = NULL;
    status = machine->handoff_run(machine->self, w, plan, &fault);
    /* A thread that has lost its CPU for a while answers the second time. */
    if (status == STATUS_ABORTED)
        status = machine->handoff_run(machine->self, w, plan, &fault);
    *why = NULL;
    if (status == STATUS_UNSUPPORTED)
        *why = plan->why != NULL ? plan->why : "these two cannot run at the same time here";
    else if (status == STATUS_ABORTED)
        *why = "the other CPU did not answer in time";
    return measure_leave_section(m, status == STATUS_FAULT ? STATUS_FAULT : STATUS_OK, &fault);
}

/* A line whose home is at neither of them is far for that reason. */
static bool is_at_home(const struct measure *m, uint32_t cpu)
{
    uint32_t node = m->machine->description->cpus[cpu].node;

    return m->handoff.home_node == RECORD_UNKNOWN || node == NODE_UNKNOWN ||
           m->handoff.home_node == node;
}

static void keep(struct measure *m, uint32_t a, uint32_t b, struct figure figure)
{
    const struct cpu_info *cpus = m->machine->description->cpus;
    enum topology_apart kind = topology_apart(&cpus[a], &cpus[b]);

    if (!is_at_home(m, a) && !is_at_home(m, b))
        return;
    if (m->handoff.apart[kind].count++ == 0 || figure.value < m->handoff.apart[kind].low_ns)
        m->handoff.apart[kind].low_ns = figure.value;
    if (figure.value < m->handoff.apart[kind].high_ns)
        return;
    m->handoff.apart[kind].high_ns = figure.value;
    m->handoff.apart[kind].high_error_ns = figure.error;
    m->handoff.apart[kind].far[0] = a;
    m->handoff.apart[kind].far[1] = b;
}

/* ---- all pairs */

static void emit(const struct measure *m, const struct record_pair *pair)
{
    struct record record = {.kind = RECORD_PAIR, .u.pair = *pair};

    journal_emit(m->journal, &record);
}

static enum status measure_pair(struct measure *m, const struct point *point,
                                const struct window *w, uint32_t a, uint32_t b)
{
    struct handoff_run *run = &m->handoff;
    double timing_ticks, timing_error_ticks;
    struct handoff_plan plan = {.cpu = a,
                                .other = b,
                                .line = run->line,
                                .lines = HANDOFF_LINES,
                                .control = run->control,
                                .warm_rounds = WARM_ROUNDS,
                                .rounds = HANDOFF_ROUNDS,
                                .batch = BATCH,
                                .ticks = run->ticks,
                                .wait_cycles = wait_cycles(m),
                                .timing_ticks = &timing_ticks,
                                .timing_error_ticks = &timing_error_ticks,
                                .limit_ns = LIMIT_NS};

    for (plan.kind = HANDOFF_CLEAN; plan.kind < HANDOFF_KINDS; plan.kind++) {
        struct record_pair pair = record_of(m, point, a, b, plan.kind);
        enum status status = run_kind(m, w, &plan, &pair.why);
        struct figure figure;
        if (status != STATUS_OK)
            return status;
        if (pair.why == NULL) {
            figure = conclude(m, &plan, &pair);
            if (plan.kind == HANDOFF_SWAP)
                keep(m, a, b, figure);
        }
        emit(m, &pair);
    }
    return STATUS_OK;
}

static void leave_out(struct measure *m, const struct point *point, uint32_t a, uint32_t b,
                      const char *why)
{
    for (enum handoff_kind kind = HANDOFF_CLEAN; kind < HANDOFF_KINDS; kind++) {
        struct record_pair pair = record_of(m, point, a, b, kind);
        pair.why = why;
        emit(m, &pair);
    }
    m->handoff.left_out++;
}

static enum status measure_pairs(struct measure *m, const struct point *point,
                                 const struct window *w)
{
    const char *name = experiment_list[point->experiment].name;
    struct handoff_run *run = &m->handoff;
    double all = (double)run->cpus * (run->cpus - 1) / 2 * run->home_of;
    struct topology_pairs pairs;
    uint32_t a, b;

    topology_pairs_start(&pairs, m->machine->description->cpus, run->cpu, run->cpus);
    while (topology_pairs_next(&pairs, &a, &b)) {
        const char *why = run->why[a] != NULL ? run->why[a] : run->why[b];
        enum status status;
        if (why == NULL && time_now_ns(m->machine) >= run->deadline_ns)
            why = left_out_reason(LEFT_OVER_BUDGET);
        if (why != NULL) {
            leave_out(m, point, a, b, why);
            continue;
        }
        status = measure_pair(m, point, w, a, b);
        if (status != STATUS_OK)
            return status;
        run->done++;
        if (!measure_works_on(m, name, (run->done + run->left_out) / all, run->begun_ns))
            return STATUS_ABORTED;
        (void)measure_save(m);
    }
    return STATUS_OK;
}

static void note_far(struct measure *m)
{
    const struct cpu_info *cpus = m->machine->description->cpus;

    for (uint32_t kind = 0; kind < APARTS; kind++) {
        double high_ns = m->handoff.apart[kind].high_ns, low_ns = m->handoff.apart[kind].low_ns;
        if (m->handoff.apart[kind].count < 2 ||
            high_ns - FIGURE_ERRORS * m->handoff.apart[kind].high_error_ns < FAR_RATIO * low_ns)
            continue;
        journal_note_format(
            m->journal, SEVERITY_WARNING, "CPUs of one kind are not equally far apart",
            "%s: CPU %u and CPU %u take %.1f ns for a swap, the nearest pair %.1f ns",
            topology_apart_name((enum topology_apart)kind),
            cpus[m->handoff.apart[kind].far[0]].number, cpus[m->handoff.apart[kind].far[1]].number,
            high_ns, low_ns);
    }
}

static void note_what_is_missing(struct measure *m)
{
    const struct handoff_run *run = &m->handoff;

    if (run->cpus < 2)
        journal_note_format(m->journal, SEVERITY_WARNING, "handoff: no pair of CPUs",
                            m->machine->description->cpu_count < 2
                                ? "the machine lists no other CPU"
                                : "cpus=%s takes one or none",
                            m->options->cpus);
    if (run->left_out != 0)
        journal_note_format(m->journal, SEVERITY_WARNING, "handoff: pairs left out",
                            "%u of %u; their records say why", run->left_out,
                            run->left_out + run->done);
}

/* Points of the plan that hand over lines, and how many of them are not over yet. */
static uint32_t homes_left(const struct plan *plan, uint32_t *all)
{
    uint32_t left = 0;

    *all = 0;
    for (uint32_t i = 0; i < plan->point_count; i++)
        if (plan->point[i].work_kind == POINT_HANDOFF) {
            (*all)++;
            left += !plan->point[i].over;
        }
    return left;
}

/* What is left of the budget is for all homes alike. */
static void begin(struct measure *m)
{
    struct handoff_run *run = &m->handoff;
    uint64_t now_ns = time_now_ns(m->machine), end_ns = m->plan->budget.deadline_ns;
    uint32_t left = homes_left(m->plan, &run->home_of);

    if (run->homes++ == 0) {
        run->begun_ns = now_ns;
        choose_cpus(m);
    }
    run->deadline_ns = now_ns < end_ns ? now_ns + (end_ns - now_ns) / (left != 0 ? left : 1) : 0;
}

enum status handoff_measure(struct measure *m, struct point *point, const struct window *w)
{
    enum status status;

    begin(m);
    point->prefetch = controls_prefetch_state(&m->controls);
    point->recorded = true;
    choose_lines(m, point, w);
    status = measure_pairs(m, point, w);
    if (m->handoff.homes < m->handoff.home_of)
        return status;
    note_far(m);
    note_what_is_missing(m);
    return status;
}
