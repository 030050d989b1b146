/* SPDX-License-Identifier: BSD-2-Clause */
/* One cache of the simulated machine: set-associative, least recently used. */
#ifndef TESTS_SIM_CACHE_H
#define TESTS_SIM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/sim/config.h"

struct sim_cache {
    uint32_t ways, line_log2;
    uint64_t sets, mask; /* mask 0: sets is no power of two, or 1 */
    uint64_t *tags;      /* [sets][ways], most recently used first; 0 is empty */
    uint64_t hits, misses;
};

/* Allocates; sim_cache_stop frees. Exits the program when memory runs out. */
void sim_cache_start(struct sim_cache *cache, const struct sim_cache_config *config);
void sim_cache_stop(struct sim_cache *cache);
/* Looks the physical address up and makes its line the most recently used one, filling it on a
 * miss. True when it was there. */
bool sim_cache_access(struct sim_cache *cache, uint64_t physical);
/* Drops the line that holds the physical address, if it is there. */
void sim_cache_drop(struct sim_cache *cache, uint64_t physical);

#endif
