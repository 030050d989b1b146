/* SPDX-License-Identifier: BSD-2-Clause */
/* One set-associative store of the simulated machine: a cache of lines, a TLB level of pages, or a
 * paging-structure cache. Its user decides what a key means. */
#ifndef TESTS_SIM_CACHE_H
#define TESTS_SIM_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/lib/random.h"
#include "tests/sim/config.h"
#include "tests/sim/full.h"
#include "tests/sim/lanes.h"

#define SIM_NO_KEY UINT64_MAX
#define SIM_EMPTY  UINT32_MAX /* the same where keys have 32 bits */

/* A divisor without division instructions, which take longer than the rest of a lookup. */
struct sim_divisor {
    uint32_t by;
    uint64_t part; /* UINT64_MAX / by */
};

struct sim_cache {
    uint32_t ways, room; /* room: ways, rounded up to whole vectors */
    uint32_t sets, mask; /* mask: if sets are a power of two */
    bool divided;        /* sets are not a power of two, or there are slices */
    bool ordered;        /* LRU, with keys in order of use, of 32 bits */
    bool unusual;        /* full or wide */
    unsigned words_log2; /* of one set, some unused */
    enum sim_policy policy;
    /* [sets][1 << words_log2]: keys below 2^31, SIM_EMPTY where empty and in the padding behind the
     * ways. The keys of an LRU set are in the order of their use, the most recent one first, empty
     * ways last.
     */
    uint32_t *keys;
    uint8_t *filled; /* [sets] ways that hold a key; NULL: the policy needs none */
    uint64_t *tree;  /* [sets], tree-PLRU: bit n points away from the more recent half of node n */
    uint64_t path[SIM_WAYS_MAX], away[SIM_WAYS_MAX]; /* the nodes above a way; which of them 1 */
    struct sim_divisor set; /* by sets; of several slices, by those of one */
    struct sim_divisor slice;
    uint32_t slice_mask;   /* of a power of two; else 0 */
    uint64_t (*age)[2];    /* [sets], QLRU: bit n of both words is the age of way n */
    uint32_t duel, thin;   /* QLRU: which insertion misses more; fills that were thin */
    uint64_t *wide;        /* instead of keys, [sets][ways]: a key plus 1, 0 where empty */
    struct sim_full *full; /* instead of sets, where there are more than SIM_WAYS_MAX ways;
                              the most recent key of an LRU one stands in keys */
    struct random random;
    uint64_t hits, misses;
};

/* Keys are below 2^31. entries is a multiple of ways; ways at most SIM_WAYS_MAX and for tree-PLRU a
 * power of two, or all entries and the policy LRU or a random one. Allocates; sim_cache_stop frees.
 * Exits the program when memory runs out. */
void sim_cache_start(struct sim_cache *cache, uint32_t entries, uint32_t ways,
                     enum sim_policy policy, uint64_t seed);
/* The same for any keys but SIM_NO_KEY, and for many entries, slower: the host's memory is used
 * only by sets that were. At most 2^31 sets, at most SIM_WAYS_MAX ways. */
void sim_cache_start_wide(struct sim_cache *cache, uint64_t entries, uint32_t ways,
                          enum sim_policy policy, uint64_t seed);
/* Divides the sets of an empty cache into this many equal slices, chosen by a hash of the whole
 * key. */
void sim_cache_slice(struct sim_cache *cache, uint32_t slices);
void sim_cache_stop(struct sim_cache *cache);
void sim_cache_clear(struct sim_cache *cache);
/* True when the key is there; it becomes the most recently used one. Counts hits and misses. */
static inline bool sim_cache_touch(struct sim_cache *cache, uint64_t key);
/* Inserts a key that is not there. Returns the evicted key, or SIM_NO_KEY. */
static inline uint64_t sim_cache_fill(struct sim_cache *cache, uint64_t key);
/* True when the key is there; changes nothing. */
static inline bool sim_cache_holds(const struct sim_cache *cache, uint64_t key);
/* Removes the key; false if it was not there. */
static inline bool sim_cache_drop(struct sim_cache *cache, uint64_t key);

/* ---- the path that every access takes, inline; set: the key's, which is found once for all */

/* sim_cache_touch, fill and drop for stores that are not ordered. */
bool sim_cache_touch_other(struct sim_cache *cache, uint32_t set, uint64_t key);
uint64_t sim_cache_fill_other(struct sim_cache *cache, uint32_t set, uint64_t key);
bool sim_cache_drop_other(struct sim_cache *cache, uint32_t set, uint64_t key);
bool sim_cache_holds_unusual(const struct sim_cache *cache, uint32_t set, uint64_t key);
/* The set of a key in a wide cache that has slices, or whose sets are no power of two. */
uint32_t sim_cache_wide_set(const struct sim_cache *cache, uint64_t key);
/* The key in that way; SIM_NO_KEY: none. */
uint64_t sim_cache_key_at(const struct sim_cache *cache, uint32_t set, uint32_t way);

static inline struct sim_divisor sim_divisor_of(uint32_t by)
{
    return (struct sim_divisor){by, UINT64_MAX / by};
}

