/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/single.h"

#include "core/dram/banks.h"
#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/measure/time.h"
#include "core/names.h"
#include "core/options/experiments.h"
#include "core/plan/names.h"
#include "core/stats/stats.h"

#define ACCESSES_QUICK (1u << 17)
#define ACCESSES_FULL  (1u << 20)
/* Up to half the time of an access. */
#define WAIT_CYCLES 512
/* Two lines must tell of the same period. */
#define SAME_PERIOD 0.01
#define TRIES       3
#define SPLIT_MIN   8
/* Lines of two ranks wait for more refreshes than lines of one: a slower group that is no bank's is
 * half of all pairs or more. */
#define BANKS_MIN       3
#define REPEAT_MIN      0.9
#define REPEAT_MISS     0.05
#define IN_TURN         512  /* accesses to each of two lines, to tell rows */
#define ROW_STEP_MAX_NS 10.5 /* less than what opening a row takes */
#define PHASE_TURNS     1024 /* the same to tell phases: over a hundred refreshes of the rarest */
#define PHASE_LINES     64   /* then it is seen whether more are needed */
#define PHASE_MAX       256
#define COARSE          0.02 /* of a median access: steps of the clock that percentiles show */

/* ---- one quiet section */

static uintptr_t draw_line(struct measure *m, const struct window *w)
{
    return w->base + (uintptr_t)(random_below(&m->single.random, m->single.lines) *
                                 m->machine->description->line_bytes);
}

/* Accesses to run->line[lines] in turn; start and ticks hold them. */
static enum status run_section(struct measure *m, const struct window *w, uint32_t lines,
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

static enum status run_in_turn(struct measure *m, const struct window *w, uintptr_t partner,
                               uint32_t turns)
{
    m->single.line[0] = m->single.base;
    m->single.line[1] = partner;
    return run_section(m, w, 2, 2 * turns, NULL);
}

static double clock_ns(const struct measure *m)
{
    return 1e9 / (double)m->machine->description->clock.hz;
}

static struct refresh_series series_of(const struct measure *m, size_t count)
{
    const struct clock_info *clock = &m->machine->description->clock;

    return (struct refresh_series){.start = m->single.start,
                                   .ticks = m->single.ticks,
                                   .count = count,
                                   .tick_ns = clock->resolution_ticks * clock_ns(m),
                                   .clock_ns = clock_ns(m)};
}

/* ---- the distribution */

static enum status measure_distribution(struct measure *m, const struct window *w)
{
    uint64_t wanted = m->options->plan == PLAN_FULL ? ACCESSES_FULL : ACCESSES_QUICK;
    double step = m->machine->description->clock.resolution_ticks;
    struct single_run *run = &m->single;
    enum status status = STATUS_OK;

    histogram_clear(&run->histogram);
    while (run->histogram.count < wanted && status == STATUS_OK) {
        for (uint32_t i = 0; i < SINGLE_LINES; i++)
            run->line[i] = draw_line(m, w);
        status = run_section(m, w, SINGLE_LINES, SINGLE_LINES,
                             run->histogram.count == 0 ? &run->timing_ticks : NULL);
        if (status == STATUS_FAULT)
            return status;
        for (uint32_t i = 0; i < SINGLE_LINES; i++)
            histogram_add(&run->histogram, (uint64_t)((double)run->ticks[i] / step + 0.5));
    }
    return status;
}

/* ---- refreshes */

static enum status find_once(struct measure *m, const struct window *w, struct refresh *refresh)
{
    struct refresh_series series = series_of(m, SINGLE_SERIES);
    enum status status;

    m->single.line[0] = draw_line(m, w);
    status = run_section(m, w, 1, SINGLE_SERIES, NULL);
    if (status == STATUS_OK)
        refresh_find(&series, m->single.room, refresh);
    return status;
}

/* Of several lines, two must agree: what other programs do to one line is not a refresh. */
static enum status find_refresh(struct measure *m, const struct window *w)
{
    struct refresh found[TRIES], *refresh = &m->single.refresh;
    enum status status = STATUS_OK;

    for (size_t i = 0; i < TRIES && status == STATUS_OK; i++) {
        status = find_once(m, w, &found[i]);
        if (status != STATUS_OK)
            return status;
        for (size_t k = 0; k < i; k++)
            if (found[i].verdict == REFRESH_FOUND && found[k].verdict == REFRESH_FOUND &&
                real_abs(found[i].period_ns / found[k].period_ns - 1) < SAME_PERIOD) {
                *refresh = found[i];
                return STATUS_OK;
            }
    }
    *refresh = found[0];
    for (size_t i = 1; i < TRIES && refresh->verdict == REFRESH_FOUND; i++)
        if (found[i].verdict != REFRESH_FOUND)
            *refresh = found[i];
    if (refresh->verdict == REFRESH_FOUND)
        refresh_doubt(refresh, "lines do not agree on a period");
    return STATUS_OK;
}

/* ---- pairs that conflict */

static enum status time_pairs(struct measure *m, const struct window *w,
                              const struct line_pair *pair, uint32_t count, uint64_t *ticks)
{
    const struct machine *machine = m->machine;
    uint64_t *rounds = m->single.rounds;
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < count && status == STATUS_OK; i += SINGLE_PAIR_SECTION) {
        uint32_t left = count - i;
        struct pair_plan plan = {.rounds = SINGLE_ROUNDS,
                                 .pair = &pair[i],
                                 .count = left < SINGLE_PAIR_SECTION ? left : SINGLE_PAIR_SECTION,
                                 .ticks = rounds};
        struct fault_info fault = {.kind = 0};
        status = machine->pair_run(machine->self, w, &plan, &fault);
        for (uint32_t k = 0; k < plan.count && status == STATUS_OK; k++)
            ticks[i + k] = conflict_time(&rounds[(size_t)k * SINGLE_ROUNDS], SINGLE_ROUNDS);
        status = measure_leave_section(m, status, &fault);
        status = status == STATUS_OK ? measure_go_on(m) : status;
    }
    return status;
}

