/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/footprint_run.h"

#include "core/engine_state.h"
#include "core/lib/memory.h"
#include "core/lib/real.h"

#define STAGE_BYTES  (FOOTPRINT_PAGES * FOOTPRINT_PAGE_BYTES)
#define STAGES_LEAST 64 /* prefetchers remember fewer pages */
#define HITS         512
#define MISSES       2048
/* While nothing is found, several lines are tried in a probe: six such rounds are 348 tries, and a
 * line that was found in none of them is there in under 2 % of all. */
#define ROUND_TRIES_TOGETHER 58
/* Else each by itself, half of the tries after the longer while. */
#define ROUND_TRIES_ALONE 16
#define TRIES_MOST        4096 /* of a line */
/* Where nothing is taken for a hit, few misses need be seen. */
#define CONTROL_EVERY 4
#define FALSE_MANY    0.005
/* Core cycles until whatever was asked for has come: a page in the longer while, from memory of
 * 1.5 GB/s too. And a little chance, so that no step of a slow clock keeps time with the probes. */
#define WAIT_CYCLES      3000
#define WAIT_LATE_CYCLES 9000
#define WAIT_CHANCE      1024
#define CAP_S            1.5
#define BUDGET_SHARE     0.1

/* NULL: a footprint can be measured. */
static const char *refusal(const struct engine *engine, uint64_t bytes)
{
    const struct machine_description *d = engine->machine->description;

    if (!engine->machine->probe_run || !(d->loads & 1u << LOAD_FLUSH))
        return "this machine cannot drop lines from its caches";
    if (FOOTPRINT_PAGE_BYTES * FOOTPRINT_PAGES / d->line_bytes > FOOTPRINT_LINES_MAX ||
        FOOTPRINT_PAGE_BYTES / d->line_bytes < 2 * FOOTPRINT_TOUCHES_MAX)
        return "its lines are too short or too long";
    return bytes < STAGES_LEAST * STAGE_BYTES ? "the set is too small" : NULL;
}

void footprint_plan(struct engine *engine, const struct point *like)
{
    struct point point = *like;
    const char *why;
    char what[80];
    struct text text;

    point.role = ROLE_FOOTPRINT;
    point.bytes = like->bytes < FOOTPRINT_BYTES ? like->bytes : FOOTPRINT_BYTES;
    why = refusal(engine, point.bytes);
    if (why == NULL) {
        plan_add(engine, &point);
        return;
    }
    text_start(&text, what, sizeof what);
    text_add(&text, experiment_table[point.experiment].name);
    text_add(&text, ": no footprint of prefetchers");
    journal_note(engine->journal, SEVERITY_INFO, what, why);
}

bool footprint_is_taken(const struct point *point, bool prefetch_off, uint32_t prefetch_alone)
{
    return point->role == ROLE_FOOTPRINT && point->footprint.known &&
           point->prefetch_off == prefetch_off && point->prefetch_alone == prefetch_alone;
}

const struct point *footprint_find(const struct engine *engine, uint32_t experiment,
                                   bool prefetch_off, uint32_t prefetch_alone)
{
    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (p->experiment == experiment && footprint_is_taken(p, prefetch_off, prefetch_alone))
            return p;
    }
    return NULL;
}

/* ---- where */

static void shuffle_stages(struct footprint_run *run)
{
    for (uint32_t i = run->stages - 1; i > 0; i--) {
        uint32_t j = (uint32_t)random_below(&run->random, i + 1);
        uint16_t swapped = run->stage[i];
        run->stage[i] = run->stage[j];
        run->stage[j] = swapped;
    }
    run->stage_at = 0;
}

/* The first pages are for loads and flushes that have no part in it. */
static void start(struct footprint_run *run, const struct engine *engine, const struct point *point)
{
    uint64_t stages = point->bytes / STAGE_BYTES - 1;

    run->line_bytes = engine->machine->description->line_bytes;
    run->page_lines = FOOTPRINT_PAGE_BYTES / run->line_bytes;
    run->stages = stages < FOOTPRINT_STAGES ? (uint32_t)stages : FOOTPRINT_STAGES;
    run->count = 0;
    random_start(&run->random, engine->options->seed);
    for (uint32_t i = 0; i < run->stages; i++)
        run->stage[i] = (uint16_t)(i + 1);
    shuffle_stages(run);
    for (uint32_t i = 0; i < FOOTPRINT_ROWS; i++)
        run->row[i] = (struct footprint_row){
            .touches = footprint_touches(i),
            .touched = (uint32_t)run->page_lines + footprint_touched((uint32_t)run->page_lines),
            .lines = FOOTPRINT_PAGES * (uint32_t)run->page_lines};
}

/* Every stage once before any a second time: what a prefetcher remembers of a page is forgotten
 * until then. */
