/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/banks.h"

#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/measure/time.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"
#include "core/stats/stats.h"

/* So many rounds of some 300 ns tell 15 ns of a row conflict from the 42 ns of a slow clock's tick,
 * and average over several refreshes. */
#define ROUNDS BANKS_ROUNDS
/* Where conflicts are one in hundreds or thousands, many pairs must be looked at: fewer rounds tell
 * which few are worth timing again. */
#define RARE_ROUNDS 40
#define BESIDE      3 /* lines that each line of a pair is timed beside */
#define BATCH       (4 * BANKS_SECTION)
#define SPLIT_MIN   8
#define ENOUGH      0.85 /* of the conflicts fit the functions: the others were mistaken */
#define OFFSETS     16   /* of OFFSET, below 4 GiB */
#define OFFSET      (256ull << 20)
#define PREDICTED   32 /* pairs that must conflict; and as many that must not, of each function */
#define TRIES_MAX   200000
/* Of predicted pairs; single rounds of conflicts fall into one row, or meet a disturbance. */
#define CONFIRMED_MIN 0.9
#define BUDGET_SHARE  0.5

/* ---- one quiet section */

static uintptr_t address_of(const struct measure *m, const struct window *w, uint32_t line)
{
    return w->base + (uintptr_t)line * m->machine->description->line_bytes;
}

static phys_addr phys_of(const struct measure *m, const struct window *w, uint32_t line)
{
    return m->machine->window_phys(m->machine->self, w,
                                   (uint64_t)line * m->machine->description->line_bytes);
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

static enum status run_section(struct measure *m, const struct window *w,
                               const struct banks_lines *lines, uint32_t count, uint64_t *time)
{
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count && status == STATUS_OK; i += BANKS_QUIET)
        status =
            run_quiet(m, w, &lines[i], count - i < BANKS_QUIET ? count - i : BANKS_QUIET, &time[i]);
    return status;
}

/* ---- random pairs */

static struct banks_lines draw(struct banks_run *run)
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
    enum status status = run_section(m, w, lines, count, some);

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
            run->beside[i] = draw(run);
            *(which == 0 ? &run->beside[i].a : &run->beside[i].b) =
                which == 0 ? lines[i].a : lines[i].b;
        }
        status = time_least(m, w, run->beside, count, run->alone[which]);
    }
    return status;
}

/* Times up to BANKS_KEPT pairs. Lines are not equally far from a core, and where conflicts are rare
 * the farthest pairs are more than those that conflict: there counts what a pair takes more than
 * each of its lines does beside others, added to what most pairs take. */
static enum status time_pairs(struct measure *m, const struct window *w,
                              const struct banks_lines *lines, uint32_t count, uint64_t *time)
{
    struct banks_run *run = &m->banks;
    enum status status = run_section(m, w, lines, count, time);

    for (uint32_t k = 1; run->rare && k < BANKS_REPEATS && status == STATUS_OK; k++)
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

/* The median of BANKS_REPEATS sorted in place. */
static uint64_t median_of(uint64_t *ticks)
{
    stats_sort(ticks, BANKS_REPEATS);
    return ticks[BANKS_REPEATS / 2];
}

/* Which up to `max` pairs of a section are the slowest: run->slowest, and their lines in run->kept.
 */
static uint32_t find_slowest(struct banks_run *run, const struct banks_lines *lines,
                             const uint64_t *ticks, uint32_t max)
{
    uint64_t least;
    uint32_t count = 0;

    memory_copy(run->sorted, ticks, BANKS_SECTION * sizeof ticks[0]);
    stats_sort(run->sorted, BANKS_SECTION);
    least = run->sorted[BANKS_SECTION - max];
    for (unsigned ties = 0; ties < 2; ties++)
        for (uint32_t i = 0; i < BANKS_SECTION && count < max; i++)
            if (ties == 0 ? ticks[i] > least : ticks[i] == least) {
                run->slowest[count] = i;
                run->kept[count++] = lines[i];
            }
    return count;
}

/* Conflicts may be one in hundreds, and what disturbed single pairs would hide the gap below them:
 * the slowest pairs are timed again, and their medians count. */
static enum status time_slowest(struct measure *m, const struct window *w, uint32_t first)
{
    struct banks_run *run = &m->banks;
    uint64_t *ticks = &run->drawn_time[first];
    uint32_t count = find_slowest(run, &run->drawn[first], ticks, BANKS_SLOWEST);
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count; i++)
        run->again[0][i] = ticks[run->slowest[i]];
    for (uint32_t k = 1; k < BANKS_REPEATS && status == STATUS_OK; k++)
        status = run_section(m, w, run->kept, count, run->again[k]);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        uint64_t times[BANKS_REPEATS];
        for (uint32_t k = 0; k < BANKS_REPEATS; k++)
            times[k] = run->again[k][i];
        ticks[run->slowest[i]] = median_of(times);
    }
    return status;
}

