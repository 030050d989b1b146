/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/footprint_run.h"

#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/measure/measure.h"
#include "core/measure/time.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"

#define SITE_BYTES (FOOTPRINT_PAGES * FOOTPRINT_PAGE_BYTES)
#define HITS       512
#define MISSES     2048
/* While nothing is found, a probe tries several lines: six such rounds are 348 tries, and a line
 * found in none of them is there in less than 2 % of all cases. */
#define ROUND_TRIES_TOGETHER 58
/* Otherwise each line by itself, half of the tries after the longer wait. */
#define ROUND_TRIES_ALONE 16
#define TRIES_MAX         4096 /* per line */
/* Where false positives are rare, few controls are enough. */
#define CONTROL_EVERY 4
#define FALSE_MANY    0.005
/* Core cycles until everything requested has arrived; the longer wait covers a whole page even from
 * memory of 1.5 GB/s. Plus a random part, so that the steps of a slow clock do not stay in phase
 * with the probes. */
#define WAIT_CYCLES      3000
#define WAIT_LATE_CYCLES 9000
#define WAIT_CHANCE      1024
#define CAP_S            1.5
#define BUDGET_SHARE     0.1

/* ---- sites */

static void shuffle_sites(struct footprint_run *run)
{
    for (uint32_t i = run->sites - 1; i > 0; i--) {
        uint32_t j = (uint32_t)random_below(&run->random, i + 1);
        uint16_t swapped = run->site[i];
        run->site[i] = run->site[j];
        run->site[j] = swapped;
    }
    run->next_site = 0;
}

/* The first three pages take the loads and flushes that do not count. */
static void start(struct footprint_run *run, const struct measure *m, const struct point *point)
{
    uint64_t sites = point->bytes / SITE_BYTES - 1;

    run->line_bytes = m->machine->description->line_bytes;
    run->page_lines = FOOTPRINT_PAGE_BYTES / run->line_bytes;
    run->sites = sites < FOOTPRINT_SITES ? (uint32_t)sites : FOOTPRINT_SITES;
    run->count = 0;
    random_start(&run->random, m->options->seed);
    for (uint32_t i = 0; i < run->sites; i++)
        run->site[i] = (uint16_t)(i + 1);
    shuffle_sites(run);
    for (uint32_t i = 0; i < FOOTPRINT_ROWS; i++)
        run->row[i] = (struct footprint_row){
            .touches = footprint_touches(i),
            .touched = (uint32_t)run->page_lines + footprint_touched((uint32_t)run->page_lines),
            .lines = FOOTPRINT_PAGES * (uint32_t)run->page_lines};
}

/* Every site once before any a second time, so that a prefetcher has forgotten a page when its turn
 * comes again. */
static uintptr_t take_site(struct footprint_run *run, const struct window *w)
{
    if (run->next_site == run->sites)
        shuffle_sites(run);
    return w->base + (uintptr_t)run->site[run->next_site++] * SITE_BYTES;
}

enum probe_kind { PROBE_FIND, PROBE_MISS, PROBE_HIT };

/* line[targets]: no line twice, none that is touched. */
static void add_probe(struct footprint_run *run, const struct window *w,
                      const struct footprint_row *row, const uint8_t *line, enum probe_kind kind)
{
    uintptr_t site = take_site(run, w), first = site + line[0] * run->line_bytes;
    uint32_t i = run->count++, wait = run->late ? WAIT_LATE_CYCLES : WAIT_CYCLES;

    run->info[i].control = kind == PROBE_MISS;
    run->probe[i] =
        (struct probe){.touch = site + row->touched * run->line_bytes,
                       .again = kind == PROBE_HIT ? first : w->base,
                       .drop = kind == PROBE_MISS ? first : w->base + FOOTPRINT_PAGE_BYTES,
                       .wait = wait + (uint32_t)random_below(&run->random, WAIT_CHANCE)};
    for (uint32_t t = 0; t < run->targets; t++) {
        run->info[i].line[t] = line[t];
        run->probe[i].target[t] = site + line[t] * run->line_bytes;
    }
}

/* ---- one quiet section */

