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

#define SIM_CACHE_HINTS  4096                           /* a power of two */
#define SIM_CACHE_LATEST (INT32_MAX / SIM_WAYS_MAX - 2) /* stamps are compared with their sign */

struct sim_cache {
    uint32_t ways, room; /* room: ways, rounded up to whole vectors */
    uint32_t sets, mask; /* mask 0: sets is no power of two, or 1 */
    uint64_t reciprocal; /* of sets, for a remainder without a division */
    enum sim_policy policy;
    uint32_t now;       /* of the stamps; 0 is never */
    uint32_t set_words; /* of one set: keys and, for LRU, stamps stand side by side */
    /* [sets]: room keys, SIM_NO_KEY where empty and in the room behind the ways; then for LRU room
     * stamps, each with its way in the low bits: when a key was last used, 0 for empty, more than
     * any in the room behind. The smallest one says which way has to go. */
    uint32_t *keys;
    uint8_t *filled; /* [sets] ways that hold a key; not LRU */
    uint64_t *tree;  /* [sets], tree-PLRU: bit n points away from the more recent half of node n */
    uint64_t path[SIM_WAYS_MAX], away[SIM_WAYS_MAX]; /* the nodes above a way; which of them 1 */
    uint8_t hint[SIM_CACHE_HINTS]; /* by the key's low bits: the way where such a key was last */
    struct random random;
    uint64_t hits, misses;
};

/* entries is a multiple of ways; ways at most SIM_WAYS_MAX and for tree-PLRU a power of two.
 * Allocates; sim_cache_stop frees. Exits the program when memory runs out. */
void sim_cache_start(struct sim_cache *cache, uint32_t entries, uint32_t ways,
                     enum sim_policy policy, uint64_t seed);
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

/* sim_cache_touch for a key that is not where its hint says. */
bool sim_cache_search(struct sim_cache *cache, uint32_t set, uint32_t key);
/* Stamps are about to overflow: they become small again, in the same order. */
void sim_cache_renumber(struct sim_cache *cache);

/* The remainder by multiplication (Lemire, Kaser, Kurz 2019): a division takes longer than the rest
 * of the look-up. */
static inline uint32_t sim_cache_set(const struct sim_cache *cache, uint32_t key)
{
    uint64_t fraction;

    if (cache->mask != 0)
        return key & cache->mask;
    if (cache->sets == 1)
        return 0;
    fraction = cache->reciprocal * key;
    return (uint32_t)(((unsigned __int128)fraction * cache->sets) >> 64);
}

static inline uint32_t *sim_cache_keys(const struct sim_cache *cache, uint32_t set)
{
    return &cache->keys[(size_t)set * cache->set_words];
}

static inline void sim_cache_make_recent(struct sim_cache *cache, uint32_t set, uint32_t way)
{
    if (cache->policy == SIM_TREE_PLRU)
        cache->tree[set] = (cache->tree[set] & ~cache->path[way]) | cache->away[way];
    if (cache->policy != SIM_LRU)
        return;
    if (cache->now == SIM_CACHE_LATEST)
        sim_cache_renumber(cache);
    sim_cache_keys(cache, set)[cache->room + way] = ++cache->now * SIM_WAYS_MAX + way;
}

static inline bool sim_cache_touch(struct sim_cache *cache, uint32_t key)
{
    uint32_t set = sim_cache_set(cache, key), way = cache->hint[key % SIM_CACHE_HINTS];

    if (sim_cache_keys(cache, set)[way] != key)
        return sim_cache_search(cache, set, key);
    cache->hits++;
    sim_cache_make_recent(cache, set, way);
    return true;
}

#endif
