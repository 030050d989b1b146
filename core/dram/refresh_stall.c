/* SPDX-License-Identifier: BSD-2-Clause */
/* How long a refresh keeps an access waiting. */
#include "core/dram/coherence.h"
#include "core/dram/refresh_internal.h"
#include "core/lib/real.h"
#include "core/stats/stats.h"

/* Of the waits, that are longer than the two which the stall is from. */
#define STALL_LONGEST 0.05
#define STALL_NEAR    0.25
#define STALL_WAITS   50 /* in step, at least */

struct waits {
    const uint64_t *in, *out; /* sorted: those that end in step, and those that end opposite */
    size_t in_count, out_count;
};

/* The wait that so many of those that end in step exceed. As many as end opposite, in half the
 * turns, do so by chance. */
static double exceeded_by(const struct waits *waits, double count)
{
    size_t far = 0, i = waits->in_count;

    while (i-- > 0) {
        while (far < waits->out_count && waits->out[waits->out_count - 1 - far] >= waits->in[i])
            far++;
        if ((double)(waits->in_count - i) - (double)far / 2 >= count)
            return (double)waits->in[i];
    }
    return 0;
}

/* Accesses come at any time of a refresh's begin: the longest waits are spread evenly up to the
 * whole of it, which two of them point to. Shorter ones are fewer, since an access that came
 * earlier has taken their place. */
void refresh_find_stall(const struct refresh_series *series, uint64_t mean, uint64_t *room,
                        struct refresh *refresh)
{
    uint64_t base = (uint64_t)refresh->base_ticks;
    struct waits waits = {.in = room};
    double net, near, longest, error;

    for (size_t i = 0; i < series->count; i++) {
        uint64_t end = series->start[i] + series->ticks[i] - base;
        double away = real_abs((double)(int64_t)(end * refresh->turn - mean)) / COHERENCE_TURN;
        if (!((double)series->ticks[i] > refresh->slow_ticks))
            continue;
        if (away < 0.125)
            room[waits.in_count++] = series->ticks[i] - base;
        else if (away > 0.25)
            room[series->count - ++waits.out_count] = series->ticks[i] - base;
    }
    net = (double)waits.in_count - (double)waits.out_count / 2;
    if (net < STALL_WAITS)
        return;
    waits.out = room + series->count - waits.out_count;
    stats_sort(room, waits.in_count);
    stats_sort(room + series->count - waits.out_count, waits.out_count);
    longest = exceeded_by(&waits, STALL_LONGEST * net);
    near = exceeded_by(&waits, STALL_NEAR * net);
    error = 3 * (longest - near) / (STALL_NEAR - STALL_LONGEST) * real_sqrt(STALL_LONGEST / net);
    error = (error + 2 * refresh->usual_ticks) * series->clock_ns + 1.5 * series->tick_ns;
    longest += (longest - near) * STALL_LONGEST / (STALL_NEAR - STALL_LONGEST);
    refresh->stall_ns = longest * series->clock_ns;
    refresh->stall_low = refresh->stall_ns - error;
    refresh->stall_high = refresh->stall_ns + error;
}
