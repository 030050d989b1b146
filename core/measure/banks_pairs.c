/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of lines and what they take. */
#include "core/measure/banks_run.h"

#define BESIDE 3 /* lines that each line of a pair is timed beside */

static uintptr_t address_of(const struct measure *m, const struct window *w, uint32_t line)
{
    return w->base + (uintptr_t)line * m->machine->description->line_bytes;
}

static phys_addr phys_of(const struct measure *m, const struct window *w, uint32_t line)
{
    return m->machine->window_phys(m->machine->self, w,
                                   (uint64_t)line * m->machine->description->line_bytes);
}

struct address_pair banks_pair(const struct measure *m, const struct window *w,
                               struct banks_lines lines)
{
    return (struct address_pair){.a = phys_of(m, w, lines.a).value,
                                 .b = phys_of(m, w, lines.b).value};
}

/* Times up to BANKS_QUIET pairs, in parts of a tick. */
static enum status run_quiet(struct measure *m, const struct window *w,
                             const struct banks_lines *lines, uint32_t count, uint64_t *time)
{
    const struct machine *machine = m->machine;
    struct banks_run *run = &m->banks;
    struct pair_plan plan = {
        .rounds = run->rounds, .pair = run->quiet, .count = count, .ticks = run->quiet_ticks};
    struct fault_info fault = {.kind = 0};
    enum status status;

    for (uint32_t i = 0; i < count; i++)
        run->quiet[i] = (struct line_pair){.a = address_of(m, w, lines[i].a),
                                           .b = address_of(m, w, lines[i].b)};
    status = machine->pair_run(machine->self, w, &plan, &fault);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        time[i] = conflict_time(&run->quiet_ticks[(size_t)i * run->rounds], run->rounds);
    return measure_leave_section(m, status, &fault);
}

enum status banks_time_section(struct measure *m, const struct window *w,
                               const struct banks_lines *lines, uint32_t count, uint64_t *time)
{
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count && status == STATUS_OK; i += BANKS_QUIET)
        status =
            run_quiet(m, w, &lines[i], count - i < BANKS_QUIET ? count - i : BANKS_QUIET, &time[i]);
    return status;
}

struct banks_lines banks_draw(struct banks_run *run)
{
    struct banks_lines lines = {.a = (uint32_t)random_below(&run->random, run->lines)};

    do
        lines.b = (uint32_t)random_below(&run->random, run->lines);
    while (lines.b == lines.a);
    return lines;
}

/* time[i] becomes the least of itself and of another time of pair i: what disturbs only adds. */
static enum status time_least(struct measure *m, const struct window *w,
                              const struct banks_lines *lines, uint32_t count, uint64_t *time)
{
    uint64_t *some = m->banks.some_time;
    enum status status = banks_time_section(m, w, lines, count, some);

    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        time[i] = some[i] < time[i] ? some[i] : time[i];
    return status;
}

/* What line a (which 0) or b (1) of each pair takes beside lines that hardly ever conflict with
 * it. */
static enum status time_beside(struct measure *m, const struct window *w,
                               const struct banks_lines *lines, uint32_t count, unsigned which)
{
    struct banks_run *run = &m->banks;
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count; i++)
        run->alone[which][i] = UINT64_MAX;
    for (uint32_t k = 0; k < BESIDE && status == STATUS_OK; k++) {
        for (uint32_t i = 0; i < count; i++) {
            run->beside[i] = banks_draw(run);
            *(which == 0 ? &run->beside[i].a : &run->beside[i].b) =
                which == 0 ? lines[i].a : lines[i].b;
        }
        status = time_least(m, w, run->beside, count, run->alone[which]);
    }
    return status;
}

/* What slows a whole section would make conflicts of all of its pairs, unless the least of several
 * times counts. Lines are not equally far from a core, and where conflicts are rare the farthest
 * pairs are more than those that conflict: there counts what a pair takes more than each of its
 * lines does beside others, added to what most pairs take. */
enum status banks_time(struct measure *m, const struct window *w, const struct banks_lines *lines,
                       uint32_t count, uint64_t *time)
{
    struct banks_run *run = &m->banks;
    enum status status = banks_time_section(m, w, lines, count, time);

    for (uint32_t k = 1; k < BANKS_REPEATS && status == STATUS_OK; k++)
        status = time_least(m, w, lines, count, time);
    for (unsigned which = 0; run->rare && which < 2 && status == STATUS_OK; which++)
        status = time_beside(m, w, lines, count, which);
    for (uint32_t i = 0; run->rare && i < count && status == STATUS_OK; i++) {
        uint64_t a = run->alone[0][i], b = run->alone[1][i], slower = a > b ? a : b;
        time[i] += run->median_time;
        time[i] = time[i] > slower ? time[i] - slower : 0;
    }
    return status;
}
