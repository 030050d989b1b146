/* SPDX-License-Identifier: BSD-2-Clause */
/* Chases of cold chains: each line is visited once after it was written. */
#include "core/measure/regions_run.h"
#include "core/measure/time.h"
#include "core/stats/stats.h"

#define SHORTER 4
/* Error records of all chains and of one. */
#define ERRORS_MAX     256
#define CHAIN_TOLD_MAX 8

enum status regions_go_on(struct measure *m)
{
    uint64_t now_ns = time_now_ns(m->machine);

    measure_show(m, m->plan->current->experiment);
    if (m->machine->abort_requested(m->machine->self))
        return STATUS_ABORTED;
    (void)measure_save(m);
    if (m->lenient)
        return STATUS_OK;
    return budget_left_s(&m->plan->budget, now_ns) > 0 ? STATUS_OK : STATUS_LATE;
}

static uintptr_t address_of(const struct measure *m, const struct window *w, uint64_t line)
{
    return w->base + (uintptr_t)(line * m->machine->description->line_bytes);
}

/* All samples, in as many quiet sections as they need; *fault: a pointer led out of the window. */
static enum status chase(struct measure *m, const struct window *w, uint32_t warm_hops,
                         struct chase_cursor *cursor, struct fault_info *fault)
{
    const struct machine *machine = m->machine;
    uint32_t taken = 0;

    while (taken < m->regions.samples) {
        struct chase_plan plan = {.kernel = KERNEL_CYCLE,
                                  .chains = 1,
                                  .line_bytes = machine->description->line_bytes,
                                  .warm_hops = taken == 0 ? warm_hops : 0,
                                  .hops = m->regions.hops,
                                  .samples = m->regions.samples - taken,
                                  .ticks = m->samples.ticks + taken,
                                  .disturbed = m->samples.disturbed + taken,
                                  .start = *cursor};
        struct chase_result result = {.samples = 0};
        enum status status = machine->chase_run(machine->self, w, &plan, &result);

        *fault = result.fault;
        if (status != STATUS_OK)
            return status;
        *cursor = result.end;
        taken += result.samples;
        status = taken < m->regions.samples ? regions_go_on(m) : STATUS_OK;
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status chase_lap(struct measure *m, const struct window *w, uint32_t warm_hops,
                             uint64_t start, bool *astray, struct fault_info *fault,
                             uintptr_t *stands)
{
    struct chase_cursor cursor = {.next = {address_of(m, w, start)}};
    enum status status = chase(m, w, warm_hops, &cursor, fault);

    *stands = cursor.next[0];
    *astray = status == STATUS_FAULT ||
              (status == STATUS_OK && cursor.next[0] != address_of(m, w, start));
    return status;
}

/* Where all of memory is wrong, each block has a share of the records. */
static enum status diagnose(struct measure *m, const struct window *w, uint32_t lines,
                            enum status status, const struct fault_info *fault, uintptr_t expected,
                            uintptr_t stands)
{
    struct regions_run *run = &m->regions;
    uint32_t left = ERRORS_MAX - run->told_nodes;
    struct chain chain = regions_chain(m, m->regions.line, 1, lines);

    run->told_nodes += diagnose_some(&m->diagnosis, m->plan->current, w, &chain,
                                     status == STATUS_FAULT ? fault : NULL, expected, stands,
                                     left < CHAIN_TOLD_MAX ? left : CHAIN_TOLD_MAX);
    run->wrong_nodes += m->diagnosis.check.errors != 0 ? m->diagnosis.check.errors : 1;
    run->astray = true;
    run->stands = status == STATUS_FAULT ? 0 : stands;
    return STATUS_FAULT;
}

enum status regions_chase_list(struct measure *m, const struct window *w, uint32_t lines,
                               uint32_t warm_hops, uint64_t start)
{
    struct fault_info fault = {.kind = 0};
    uintptr_t stands;
    bool astray;
    enum status status = chase_lap(m, w, warm_hops, start, &astray, &fault, &stands);

    return astray ? diagnose(m, w, lines, status, &fault, address_of(m, w, start), stands) : status;
}

enum status regions_chase(struct measure *m, const struct window *w, struct region_span span,
                          uint32_t lines, struct random random, uint64_t start)
{
    struct fault_info fault = {.kind = 0};
    uintptr_t stands;
    bool astray;
    enum status status = chase_lap(m, w, m->regions.warm_hops, start, &astray, &fault, &stands);

    if (!astray)
        return status;
    regions_draw(m, m->regions.line, span, lines, random);
    return diagnose(m, w, lines, status, &fault, address_of(m, w, start), stands);
}

struct regions_chain regions_shorten(struct regions_run *run)
{
    struct regions_chain whole = {run->lines, run->hops, run->samples};
    uint32_t most;

    run->hops /= SHORTER;
    most = (run->lines - run->warm_hops) / run->hops;
    run->samples = most < MEASURE_SAMPLES_MAX ? most : MEASURE_SAMPLES_MAX;
    run->lines = run->warm_hops + run->samples * run->hops;
    return whole;
}

void regions_lengthen(struct regions_run *run, const struct regions_chain *whole)
{
    run->lines = whole->lines;
    run->hops = whole->hops;
    run->samples = whole->samples;
}

void regions_figures(struct measure *m, struct region_figures *figures)
{
    double quantum = m->machine->description->clock.resolution_ticks;
    double hop_ns = 1e9 / (double)m->machine->description->clock.hz / m->regions.hops;
    uint32_t count = m->regions.samples;
    struct stats stats;
    double middle, error;

    for (uint32_t i = 0; i < count; i++)
        m->samples.sorted[i] = m->samples.ticks[i];
    stats_of(m->samples.sorted, m->samples.scratch, count, quantum, &stats);
    middle = stats_middle(m->samples.sorted, count, quantum, &error);
    *figures = (struct region_figures){.ns = middle * hop_ns,
                                       .error_ns = error * hop_ns,
                                       .median_ns = stats.median * hop_ns,
                                       .p95_ns = stats.p95 * hop_ns,
                                       .p99_ns = stats.p99 * hop_ns,
                                       .max_ns = (double)m->samples.sorted[count - 1] * hop_ns};
}
