/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/banks.h"

#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/measure/banks_run.h"
#include "core/measure/time.h"
#include "core/measure/modules.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"
#include "core/stats/stats.h"

/* So many rounds of some 300 ns tell 15 ns of a row conflict from the 42 ns of a slow clock's tick,
 * and average over several refreshes. */
#define ROUNDS BANKS_ROUNDS
/* Where conflicts are one in hundreds or thousands, many pairs must be looked at: fewer rounds tell
 * which few are worth timing again. */
#define RARE_ROUNDS  40
#define BATCH        (4 * BANKS_SECTION)
#define SPLIT_MIN    8
#define BUDGET_SHARE 0.5

/* ---- random pairs */

/* The median of BANKS_REPEATS sorted in place. */
static uint64_t median_of(uint64_t *ticks)
{
    stats_sort(ticks, BANKS_REPEATS);
    return ticks[BANKS_REPEATS / 2];
}

/* Which up to `max` pairs of the section are the slowest: run->slowest. */
static uint32_t find_slowest(struct banks_run *run, uint32_t max)
{
    const uint64_t *ticks = run->section_time;
    uint64_t least;
    uint32_t count = 0;

    memory_copy(run->sorted, ticks, sizeof run->section_time);
    stats_sort(run->sorted, BANKS_SECTION);
    least = run->sorted[BANKS_SECTION - max];
    for (unsigned ties = 0; ties < 2; ties++)
        for (uint32_t i = 0; i < BANKS_SECTION && count < max; i++)
            if (ties == 0 ? ticks[i] > least : ticks[i] == least)
                run->slowest[count++] = i;
    return count;
}

/* Conflicts may be one in hundreds, and what disturbed single pairs would hide the gap below them:
 * the slowest pairs are timed again, and their medians count. */
static enum status time_slowest(struct measure *m, const struct window *w)
{
    struct banks_run *run = &m->banks;
    uint32_t count = find_slowest(run, BANKS_SLOWEST);
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count; i++)
        run->again[0][i] = run->section_time[run->slowest[i]];
    for (uint32_t k = 1; k < BANKS_REPEATS && status == STATUS_OK; k++)
        status = banks_time_drawn(m, w, run->slowest, count, run->again[k]);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        uint64_t times[BANKS_REPEATS];
        for (uint32_t k = 0; k < BANKS_REPEATS; k++)
            times[k] = run->again[k][i];
        run->section_time[run->slowest[i]] = median_of(times);
    }
    return status;
}

/* Address bits in which drawn lines differ from the window's first. */
static uint64_t bits_of(const struct measure *m, const struct window *w,
                        const struct banks_lines *drawn, uint32_t count)
{
    uint64_t first = banks_pair(m, w, (struct banks_lines){0}).a, bits = 0;

    for (uint32_t i = 0; i < count; i++) {
        struct address_pair pair = banks_pair(m, w, drawn[i]);
        bits |= (pair.a ^ first) | (pair.b ^ first);
    }
    return bits & ~(uint64_t)(m->machine->description->line_bytes - 1);
}

static void split(struct banks_run *run)
{
    memory_copy(run->sorted, run->drawn_time, run->count * sizeof run->sorted[0]);
    stats_sort(run->sorted, run->count);
    conflict_split(run->sorted, run->count, SPLIT_MIN, run->least, &run->split);
}

/* Draws a section of pairs and keeps all. */
static enum status draw_all(struct measure *m, const struct window *w)
{
    struct banks_run *run = &m->banks;
    enum status status = banks_draw_section(m, w, NULL, 0);

    if (status == STATUS_OK)
        status = time_slowest(m, w);
    if (status != STATUS_OK)
        return status;
    memory_copy(&run->drawn[run->count], run->section_lines, sizeof run->section_lines);
    memory_copy(&run->drawn_time[run->count], run->section_time, sizeof run->section_time);
    run->bits |= bits_of(m, w, run->section_lines, BANKS_SECTION);
    run->count += BANKS_SECTION;
    return STATUS_OK;
}

/* Looks at a section of pairs and keeps the slowest. */
static enum status draw_rare(struct measure *m, const struct window *w)
{
    struct banks_run *run = &m->banks;
    enum status status = banks_draw_section(m, w, NULL, 0);
    uint32_t count;