static double longer_ns(const struct measure *m)
{
    const struct conflict_split *split = &m->single.split;

    return (split->high_mean - split->low_mean) / CONFLICT_TICK * clock_ns(m);
}

/* Conflicts may be one in hundreds, and what disturbed single pairs would hide the gap below them:
 * the slowest pairs are timed again, and their medians count. */
static enum status time_slowest(struct measure *m, const struct window *w)
{
    struct single_run *run = &m->single;
    enum status status = STATUS_OK;
    uint32_t count = 0;
    uint64_t least;

    memory_copy(run->sorted, run->pair_ticks, sizeof run->sorted);
    stats_sort(run->sorted, SINGLE_PAIRS);
    least = run->sorted[SINGLE_PAIRS - SINGLE_SLOWEST];
    for (uint32_t i = 0; i < SINGLE_PAIRS && count < SINGLE_SLOWEST; i++)
        if (run->pair_ticks[i] >= least) {
            run->slow[count] = run->pair[i];
            run->slowest[count++] = i;
        }
    for (size_t k = 0; k < SINGLE_REPEATS && status == STATUS_OK; k++)
        status = time_pairs(m, w, run->slow, count, run->again[k]);
    for (uint32_t i = 0; i < count && status == STATUS_OK; i++) {
        uint64_t times[SINGLE_REPEATS];
        for (size_t k = 0; k < SINGLE_REPEATS; k++)
            times[k] = run->again[k][i];
        stats_sort(times, SINGLE_REPEATS);
        run->pair_ticks[run->slowest[i]] = times[SINGLE_REPEATS / 2];
    }
    return status;
}

/* Pairs conflict each time or never; else nothing is known of them. */
static void keep_conflicts(struct single_run *run)
{
    uint32_t slow = 0, both = 0, late = 0;

    for (uint32_t i = 0; i < SINGLE_PAIRS; i++) {
        bool again = (double)run->sorted[i] > run->split.time;
        run->conflicts[i] = (double)run->pair_ticks[i] > run->split.time;
        slow += run->conflicts[i];
        both += run->conflicts[i] && again;
        late += !run->conflicts[i] && again;
    }
    run->conflict_count = slow;
    run->split.sure = run->split.sure && slow * BANKS_MIN <= SINGLE_PAIRS &&
                      both >= REPEAT_MIN * slow && late <= REPEAT_MISS * (SINGLE_PAIRS - slow);
}

