/* SPDX-License-Identifier: BSD-2-Clause */
/* One set-associative store of the simulated machine: a cache of lines, a TLB level of pages, or a
 * paging-structure cache. What a key stands for is its user's matter. */
#ifndef TESTS_SIM_CACHE_H
#define TESTS_SIM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/random.h"
#include "tests/sim/config.h"
#include "tests/sim/full.h"

#define SIM_NO_KEY UINT32_MAX

struct sim_cache {
    uint32_t ways, room; /* room: ways, rounded up to whole vectors */
    uint32_t sets, mask; /* mask 0: sets is no power of two, or 1 */
    uint64_t reciprocal; /* of sets, for a remainder without a division */
    enum sim_policy policy;
    uint32_t set_words; /* of one set, some unused */
    /* [sets][set_words]: keys, SIM_NO_KEY where empty and in the room behind the ways. The keys of
     * an LRU set stand in the order of their use, the most recent one first, empty ways last. */
    uint32_t *keys;
    uint8_t *filled; /* [sets] ways that hold a key; NULL: the policy does not ask */
    uint64_t *tree;  /* [sets], tree-PLRU: bit n points away from the more recent half of node n */
    uint64_t path[SIM_WAYS_MAX], away[SIM_WAYS_MAX]; /* the nodes above a way; which of them 1 */
    uint32_t slices, slice_sets;                     /* slices > 1: mask is 0 */
    uint64_t (*age)[2];    /* [sets], QLRU: bit n of both words is the age of way n */
    uint32_t duel, thin;   /* QLRU: which insertion misses more; fills that were thin */
    struct sim_full *full; /* instead of sets, where there are more than SIM_WAYS_MAX ways;
                              the most recent key of an LRU one stands in keys */
    struct random random;
    uint64_t hits, misses;
};

/* entries is a multiple of ways; ways at most SIM_WAYS_MAX and for tree-PLRU a power of two, or all
 * entries and the policy LRU or a random one.
 * Allocates; sim_cache_stop frees. Exits the program when memory runs out. */
void sim_cache_start(struct sim_cache *cache, uint32_t entries, uint32_t ways,
                     enum sim_policy policy, uint64_t seed);
/* Divides the sets of a cache that is still empty into so many equal parts, chosen by a hash of the
 * whole key. */
void sim_cache_slice(struct sim_cache *cache, uint32_t slices);
void sim_cache_stop(struct sim_cache *cache);
/* True when the key is there; it becomes the most recently used one. Counts hits and misses. */
static inline bool sim_cache_touch(struct sim_cache *cache, uint32_t key);
/* Takes in a key that is not there. Answers the key that had to go, or SIM_NO_KEY. */
uint32_t sim_cache_fill(struct sim_cache *cache, uint32_t key);
/* True when the key is there; changes nothing. */
bool sim_cache_holds(const struct sim_cache *cache, uint32_t key);
/* Drops the key; false when it was not there. */
bool sim_cache_drop(struct sim_cache *cache, uint32_t key);
void sim_cache_clear(struct sim_cache *cache);

/* ---- the path that every access takes, inline */

/* sim_cache_touch for a key that does not stand first in its set. */
bool sim_cache_search(struct sim_cache *cache, uint32_t set, uint32_t key);

/* The set of a key in a cache of several slices. */
uint32_t sim_cache_sliced_set(const struct sim_cache *cache, uint32_t key);

/* The remainder by multiplication (Lemire, Kaser, Kurz 2019): a division takes longer than the rest
 * of the look-up. */
static inline uint32_t sim_cache_set(const struct sim_cache *cache, uint32_t key)
{
    uint64_t fraction;

    if (cache->mask != 0)
        return key & cache->mask;
    if (cache->sets == 1)
        return 0;
    if (cache->slices > 1)
        return sim_cache_sliced_set(cache, key);
    fraction = cache->reciprocal * key;
    return (uint32_t)(((unsigned __int128)fraction * cache->sets) >> 64);
}

static inline uint32_t *sim_cache_keys(const struct sim_cache *cache, uint32_t set)
{
    return &cache->keys[(size_t)set * cache->set_words];
}

static inline bool sim_cache_touch(struct sim_cache *cache, uint32_t key)
{
    uint32_t set = sim_cache_set(cache, key);

    if (cache->policy != SIM_LRU || sim_cache_keys(cache, set)[0] != key)
        return sim_cache_search(cache, set, key);
    cache->hits++;
    return true;
}

#endif
