/* SPDX-License-Identifier: BSD-2-Clause */
/* A point's quiet sections. */
#include "core/measure/run.h"
#include "core/measure/time.h"

static void add_counter(uint64_t delta, uint64_t *sum, bool *known)
{
    if (delta == MACHINE_UNKNOWN)
        return;
    *sum += delta;
    *known = true;
}

/* The first chain whose cursor is not where it must be; the number of chains: none. */
static uint32_t strayed(const struct measurement *run, uintptr_t *expected)
{
    for (uint32_t k = 0; k < run->point->chains; k++) {
        *expected = chain_after(&run->chain, run->w, k, run->position);
        if (run->cursor.next[k] != *expected)
            return k;
    }
    return run->point->chains;
}

static void add_result(struct measurement *run, const struct chase_result *result,
                       uint64_t warm_hops)
{
    run->cursor = result->end;
    run->position += result->hops_done;
    run->warm_hops_done += warm_hops;
    point_clock_add(run, result, run->samples);
    if (run->samples == 0)
        run->counted = (struct witness_counts){.accesses = 0};
    witness_add(&run->counted, &result->delta, run->hops * run->point->chains * result->samples);
    point_load_add(run, result->hops_done, result->samples);
    run->samples += result->samples;
    run->frequency = result->frequency;
    add_counter(result->delta.smi, &run->smi, &run->smi_known);
    add_counter(result->delta.machine_checks, &run->machine_checks, &run->machine_checks_known);
    if (run->point->load != LOAD_FLUSH)
        return;
    run->single_count++;
    run->single_ticks += (result->single_ticks - run->single_ticks) / run->single_count;
}

enum status point_enter(struct measurement *run, uint64_t warm_hops, uint32_t samples)
{
    struct measure *m = run->m;
    const struct point *point = run->point;
    enum status status = point_load_space(run);
    struct chase_plan plan = {.kernel = point->kernel,
                              .cpu = point->cpu,
                              .chains = point->chains,
                              .load = point->load,
                              .hint = point->hint,
                              .work = point->work,
                              .line_bytes = run->chain.line_bytes,
                              .base = run->w->base,
                              .lines = run->chain.order->lines,
                              .stride_bytes = run->chain.stride_bytes,
                              .warm_hops = warm_hops,
                              .hops = run->hops,
                              .samples = samples,
                              .ticks = m->samples.ticks + run->samples,
                              .disturbed = m->samples.disturbed + run->samples,
                              .limit_ns = (uint64_t)(2 * POINT_SLICE_NS),
                              .done = point_load_done(run),
                              .start = run->cursor};
    struct chase_result result = {.samples = 0};
    uintptr_t expected = 0;
    uint32_t astray;

    if (status == STATUS_OK)
        status = m->machine->chase_run(m->machine->self, run->w, &plan, &result);
    if (status == STATUS_FAULT)
        diagnose_chain(&m->diagnosis, point, run->w, &run->chain, &result.fault, 0, 0);
    if (status != STATUS_OK)
        return status;
    add_result(run, &result, warm_hops);
    if (point->kernel != KERNEL_CYCLE)
        return STATUS_OK;
    astray = strayed(run, &expected);
    if (astray == point->chains)
        return STATUS_OK;
    diagnose_chain(&m->diagnosis, point, run->w, &run->chain, NULL, expected,
                   run->cursor.next[astray]);
    return STATUS_FAULT;
}

bool point_sample_is_long(const struct measurement *run)
{
    return (double)run->hops * run->hop_ns > 2 * POINT_SLICE_NS;
}

enum status point_enter_long(struct measurement *run, uint64_t warm_hops)
{
    struct measure *m = run->m;
    uint32_t slot = run->samples;
    uint64_t whole = run->hops, left = whole, sum = 0;
    uint64_t part = (uint64_t)(POINT_SLICE_NS / run->hop_ns) + 1;
    double hz = 0;
    bool disturbed = false;
    enum status status = STATUS_OK;

    while (left > 0 && status == STATUS_OK) {
        run->hops = left < part ? left : part;
        status = point_enter(run, warm_hops, 1);
        run->samples = slot;
        if (status != STATUS_OK)
            break;
        sum += m->samples.ticks[slot];
        disturbed = disturbed || m->samples.disturbed[slot];
        hz += point_clock_part(run) * (double)run->hops / (double)whole;
        left -= run->hops;
        if (left > 0)
            status = point_poll(run);
    }
    run->hops = whole;
    if (status != STATUS_OK)
        return status;
    m->samples.ticks[slot] = sum;
    m->samples.disturbed[slot] = disturbed;
    m->samples.hz[slot] = hz;
    run->samples = slot + 1;
    return STATUS_OK;
}