/* Address bits in which drawn lines differ from the window's first. */
static uint64_t bits_of(const struct measure *m, const struct window *w,
                        const struct banks_lines *drawn, uint32_t count)
{
    uint64_t first = phys_of(m, w, 0).value, bits = 0;

    for (uint32_t i = 0; i < count; i++)
        bits |=
            (phys_of(m, w, drawn[i].a).value ^ first) | (phys_of(m, w, drawn[i].b).value ^ first);
    return bits & ~(uint64_t)(m->machine->description->line_bytes - 1);
}

static void split(struct banks_run *run)
{
    memory_copy(run->sorted, run->drawn_time, run->count * sizeof run->sorted[0]);
    stats_sort(run->sorted, run->count);
    conflict_split(run->sorted, run->count, SPLIT_MIN, &run->split);
}

static enum status draw_batch(struct measure *m, const struct window *w)
{
    struct banks_run *run = &m->banks;
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < BATCH && status == STATUS_OK; i += BANKS_SECTION) {
        for (uint32_t k = 0; k < BANKS_SECTION; k++)
            run->drawn[run->count + k] = draw(run);
        status =
            run_section(m, w, &run->drawn[run->count], BANKS_SECTION, &run->drawn_time[run->count]);
        if (status == STATUS_OK)
            status = time_slowest(m, w, run->count);
        if (status != STATUS_OK)
            return status;
        run->bits |= bits_of(m, w, &run->drawn[run->count], BANKS_SECTION);
        run->count += BANKS_SECTION;
        run->looked_at += BANKS_SECTION;
    }
    split(run);
    return status;
}

/* Looks at a section of pairs and keeps the slowest. */
static enum status draw_rare(struct measure *m, const struct window *w)
{
    struct banks_run *run = &m->banks;
    uint64_t *time = &run->drawn_time[run->count];
    enum status status;
    uint32_t count;

    for (uint32_t k = 0; k < BANKS_SECTION; k++)
        run->section_lines[k] = draw(run);
    status = run_section(m, w, run->section_lines, BANKS_SECTION, run->section_time);
    if (status != STATUS_OK)
        return status;
    count = find_slowest(run, run->section_lines, run->section_time, BANKS_RARE);
    run->median_time = run->sorted[BANKS_SECTION / 2];
    memory_copy(&run->drawn[run->count], run->kept, count * sizeof run->kept[0]);
    status = time_pairs(m, w, run->kept, count, time);
    if (status != STATUS_OK)
        return status;
    run->bits |= bits_of(m, w, run->kept, count);
    run->count += count;
    run->looked_at += BANKS_SECTION;
    return status;
}

static struct address_pair pair_of(const struct measure *m, const struct window *w,
                                   struct banks_lines lines)
{
    return (struct address_pair){.a = phys_of(m, w, lines.a).value,
                                 .b = phys_of(m, w, lines.b).value};
}

/* Of up to BANKS_KEPT drawn pairs that conflict, or that do not, how many conflict when they are
 * timed again; these are kept. */