static uintptr_t next_stage(struct footprint_run *run, const struct window *w)
{
    if (run->stage_at == run->stages)
        shuffle_stages(run);
    return w->base + (uintptr_t)run->stage[run->stage_at++] * STAGE_BYTES;
}

enum errand { ERRAND_FIND, ERRAND_MISS, ERRAND_HIT };

/* line[targets]: none of them twice, none that is touched. */
static void add_probe(struct footprint_run *run, const struct window *w,
                      const struct footprint_row *row, const uint8_t *line, enum errand errand)
{
    uintptr_t stage = next_stage(run, w), first = stage + line[0] * run->line_bytes;
    uint32_t i = run->count++, wait = run->late ? WAIT_LATE_CYCLES : WAIT_CYCLES;

    run->errand[i].control = errand == ERRAND_MISS;
    run->probe[i] =
        (struct probe){.touch = stage + row->touched * run->line_bytes,
                       .again = errand == ERRAND_HIT ? first : w->base,
                       .drop = errand == ERRAND_MISS ? first : w->base + FOOTPRINT_PAGE_BYTES,
                       .wait = wait + (uint32_t)random_below(&run->random, WAIT_CHANCE)};
    for (uint32_t t = 0; t < run->targets; t++) {
        run->errand[i].line[t] = line[t];
        run->probe[i].target[t] = stage + line[t] * run->line_bytes;
    }
}

/* ---- one quiet section */

static enum status send(struct engine *engine, const struct window *w, uint32_t touches,
                        uint64_t *ticks)
{
    struct footprint_run *run = &engine->footprint;
    const struct machine *machine = engine->machine;
    struct probe_plan plan = {.line_bytes = (uint32_t)run->line_bytes,
                              .touches = touches,
                              .targets = run->targets,
                              .probe = run->probe,
                              .count = run->count,
                              .ticks = ticks};
    struct fault_info fault = {.kind = 0};
    enum status status = machine->probe_run(machine->self, w, &plan, &fault);

    run->count = 0;
    if (status == STATUS_FAULT)
        diagnose_fault(engine, &fault);
    if (status == STATUS_OK && machine->abort_asked(machine->self))
        return STATUS_ABORTED;
    return status;
}

static void count_one(struct footprint_run *run, struct footprint_cell *cell, uint64_t ticks,
                      bool control)
{
    bool found = (double)ticks < run->threshold.ticks;

    cell->false_found += found && control;
    cell->controls += control;
    cell->found += found && !control;
    cell->tries += !control;
    cell->late_found += found && !control && run->late;
    cell->late_tries += !control && run->late;
}

static enum status send_and_count(struct engine *engine, const struct window *w,
                                  struct footprint_row *row)
{
    struct footprint_run *run = &engine->footprint;
    uint32_t count = run->count;
    enum status status = send(engine, w, row->touches, engine->ticks);

    for (uint32_t i = 0; i < count && status == STATUS_OK; i++)
        for (uint32_t t = 0; t < run->targets; t++)
            count_one(run, &row->cell[run->errand[i].line[t]],
                      engine->ticks[(size_t)i * run->targets + t],
                      run->errand[i].control && t == 0);
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

/* Loads of one kind, their times side by side from ticks on. After touches, so that rows and
 * whatever else touches leave behind are in them. */
static enum status known_loads(struct engine *engine, const struct window *w, enum errand errand,
                               uint32_t count, uint64_t *ticks)
{
    struct footprint_run *run = &engine->footprint;
    const struct footprint_row *row = &run->row[FOOTPRINT_ROWS - 1];
    enum status status = STATUS_OK;

    for (uint32_t sent = 0; sent < count && status == STATUS_OK;) {
        uint32_t most = count - sent < FOOTPRINT_PROBES ? count - sent : FOOTPRINT_PROBES;
        while (run->count < most) {
            uint8_t line = any_line(run, row);
            add_probe(run, w, row, &line, errand);
        }
        status = send(engine, w, row->touches, ticks + sent);
        sent += most;
    }
    return status;
}

/* The first loads find code, translations and clocks as nobody left them: they count for nothing.
 */
static enum status find_threshold(struct engine *engine, const struct window *w)
{
    uint64_t *hits = engine->ticks, *misses = engine->ticks + HITS;
    enum status status;

