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
static enum status follow(struct measurement *run, struct chase_cursor *cursor, uint32_t samples)
{
    const struct machine *machine = run->m->machine;
    struct sampler *sampler = &run->m->sampler;
    struct chase_plan plan = {.kernel = KERNEL_CYCLE,
                              .chains = 1,
                              .line_bytes = run->chain.line_bytes,
                              .base = run->w->base,
                              .lines = run->chain.order->lines,
                              .stride_bytes = run->chain.stride_bytes,
                              .hops = SAMPLE_HOPS,
                              .samples = samples,
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

static bool wants_more(const struct sampler *sampler, uint32_t loads)
{
    return sampler->loads < loads && sampler->samples < loads * SAMPLES_PER_LOAD;
}

/* What is to be flushed: the nodes from a position of the chain on. */
struct path {
    const struct chain *chain;
    void (*flush)(const void *address);
};

static void flush_path(void *arg, const struct window *w, uint64_t first, uint64_t end)
{
    const struct path *path = arg;

    for (uint64_t i = first; i < end; i++)
        path->flush((const void *)chain_after(path->chain, w, 0, i));
}

/* Loads of lines that were just flushed: no cache has them. */
static enum status follow_misses(struct measurement *run, struct chase_cursor *cursor)
{
    struct path path = {.chain = &run->chain, .flush = run->m->machine->line_flush};
    uint64_t laps = chain_length(&run->chain) / SAMPLE_HOPS, position = run->position;
    uint32_t samples = laps < SAMPLER_CHUNKS ? (uint32_t)laps : SAMPLER_CHUNKS;
    struct fault_info fault = {.kind = 0};
    enum status status = STATUS_OK;

    sampler_forget(&run->m->sampler);
    *cursor = run->cursor;
    while (samples != 0 && status == STATUS_OK && wants_more(&run->m->sampler, SAMPLER_KNOWN)) {
        uint64_t end = position + samples * SAMPLE_HOPS;

        status = point_work(run, flush_path, &path, position, end, &fault);
        if (status == STATUS_FAULT)
            diagnose_chain(&run->m->diagnosis, run->point, run->w, &run->chain, &fault, 0, 0);
        if (status == STATUS_OK)
            status = follow(run, cursor, samples);
        position = end;
    }
    return status;
}

static enum status follow_set(struct measurement *run, struct chase_cursor *cursor)
{
    enum status status = STATUS_OK;

    sampler_forget(&run->m->sampler);
    *cursor = run->cursor;
    while (status == STATUS_OK && wants_more(&run->m->sampler, SAMPLER_LOADS))
        status = follow(run, cursor, SAMPLER_CHUNKS);
    return status;
}

static void note_unsound(const struct measurement *run)
{
    const struct sampler *sampler = &run->m->sampler;
    const struct witness *trial = &sampler->trial;

    if (trial->known_hits >= 0 && trial->known_misses >= 0)
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

/* The point's loads must hit, as sampled already; the same, flushed, must miss. */
static enum status judge(struct measurement *run)
{
    struct sampler *sampler = &run->m->sampler;
    struct chase_cursor cursor;
    enum status status = STATUS_OK;

    sampler->trial.known_hits = sampler_missed(sampler);
    sampler->trial.known_misses = real_nan();
    if (sampler->trial.known_hits >= 0) {
        status = follow_misses(run, &cursor);
        sampler->trial.known_misses = sampler_missed(sampler);
    }
    if (status != STATUS_OK)
        return status;
    witness_judge(&sampler->trial);
    if (sampler->trial.state == WITNESS_UNSOUND)
        note_unsound(run);
    return STATUS_OK;
}

enum status point_sample_loads(struct measurement *run)
{
    struct measure *m = run->m;
    struct chase_cursor cursor;
    enum status status;

    if (run->point->sampled == SAMPLED_NOT || m->sampler.trial.state == WITNESS_UNSOUND)
        return STATUS_OK;
    status = follow_set(run, &cursor);
    run->loads = sampler_summary(&m->sampler);
    if (status == STATUS_OK && run->point->sampled == SAMPLED_HITS)
        status = judge(run);
    return status == STATUS_LATE ? STATUS_OK : status;
}