static enum status repeat(struct measure *m, const struct window *w, bool conflict,
                          struct banks_repeat *repeated)
{
    struct banks_run *run = &m->banks;
    enum status status;

    *repeated = (struct banks_repeat){.tried = 0};
    for (uint32_t i = 0; i < run->count && repeated->tried < BANKS_KEPT; i++)
        if (((double)run->drawn_time[i] > run->split.time) == conflict)
            run->kept[repeated->tried++] = run->drawn[i];
    status = time_pairs(m, w, run->kept, repeated->tried, run->section_time);
    for (uint32_t i = 0; i < repeated->tried && status == STATUS_OK; i++)
        if ((double)run->section_time[i] > run->split.time)
            run->kept[repeated->conflicts++] = run->kept[i];
    return status;
}

/* Pairs conflict each time or never: what an emulator or other programs make slow differs. */
static enum status keep_conflicts(struct measure *m, const struct window *w,
                                  struct banks_summary *summary)
{
    struct banks_run *run = &m->banks;
    struct banks_repeat slow, fast;
    enum status status = repeat(m, w, false, &fast);

    if (status == STATUS_OK)
        status = repeat(m, w, true, &slow);
    if (status != STATUS_OK)
        return status;
    run->kept_count = slow.conflicts;
    for (uint32_t i = 0; i < run->kept_count; i++)
        run->pair[i] = pair_of(m, w, run->kept[i]);
    summary->why = banks_doubt(summary, &slow, &fast);
    return STATUS_OK;
}

/* ---- predictions */

/* A pair whose functions differ in `class`. False: none was met. */
static bool draw_class(struct measure *m, const struct window *w,
                       const struct address_mapping *mapping, unsigned class,
                       struct banks_lines *lines)
{
    for (uint32_t i = 0; i < TRIES_MAX; i++) {
        uint64_t a, b;
        *lines = draw(&m->banks);
        a = phys_of(m, w, lines->a).value - mapping->offset_bytes;
        b = phys_of(m, w, lines->b).value - mapping->offset_bytes;
        if (address_class(&mapping->functions, a ^ b) == class)
            return true;
    }
    return false;
}

/* Times pairs that differ in that class; *conflicts is how many of the *count conflict. */
static enum status time_class(struct measure *m, const struct window *w,
                              const struct address_mapping *mapping, unsigned class,
                              uint32_t *count, uint32_t *conflicts)
{
    struct banks_run *run = &m->banks;
    enum status status;

    *count = *conflicts = 0;
    while (*count < PREDICTED && draw_class(m, w, mapping, class, &run->kept[*count]))
        ++*count;
    status = time_pairs(m, w, run->kept, *count, run->section_time);
    for (uint32_t i = 0; i < *count && status == STATUS_OK; i++)
        *conflicts += (double)run->section_time[i] > run->split.time;
    return status;
}

/* Pairs in one bank by all functions must conflict; pairs that a single function tells apart must
 * not. A function of which they do selects nothing, and is removed. */
static enum status predict(struct measure *m, const struct window *w, struct banks_summary *summary,
                           struct address_mapping *mapping)
{
    struct address_functions proven = {0};
    uint32_t count, conflicts;
    enum status status = STATUS_OK;

    summary->predicted = summary->confirmed = 0;
    for (unsigned f = 0; f < mapping->functions.count && status == STATUS_OK; f++) {
        status = time_class(m, w, mapping, 1u << f, &count, &conflicts);
        if (2 * conflicts >= count)
            continue;
        proven.mask[proven.count++] = mapping->functions.mask[f];
        summary->predicted += count;
        summary->confirmed += count - conflicts;
    }
    mapping->functions = proven;
    if (status == STATUS_OK)
        status = time_class(m, w, mapping, 0, &count, &conflicts);
    summary->predicted += count;
    summary->confirmed += conflicts;
    return status;
}

/* ---- offsets */

