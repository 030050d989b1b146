/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries the miss counter on loads that are known to hit or to miss. */
#include "core/measure/run.h"

/* Few enough that any first-level cache holds their lines, many enough that a single miscounted
 * load is far below what witness_judge allows. */
#define TRY_LOADS 192

/* The share of TRY_LOADS loads from the chain's start that was counted as misses; flushed: each
 * line is flushed before its load. */
static enum status count(struct measurement *run, bool flushed, double *share)
{
    const struct machine *machine = run->m->machine;
    uint64_t ticks;
    struct chase_plan plan = {.kernel = KERNEL_CYCLE,
                              .cpu = run->point->cpu,
                              .chains = 1,
                              .load = flushed ? LOAD_FLUSH : LOAD_PLAIN,
                              .line_bytes = run->chain.line_bytes,
                              .base = run->w->base,
                              .lines = run->chain.order->lines,
                              .stride_bytes = run->chain.stride_bytes,
                              .hops = TRY_LOADS,
                              .samples = 1,
                              .ticks = &ticks,
                              .start = run->cursor};
    struct chase_result result = {.samples = 0};
    struct witness_counts counts = {.accesses = 0};
    enum status status = machine->chase_run(machine->self, run->w, &plan, &result);

    if (status == STATUS_FAULT)
        diagnose_chain(&run->m->diagnosis, run->point, run->w, &run->chain, &result.fault, 0, 0);
    witness_add(&counts, &result.delta, TRY_LOADS);
    *share = witness_missed(&counts);
    return status;
}

static void note_unsound(const struct measurement *run, const struct witness *witness)
{
    const struct counter_event *event = &run->m->machine->description->llc_misses;

    journal_note_format(run->m->journal, SEVERITY_WARNING, "counters are not used",
                        "%s counted %.1f %% of loads that must miss, and %.1f %% of loads that "
                        "must hit",
                        event->name, 100 * witness->known_misses, 100 * witness->known_hits);
}

enum status point_try_witness(struct measurement *run)
{
    const struct machine_description *d = run->m->machine->description;
    uint64_t nodes = run->chain.order->lines / run->point->chains;
    struct witness *witness = &run->m->witness;
    enum status status;
    double ignored;

    if (witness->state != WITNESS_UNTRIED || d->llc_misses.name == NULL ||
        run->point->kernel != KERNEL_CYCLE || !(d->loads >> LOAD_FLUSH & 1) || nodes < TRY_LOADS)
        return STATUS_OK;
    status = count(run, true, &witness->known_misses);
    if (status == STATUS_OK)
        status = count(run, false, &ignored);
    if (status == STATUS_OK)
        status = count(run, false, &witness->known_hits);
    if (status != STATUS_OK)
        return status;
    witness_judge(witness);
    if (witness->state == WITNESS_UNSOUND)
        note_unsound(run, witness);
    return STATUS_OK;
}
