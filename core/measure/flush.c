/* SPDX-License-Identifier: BSD-2-Clause */
/* A few lines, read one by one after they were flushed, and again from the caches. */
#include "core/dram/banks.h"
#include "core/measure/run.h"
#include "core/stats/stats.h"

#define LINES  64
#define ROUNDS 9

static enum status read_lines(struct measure *m, const struct window *w, const uintptr_t *line,
                              bool flush, uint64_t *median)
{
    uint64_t ticks[ROUNDS];
    struct reads_plan plan = {.line = line,
                              .lines = LINES,
                              .in_turn = true,
                              .flush = flush,
                              .rounds = ROUNDS,
                              .ticks = ticks};
    struct fault_info fault = {.kind = 0};
    enum status status = m->machine->reads_run(m->machine->self, w, &plan, &fault);

    status = measure_leave_section(m, status, &fault);
    if (status != STATUS_OK)
        return status;
    stats_sort(ticks, ROUNDS);
    *median = ticks[ROUNDS / 2];
    return STATUS_OK;
}

enum status measure_try_flush(struct measure *m, const struct window *w, uint64_t lines,
                              bool *works)
{
    uint32_t line_bytes = m->machine->description->line_bytes;
    uint64_t flushed = 0, kept = 0;
    struct random random;
    uintptr_t line[LINES];
    enum status status;

    random_start(&random, m->options->seed);
    for (uint32_t i = 0; i < LINES; i++)
        line[i] = w->base + (uintptr_t)random_below(&random, lines) * line_bytes;
    status = read_lines(m, w, line, true, &flushed);
    if (status == STATUS_OK)
        status = read_lines(m, w, line, false, &kept);
    *works = banks_flushed(flushed, kept);
    return status;
}