    engine->footprint.targets = 1;
    engine->footprint.late = false;
    status = known_loads(engine, w, ERRAND_MISS, HITS, hits);
    if (status == STATUS_OK)
        status = known_loads(engine, w, ERRAND_HIT, HITS, hits);
    if (status == STATUS_OK)
        status = known_loads(engine, w, ERRAND_MISS, MISSES, misses);
    if (status == STATUS_OK)
        footprint_calibrate(hits, HITS, misses, MISSES, &engine->footprint.threshold);
    return status;
}

/* ---- rounds */

/* The lines of a row that more tries could still tell something of, in random order. */
static uint32_t open_lines(struct footprint_run *run, const struct footprint_row *row,
                           uint8_t line[FOOTPRINT_LINES_MAX])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < row->lines; i++) {
        const struct footprint_cell *cell = &row->cell[i];
        if (!footprint_is_touched(row, i) && cell->tries < TRIES_MOST &&
            footprint_share_of(cell, &run->threshold).high >= FOOTPRINT_OFF_MOST)
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

static enum status add_and_send(struct engine *engine, const struct window *w,
                                struct footprint_row *row, const uint8_t *line, enum errand errand)
{
    add_probe(&engine->footprint, w, row, line, errand);
    return engine->footprint.count == FOOTPRINT_PROBES ? send_and_count(engine, w, row) : STATUS_OK;
}

/* Every line that is open once, then again: what changes with time changes for all of them. */
static enum status round_alone(struct engine *engine, const struct window *w,
                               struct footprint_row *row, const uint8_t *line, uint32_t count)
{
    struct footprint_run *run = &engine->footprint;
    bool many = run->threshold.false_found > FALSE_MANY;
    enum status status = STATUS_OK;

    run->targets = 1;
    for (uint32_t try = 0; try < 2 * ROUND_TRIES_ALONE && status == STATUS_OK; try++) {
        run->late = try >= ROUND_TRIES_ALONE;
        for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
            status = add_and_send(engine, w, row, &line[i], ERRAND_FIND);
            if (status == STATUS_OK &&
                (try % CONTROL_EVERY == 0 || many || row->cell[line[i]].found != 0))
                status = add_and_send(engine, w, row, &line[i], ERRAND_MISS);
        }
        if (status == STATUS_OK && try % ROUND_TRIES_ALONE == ROUND_TRIES_ALONE - 1 &&
            run->count != 0)
            status = send_and_count(engine, w, row);
    }
    return status;
}

/* Round and round through the lines, so many in each probe; every fourth probe has a miss. */
static enum status round_together(struct engine *engine, const struct window *w,
                                  struct footprint_row *row, const uint8_t *line, uint32_t count)
{
    struct footprint_run *run = &engine->footprint;
    uint32_t probes, at = 0;
    enum status status = STATUS_OK;

    run->late = false;
    run->targets = count < PROBE_TARGETS_MAX ? count : PROBE_TARGETS_MAX;
    probes =
        run->targets == 0 ? 0 : (ROUND_TRIES_TOGETHER * count + run->targets - 1) / run->targets;
    for (uint32_t i = 0; i < probes && status == STATUS_OK; i++) {
        uint8_t some[PROBE_TARGETS_MAX];
        for (uint32_t t = 0; t < run->targets; t++, at++)
            some[t] = line[at % count];
        status =
            add_and_send(engine, w, row, some, i % CONTROL_EVERY == 0 ? ERRAND_MISS : ERRAND_FIND);
    }
    if (status == STATUS_OK && run->count != 0)
        status = send_and_count(engine, w, row);
    return status;
}

static enum status round_of_all(struct engine *engine, const struct window *w, bool together,
                                struct footprint_summary *summary, bool *any)
{
    struct footprint_run *run = &engine->footprint;
    uint8_t line[FOOTPRINT_LINES_MAX];
    enum status status = STATUS_OK;

    *any = false;
    for (uint32_t i = FOOTPRINT_ROWS; i-- > 0 && status == STATUS_OK;) {
        uint32_t count = open_lines(run, &run->row[i], line);
        *any = *any || count != 0;
        status = together ? round_together(engine, w, &run->row[i], line, count)
                          : round_alone(engine, w, &run->row[i], line, count);
    }
    footprint_summarise(run->row, FOOTPRINT_ROWS, &run->threshold, summary);
    return status;
}

static void forget(struct footprint_run *run)
{
    for (uint32_t i = 0; i < FOOTPRINT_ROWS; i++)
        memory_fill(run->row[i].cell, 0, sizeof run->row[i].cell);
}

/* Rounds of several lines a probe, which are the quicker, until something is found: since the lines
 * that are loaded are touches too, which of them brought it is then told by rounds of one line a
 * probe, from the beginning. What is only found the first way was brought by other lines than
 * those that are touched. */
static enum status all_rounds(struct engine *engine, const struct window *w,
                              struct footprint_summary *summary)
{
    struct footprint_run *run = &engine->footprint;
    double left_s = estimate_budget_left_s(engine) * BUDGET_SHARE;
    double cap_s = left_s < CAP_S ? left_s : CAP_S;
    const struct machine *machine = engine->machine;
    uint64_t begun_ns = machine->wall_ns(machine->self);
    bool any = true, seen = false, together = run->threshold.false_found <= FALSE_MANY;
    enum status status = STATUS_OK;
    double past_s = 0;