/* Of the memory map, in whole steps. */
static uint64_t hole_below_4g(const struct machine_description *d)
{
    const uint64_t limit = OFFSETS * OFFSET;
    uint64_t low_end = 0;

    for (size_t i = 0; i < d->memory_count; i++) {
        uint64_t end = d->memory[i].base.value + d->memory[i].bytes;
        low_end = d->memory[i].usable && end <= limit && end > low_end ? end : low_end;
    }
    return (limit - low_end) / OFFSET % OFFSETS * OFFSET;
}

/* None first, since most controllers of Intel's and Arm's subtract nothing; then what the hole
 * suggests; then the others in turn. False: there is no such offset, or it had its turn. */
static bool offset_of(uint64_t hole, uint32_t turn, uint64_t *offset)
{
    *offset = turn == 0 ? 0 : turn == 1 ? hole : (turn - 1) * OFFSET;
    return turn == 0 || (turn == 1 ? hole != 0 : *offset != hole);
}

static enum status solve(struct measure *m, const struct window *w, struct banks_summary *summary)
{
    uint64_t hole = hole_below_4g(m->machine->description);
    struct banks_run *run = &m->banks;
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < BANKS_KEPT; i++)
        run->any[i] = pair_of(m, w, draw(run));
    for (uint32_t turn = 0; turn <= OFFSETS && status == STATUS_OK; turn++) {
        struct address_mapping mapping;
        uint64_t offset;
        if (!offset_of(hole, turn, &offset))
            continue;
        address_solve(run->pair, run->kept_count,
                      address_free_bits(run->any, BANKS_KEPT, summary->bits, offset), offset,
                      ENOUGH, &run->random, &mapping);
        if (turn == 0 || mapping.functions.count > summary->mapping.functions.count)
            summary->mapping = mapping;
        if (banks_too_few(summary, mapping.functions.count))
            continue;
        status = predict(m, w, summary, &mapping);
        if (status == STATUS_OK && banks_agree(summary, mapping.functions.count) &&
            summary->confirmed >= CONFIRMED_MIN * summary->predicted) {
            mapping.agreement = address_agreement(&mapping, run->pair, run->kept_count);
            summary->verdict = BANKS_LINEAR;
            summary->mapping = mapping;
            break;
        }
        status = status == STATUS_OK ? measure_go_on(m) : status;
    }
    return status;
}

/* ---- the search */

static void start(struct measure *m, uint64_t bytes)
{
    random_start(&m->banks.random, m->options->seed);
    m->banks.lines = bytes / m->machine->description->line_bytes;
    m->banks.bits = 0;
}

static void start_drawing(struct banks_run *run, bool rare)
{
    run->rare = rare;
    run->rounds = rare ? RARE_ROUNDS : ROUNDS;
    run->looked_at = run->median_time = 0;
    run->count = run->kept_count = 0;
    run->split = (struct conflict_split){.sure = false};
}

static bool has_enough(const struct banks_run *run)
{
    return run->split.sure && run->split.above >= 2 * banks_conflicts_needed(run->bits);
}

/* Until there are conflicts enough to solve for functions of all bits, twice over. */
static enum status draw_enough(struct measure *m, const struct window *w, bool rare)
{
    struct banks_run *run = &m->banks;
    double left_s = budget_left_s(&m->plan->budget, time_now_ns(m->machine)) * BUDGET_SHARE;
    uint64_t begun_ns = time_now_ns(m->machine);
    enum status status = STATUS_OK;

    start_drawing(run, rare);
    while (status == STATUS_OK && run->count + BATCH <= BANKS_PAIRS_MAX && !has_enough(run)) {
        for (uint32_t i = 0; rare && i < BATCH && status == STATUS_OK; i += BANKS_SECTION)
            status = draw_rare(m, w);
        if (rare && status == STATUS_OK)
            split(run);
        if (!rare)
            status = draw_batch(m, w);
        if ((double)(time_now_ns(m->machine) - begun_ns) * 1e-9 > left_s)
            break;
        status = status == STATUS_OK ? measure_go_on(m) : status;
    }
    return status;
}