static enum status run_probes(struct measure *m, const struct window *w, uint32_t touches,
                              uint64_t *ticks)
{
    struct footprint_run *run = &m->footprint;
    const struct machine *machine = m->machine;
    struct probe_plan plan = {.line_bytes = (uint32_t)run->line_bytes,
                              .touches = touches,
                              .targets = run->targets,
                              .probe = run->probe,
                              .count = run->count,
                              .ticks = ticks};
    struct fault_info fault = {.kind = 0};
    enum status status = machine->probe_run(machine->self, w, &plan, &fault);

    run->count = 0;
    return measure_leave_section(m, status, &fault);
}

static void count_one(struct footprint_run *run, struct footprint_cell *cell, uint64_t ticks,
                      bool control)
{
    bool found = (double)ticks < run->threshold.ticks;

    cell->false_found += found && control;
    cell->controls += control;
    cell->found += found && !control;
    cell->tries += !control;
    cell->cached += !control && (double)ticks < run->threshold.cached_ticks;
    cell->late_found += found && !control && run->late;
    cell->late_tries += !control && run->late;
}

static enum status run_and_count(struct measure *m, const struct window *w,
                                 struct footprint_row *row)
{
    struct footprint_run *run = &m->footprint;
    uint32_t count = run->count;
    enum status status = run_probes(m, w, row->touches, m->samples.ticks);

    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        for (uint32_t t = 0; t < run->targets; t++)
            count_one(run, &row->cell[run->info[i].line[t]],
                      m->samples.ticks[(size_t)i * run->targets + t],
                      run->info[i].control && t == 0);
    return status;
}

/* ---- the threshold */

static uint8_t any_line(struct footprint_run *run, const struct footprint_row *row)
{
    uint8_t line;

    do
        line = (uint8_t)random_below(&run->random, row->lines);
    while (footprint_is_touched(row, line));
    return line;
}

/* Times `count` loads of one kind into ticks[]. They follow touches like any probe, so that open
 * DRAM rows and other effects of touching are included. */
static enum status known_loads(struct measure *m, const struct window *w, enum probe_kind kind,
                               uint32_t count, uint64_t *ticks)
{
    struct footprint_run *run = &m->footprint;
    const struct footprint_row *row = &run->row[FOOTPRINT_ROWS - 1];
    enum status status = STATUS_OK;

    for (uint32_t done = 0; done < count && status == STATUS_OK;) {
        uint32_t max = count - done < FOOTPRINT_PROBES ? count - done : FOOTPRINT_PROBES;
        while (run->count < max) {
            uint8_t line = any_line(run, row);
            add_probe(run, w, row, &line, kind);
        }
        status = run_probes(m, w, row->touches, ticks + done);
        done += max;
    }
    return status;
}

/* The first loads meet cold code, TLBs and clocks: they are discarded. */
static enum status calibrate(struct measure *m, const struct window *w)
{
    uint64_t *hits = m->samples.ticks, *misses = m->samples.ticks + HITS;
    enum status status;

    m->footprint.targets = 1;
    m->footprint.late = false;
    status = known_loads(m, w, PROBE_MISS, HITS, hits);
    if (status == STATUS_OK)
        status = known_loads(m, w, PROBE_HIT, HITS, hits);
    if (status == STATUS_OK)
        status = known_loads(m, w, PROBE_MISS, MISSES, misses);
    if (status == STATUS_OK)
        footprint_calibrate(hits, HITS, misses, MISSES, &m->footprint.threshold);
    return status;
}

/* ---- rounds */

/* The lines of a row whose verdict more tries could still change, in random order. */
static uint32_t open_lines(struct footprint_run *run, const struct footprint_row *row,
                           uint8_t line[FOOTPRINT_LINES_MAX])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < row->lines; i++) {
        const struct footprint_cell *cell = &row->cell[i];
        if (!footprint_is_touched(row, i) && cell->tries < TRIES_MAX &&
            footprint_share_of(cell, &run->threshold).high >= FOOTPRINT_OFF_MAX)
            line[count++] = (uint8_t)i;
    }
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = (uint32_t)random_below(&run->random, i);
        uint8_t swapped = line[i - 1];
        line[i - 1] = line[j];
        line[j] = swapped;
    }
    return count;
}

static enum status add_and_run(struct measure *m, const struct window *w, struct footprint_row *row,
                               const uint8_t *line, enum probe_kind kind)
{
    add_probe(&m->footprint, w, row, line, kind);
    return m->footprint.count == FOOTPRINT_PROBES ? run_and_count(m, w, row) : STATUS_OK;
}

