/* SPDX-License-Identifier: BSD-2-Clause */
/* What a row that is open, closed or another's costs. */
#include "core/measure/single_run.h"

#define IN_TURN         512  /* accesses to each of two lines, to tell rows */
#define ROW_STEP_MAX_NS 10.5 /* less than what opening a row takes */

static double longer_ns(const struct measure *m)
{
    const struct conflict_split *split = &m->single.split;

    return (split->high_mean - split->low_mean) / CONFLICT_TICK * single_clock_ns(m);
}

/* Of the accesses to the base line those that refreshes had no part in, so that a row is as the
 * partner left it: a refresh closes it. */
static size_t keep_base(struct measure *m, uint64_t *kept)
{
    struct refresh_series series = single_series(m, 2 * IN_TURN);
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
        status = single_in_turn(m, w, run->pair[i].b, IN_TURN);
        if (status != STATUS_OK)
            return status;
        count += keep_base(m, run->room + count);
        partners++;
    }
    *access_ns = rows_access(run->room, run->start, count, quantum);
    if (count == 0)
        return STATUS_OK;
    access_ns->value = (access_ns->value - run->timing_ticks) * single_clock_ns(m);
    access_ns->error *= single_clock_ns(m);
    return STATUS_OK;
}

/* By all accesses to random lines, if these show hits and conflicts where one line has them. */
static void find_shares(struct measure *m)
{
    double step_ns = single_series(m, 0).tick_ns;
    struct single_run *run = &m->single;
    double timing = run->timing_ticks * single_clock_ns(m);

    if (run->rows.verdict != ROWS_OPEN)
        return;
    rows_share(&run->histogram, (run->rows.hit_ns.value + timing) / step_ns,
               (run->rows.conflict_ns.value + timing) / step_ns, &run->shares);
    if (figure_is_known(run->shares.empty_steps)) {
        run->rows.empty_ns = figure_scaled(run->shares.empty_steps, step_ns);
        run->rows.empty_ns.value -= timing;
    }
}

enum status single_rows(struct measure *m, const struct window *w)
{
    struct single_run *run = &m->single;
    struct figure apart, together;
    enum status status;
    bool works;

    rows_decide(figure_unknown(), figure_unknown(), 0, &run->rows);
    if (!run->split.sure) {
        run->rows.why = "no pairs of lines stand out as of one bank";
        return STATUS_OK;
    }
    status = measure_try_flush(m, w, run->lines, &works);
    if (status == STATUS_OK && !works)
        run->rows.why = MEASURE_NO_FLUSH;
    if (status != STATUS_OK || !works)
        return status;
    status = time_in_turn(m, w, false, &apart);
    if (status == STATUS_OK)
        status = time_in_turn(m, w, true, &together);
    if (status == STATUS_OK && single_series(m, 0).tick_ns > ROW_STEP_MAX_NS &&
        !refresh_stall_known(&run->refresh))
        run->rows.why = "the clock's steps are too coarse to tell rows that a refresh closed";
    else if (status == STATUS_OK)
        rows_decide(apart, together, longer_ns(m), &run->rows);
    find_shares(m);
    return status;
}
