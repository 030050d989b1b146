/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/crew.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The one whose clock is the earliest, of several the one with the lowest number. */
static uint32_t earliest(const struct sim_crew *crew)
{
    uint32_t first = 0;

    for (uint32_t i = 1; i < crew->count; i++)
        if (crew->member[i].clock_ns < crew->member[first].clock_ns)
            first = i;
    return first;
}

/* That one runs, on its own stack. */
static void arrive(struct sim_crew *crew, uint32_t number)
{
    crew->running = number;
    crew->others_ns = INFINITY;
    for (uint32_t i = 0; i < crew->count; i++)
        if (i != number && crew->member[i].clock_ns < crew->others_ns)
            crew->others_ns = crew->member[i].clock_ns;
    crew->change(crew->context, number);
}

static void hand_over(struct sim_crew *crew)
{
    uint32_t self = crew->running, next = earliest(crew);

    if (next == self)
        return;
    sim_fiber_switch(&crew->member[self].fiber, &crew->member[next].fiber);
    arrive(crew, self);
}

static void begin(void *argument)
{
    struct sim_crew_member *self = argument;

    arrive(self->crew, self->number);
    self->work(self->argument);
    self->clock_ns = INFINITY;
    hand_over(self->crew);
}

void sim_crew_start(struct sim_crew *crew, void (*change)(void *context, uint32_t number),
                    void *context)
{
    crew->count = 1;
    crew->running = 0;
    crew->others_ns = INFINITY;
    crew->change = change;
    crew->context = context;
    crew->member[0] = (struct sim_crew_member){.crew = crew};
}

void sim_crew_add(struct sim_crew *crew, double when_ns, void (*work)(void *argument),
                  void *argument)
{
    struct sim_crew_member *one = &crew->member[crew->count];

    if (crew->count == SIM_CPUS_MAX) {
        fprintf(stderr, "simulator: more than %d CPUs at once\n", SIM_CPUS_MAX);
        exit(2);
    }
    *one = (struct sim_crew_member){.crew = crew,
                                    .number = crew->count++,
                                    .clock_ns = when_ns,
                                    .work = work,
                                    .argument = argument};
    sim_fiber_start(&one->fiber, begin, one);
    if (when_ns < crew->others_ns)
        crew->others_ns = when_ns;
}

void sim_crew_join(struct sim_crew *crew)
{
    crew->member[0].clock_ns = INFINITY;
    hand_over(crew);
    for (uint32_t i = 1; i < crew->count; i++)
        sim_fiber_stop(&crew->member[i].fiber);
    crew->count = 1;
}

void sim_crew_yield(struct sim_crew *crew, double when_ns)
{
    crew->member[crew->running].clock_ns = when_ns;
    hand_over(crew);
}