/* One try of every open line, then the next: a change over time then affects all of them. */
static enum status round_alone(struct measure *m, const struct window *w, struct footprint_row *row,
                               const uint8_t *line, uint32_t count)
{
    struct footprint_run *run = &m->footprint;
    bool many = run->threshold.false_found > FALSE_MANY;
    enum status status = STATUS_OK;

    run->targets = 1;
    for (uint32_t try = 0; try < 2 * ROUND_TRIES_ALONE && status == STATUS_OK; try++) {
        run->late = try >= ROUND_TRIES_ALONE;
        for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
            status = add_and_run(m, w, row, &line[i], PROBE_FIND);
            if (status == STATUS_OK &&
                (try % CONTROL_EVERY == 0 || many || row->cell[line[i]].found != 0))
                status = add_and_run(m, w, row, &line[i], PROBE_MISS);
        }
        if (status == STATUS_OK && try % ROUND_TRIES_ALONE == ROUND_TRIES_ALONE - 1 &&
            run->count != 0)
            status = run_and_count(m, w, row);
    }
    return status;
}

/* Cycles through the lines, several per probe; every fourth probe is a control. */
static enum status round_together(struct measure *m, const struct window *w,
                                  struct footprint_row *row, const uint8_t *line, uint32_t count)
{
    struct footprint_run *run = &m->footprint;
    uint32_t probes, pos = 0;
    enum status status = STATUS_OK;

    run->late = false;
    run->targets = count < PROBE_TARGETS_MAX ? count : PROBE_TARGETS_MAX;
    probes =
        run->targets == 0 ? 0 : (ROUND_TRIES_TOGETHER * count + run->targets - 1) / run->targets;
    for (uint32_t i = 0; i < probes && status == STATUS_OK; i++) {
        uint8_t some[PROBE_TARGETS_MAX];
        for (uint32_t t = 0; t < run->targets; t++, pos++)
            some[t] = line[pos % count];
        status = add_and_run(m, w, row, some, i % CONTROL_EVERY == 0 ? PROBE_MISS : PROBE_FIND);
    }
    if (status == STATUS_OK && run->count != 0)
        status = run_and_count(m, w, row);
    return status;
}

static enum status round_of_all(struct measure *m, const struct window *w, bool together,
                                struct footprint_summary *summary, bool *any)
{
    struct footprint_run *run = &m->footprint;
    uint8_t line[FOOTPRINT_LINES_MAX];
    enum status status = STATUS_OK;

    *any = false;
    for (uint32_t i = FOOTPRINT_ROWS; i-- > 0 && status == STATUS_OK;) {
        uint32_t count = open_lines(run, &run->row[i], line);
        *any = *any || count != 0;
        status = together ? round_together(m, w, &run->row[i], line, count)
                          : round_alone(m, w, &run->row[i], line, count);
    }
    footprint_summarise(run->row, FOOTPRINT_ROWS, &run->threshold, summary);
    return status;
}

static void forget(struct footprint_run *run)
{
    for (uint32_t i = 0; i < FOOTPRINT_ROWS; i++)
        memory_fill(run->row[i].cell, 0, sizeof run->row[i].cell);
}

/* Rounds with several lines per probe, which are faster, until something is found. The timed loads
 * are touches too, so rounds with one line per probe then start over to tell what brought it. What
 * is found only with several lines per probe was brought by the timed loads, not by the touched
 * lines. */
static enum status all_rounds(struct measure *m, const struct window *w,
                              struct footprint_summary *summary)
{
    struct footprint_run *run = &m->footprint;
    double left_s = budget_left_s(&m->plan->budget, time_now_ns(m->machine)) * BUDGET_SHARE;
    double cap_s = left_s < CAP_S ? left_s : CAP_S;
    const struct machine *machine = m->machine;
    uint64_t begun_ns = time_now_ns(machine);
    bool any = true, seen = false, together = run->threshold.false_found <= FALSE_MANY;
    enum status status = STATUS_OK;
    double past_s = 0;

