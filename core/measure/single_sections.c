/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/single_run.h"

/* Up to half the time of an access. */
#define WAIT_CYCLES 512

uintptr_t single_draw(struct measure *m, const struct window *w)
{
    return w->base + (uintptr_t)(random_below(&m->single.random, m->single.lines) *
                                 m->machine->description->line_bytes);
}

enum status single_section(struct measure *m, const struct window *w, uint32_t lines,
                           uint32_t count, double *timing_ticks)
{
    const struct machine *machine = m->machine;
    struct single_run *run = &m->single;
    struct single_plan plan = {.line = run->line,
                               .lines = lines,
                               .wait_cycles = WAIT_CYCLES,
                               .seed = random_next(&run->random),
                               .count = count,
                               .start = run->start,
                               .ticks = run->ticks,
                               .timing_ticks = timing_ticks};
    struct fault_info fault = {.kind = 0};
    enum status status =
        measure_leave_section(m, machine->single_run(machine->self, w, &plan, &fault), &fault);

    return status == STATUS_OK ? measure_go_on(m) : status;
}

enum status single_in_turn(struct measure *m, const struct window *w, uintptr_t partner,
                           uint32_t turns)
{
    m->single.line[0] = m->single.base;
    m->single.line[1] = partner;
    return single_section(m, w, 2, 2 * turns, NULL);
}

double single_clock_ns(const struct measure *m)
{
    return 1e9 / (double)m->machine->description->clock.hz;
}

struct refresh_series single_series(const struct measure *m, size_t count)
{
    const struct clock_info *clock = &m->machine->description->clock;

    return (struct refresh_series){.start = m->single.start,
                                   .ticks = m->single.ticks,
                                   .count = count,
                                   .tick_ns = clock->resolution_ticks * single_clock_ns(m),
                                   .clock_ns = single_clock_ns(m)};
}