/* Exact: x + 1 parts fall short of (x + 1) / by by less than 2^-31, and so lie between the quotient
 * and the next one. */
static inline uint32_t sim_divided(const struct sim_divisor *divisor, uint32_t x)
{
    return (uint32_t)(((unsigned __int128)divisor->part * ((uint64_t)x + 1)) >> 64);
}

static inline uint32_t sim_remainder(const struct sim_divisor *divisor, uint32_t x)
{
    return x - sim_divided(divisor, x) * divisor->by;
}

static inline uint32_t sim_folded(uint32_t x)
{
    return x ^ x >> 3 ^ x >> 7 ^ x >> 12 ^ x >> 18;
}

/* Of any run of as many keys as there are sets, each set gets one: whatever the other bits are, the
 * bits that choose the slice run through all slices. */
static inline uint32_t sim_cache_sliced_set(const struct sim_cache *cache, uint32_t key)
{
    uint32_t above = sim_divided(&cache->set, key), set = key - above * cache->set.by, slice;

    if (cache->slice_mask != 0)
        slice = sim_folded(above ^ set) & cache->slice_mask;
    else
        slice = sim_remainder(
            &cache->slice,
            above + sim_remainder(&cache->slice, sim_folded(sim_divided(&cache->slice, above))) +
                sim_folded(set));
    return slice * cache->set.by + set;
}

static inline uint32_t sim_cache_set(const struct sim_cache *cache, uint64_t key)
{
    if (!cache->divided)
        return (uint32_t)key & cache->mask;
    if (cache->wide)
        return sim_cache_wide_set(cache, key);
    return cache->slice.by > 1 ? sim_cache_sliced_set(cache, (uint32_t)key)
                               : sim_remainder(&cache->set, (uint32_t)key);
}

static inline uint32_t *sim_cache_keys(const struct sim_cache *cache, uint32_t set)
{
    return &cache->keys[(size_t)set << cache->words_log2];
}

static inline bool sim_cache_touch_in(struct sim_cache *cache, uint32_t set, uint64_t key)
{
    uint32_t *keys, way;

    if (!cache->ordered)
        return sim_cache_touch_other(cache, set, key);
    keys = sim_cache_keys(cache, set);
    way = sim_lanes_find(keys, cache->room, (uint32_t)key);
    if (way == cache->room) {
        cache->misses++;
        return false;
    }
    cache->hits++;
    sim_lanes_bring_forward(keys, cache->room, way, (uint32_t)key);
    return true;
}

static inline bool sim_cache_touch(struct sim_cache *cache, uint64_t key)
{
    return sim_cache_touch_in(cache, sim_cache_set(cache, key), key);
}

/* A key of 32 bits, with its sign: SIM_EMPTY becomes SIM_NO_KEY, and others stay what they are. */
static inline uint64_t sim_cache_widened(uint32_t key)
{
    return (uint64_t)(int32_t)key;
}

static inline uint64_t sim_cache_fill_in(struct sim_cache *cache, uint32_t set, uint64_t key)
{
    uint32_t *keys, gone;

    if (!cache->ordered)
        return sim_cache_fill_other(cache, set, key);
    keys = sim_cache_keys(cache, set);
    gone = keys[cache->ways - 1];
    sim_lanes_bring_forward(keys, cache->room, cache->ways - 1, (uint32_t)key);
    return sim_cache_widened(gone);
}

static inline uint64_t sim_cache_fill(struct sim_cache *cache, uint64_t key)
{
    return sim_cache_fill_in(cache, sim_cache_set(cache, key), key);
}

static inline bool sim_cache_holds_in(const struct sim_cache *cache, uint32_t set, uint64_t key)
{
    if (cache->unusual)
        return sim_cache_holds_unusual(cache, set, key);
    return sim_lanes_find(sim_cache_keys(cache, set), cache->room, (uint32_t)key) != cache->room;
}

static inline bool sim_cache_holds(const struct sim_cache *cache, uint64_t key)
{
    return sim_cache_holds_in(cache, sim_cache_set(cache, key), key);
}

static inline bool sim_cache_drop_in(struct sim_cache *cache, uint32_t set, uint64_t key)
{
    uint32_t *keys, way;

    if (!cache->ordered)
        return sim_cache_drop_other(cache, set, key);
    keys = sim_cache_keys(cache, set);
    way = sim_lanes_find(keys, cache->room, (uint32_t)key);
    if (way == cache->room)
        return false;
    sim_lanes_close_up(keys, cache->room, way, SIM_EMPTY);
    return true;
}

/* sim_cache_touch of a key that is dropped when it is there. */
static inline bool sim_cache_take_in(struct sim_cache *cache, uint32_t set, uint64_t key)
{
    bool found;

    if (!cache->ordered)
        return sim_cache_touch_other(cache, set, key) && sim_cache_drop_other(cache, set, key);
    found = sim_cache_drop_in(cache, set, key);
    cache->hits += found;
    cache->misses += !found;
    return found;
}

static inline bool sim_cache_drop(struct sim_cache *cache, uint64_t key)
{
    return sim_cache_drop_in(cache, sim_cache_set(cache, key), key);
}

#endif