static void conclude(struct measure *m, struct banks_summary *summary)
{
    double tick_ns = 1e9 / (double)m->machine->description->clock.hz / CONFLICT_TICK;
    const struct banks_run *run = &m->banks;

    summary->conflicts = (uint32_t)run->split.above;
    summary->apart_ns =
        (run->median_time != 0 ? (double)run->median_time : run->split.low_mean) * tick_ns;
    summary->conflict_ns = run->split.high_mean * tick_ns;
    banks_count(summary);
}

/* Draws pairs, and keeps those that conflict each time; summary->why: there are no such. */
static enum status find_conflicts(struct measure *m, const struct window *w, bool rare,
                                  struct banks_summary *summary)
{
    struct banks_run *run = &m->banks;
    enum status status = draw_enough(m, w, rare);

    *summary = (struct banks_summary){.known = true,
                                      .verdict = BANKS_UNSURE,
                                      .pairs = run->looked_at,
                                      .banks_low = real_nan(),
                                      .banks_high = real_nan(),
                                      .apart_ns = real_nan(),
                                      .conflict_ns = real_nan(),
                                      .bits = run->bits};
    if (status != STATUS_OK)
        return status;
    if (!run->split.sure) {
        summary->why = "no pairs stand out: one bank, or a clock or noise that hides conflicts";
        return STATUS_OK;
    }
    conclude(m, summary);
    return keep_conflicts(m, w, summary);
}

static enum status search(struct measure *m, const struct window *w, struct banks_summary *summary)
{
    enum status status = find_conflicts(m, w, false, summary);

    if (status == STATUS_OK && summary->why != NULL)
        status = find_conflicts(m, w, true, summary);
    if (status == STATUS_OK && summary->why == NULL)
        status = solve(m, w, summary);
    if (status != STATUS_OK || summary->verdict == BANKS_LINEAR || summary->why != NULL)
        return status;
    /* Conflicts repeat, but fewer functions than banks need are constant over them. */
    if (banks_too_few(summary, summary->mapping.functions.count))
        summary->verdict = BANKS_NOT_LINEAR;
    else
        summary->why = "functions fit, but do not predict";
    return status;
}

enum status banks_find(struct measure *m, const struct window *w, uint64_t bytes,
                       struct banks_summary *summary)
{
    start(m, bytes);
    return search(m, w, summary);
}

void banks_emit(struct measure *m, const struct point *point, const struct banks_summary *summary)
{
    struct record record = {.kind = RECORD_MAPPING};

    record.u.mapping = (struct record_mapping){
        .experiment = experiment_list[point->experiment].name,
        .pages_bytes = plan_pages_bytes(point),
        .frames = frame_order_names[point->frames],
        .map = map_names[point->map],
        .prefetch = controls_prefetch_state(&m->controls),
        .verdict = banks_verdict_name(summary->verdict),
        .why = summary->why,
        .bytes = point->bytes,
        .pairs = summary->pairs,
        .conflicts = real_is_nan(summary->conflict_ns) ? RECORD_UNKNOWN : summary->conflicts,
        .banks_low = summary->banks_low,
        .banks_high = summary->banks_high,
        .apart_ns = summary->apart_ns,
        .conflict_ns = summary->conflict_ns,
        .rank = summary->mapping.functions.count,
        .functions = summary->mapping.functions.mask,
        .offset_bytes = summary->mapping.offset_bytes,
        .agreement =
            summary->mapping.functions.count != 0 ? summary->mapping.agreement : real_nan(),
        .predicted = summary->predicted,
        .confirmed = summary->confirmed};
    journal_emit(m->journal, &record);
}

enum status banks_measure(struct measure *m, struct point *point, const struct window *w)
{
    enum status status = banks_find(m, w, point->bytes, &point->banks);

    if (status != STATUS_OK)
        return status;
    point->prefetch = controls_prefetch_state(&m->controls);
    banks_emit(m, point, &point->banks);
    return STATUS_OK;
}
