/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUs of the simulated machine that run at the same time: a coroutine each, with a clock of its
 * own. Whoever is about to touch what others could touch, at a time at which another one has not
 * yet arrived, lets that one go first. So what they share sees their accesses in the order of time,
 * and a run depends on nothing else. */
#ifndef TESTS_SIM_CREW_H
#define TESTS_SIM_CREW_H

#include <stdint.h>

#include "tests/sim/config.h"
#include "tests/sim/fiber.h"

struct sim_crew;

struct sim_crew_member {
    struct sim_crew *crew;
    uint32_t number;
    double clock_ns; /* when it goes on; INFINITY: it has ended */
    void (*work)(void *argument);
    void *argument;
    struct sim_fiber fiber;
};

struct sim_crew {
    uint32_t count, running;
    double others_ns; /* the earliest clock of those that do not run */
    void (*change)(void *context, uint32_t number);
    void *context;
    struct sim_crew_member member[SIM_CPUS_MAX];
};

/* Of the caller alone, who is number 0; it calls sim_crew_join. change is called whenever another
 * one than before runs, on its stack. *crew stays where it is until then. */
void sim_crew_start(struct sim_crew *crew, void (*change)(void *context, uint32_t number),
                    void *context);
/* One more, numbered in turn, that begins its work at that time. */
void sim_crew_add(struct sim_crew *crew, double when_ns, void (*work)(void *argument),
                  void *argument);
/* The caller has nothing more to do: returns when nobody else has. Frees their stacks. */
void sim_crew_join(struct sim_crew *crew);
/* sim_crew_reach of a time at which somebody else has not arrived. */
void sim_crew_yield(struct sim_crew *crew, double when_ns);
/* Whoever runs has arrived at that time: returns when all others have too. Times that go back are
 * none to wait for. */
static inline void sim_crew_reach(struct sim_crew *crew, double when_ns)
{
    if (when_ns > crew->others_ns)
        sim_crew_yield(crew, when_ns);
}

#endif