    footprint_summarise(run->row, FOOTPRINT_ROWS, &run->threshold, summary);
    while (run->threshold.tells && summary->verdict == FOOTPRINT_UNDECIDED && any &&
           status == STATUS_OK && past_s <= cap_s) {
        status = round_of_all(engine, w, together, summary, &any);
        past_s = (double)(machine->wall_ns(machine->self) - begun_ns) * 1e-9;
        if (status == STATUS_OK && together && footprint_seen(run->row, FOOTPRINT_ROWS)) {
            together = false;
            seen = true;
            forget(run);
            footprint_summarise(run->row, FOOTPRINT_ROWS, &run->threshold, summary);
        }
    }
    if (!run->threshold.tells)
        summary->doubt = doubt_of(DOUBT_COARSE_CLOCK);
    else if (summary->verdict == FOOTPRINT_UNDECIDED && past_s > cap_s && cap_s < CAP_S)
        summary->doubt = doubt_of(DOUBT_BUDGET);
    if (seen && summary->verdict == FOOTPRINT_OFF) {
        summary->verdict = FOOTPRINT_UNDECIDED;
        summary->doubt |= doubt_of(DOUBT_CONTRADICTED);
    }
    return status;
}

/* ---- records */

static void emit_row(struct engine *engine, const struct point *point,
                     const struct footprint_row *row)
{
    const struct footprint_threshold *threshold = &engine->footprint.threshold;
    double tick_ns = 1e9 / (double)engine->machine->description->clock.hz;
    struct record record = {.kind = RECORD_FOOTPRINT};
    struct record_footprint *out = &record.u.footprint;
    struct footprint_summary summary;

    footprint_summarise(row, 1, threshold, &summary);
    *out = (struct record_footprint){.experiment = experiment_table[point->experiment].name,
                                     .pages_bytes = plan_pages_bytes(point),
                                     .frames = plan_frames_name(point),
                                     .map = plan_map_name(point),
                                     .prefetch = controls_prefetch_state(engine),
                                     .prefetch_alone = controls_alone_name(engine),
                                     .line_bytes = engine->footprint.line_bytes,
                                     .touches = row->touches,
                                     .touched = row->touched,
                                     .tries = summary.tries,
                                     .threshold_ns = threshold->ticks * tick_ns,
                                     .hit_ns = threshold->hit_ticks * tick_ns,
                                     .miss_ns = threshold->miss_ticks * tick_ns,
                                     .hits_found = threshold->found,
                                     .misses_found = threshold->false_found,
                                     .most = summary.most.share,
                                     .most_low = summary.most.low,
                                     .most_high = summary.most.high,
                                     .most_distance = summary.distance,
                                     .high = summary.high,
                                     .verdict = footprint_verdict_name(summary.verdict),
                                     .doubt = point->footprint.doubt |
                                              (footprint_moved(row) ? doubt_of(DOUBT_DRIFT) : 0),
                                     .share = engine->footprint.share,
                                     .share_count = row->lines};
    for (uint32_t i = 0; i < row->lines; i++)
        engine->footprint.share[i] = row->cell[i].tries == 0
                                         ? real_nan()
                                         : footprint_share_of(&row->cell[i], threshold).share;
    journal_emit(engine->journal, &record);
}

/* What a chain left behind would lead a prefetcher that follows pointers astray. */
static enum status fill(struct engine *engine, const struct point *point, const struct window *w)
{
    const struct machine *machine = engine->machine;
    struct chain chain = {.order = &engine->order,
                          .stride_bytes = machine->description->line_bytes,
                          .line_bytes = machine->description->line_bytes,
                          .chains = 1};
    struct fault_info fault = {.kind = 0};
    uint64_t lines = point->bytes / chain.stride_bytes;
    enum status status;

    line_order_start(&engine->order, ORDER_RANDOM, lines, 0, engine->options->seed);
    status = machine->work_run(machine->self, w, 0, machine->draw_fill, &chain, 0, lines, &fault);
    if (status == STATUS_FAULT)
        diagnose_fault(engine, &fault);
    return status;
}

enum status footprint_measure(struct engine *engine, struct point *point, const struct window *w)
{
    enum status status = fill(engine, point, w);

    start(&engine->footprint, engine, point);
    if (status == STATUS_OK)
        status = find_threshold(engine, w);
    if (status == STATUS_OK)
        status = all_rounds(engine, w, &point->footprint);
    if (status != STATUS_OK)
        return status;
    point->prefetch = controls_prefetch_state(engine);
    for (uint32_t i = 0; i < FOOTPRINT_ROWS; i++)
        emit_row(engine, point, &engine->footprint.row[i]);
    return STATUS_OK;
}
