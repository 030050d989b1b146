/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/rows.h"

#include "core/lib/real.h"
#include "core/stats/stats.h"

/* Loads in flight together are served one after the other by a bank, whether or not it keeps rows
 * open. In turn, a bank that does needs at least the row's precharge more, which is no small part
 * of that; another needs nothing more. */
#define SHARE 0.25
#define ABOUT 1.5 /* steps of the clock: an access falls on two of them */
/* Of the accesses, on the edges between the three; a sixth of evenly spread ones would be there. */
#define EDGE_MAX  0.03
#define EMPTY_MIN 0.02 /* waits for refreshes are among them */
#define STEPS_MIN 16   /* between hit and conflict */
#define SURE      3    /* standard errors */

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

/* Accesses from `low` on and below `high`. */
static double between(const struct histogram *histogram, double low, double high)
{
    double count = 0;

    for (size_t bin = 0; bin < HISTOGRAM_BINS && histogram_edge(bin) < high; bin++)
        if (histogram_edge(bin) >= low)
            count += histogram->bin[bin];
    return count;
}

/* The median of the accesses from `low` on and below `high`. */
static struct figure middle(const struct histogram *histogram, double low, double high)
{
    double count = between(histogram, low, high), below = 0, quarter[3] = {low, low, low};
    double width = 1, scatter;

    for (size_t bin = 0; bin < HISTOGRAM_BINS && histogram_edge(bin) < high; bin++) {
        if (histogram_edge(bin) < low)
            continue;
        width = histogram_edge(bin + 1) - histogram_edge(bin);
        below += histogram->bin[bin];
        for (size_t i = 0; i < 3; i++)
            if (below < count * (double)(i + 1) / 4)
                quarter[i] = histogram_edge(bin + 1);
    }
    /* The error of a normal distribution's median, by the distance of its quartiles; and where in
     * its bin it lies, which no number of accesses tells. */
    scatter = 0.93 * (quarter[2] - quarter[0]) / real_sqrt(count);
    return (struct figure){quarter[1] + (width - 1) / 2, scatter + width / 4};
}

void rows_share(const struct histogram *histogram, double hit, double conflict,
                struct rows_shares *shares)
{
    double apart = conflict - hit, quarter = apart / 4;
    const double edge[] = {hit - quarter, hit + quarter, conflict - quarter, conflict + quarter};
    double all = between(histogram, edge[0], edge[3]), on_edges = 0, empty;

    *shares = (struct rows_shares){.known = false, .empty_steps = figure_unknown()};
    if (!(apart >= STEPS_MIN) || all < HISTOGRAM_BEYOND ||
        between(histogram, 0, edge[0]) > EDGE_MAX * all)
        return;
    for (size_t i = 0; i < 4; i++)
        on_edges += between(histogram, edge[i] - apart / 16, edge[i] + apart / 16);
    if (on_edges > EDGE_MAX * all)
        return;
    empty = between(histogram, edge[1], edge[2]);
    *shares = (struct rows_shares){.known = true,
                                   .hit = between(histogram, edge[0], edge[1]) / all,
                                   .empty = empty / all,
                                   .conflict = between(histogram, edge[2], edge[3]) / all,
                                   .empty_steps = empty < EMPTY_MIN * all
                                                      ? figure_unknown()
                                                      : middle(histogram, edge[1], edge[2])};
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
