/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines that several cores of the simulated machine have: each has a home, whose directory knows
 * who has it. A core that misses asks the home; where another core alone has what is right, the
 * home asks that one, and it sends the line to whoever wants it. What that takes is the length of
 * these three ways, and no figure of a pair is known anywhere. What a core has is what its caches
 * hold. */
#ifndef TESTS_SIM_COHERENCE_H
#define TESTS_SIM_COHERENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/sim/config.h"

struct sim_memory_system;

/* A line that is on its way from one core to another: nobody else gets it before it is there. */
struct sim_transfer_of_line {
    uint64_t line;
    double until_ns;
};
#define SIM_HANDED_ON 4096

struct sim_coherence {
    const struct sim_config *config;
    struct sim_memory_system *cores; /* [count] */
    uint32_t count;
    uint64_t lines;
    /* Of each line: the core that touched it, counted from 1; SIM_SEVERAL: more than one did. */
    uint8_t *toucher;
    uint8_t *writer; /* the core that stored to it last, counted from 1; 0: others have read it */
    struct sim_transfer_of_line handed_on[SIM_HANDED_ON];
};
#define SIM_SEVERAL 255

/* Of these cores. sim_coherence_stop frees. */
void sim_coherence_start(struct sim_coherence *c, const struct sim_config *config,
                         struct sim_memory_system *cores);
void sim_coherence_stop(struct sim_coherence *c);
/* All caches are empty. */
void sim_coherence_clear(struct sim_coherence *c);
/* No cache has that line any more. */
void sim_coherence_forget(struct sim_coherence *c, uint64_t line);
/* When a core that has not got the line can get it, from whomever: not before others whom it is on
 * its way to have it. */
double sim_coherence_free(const struct sim_coherence *c, uint64_t line, double when_ns);
/* A core whose caches have just missed a line reads it; its own may list it already. Returns the ns
 * that another core's answer takes; 0: it comes from where it always does. */
double sim_coherence_read(struct sim_coherence *c, const struct sim_memory_system *core,
                          uint64_t line);
/* The same of a core that stores to a line, which it has (owns) or not. *others: until nobody else
 * has it any more; 0: nobody has. */
double sim_coherence_write(struct sim_coherence *c, const struct sim_memory_system *core,
                           uint64_t line, bool owns, double *others);
/* It has it from then on. */
void sim_coherence_hand_on(struct sim_coherence *c, uint64_t line, double until_ns);
/* The slice of its node that is the line's home, counted from 0. */
uint32_t sim_coherence_slice(const struct sim_coherence *c, uint64_t line);

#endif
