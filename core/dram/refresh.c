/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/dram/refresh.h"

#include "core/dram/coherence.h"
#include "core/dram/refresh_internal.h"
#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/stats/stats.h"

#define PERIOD_TICKS 8 /* of the clock, at least */
#define EVENTS_MIN   100
#define SAME_PERIOD  0.01

const char *refresh_verdict_name(enum refresh_verdict verdict)
{
    static const char *const names[] = {"unsure", "found"};

    return names[verdict];
}

/* How many accesses are slower; their ends, less what an access takes anyway, go to end[]. */
static size_t slow_ends(const struct refresh_series *series, double slow, uint64_t base,
                        uint64_t *end)
{
    size_t count = 0;

    for (size_t i = 0; i < series->count; i++)
        if ((double)series->ticks[i] > slow)
            end[count++] = series->start[i] + series->ticks[i] - base;
    return count;
}

/* Of the accesses, the slowest are taken: few of them wait for a refresh if it is short or rare. */
static const double slow_shares[] = {0.05, 0.02, 0.005};
#define SHARES (sizeof slow_shares / sizeof slow_shares[0])

static struct refresh unsure(const char *why)
{
    const double nan = real_nan();

    return (struct refresh){.verdict = REFRESH_UNSURE,
                            .why = why,
                            .period_ns = nan,
                            .period_low = nan,
                            .period_high = nan,
                            .stall_ns = nan,
                            .stall_low = nan,
                            .stall_high = nan,
                            .coherence = nan};
}

bool refresh_stall_known(const struct refresh *refresh)
{
    return refresh->verdict == REFRESH_FOUND && !real_is_nan(refresh->stall_ns);
}

void refresh_doubt(struct refresh *refresh, const char *why)
{
    struct refresh doubted = unsure(why);

    doubted.coherence = refresh->coherence;
    doubted.events = refresh->events;
    *refresh = doubted;
}

static void try_share(const struct refresh_series *series, uint64_t base, uint64_t slow,
                      uint64_t *room, struct refresh *refresh)
{
    double least = (double)base + 2 * series->tick_ns / series->clock_ns;

    *refresh = unsure("too few accesses are slow");
    refresh->base_ticks = (double)base;
    refresh->slow_ticks = (double)slow > least ? (double)slow : least;
    refresh->events = slow_ends(series, refresh->slow_ticks, base, room);
    if (refresh->events < EVENTS_MIN)
        return;
    refresh->why = refresh_fold(series, room, refresh);
    refresh->verdict = refresh->why == NULL ? REFRESH_FOUND : REFRESH_UNSURE;
}

static double evidence(const struct refresh *refresh)
{
    return real_is_nan(refresh->coherence)
               ? 0
               : (double)refresh->events * refresh->coherence * refresh->coherence;
}

/* The clearest of the answers; but a period that not all that have one agree on is none. */
static struct refresh clearest(const struct refresh tried[SHARES])
{
    const struct refresh *best = &tried[0];

    for (size_t k = 1; k < SHARES; k++)
        best = evidence(&tried[k]) > evidence(best) ? &tried[k] : best;
    for (size_t k = 0; k < SHARES && best->verdict == REFRESH_FOUND; k++)
        if (tried[k].why == refresh_two_periods ||
            real_abs(tried[k].period_ns / best->period_ns - 1) > SAME_PERIOD)
            return unsure(refresh_two_periods);
    return *best;
}

void refresh_find(const struct refresh_series *series, uint64_t *room, struct refresh *refresh)
{
    struct refresh tried[SHARES];
    uint64_t base, fast, slow[SHARES];

    *refresh = unsure("too few accesses");
    if (series->count < 2 * EVENTS_MIN)
        return;
    *refresh = unsure("the clock's steps are too coarse for a refresh's period");
    if (PERIOD_TICKS * series->tick_ns > REFRESH_PERIOD_MIN_NS)
        return;
    memory_copy(room, series->ticks, series->count * sizeof room[0]);
    stats_sort(room, series->count);
    base = room[series->count / 2];
    fast = room[(size_t)((double)series->count * slow_shares[0])];
    for (size_t k = 0; k < SHARES; k++)
        slow[k] = room[(size_t)((double)series->count * (1 - slow_shares[k]))];
    for (size_t k = 0; k < SHARES; k++)
        try_share(series, base, slow[k], room, &tried[k]);
    *refresh = clearest(tried);
    refresh->usual_ticks = (double)(base - fast);
    if (refresh->verdict != REFRESH_FOUND)
        return;
    refresh->events = slow_ends(series, refresh->slow_ticks, base, room);
    refresh_find_stall(series,
                       coherence_direction(coherence_sum(room, refresh->events, refresh->turn)),
                       room, refresh);
}
