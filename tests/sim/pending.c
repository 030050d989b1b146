/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/pending.h"

#include <math.h>

static uint32_t free_first(const struct sim_pending *pending, uint32_t node)
{
    uint32_t left = pending->first[2 * node], right = pending->first[2 * node + 1];

    return pending->done_ns[right] < pending->done_ns[left] ? right : left;
}

void sim_pending_start(struct sim_pending *pending, uint32_t places)
{
    *pending = (struct sim_pending){.count = places, .leaves = 1, .last_ns = -1};
    while (pending->leaves < places)
        pending->leaves *= 2;
    for (uint32_t i = 0; i < SIM_MISSES_MAX; i++) {
        pending->line[i] = SIM_NO_KEY;
        pending->low[i] = SIM_EMPTY;
        pending->done_ns[i] = i < places ? -1 : INFINITY;
    }
    for (uint32_t i = 0; i < pending->leaves; i++)
        pending->first[pending->leaves + i] = i;
    for (uint32_t node = pending->leaves; --node != 0;)
        pending->first[node] = free_first(pending, node);
}

uint32_t sim_pending_place(const struct sim_pending *pending, double when_ns)
{
    uint32_t node = 1;

    if (when_ns >= pending->last_ns)
        return 0;
    while (node < pending->leaves) {
        node *= 2;
        node += pending->done_ns[pending->first[node]] > when_ns;
    }
    return node - pending->leaves;
}

/* A place is never free sooner than it was to be: nodes where another one comes first stay as they
 * are. */
void sim_pending_put(struct sim_pending *pending, uint32_t place, uint64_t line, double done_ns)
{
    pending->line[place] = line;
    pending->low[place] = (uint32_t)line;
    pending->done_ns[place] = done_ns;
    if (done_ns > pending->last_ns)
        pending->last_ns = done_ns;
    for (uint32_t node = (pending->leaves + place) / 2; node != 0 && pending->first[node] == place;
         node /= 2)
        pending->first[node] = free_first(pending, node);
}

/* What has arrived keeps its place until another line takes it: a line may stand there again. */
double sim_pending_look(const struct sim_pending *pending, uint64_t line, double when_ns)
{
    for (uint32_t i = 0; i < pending->count; i++)
        if (pending->line[i] == line && pending->done_ns[i] > when_ns)
            return pending->done_ns[i];
    return 0;
}