/* Two groups may be two channels' or two ranks': then conflicts are among the slower pairs. */
static void split_pairs(struct single_run *run)
{
    const size_t third = SINGLE_PAIRS / BANKS_MIN;

    conflict_split(run->sorted, SINGLE_PAIRS, SPLIT_MIN, &run->split);
    if (!run->split.sure || run->split.above > third)
        conflict_split(run->sorted + SINGLE_PAIRS - third, third, SPLIT_MIN, &run->split);
}

static enum status find_conflicts(struct measure *m, const struct window *w)
{
    struct single_run *run = &m->single;
    enum status status = STATUS_OK;

    for (uint32_t i = 0; i < SINGLE_PAIRS; i++) {
        run->pair[i].a = run->base;
        do
            run->pair[i].b = draw_line(m, w);
        while (run->pair[i].b == run->base);
    }
    status = time_pairs(m, w, run->pair, SINGLE_PAIRS, run->pair_ticks);
    if (status == STATUS_OK)
        status = time_slowest(m, w);
    if (status != STATUS_OK)
        return status;
    memory_copy(run->sorted, run->pair_ticks, sizeof run->sorted);
    stats_sort(run->sorted, SINGLE_PAIRS);
    split_pairs(run);
    status = time_pairs(m, w, run->pair, SINGLE_PAIRS, run->sorted);
    if (status == STATUS_OK)
        keep_conflicts(run);
    return status;
}

/* ---- rows */

/* Of the accesses to the base line those that refreshes had no part in, so that a row is as the
 * partner left it: a refresh closes it. */
static size_t keep_base(struct measure *m, uint64_t *kept)
{
    struct refresh_series series = series_of(m, 2 * IN_TURN);
    struct single_run *run = &m->single;
    struct refresh_phase phase;
    size_t count = 0;

    if (refresh_stall_known(&run->refresh))
        refresh_phase_of(&run->refresh, &series, 0, 2, run->sorted, &phase);
    for (uint32_t i = 2; i < 2 * IN_TURN; i += 2)
        if (!refresh_stall_known(&run->refresh) ||
            refresh_is_over(&run->refresh, &phase, run->start[i - 2], run->start[i]))
            kept[count++] = run->ticks[i];
    return count;
}

/* What an access to the base line takes in turn with lines that conflict with it, or do not. */
static enum status time_in_turn(struct measure *m, const struct window *w, bool conflict,
                                struct figure *access_ns)
{
    double quantum = m->machine->description->clock.resolution_ticks;
    struct single_run *run = &m->single;
    enum status status = STATUS_OK;
    uint32_t partners = 0;
    size_t count = 0;

    for (uint32_t i = 0; i < SINGLE_PAIRS && partners < SINGLE_KEPT; i++) {
        if (run->conflicts[i] != conflict)
            continue;
        status = run_in_turn(m, w, run->pair[i].b, IN_TURN);
        if (status != STATUS_OK)
            return status;
        count += keep_base(m, run->room + count);
        partners++;
    }
    *access_ns = rows_access(run->room, run->start, count, quantum);
    if (count == 0)
        return STATUS_OK;
    access_ns->value = (access_ns->value - run->timing_ticks) * clock_ns(m);
    access_ns->error *= clock_ns(m);
    return STATUS_OK;
}

/* By all accesses to random lines, if these show hits and conflicts where one line has them. */
static void find_shares(struct measure *m)
{
    double step_ns = series_of(m, 0).tick_ns;
    struct single_run *run = &m->single;
    double timing = run->timing_ticks * clock_ns(m);

    if (run->rows.verdict != ROWS_OPEN)
        return;
    rows_share(&run->histogram, (run->rows.hit_ns.value + timing) / step_ns,
               (run->rows.conflict_ns.value + timing) / step_ns, &run->shares);
    if (figure_is_known(run->shares.empty_steps)) {
        run->rows.empty_ns = figure_scaled(run->shares.empty_steps, step_ns);
        run->rows.empty_ns.value -= timing;
    }
}

static enum status find_rows(struct measure *m, const struct window *w)
{
    struct single_run *run = &m->single;
    struct figure apart, together;
    enum status status;