    if (status != STATUS_OK)
        return status;
    count = find_slowest(run, BANKS_RARE);
    run->median_time = run->sorted[BANKS_SECTION / 2];
    for (uint32_t i = 0; i < count; i++)
        run->drawn[run->count + i] = run->section_lines[run->slowest[i]];
    status = banks_time(m, w, &run->drawn[run->count], count, &run->drawn_time[run->count]);
    if (status != STATUS_OK)
        return status;
    run->bits |= bits_of(m, w, &run->drawn[run->count], count);
    run->count += count;
    return STATUS_OK;
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
    status = banks_time(m, w, run->kept, repeated->tried, run->section_time);
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
        run->pair[i] = banks_pair(m, w, run->kept[i]);
    summary->why = banks_doubt(summary, &slow, &fast);
    return STATUS_OK;
}

/* Counts which of `count` conflicts from `first` on are among the slowest of a section of pairs. */
static enum status draw_again(struct measure *m, const struct window *w, uint32_t first,
                              uint32_t count, struct banks_repeat *seen)
{
    struct banks_run *run = &m->banks;
    enum status status = banks_draw_section(m, w, &run->kept[first], count);

    if (status != STATUS_OK)
        return status;
    memory_copy(run->sorted, run->section_time, sizeof run->section_time);
    stats_sort(run->sorted, BANKS_SECTION);
    for (uint32_t i = 0; i < count; i++)
        seen->conflicts += run->section_time[i * (BANKS_SECTION / BANKS_KNOWN)] >=
                           run->sorted[BANKS_SECTION - BANKS_RARE];
    seen->tried += count;
    return STATUS_OK;
}

/* Where only the slowest pairs are looked at, conflicts are missed that something else is slower
 * than: known ones, drawn again, tell how many. */
static enum status count_seen(struct measure *m, const struct window *w,
                              struct banks_summary *summary)
{
    const struct banks_run *run = &m->banks;
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < run->kept_count && status == STATUS_OK; i += BANKS_KNOWN)
        status = draw_again(m, w, i,
                            run->kept_count - i < BANKS_KNOWN ? run->kept_count - i : BANKS_KNOWN,
                            &summary->seen);
    banks_count(summary);
    return status;
}

/* ---- the search */

static void start(struct measure *m, uint64_t bytes)
{
    random_start(&m->banks.random, m->options->seed);
    m->banks.lines = bytes / m->machine->description->line_bytes;
    m->banks.bits = 0;
    m->banks.least = conflict_least(m->machine->description->clock.hz);
    m->banks.looked_at = 0;
}

