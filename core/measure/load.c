/* SPDX-License-Identifier: BSD-2-Clause */
/* Other CPUs load memory, or are kept awake, while a point is chased. */
#include "core/lib/real.h"
#include "core/measure/run.h"
#include "core/measure/time.h"
#include "core/options/experiments.h"
#include "core/measure/at_work.h"

/* As many sections say how far their rates scatter. */
#define SECTIONS_MIN 6
/* The other CPUs of a busy host may be somebody else's most of the time: so many sections without
 * them are enough to know. */
#define GAPS_MAX 30

/* Of the way from one CPU to the next on a ring: one that comes nearer to another than the rest of
 * it could find lines in caches that the other one has just brought there. */
#define DRIFT_SHARE 0.25

/* A CPU that wakes more often than this is awake for much of the time. */
#define WAKE_APART_S 20e-6

/* Lines of a chain from one CPU to the next. */
static uint64_t spacing(const struct measurement *run)
{
    return chain_length(&run->chain) / (run->point->traffic.cpus + 1);
}

/* The chase's CPU is number 0 of those that go round the chains. */
static struct traffic chaser_of(const struct measurement *run, uint32_t i)
{
    uint64_t ahead = run->position + spacing(run) * (i + 1);
    struct traffic traffic = {.kind = TRAFFIC_CHASE, .chains = run->point->chains};

    for (uint32_t k = 0; k < run->point->chains; k++)
        traffic.start.next[k] = chain_after(&run->chain, run->w, k, ahead);
    return traffic;
}

static struct traffic loader_of(const struct measurement *run, uint32_t i)
{
    const struct point_traffic *load = &run->point->traffic;
    uint64_t offset = sampling_load_offset(run->point) + i * load->each_bytes;

    return (struct traffic){.kind = load->kind,
                            .base = run->w->base + (uintptr_t)offset,
                            .lines = load->each_bytes / run->chain.line_bytes,
                            .random = load->random,
                            .pause_cycles = load->pause_cycles};
}

enum status point_load_start(struct measurement *run)
{
    struct measure *m = run->m;
    const struct machine *machine = m->machine;
    struct load_run *load = &m->load;
    bool rests = at_work_rests(run->point);
    uint32_t place = 0;
    enum status status;

    load->count = run->point->traffic.cpus;
    if (load->count == 0)
        return STATUS_OK;
    for (uint32_t i = 0; i < load->count; i++) {
        load->traffic[i] =
            run->point->traffic.kind == TRAFFIC_CHASE ? chaser_of(run, i) : loader_of(run, i);
        load->traffic[i].cpu = at_work_next(m->plan, run->point, &place);
        if (at_work_parks(m->plan, run->point, load->traffic[i].cpu))
            load->traffic[i].kind = TRAFFIC_PARK;
    }
    status = machine->load_start(machine->self, run->w, run->point->cpu, load->traffic, load->count,
                                 &load->why);
    load->in_force = status == STATUS_OK;
    load->apart = false;
    for (uint32_t i = 0; i < load->count; i++)
        load->drift[i] = 0;
    if (status == STATUS_UNSUPPORTED)
        journal_note_about(
            m->journal, SEVERITY_WARNING, experiment_list[run->point->experiment].name,
            rests ? "CPUs cannot run beside the chase" : "CPUs cannot load memory beside the chase",
            "%u of them: %s", load->count, load->why);
    return status;
}

void point_load_stop(struct measurement *run)
{
    const struct machine *machine = run->m->machine;

    if (run->m->load.in_force)
        machine->load_stop(machine->self);
    run->m->load.in_force = false;
}

void point_load_spread(struct measurement *run)
{
    run->m->load.apart = true;
}

enum status point_load_space(struct measurement *run)
{
    if (!run->m->load.in_force || !run->m->load.apart || run->point->traffic.kind != TRAFFIC_CHASE)
        return STATUS_OK;
    point_load_stop(run);
    return point_load_start(run);
}

struct traffic_done *point_load_done(struct measurement *run)
{
    return run->m->load.in_force ? run->m->load.done : NULL;
}

static void forget(struct load_run *load)
{
    for (uint32_t i = 0; i < load->count; i++)
        load->account[i] = (struct rate_account){.stretches = 0};
    load->total = (struct rate_account){.stretches = 0};
    load->read_lines = load->written_lines = load->parked_s = 0;
    load->wakes = 0;
    load->gaps = 0;
}

/* Of a section of so many samples, the latest one. */
static uint64_t section_ticks(const struct measurement *run, uint32_t samples)
{
    uint64_t ticks = 0;

    for (uint32_t i = 0; i < samples; i++)
        ticks += run->m->samples.ticks[run->samples + i];
    return ticks;
}

/* How far each of the others went beyond what the chase did, in hops of each chain, in a section of
 * so many hops and samples: by their paces. */