    rows_decide(figure_unknown(), figure_unknown(), 0, &run->rows);
    if (!run->split.sure) {
        run->rows.why = "no pairs of lines stand out as of one bank";
        return STATUS_OK;
    }
    status = time_in_turn(m, w, false, &apart);
    if (status == STATUS_OK)
        status = time_in_turn(m, w, true, &together);
    if (status == STATUS_OK && series_of(m, 0).tick_ns > ROW_STEP_MAX_NS &&
        !refresh_stall_known(&run->refresh))
        run->rows.why = "the clock's steps are too coarse to tell rows that a refresh closed";
    else if (status == STATUS_OK)
        rows_decide(apart, together, longer_ns(m), &run->rows);
    find_shares(m);
    return status;
}

/* ---- phases */

static enum status compare_phases(struct measure *m, const struct window *w, uintptr_t partner)
{
    struct refresh_series series = series_of(m, 2 * PHASE_TURNS);
    struct single_run *run = &m->single;
    struct refresh_phase base, other;
    double apart, chance;
    enum status status = run_in_turn(m, w, partner, PHASE_TURNS);

    if (status != STATUS_OK)
        return status;
    refresh_phase_of(&run->refresh, &series, 0, 2, run->room, &base);
    refresh_phase_of(&run->refresh, &series, 1, 2, run->room, &other);
    if (!refresh_apart(&run->refresh, &base, &other, &apart, &chance))
        return STATUS_OK;
    run->partners.tried++;
    run->partners.same += apart < chance;
    run->partners.by_chance += 2 * chance;
    return STATUS_OK;
}

static enum status find_scope(struct measure *m, const struct window *w)
{
    struct banks_summary banks = {.pairs = SINGLE_PAIRS, .conflicts = m->single.conflict_count};
    struct single_run *run = &m->single;
    enum status status = STATUS_OK;
    uint32_t lines = 0;

    run->partners = (struct refresh_partners){.tried = 0};
    if (!run->split.sure || run->refresh.verdict != REFRESH_FOUND)
        return STATUS_OK;
    banks_count(&banks);
    run->partners.banks_low = banks.banks_low;
    run->partners.banks_high = banks.banks_high;
    for (uint32_t i = 0; i < SINGLE_PAIRS && lines < PHASE_MAX && status == STATUS_OK; i++) {
        if (run->conflicts[i])
            continue;
        status = compare_phases(m, w, run->pair[i].b);
        if (++lines % PHASE_LINES == 0 &&
            (run->partners.tried == 0 || refresh_scope_of(&run->partners) != SCOPE_UNSURE))
            break;
    }
    return status;
}

/* ---- the record */

/* The histogram counts steps of the clock. */
static double ns_of_steps(const struct measure *m, double steps)
{
    double ticks = steps * m->machine->description->clock.resolution_ticks;

    return (ticks - m->single.timing_ticks) * clock_ns(m);
}

/* Groups of the histogram's bins, eight an octave, that hold any; the last holds all beyond. */
static size_t collect_bins(const struct measure *m, struct single_run *run)
{
    size_t bins = 0, group = 1;

    for (size_t first = 0; first < HISTOGRAM_BINS; first += group) {
        uint64_t count = 0;
        if (first == 2 * RECORD_BINS_OCTAVE * group &&
            group < HISTOGRAM_PER_OCTAVE / RECORD_BINS_OCTAVE)
            group *= 2;
        for (size_t i = first; i < first + group; i++)
            count += run->histogram.bin[i];
        if (count != 0 && bins < RECORD_BINS_MAX) {
            run->bin_ns[bins] = ns_of_steps(m, histogram_edge(first));
            run->bin_count[bins++] = count;
        } else if (count != 0)
            run->bin_count[bins - 1] += count;
    }
    return bins;
}

static double percentile(const struct measure *m, double share)
{
    return ns_of_steps(m, histogram_percentile(&m->single.histogram, share));
}

static struct record_bounded bounded(struct figure figure)
{
    return (struct record_bounded){.value = figure.value,
                                   .low = figure.value - 2 * figure.error,
                                   .high = figure.value + 2 * figure.error};
}

