/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/pending.h"

#include <math.h>

void sim_pending_start(struct sim_pending *pending, uint32_t places)
{
    *pending = (struct sim_pending){.count = places, .last_ns = -1, .until_ns = INFINITY};
    for (uint32_t i = 0; i < SIM_MISSES_MAX; i++) {
        pending->line[i] = SIM_NO_KEY;
        pending->done_ns[i] = -1;
    }
}

/* A place that is taken is never free sooner than it was to be, so those that were found taken need
 * not be looked at again before the first of them is free. */
uint32_t sim_pending_place(struct sim_pending *pending, double at_ns)
{
    uint32_t place = pending->taken;

    if (at_ns >= pending->until_ns) {
        place = 0;
        pending->until_ns = INFINITY;
    }
    for (; place < pending->count && pending->done_ns[place] > at_ns; place++)
        if (pending->done_ns[place] < pending->until_ns)
            pending->until_ns = pending->done_ns[place];
    pending->taken = place;
    return place;
}

uint32_t sim_pending_first(const struct sim_pending *pending)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i < pending->count; i++)
        if (pending->done_ns[i] < pending->done_ns[first])
            first = i;
    return first;
}

void sim_pending_put(struct sim_pending *pending, uint32_t place, uint32_t line, double done_ns)
{
    pending->line[place] = line;
    pending->done_ns[place] = done_ns;
    if (done_ns > pending->last_ns)
        pending->last_ns = done_ns;
}

/* What has arrived keeps its place until another line takes it: a line may stand there again. */
double sim_pending_look(const struct sim_pending *pending, uint32_t line, double at_ns)
{
    for (uint32_t i = 0; i < pending->count; i++)
        if (pending->line[i] == line && pending->done_ns[i] > at_ns)
            return pending->done_ns[i];
    return 0;
}
