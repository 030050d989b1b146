/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that are under way to the caches of the simulated machine: each has a place until it
 * arrives, and there are only so many. A prefetcher asks for dozens of lines at a time, most of
 * them in vain, so what says so takes no look at each place. */
#ifndef TESTS_SIM_PENDING_H
#define TESTS_SIM_PENDING_H

#include "tests/sim/cache.h"

struct sim_pending {
    uint32_t count;  /* places */
    double last_ns;  /* when the last of all that was ever under way arrives */
    uint32_t taken;  /* the first so many places are taken at any moment ... */
    double until_ns; /* ... before this one */
    uint32_t line[SIM_MISSES_MAX];
    double done_ns[SIM_MISSES_MAX]; /* when it arrives, and the place is free */
};

/* No line is under way. */
void sim_pending_start(struct sim_pending *pending, uint32_t places);
/* The first place that is free at that time; count: none. */
uint32_t sim_pending_place(struct sim_pending *pending, double at_ns);
/* The place that is free first. */
uint32_t sim_pending_first(const struct sim_pending *pending);
/* The line has that place, which was free or the first to be free, until it arrives: not before the
 * one that had it. */
void sim_pending_put(struct sim_pending *pending, uint32_t place, uint32_t line, double done_ns);
/* sim_pending_arrival where something is under way, and the line has or had a place. */
double sim_pending_look(const struct sim_pending *pending, uint32_t line, double at_ns);

/* True: there is no free place at that time. Not every such time is known as one before
 * sim_pending_place has looked. */
static inline bool sim_pending_full(const struct sim_pending *pending, double at_ns)
{
    return pending->taken == pending->count && at_ns < pending->until_ns;
}

/* When a line that is under way arrives; 0: it is not. */
static inline double sim_pending_arrival(const struct sim_pending *pending, uint32_t line,
                                         double at_ns)
{
    if (at_ns >= pending->last_ns || !sim_lanes_any(pending->line, pending->count, line))
        return 0;
    return sim_pending_look(pending, line, at_ns);
}

#endif