static doubt_set doubt_of_run(const struct measure *m, bool late)
{
    const struct clock_info *clock = &m->machine->description->clock;
    doubt_set doubt = 0;

    if (clock->resolution_ticks * clock_ns(m) > COARSE * percentile(m, 0.5))
        doubt |= doubt_of(DOUBT_COARSE_CLOCK);
    if (late)
        doubt |= doubt_of(DOUBT_BUDGET);
    return doubt;
}

static void emit(struct measure *m, const struct point *point, bool late)
{
    struct single_run *run = &m->single;
    const struct refresh *refresh = &run->refresh;
    struct record record = {.kind = RECORD_DISTRIBUTION};
    struct record_distribution *d = &record.u.distribution;

    *d = (struct record_distribution){
        .experiment = experiment_list[point->experiment].name,
        .pages_bytes = plan_pages_bytes(point),
        .frames = frame_order_names[point->frames],
        .map = map_names[point->map],
        .prefetch = controls_prefetch_state(&m->controls),
        .bytes = point->bytes,
        .accesses = run->histogram.count,
        .clock_step_ns = m->machine->description->clock.resolution_ticks * clock_ns(m),
        .timing_ns = run->timing_ticks * clock_ns(m),
        .ns_min = ns_of_steps(m, (double)run->histogram.min),
        .ns_median = percentile(m, 0.5),
        .ns_p90 = percentile(m, 0.9),
        .ns_p99 = percentile(m, 0.99),
        .ns_p999 = percentile(m, 0.999),
        .ns_p9999 = percentile(m, 0.9999),
        .ns_max = ns_of_steps(m, (double)run->histogram.max),
        .bin_ns = run->bin_ns,
        .bin_count = run->bin_count,
        .bins = collect_bins(m, run),
        .pairs = SINGLE_PAIRS,
        .conflicts = run->split.sure ? run->conflict_count : RECORD_UNKNOWN,
        .rows = rows_verdict_name(run->rows.verdict),
        .rows_why = run->rows.why,
        .hit_ns = bounded(run->rows.hit_ns),
        .empty_ns = bounded(run->rows.empty_ns),
        .conflict_ns = bounded(run->rows.conflict_ns),
        .hit_share = run->shares.known ? run->shares.hit : real_nan(),
        .empty_share = run->shares.known ? run->shares.empty : real_nan(),
        .conflict_share = run->shares.known ? run->shares.conflict : real_nan(),
        .refresh = refresh_verdict_name(refresh->verdict),
        .refresh_why = refresh->why,
        .period_ns = {refresh->period_ns, refresh->period_low, refresh->period_high},
        .stall_ns = {refresh->stall_ns, refresh->stall_low, refresh->stall_high},
        .coherence = refresh->coherence,
        .slow = refresh->events,
        .scope = refresh_scope_name(refresh_scope_of(&run->partners)),
        .lines = run->partners.tried,
        .lines_in_phase = run->partners.same,
        .doubt = doubt_of_run(m, late)};
    journal_emit(m->journal, &record);
}

/* ---- all of it */

static void start(struct measure *m, const struct point *point, const struct window *w)
{
    struct single_run *run = &m->single;

    random_start(&run->random, m->options->seed);
    run->lines = point->bytes / m->machine->description->line_bytes;
    run->base = draw_line(m, w);
    run->split = (struct conflict_split){.sure = false};
    run->partners = (struct refresh_partners){.tried = 0};
    run->shares = (struct rows_shares){.known = false};
    run->conflict_count = 0;
    rows_decide(figure_unknown(), figure_unknown(), 0, &run->rows);
    refresh_find(&(struct refresh_series){.count = 0}, run->room, &run->refresh);
    run->rows.why = run->refresh.why = "the run ended before";
}

enum status single_measure(struct measure *m, struct point *point, const struct window *w)
{
    static enum status (*const steps[])(struct measure *, const struct window *) = {
        measure_distribution, find_refresh, find_conflicts, find_rows, find_scope};
    enum status status = STATUS_OK;

    start(m, point, w);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && status == STATUS_OK; i++)
        status = steps[i](m, w);
    if (status == STATUS_FAULT || m->single.histogram.count == 0)
        return status;
    point->prefetch = controls_prefetch_state(&m->controls);
    point->recorded = true;
    emit(m, point, status != STATUS_OK);
    return status == STATUS_LATE ? STATUS_OK : status;
}
