/* SPDX-License-Identifier: BSD-2-Clause */
/* Pairs of lines and what they take. */
#include "core/lib/memory.h"
#include "core/measure/banks_run.h"
#include "core/stats/stats.h"

#define ALONE 2 /* times that each line is timed alone */

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

/* Times any number of pairs once. */
static enum status time_once(struct measure *m, const struct window *w,
                             const struct banks_lines *lines, uint32_t count, uint64_t *time)
{
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count && status == STATUS_OK; i += BANKS_QUIET)
        status =
            run_quiet(m, w, &lines[i], count - i < BANKS_QUIET ? count - i : BANKS_QUIET, &time[i]);
    return status;
}

/* time[i] becomes the least of itself and of another time of pair i: what disturbs only adds. */
static enum status time_least(struct measure *m, const struct window *w,
                              const struct banks_lines *lines, uint32_t count, uint64_t *time)
{
    uint64_t *some = m->banks.some_time;
    enum status status = time_once(m, w, lines, count, some);

    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        time[i] = some[i] < time[i] ? some[i] : time[i];
    return status;
}

/* What up to BANKS_KEPT lines take, each as both lines of a pair: one load from memory. */
static enum status time_alone(struct measure *m, const struct window *w, uint32_t count,
                              uint64_t *time)
{
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count; i++)
        time[i] = UINT64_MAX;
    for (uint32_t k = 0; k < ALONE && status == STATUS_OK; k++)
        status = time_least(m, w, m->banks.alone_lines, count, time);
    return status;
}

/* Lines are not equally far from a core, and a rank may be slower than another by more than a
 * conflict adds: there counts what a pair takes more than its lines alone let expect, added to what
 * most pairs take. */
static uint64_t beyond(const struct banks_run *run, uint64_t time, uint64_t alone)
{
    return conflict_beyond(time + run->base_time, alone);
}

/* Loads together take as long as the slower one, or, on a core that has one miss under way at a
 * time, as long as both. */
static uint64_t expected(const struct banks_run *run, uint64_t a, uint64_t b)
{
    uint64_t slower = a > b ? a : b;

    return run->in_turn ? a + b - (a + b < run->base_time ? 0 : run->base_time) : slower;
}

/* ---- a section of random pairs */

static uint32_t draw_line(struct banks_run *run)
{
    return (uint32_t)random_below(&run->random, run->lines);
}

static enum status time_pool(struct measure *m, const struct window *w)
{
    struct banks_run *run = &m->banks;

    for (uint32_t i = 0; i < BANKS_POOL; i++)
        run->alone_lines[i] = (struct banks_lines){run->pool[i], run->pool[i]};
    return time_alone(m, w, BANKS_POOL, run->pool_alone);
}

/* Two lines of the pool that are not the same one. */
static struct banks_lines draw_of_pool(struct banks_run *run)
{
    struct banks_lines drawn;

    do {
        drawn.a = (uint32_t)random_below(&run->random, BANKS_POOL);
        drawn.b = (uint32_t)random_below(&run->random, BANKS_POOL);
    } while (run->pool[drawn.a] == run->pool[drawn.b]);
    return drawn;
}

/* Draws the section's pairs, known ones at even distances. */
static void draw_pairs(struct banks_run *run, uint32_t known)
{
    const uint32_t apart = BANKS_SECTION / BANKS_KNOWN;

    for (uint32_t i = 0; i < BANKS_SECTION; i++) {
        struct banks_lines drawn = draw_of_pool(run);
        if (i % apart == 0 && i / apart < known)
            drawn = (struct banks_lines){2 * (i / apart), 2 * (i / apart) + 1};
        run->section_pool[i] = drawn;
        run->section_lines[i] = (struct banks_lines){run->pool[drawn.a], run->pool[drawn.b]};
    }
}

/* By the first section: what most lines take alone, and whether most pairs take nearer to what both
 * lines do than to what the slower one does. */
static void learn(struct banks_run *run)
{
    uint32_t both = 0;

    if (run->base_time != 0)
        return;
    memory_copy(run->some_time, run->pool_alone, sizeof run->pool_alone);
    stats_sort(run->some_time, BANKS_POOL);
    run->base_time = run->some_time[BANKS_POOL / 2];
    for (uint32_t i = 0; i < BANKS_SECTION; i++) {
        uint64_t a = run->pool_alone[run->section_pool[i].a];
        uint64_t b = run->pool_alone[run->section_pool[i].b];
        both += 2 * run->section_time[i] > a + b + (a > b ? a : b);
    }
    run->in_turn = 2 * both > BANKS_SECTION;
}

enum status banks_draw_section(struct measure *m, const struct window *w,
                               const struct banks_lines *known, uint32_t count)
{
    struct banks_run *run = &m->banks;
    enum status status;

    for (uint32_t i = 0; i < BANKS_POOL; i++)
        run->pool[i] = draw_line(run);
    for (uint32_t i = 0; i < count; i++) {
        run->pool[2 * i] = known[i].a;
        run->pool[2 * i + 1] = known[i].b;
    }
    draw_pairs(run, count);
    status = time_pool(m, w);
    if (status == STATUS_OK)
        status = time_once(m, w, run->section_lines, BANKS_SECTION, run->section_time);
    if (status != STATUS_OK)
        return status;
    learn(run);
    for (uint32_t i = 0; i < BANKS_SECTION; i++) {
        struct banks_lines drawn = run->section_pool[i];
        run->section_alone[i] = expected(run, run->pool_alone[drawn.a], run->pool_alone[drawn.b]);
        run->section_time[i] = beyond(run, run->section_time[i], run->section_alone[i]);
    }
    return STATUS_OK;
}

enum status banks_time_drawn(struct measure *m, const struct window *w, const uint32_t *which,
                             uint32_t count, uint64_t *time)
{
    struct banks_run *run = &m->banks;
    enum status status;

    for (uint32_t i = 0; i < count; i++)
        run->kept[i] = run->section_lines[which[i]];
    status = time_once(m, w, run->kept, count, time);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        time[i] = beyond(run, time[i], run->section_alone[which[i]]);
    return status;
}

/* ---- pairs by themselves */

struct banks_lines banks_draw(struct banks_run *run)
{
    struct banks_lines lines = {.a = draw_line(run)};

    do
        lines.b = draw_line(run);
    while (lines.b == lines.a);
    return lines;
}

/* What slows a whole section would make conflicts of all of its pairs, unless the least of several
 * times counts. */
enum status banks_time(struct measure *m, const struct window *w, const struct banks_lines *lines,
                       uint32_t count, uint64_t *time)
{
    struct banks_run *run = &m->banks;
    enum status status = time_once(m, w, lines, count, time);

    for (uint32_t k = 1; k < BANKS_REPEATS && status == STATUS_OK; k++)
        status = time_least(m, w, lines, count, time);
    for (unsigned which = 0; which < 2 && status == STATUS_OK; which++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t line = which == 0 ? lines[i].a : lines[i].b;
            run->alone_lines[i] = (struct banks_lines){line, line};
        }
        status = time_alone(m, w, count, run->alone[which]);
    }
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        time[i] = beyond(run, time[i], expected(run, run->alone[0][i], run->alone[1][i]));
    return status;
}
