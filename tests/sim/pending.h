/* SPDX-License-Identifier: BSD-2-Clause */
/* Outstanding lines on their way to the caches of the simulated machine: each occupies a place
 * until it arrives, and places are limited. A prefetcher requests dozens of lines at a time, mostly
 * in vain, and many loads at once find every slot taken: so nothing here scans all slots. */
#ifndef TESTS_SIM_PENDING_H
#define TESTS_SIM_PENDING_H

#include "tests/sim/cache.h"

struct sim_pending {
    uint32_t count, leaves; /* places; leaves: rounded up to a power of two */
    double last_ns;         /* when the last of all that was ever under way arrives */
    uint64_t line[SIM_MISSES_MAX];
    uint32_t low[SIM_MISSES_MAX];   /* the same, what 32 bits hold of it */
    double done_ns[SIM_MISSES_MAX]; /* when it arrives, and the place is free */
    /* A tree: which of the places below node n is free first, of several the one before the others.
     * Node 1 is above all, 2 n and 2 n + 1 are below n, the places themselves stand from `leaves`
     * on. */
    uint32_t first[2 * SIM_MISSES_MAX];
};

/* No line is under way. */
void sim_pending_start(struct sim_pending *pending, uint32_t places);
/* The first place that is free at that time, where there is one. */
uint32_t sim_pending_place(const struct sim_pending *pending, double when_ns);
/* The line has that place, which was free or the first to be free, until it arrives: not before the
 * one that had it. */
void sim_pending_put(struct sim_pending *pending, uint32_t place, uint64_t line, double done_ns);
/* sim_pending_arrival where something is under way, and the line has or had a place. */
double sim_pending_look(const struct sim_pending *pending, uint64_t line, double when_ns);

/* The place that is free first. */
static inline uint32_t sim_pending_first(const struct sim_pending *pending)
{
    return pending->first[1];
}

/* No place is free at that time. */
static inline bool sim_pending_full(const struct sim_pending *pending, double when_ns)
{
    return pending->done_ns[sim_pending_first(pending)] > when_ns;
}

/* When a line that is under way arrives; 0: it is not. */
static inline double sim_pending_arrival(const struct sim_pending *pending, uint64_t line,
                                         double when_ns)
{
    if (when_ns >= pending->last_ns || !sim_lanes_any(pending->low, pending->count, (uint32_t)line))
        return 0;
    return sim_pending_look(pending, line, when_ns);
}

#endif