static void drift(struct measurement *run, uint64_t hops, uint32_t samples)
{
    struct load_run *load = &run->m->load;
    double pace = (double)samples * (double)run->hops / (double)section_ticks(run, samples);

    for (uint32_t i = 0; i < load->count && run->point->traffic.kind == TRAFFIC_CHASE; i++) {
        double others = (double)load->done[i].read_lines / run->point->chains;
        load->drift[i] += (double)hops * (others / (double)load->done[i].ticks / pace - 1);
        if (!(real_abs(load->drift[i]) < DRIFT_SHARE * (double)spacing(run)))
            load->apart = true;
    }
}

/* Those that are parked tell nothing until they are woken: they were, from before the section's
 * first sample to behind its last one. */
static void add_parked(struct measurement *run, uint32_t samples)
{
    struct load_run *load = &run->m->load;
    uint64_t ticks = section_ticks(run, samples);

    for (uint32_t i = 0; i < load->count; i++) {
        if (load->traffic[i].kind != TRAFFIC_PARK)
            continue;
        load->wakes += load->done[i].wakes;
        load->parked_s += (double)ticks * time_tick_ns(run->m->machine) * 1e-9;
        load->done[i] = (struct traffic_done){.ticks = ticks};
    }
}

/* A hypervisor or an emulator may take a halt for nothing. */
static void doubt_parked(struct measurement *run)
{
    struct load_run *load = &run->m->load;

    if (!((double)load->wakes * WAKE_APART_S > load->parked_s))
        return;
    run->point->result.doubt |= doubt_of(DOUBT_DISTURBED);
    if (!load->told_wakes)
        journal_note_about(run->m->journal, SEVERITY_WARNING,
                           experiment_list[run->point->experiment].name,
                           "parked CPUs do not stay halted", "they woke %lu times in %.1f ms",
                           load->wakes, load->parked_s * 1e3);
    load->told_wakes = true;
}

static bool all_ran(const struct load_run *load)
{
    for (uint32_t i = 0; i < load->count; i++)
        if (load->done[i].ticks == 0)
            return false;
    return true;
}

/* Rates of one section add up, whatever their stretches' ends. Samples without the whole load
 * beside them are disturbed ones, which no mean is made of. */
void point_load_add(struct measurement *run, uint64_t hops, uint32_t samples)
{
    struct load_run *load = &run->m->load;
    double tick_s = time_tick_ns(run->m->machine) * 1e-9, rates = 0, longest_s = 0;

    if (!load->in_force)
        return;
    if (run->samples == 0)
        forget(load);
    add_parked(run, samples);
    if (!all_ran(load)) {
        load->gaps++;
        for (uint32_t i = 0; i < samples; i++)
            run->m->samples.disturbed[run->samples + i] = true;
        return;
    }
    drift(run, hops, samples);
    for (uint32_t i = 0; i < load->count; i++) {
        const struct traffic_done *done = &load->done[i];
        double lines = (double)done->read_lines + (double)done->written_lines;
        double seconds = (double)done->ticks * tick_s;
        rate_add(&load->account[i], lines, seconds);
        load->read_lines += (double)done->read_lines;
        load->written_lines += (double)done->written_lines;
        rates += lines / seconds;
        longest_s = seconds > longest_s ? seconds : longest_s;
    }
    rate_add(&load->total, rates * longest_s, longest_s);
}

bool point_load_owes(const struct measurement *run)
{
    const struct load_run *load = &run->m->load;

    return load->in_force && load->total.stretches < SECTIONS_MIN && load->gaps < GAPS_MAX;
}

/* Mean time of a hop over the CPUs that chase. Their errors are taken as independent. */
static struct figure mean_hop(const struct measurement *run)
{
    const struct load_run *load = &run->m->load;
    struct figure sum = {0, 0}, hop = {run->point->chains * 1e9, 0};

    for (uint32_t i = 0; i < load->count; i++)
        sum = figure_sum(sum, figure_ratio(hop, rate_figure(&load->account[i])));
    return figure_scaled(sum, 1.0 / load->count);
}

void point_load_conclude(struct measurement *run)
{
    struct load_run *load = &run->m->load;
    struct traffic_result *result = &run->point->result.traffic;
    double lines = load->read_lines + load->written_lines;
    uint32_t first = run->point->traffic.share;

    *result = (struct traffic_result){.bytes_per_s = figure_unknown(), .ns = figure_unknown()};
    if (run->point->traffic.cpus == 0)
        return;
    doubt_parked(run);
    for (uint32_t i = 0; i < load->count && first != 0 && first + i < LOAD_SHARES_MAX; i++)
        load->share[first + i].lines_per_s = rate_figure(&load->account[i]);
    if (load->total.stretches < SECTIONS_MIN && load->gaps > load->total.stretches)
        return;
    /* One that touches no memory did all that was asked of it by running. */
    if (at_work_rests(run->point) ? load->total.stretches == 0 : !(lines > 0))
        return;
    result->known = true;
    result->bytes_per_s = figure_scaled(rate_figure(&load->total), run->chain.line_bytes);
    result->written_share = lines > 0 ? load->written_lines / lines : 0;
    if (run->point->traffic.kind == TRAFFIC_CHASE)
        result->ns = mean_hop(run);
}