    footprint_summarise(run->row, FOOTPRINT_ROWS, &run->threshold, summary);
    while (run->threshold.tells && summary->verdict == FOOTPRINT_UNDECIDED && any &&
           status == STATUS_OK && past_s <= cap_s) {
        status = round_of_all(m, w, together, summary, &any);
        past_s = (double)(time_now_ns(machine) - begun_ns) * 1e-9;
        if (status == STATUS_OK && together && footprint_seen(run->row, FOOTPRINT_ROWS)) {
            together = false;
            seen = true;
            forget(run);
            footprint_summarise(run->row, FOOTPRINT_ROWS, &run->threshold, summary);
        }
    }
    if (!run->threshold.tells)
        summary->doubt |= doubt_of(DOUBT_COARSE_CLOCK);
    else if (summary->verdict == FOOTPRINT_UNDECIDED && past_s > cap_s && cap_s < CAP_S)
        summary->doubt |= doubt_of(DOUBT_BUDGET);
    if (seen && summary->verdict == FOOTPRINT_OFF) {
        summary->verdict = FOOTPRINT_UNDECIDED;
        summary->doubt |= doubt_of(DOUBT_CONTRADICTED);
    }
    return status;
}

/* ---- records */

static void emit_row(struct measure *m, const struct point *point, const struct footprint_row *row)
{
    const struct footprint_threshold *threshold = &m->footprint.threshold;
    double tick_ns = 1e9 / (double)m->machine->description->clock.hz;
    struct record record = {.kind = RECORD_FOOTPRINT};
    struct record_footprint *out = &record.u.footprint;
    struct footprint_summary summary;

    footprint_summarise(row, 1, threshold, &summary);
    *out = (struct record_footprint){.experiment = experiment_list[point->experiment].name,
                                     .pages_bytes = plan_pages_bytes(point),
                                     .frames = frame_order_names[point->frames],
                                     .map = map_names[point->map],
                                     .prefetch = controls_prefetch_state(&m->controls),
                                     .prefetch_only_off = controls_only_off_name(&m->controls),
                                     .line_bytes = m->footprint.line_bytes,
                                     .touches = row->touches,
                                     .touched = row->touched,
                                     .tries = summary.tries,
                                     .threshold_ns = threshold->ticks * tick_ns,
                                     .hit_ns = threshold->hit_ticks * tick_ns,
                                     .miss_ns = threshold->miss_ticks * tick_ns,
                                     .hits_found = threshold->found,
                                     .misses_found = threshold->false_found,
                                     .max_share = summary.max.share,
                                     .max_low = summary.max.low,
                                     .max_high = summary.max.high,
                                     .max_distance = summary.distance,
                                     .high = summary.high,
                                     .verdict = footprint_verdict_name(summary.verdict),
                                     .doubt = point->footprint.doubt |
                                              (footprint_moved(row) ? doubt_of(DOUBT_DRIFT) : 0),
                                     .share = m->footprint.share,
                                     .share_count = row->lines};
    for (uint32_t i = 0; i < row->lines; i++)
        m->footprint.share[i] = row->cell[i].tries == 0
                                    ? real_nan()
                                    : footprint_share_of(&row->cell[i], threshold).share;
    journal_emit(m->journal, &record);
}

/* Fills the pages with draws: pointers left from a chain would mislead a prefetcher that follows
 * pointers. */
static enum status fill(struct measure *m, const struct point *point, const struct window *w)
{
    const struct machine *machine = m->machine;
    struct chain chain = {.order = &m->order,
                          .stride_bytes = machine->description->line_bytes,
                          .line_bytes = machine->description->line_bytes,
                          .chains = 1};
    struct fault_info fault = {.kind = 0};
    uint64_t lines = point->bytes / chain.stride_bytes;
    enum status status;

    line_order_start(&m->order, ORDER_RANDOM, lines, 0, m->options->seed);
    status = machine->work_run(machine->self, w, 0, machine->draw_fill, &chain, 0, lines, &fault);
    if (status == STATUS_FAULT)
        diagnose_fault(m->journal, &fault);
    return status;
}

enum status footprint_measure(struct measure *m, struct point *point, const struct window *w)
{
    enum status status = fill(m, point, w);

    start(&m->footprint, m, point);
    if (status == STATUS_OK)
        status = calibrate(m, w);
    if (status == STATUS_OK)
        status = all_rounds(m, w, &point->footprint);
    if (status != STATUS_OK)
        return status;
    point->prefetch = controls_prefetch_state(&m->controls);
    for (uint32_t i = 0; i < FOOTPRINT_ROWS; i++)
        emit_row(m, point, &m->footprint.row[i]);
    return STATUS_OK;
}
