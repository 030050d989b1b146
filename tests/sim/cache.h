/* SPDX-License-Identifier: BSD-2-Clause */
/* One set-associative store of the simulated machine: a cache of lines, a TLB level of pages, or a
 * paging-structure cache. What a key stands for is its user's matter. */
#ifndef TESTS_SIM_CACHE_H
#define TESTS_SIM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/random.h"
#include "tests/sim/config.h"

#define SIM_NO_KEY UINT32_MAX

struct sim_cache {
    uint32_t ways, room; /* room: ways, rounded up to whole vectors */
    uint32_t sets, mask; /* mask 0: sets is no power of two, or 1 */
    uint64_t reciprocal; /* of sets, for a remainder without a division */
    enum sim_policy policy;
    uint32_t *memory; /* what keys is a part of */
    uint8_t *filled;  /* [sets] ways that hold a key */
    uint32_t *keys;   /* [sets][room]; SIM_NO_KEY is empty. LRU: most recently used first */
    uint64_t *tree;   /* [sets], tree-PLRU: bit n points away from the more recent half of node n */
    uint64_t path[SIM_WAYS_MAX], away[SIM_WAYS_MAX]; /* the nodes above a way; which of them 1 */
    struct random random;
    uint64_t hits, misses;
};

/* entries is a multiple of ways; ways at most SIM_WAYS_MAX and for tree-PLRU a power of two.
 * Allocates; sim_cache_stop frees. Exits the program when memory runs out. */
void sim_cache_start(struct sim_cache *cache, uint32_t entries, uint32_t ways,
                     enum sim_policy policy, uint64_t seed);
void sim_cache_stop(struct sim_cache *cache);
/* True when the key is there; it becomes the most recently used one. Counts hits and misses. */
bool sim_cache_touch(struct sim_cache *cache, uint32_t key);
/* Takes in a key that is not there. Answers the key that had to go, or SIM_NO_KEY. */
uint32_t sim_cache_fill(struct sim_cache *cache, uint32_t key);
/* True when the key is there; changes nothing. */
bool sim_cache_holds(const struct sim_cache *cache, uint32_t key);
/* Drops the key; false when it was not there. */
bool sim_cache_drop(struct sim_cache *cache, uint32_t key);
void sim_cache_clear(struct sim_cache *cache);

#endif