static void start_drawing(struct banks_run *run, bool rare)
{
    run->rare = rare;
    run->rounds = rare ? RARE_ROUNDS : ROUNDS;
    run->looked_at = 0;
    run->base_time = run->median_time = 0;
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
        for (uint32_t i = 0; i < BATCH && status == STATUS_OK; i += BANKS_SECTION) {
            status = rare ? draw_rare(m, w) : draw_all(m, w);
            run->looked_at += BANKS_SECTION;
        }
        if (status == STATUS_OK)
            split(run);
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

static void nothing_yet(const struct measure *m, struct banks_summary *summary)
{
    *summary = (struct banks_summary){.known = true,
                                      .verdict = BANKS_UNSURE,
                                      .pairs = m->banks.looked_at,
                                      .banks_low = real_nan(),
                                      .banks_high = real_nan(),
                                      .apart_ns = real_nan(),
                                      .conflict_ns = real_nan(),
                                      .bits = m->banks.bits};
}

/* Draws pairs, and keeps those that conflict each time; summary->why: there are no such. */
static enum status find_conflicts(struct measure *m, const struct window *w, bool rare,
                                  struct banks_summary *summary)
{
    struct banks_run *run = &m->banks;
    enum status status = draw_enough(m, w, rare);

    nothing_yet(m, summary);
    if (status != STATUS_OK)
        return status;
    if (!run->split.sure) {
        summary->why = "no pairs stand out: one bank, or a clock or noise that hides conflicts";
        return STATUS_OK;
    }
    conclude(m, summary);
    status = keep_conflicts(m, w, summary);
    return status == STATUS_OK && rare && summary->why == NULL ? count_seen(m, w, summary) : status;
}

/* Conflicts repeat, and functions do not say which pairs do: there are none where fewer than banks
 * need are constant over the conflicts, and pairs that these put in one bank do not conflict. */
static enum status judge_unsolved(struct measure *m, const struct window *w,
                                  struct banks_summary *summary)
{
    bool too_few = banks_too_few(summary, summary->mapping.functions.count), hold = false;
    enum status status = STATUS_OK;

    if (too_few)
        status = banks_hold(m, w, &summary->mapping, &hold);
    if (status != STATUS_OK)
        return status;
    if (too_few && !hold)
        summary->verdict = BANKS_NOT_LINEAR;
    else
        summary->why = too_few ? "functions predict, but more banks than theirs are counted"
                               : "functions fit, but do not predict";
    return STATUS_OK;
}

static enum status search(struct measure *m, const struct window *w, struct banks_summary *summary)
{
    enum status status;
    bool works;

    nothing_yet(m, summary);
    status = measure_try_flush(m, w, m->banks.lines, &works);
    if (status == STATUS_OK && !works)
        summary->why = MEASURE_NO_FLUSH;
    if (status != STATUS_OK || !works)
        return status;
    status = find_conflicts(m, w, false, summary);
    if (status == STATUS_OK && summary->why != NULL)
        status = find_conflicts(m, w, true, summary);
    if (status == STATUS_OK && summary->why == NULL)
        status = banks_solve(m, w, summary);
    if (status != STATUS_OK || summary->verdict == BANKS_LINEAR || summary->why != NULL)
        return status;
    return judge_unsolved(m, w, summary);
}

static const struct {
    enum severity severity;
    const char *what;
} told[] = {[BANKS_MET] = {SEVERITY_INFO, "banks are as expected"},
            [BANKS_POSSIBLE] = {SEVERITY_INFO, "banks may be as many as expected"},
            [BANKS_UNMET] = {SEVERITY_WARNING, "banks are not as expected"},
            [BANKS_NOT_TOLD] = {SEVERITY_WARNING, "whether banks are as expected is not known"}};

/* Less memory than all may hold fewer banks: the note names how much was searched. */
static void note_expected(struct measure *m, const struct point *point,
                          const struct banks_summary *summary)
{
    uint32_t expected = m->options->expect_banks;
    bool guest = m->machine->description->guest == GUEST_YES;
    enum banks_expectation expectation = banks_expect(summary, expected, guest);
    const char *name = experiment_list[point->experiment].name, *what = told[expectation].what;
    enum severity severity = told[expectation].severity;
    const char *of_guest = guest ? " by a guest's addresses" : "";

    if (expectation == BANKS_NOTHING_EXPECTED)
        return;
    if (summary->verdict == BANKS_LINEAR)
        journal_note_about(m->journal, severity, name, what,
                           "expect-banks=%u, and %lu were found in %s of memory%s", expected,
                           (uint64_t)1 << summary->mapping.functions.count, TEXT_SIZE(point->bytes),
                           of_guest);
    else if (summary->verdict == BANKS_NOT_LINEAR)
        journal_note_about(
            m->journal, severity, name, what,
            "expect-banks=%u, and the share of conflicts in %s of memory%s says %u to %u", expected,
            TEXT_SIZE(point->bytes), of_guest, (unsigned)summary->banks_low,
            (unsigned)summary->banks_high);
    else
        journal_note_about(m->journal, severity, name, what,
                           "expect-banks=%u, and the search is unsure", expected);
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
    const struct machine_description *d = m->machine->description;
    uint32_t expected = m->options->expect_banks;

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
        .offset_from_bytes = summary->mapping.offset_from,
        .agreement =
            summary->mapping.functions.count != 0 ? summary->mapping.agreement : real_nan(),
        .predicted = summary->predicted,
        .confirmed = summary->confirmed,
        .expected_banks = expected != 0 ? expected : RECORD_UNKNOWN,
        .expectation =
            banks_expectation_name(banks_expect(summary, expected, d->guest == GUEST_YES)),
        .guest = d->guest == GUEST_YES  ? ANSWER_YES
                 : d->guest == GUEST_NO ? ANSWER_NO
                                        : ANSWER_UNKNOWN};
    m->plan->banks_judged = true;
    modules_compare(m->machine->description, &record.u.mapping, m->journal);
    journal_emit(m->journal, &record);
    note_expected(m, point, summary);
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
