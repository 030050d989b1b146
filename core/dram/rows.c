/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/rows.h"

#include "core/lib/real.h"
#include "core/stats/stats.h"

/* Loads in flight together are served one after the other by a bank, whether or not it keeps rows
 * open. In turn, a bank that does needs at least the row's precharge more, which is no small part
 * of that; another needs nothing more. */
#define SHARE 0.25
#define ABOUT 1.5 /* steps of the clock: an access falls on two of them */
#define SURE  3   /* standard errors */

const char *rows_verdict_name(enum rows_verdict verdict)
{
    static const char *const names[] = {"unsure", "open", "closed"};

    return names[verdict];
}

struct figure rows_access(uint64_t *ticks, uint64_t *room, size_t count, double step)
{
    double sum = 0, squares = 0, near = 0, mean;
    struct stats stats;

    if (count == 0)
        return figure_unknown();
    stats_of(ticks, room, count, step, &stats);
    for (size_t i = 0; i < count; i++) {
        double off = (double)ticks[i] - stats.median;
        if (real_abs(off) > ABOUT * step)
            continue;
        sum += off;
        squares += off * off;
        near++;
    }
    mean = sum / near;
    return (struct figure){stats.median + mean,
                           real_hypotenuse(stats.rel_error * stats.median,
                                           real_sqrt((squares / near - mean * mean) / near))};
}

void rows_decide(struct figure apart, struct figure together, double longer_ns, struct rows *rows)
{
    struct figure more = figure_difference(together, apart);
    double least = SHARE * longer_ns;

    *rows = (struct rows){.verdict = ROWS_UNSURE,
                          .why = "accesses in turn with a line of the same bank and of others "
                                 "cannot be told apart",
                          .hit_ns = figure_unknown(),
                          .empty_ns = figure_unknown(),
                          .conflict_ns = figure_unknown()};
    if (!figure_is_known(more) || real_is_nan(more.error))
        return;
    if (more.value - SURE * more.error > least) {
        rows->verdict = ROWS_OPEN;
        rows->hit_ns = apart;
        rows->conflict_ns = together;
        rows->why = NULL;
    } else if (real_abs(more.value) + SURE * more.error < least) {
        rows->verdict = ROWS_CLOSED;
        rows->empty_ns = apart;
        rows->why = NULL;
    }
}
