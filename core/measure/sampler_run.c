/* SPDX-License-Identifier: BSD-2-Clause */
/* Has the CPU's sampler follow loads of a point, beside its timed samples. */
#include "core/lib/real.h"
#include "core/measure/run.h"
#include "core/measure/time.h"

/* Longer than the hardware's least period, so that each sample has an op followed to its end. */
#define SAMPLE_HOPS 192
/* A sampler that gives fewer is given up. */
#define SAMPLES_PER_LOAD 4

void measure_try_sampler(struct measure *m)
{
    const struct machine *machine = m->machine;
    struct sampler_report *report = &m->sampler.report;

    if (m->options->witness != WITNESS_IBS)
        return;
    *report = (struct sampler_report){.why = "this machine has no sampler of ops"};
    if (machine->sampler_try != NULL)
        machine->sampler_try(machine->self, report);
    m->plan->sampler = report->why == NULL;
    if (report->why != NULL)
        journal_note(m->journal, SEVERITY_WARNING, "witness=ibs is not possible", report->why);
}

/* One quiet section from *cursor on. */
static enum status follow(struct measurement *run, struct chase_cursor *cursor)
{
    const struct machine *machine = run->m->machine;
    struct sampler *sampler = &run->m->sampler;
    struct chase_plan plan = {.kernel = KERNEL_CYCLE,
                              .cpu = run->point->cpu,
                              .chains = 1,
                              .line_bytes = run->chain.line_bytes,
                              .base = run->w->base,
                              .lines = run->chain.order->lines,
                              .stride_bytes = run->chain.stride_bytes,
                              .hops = SAMPLE_HOPS,
                              .samples = SAMPLER_CHUNKS,
                              .ticks = sampler->ticks,
                              .limit_ns = (uint64_t)(2 * POINT_SLICE_NS),
                              .sampled = &sampler->load[sampler->loads],
                              .start = *cursor};
    struct chase_result result = {.samples = 0};
    enum status status = machine->chase_run(machine->self, run->w, &plan, &result);

    if (status == STATUS_FAULT)
        diagnose_chain(&run->m->diagnosis, run->point, run->w, &run->chain, &result.fault, 0, 0);
    if (status != STATUS_OK)
        return status;
    sampler_keep(sampler, result.samples, result.sampled, run->w->base, run->point->bytes);
    *cursor = result.end;
    return measure_go_on(run->m);
}

static bool wants_more(const struct sampler *sampler)
{
    return sampler->loads < SAMPLER_LOADS && sampler->samples < SAMPLER_LOADS * SAMPLES_PER_LOAD;
}

static enum status follow_set(struct measurement *run)
{
    struct chase_cursor cursor = run->cursor;
    enum status status = STATUS_OK;

    sampler_forget(&run->m->sampler);
    while (status == STATUS_OK && wants_more(&run->m->sampler))
        status = follow(run, &cursor);
    return status;
}

static void note_unsound(const struct measurement *run)
{
    const struct sampler *sampler = &run->m->sampler;
    const struct witness *trial = &sampler->trial;

    if (!real_is_nan(trial->known_hits) && !real_is_nan(trial->known_misses))
        journal_note_format(run->m->journal, SEVERITY_WARNING, "ibs is not used",
                            "it saw %.1f %% of loads that must miss the first-level cache, and "
                            "%.1f %% of loads that must hit it, as misses",
                            100 * trial->known_misses, 100 * trial->known_hits);
    else
        journal_note_format(run->m->journal, SEVERITY_WARNING, "ibs is not used",
                            "of %u samples it followed an op in %u, of which %u were loads of the "
                            "set, and at least %u at several addresses are needed",
                            sampler->samples, sampler->ops, sampler->loads, SAMPLER_KNOWN);
}

/* Keeps which share of the point's loads missed, and judges once both shares are known, or one
 * cannot be had. */
static void judge(struct measurement *run)
{
    struct sampler *sampler = &run->m->sampler;
    double missed = sampler_missed(sampler);

    if (run->point->sampled == SAMPLED_HITS)
        sampler->trial.known_hits = missed;
    else
        sampler->trial.known_misses = missed;
    sampler->tried |= 1u << run->point->sampled;
    if (!real_is_nan(missed) && sampler->tried != (1u << SAMPLED_HITS | 1u << SAMPLED_MISSES))
        return;
    witness_judge(&sampler->trial);
    if (sampler->trial.state == WITNESS_UNSOUND)
        note_unsound(run);
}

enum status point_sample_loads(struct measurement *run)
{
    struct measure *m = run->m;
    enum status status;

    if (run->point->sampled == SAMPLED_NOT || m->sampler.trial.state == WITNESS_UNSOUND)
        return STATUS_OK;
    status = follow_set(run);
    run->loads = sampler_summary(&m->sampler);
    if (status == STATUS_OK && run->point->sampled != SAMPLED_LOADS)
        judge(run);
    return status == STATUS_LATE ? STATUS_OK : status;
}
