/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 4

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t signed_lanes __attribute__((vector_size(4 * LANES)));

static uint32_t log2_of(uint32_t value)
{
    return 31 - (uint32_t)__builtin_clz(value);
}

static void prepare_tree(struct sim_cache *cache)
{
    uint32_t depth = log2_of(cache->ways);

    for (uint32_t way = 0; way < cache->ways; way++) {
        uint32_t node = 1;
        cache->path[way] = cache->away[way] = 0;
        for (uint32_t level = depth; level-- > 0;) {
            uint32_t half = way >> level & 1;
            cache->path[way] |= 1ull << node;
            if (half == 0)
                cache->away[way] |= 1ull << node;
            node = 2 * node + half;
        }
    }
}

static void *allocate(size_t bytes)
{
    void *memory = aligned_alloc(64, (bytes + 63) / 64 * 64);

    if (!memory) {
        fprintf(stderr, "simulator: no memory for a cache: %zu bytes\n", bytes);
        exit(2);
    }
    return memory;
}

void sim_cache_start(struct sim_cache *cache, uint32_t entries, uint32_t ways,
                     enum sim_policy policy, uint64_t seed)
{
    memset(cache, 0, sizeof *cache);
    cache->ways = ways;
    cache->room = (ways + LANES - 1) / LANES * LANES;
    cache->sets = entries / ways;
    if ((cache->sets & (cache->sets - 1)) == 0)
        cache->mask = cache->sets - 1;
    cache->reciprocal = UINT64_MAX / cache->sets + 1;
    cache->policy = policy;
    cache->set_words = policy == SIM_LRU ? 2 * cache->room : cache->room;
    cache->keys = allocate((size_t)cache->sets * cache->set_words * sizeof *cache->keys);
    if (policy != SIM_LRU)
        cache->filled = allocate(cache->sets);
    if (policy == SIM_TREE_PLRU) {
        cache->tree = allocate(cache->sets * sizeof *cache->tree);
        prepare_tree(cache);
    }
    random_start(&cache->random, seed);
    sim_cache_clear(cache);
}

void sim_cache_stop(struct sim_cache *cache)
{
    free(cache->keys);
    free(cache->filled);
    free(cache->tree);
}

static uint32_t *stamps_of(const struct sim_cache *cache, uint32_t set)
{
    return sim_cache_keys(cache, set) + cache->room;
}

/* The room behind the ways is never the least recently used. */
static void clear_stamps(struct sim_cache *cache)
{
    for (uint32_t set = 0; set < cache->sets; set++)
        for (uint32_t way = 0; way < cache->room; way++)
            stamps_of(cache, set)[way] = way < cache->ways ? way : INT32_MAX;
    cache->now = 0;
}

void sim_cache_clear(struct sim_cache *cache)
{
    memset(cache->keys, 0xff, (size_t)cache->sets * cache->set_words * sizeof *cache->keys);
    memset(cache->hint, 0, sizeof cache->hint);
    if (cache->policy == SIM_LRU)
        clear_stamps(cache);
    if (cache->filled)
        memset(cache->filled, 0, cache->sets);
    if (cache->tree)
        memset(cache->tree, 0, cache->sets * sizeof *cache->tree);
}

void sim_cache_renumber(struct sim_cache *cache)
{
    for (uint32_t set = 0; set < cache->sets; set++) {
        uint32_t *stamps = stamps_of(cache, set), rank[SIM_WAYS_MAX];
        for (uint32_t i = 0; i < cache->ways; i++) {
            rank[i] = stamps[i] >= SIM_WAYS_MAX;
            for (uint32_t j = 0; j < cache->ways; j++)
                rank[i] += stamps[j] >= SIM_WAYS_MAX && stamps[j] < stamps[i];
        }
        for (uint32_t i = 0; i < cache->ways; i++)
            stamps[i] = rank[i] * SIM_WAYS_MAX + i;
    }
    cache->now = cache->ways;
}

/* One lane at most is not zero. */
static inline uint32_t any_lane(lanes found)
{
    uint32_t lane[LANES];

    memcpy(lane, &found, sizeof lane);
    return lane[0] | lane[1] | lane[2] | lane[3];
}

/* The way that holds the key; `ways` when none does. Without branches on what is found: where in
 * its set a key stands is chance, and a branch guessed wrong takes longer than all of this. */
static inline uint32_t find(const struct sim_cache *cache, const uint32_t *set, uint32_t key)
{
    const lanes wanted = {key, key, key, key};
    lanes place = {1, 2, 3, 4}, found = {0};
    const lanes step = {LANES, LANES, LANES, LANES};
    uint32_t way;

    /* A key is never SIM_NO_KEY, so the unused room of a set cannot match. */
    for (uint32_t first = 0; first < cache->room; first += LANES) {
        found |= (lanes)(*(const lanes *)(set + first) == wanted) & place;
        place += step;
    }
    way = any_lane(found);
    return way == 0 ? cache->ways : way - 1;
}

/* The first empty way; `ways` when there is none. */
static inline uint32_t find_empty(const struct sim_cache *cache, const uint32_t *set)
{
    uint32_t way = 0;

    while (way < cache->ways && set[way] != SIM_NO_KEY)
        way++;
    return way;
}

bool sim_cache_search(struct sim_cache *cache, uint32_t set, uint32_t key)
{
    uint32_t way = find(cache, sim_cache_keys(cache, set), key);

    if (way == cache->ways) {
        cache->misses++;
        return false;
    }
    cache->hits++;
    cache->hint[key % SIM_CACHE_HINTS] = (uint8_t)way;
    sim_cache_make_recent(cache, set, way);
    return true;
}

static inline int32_t smaller(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

/* The way that was not used for longest; empty ones never were. Without a branch. */
static inline uint32_t least_recent(const struct sim_cache *cache, uint32_t set)
{
    const uint32_t *stamps = stamps_of(cache, set);
    signed_lanes least = *(const signed_lanes *)stamps;
    int32_t lane[LANES];

    for (uint32_t first = LANES; first < cache->room; first += LANES) {
        signed_lanes now = *(const signed_lanes *)(stamps + first), older = now < least;
        least = (now & older) | (least & ~older);
    }
    memcpy(lane, &least, sizeof lane);
    return (uint32_t)smaller(smaller(lane[0], lane[1]), smaller(lane[2], lane[3])) % SIM_WAYS_MAX;
}

/* Where tree-PLRU points to, and random replacement falls. */
static uint32_t choose_victim(struct sim_cache *cache, uint32_t set)
{
    uint32_t node = 1;

    if (cache->policy == SIM_RANDOM)
        return (uint32_t)random_below(&cache->random, cache->ways);
    while (node < cache->ways)
        node = 2 * node + (cache->tree[set] >> node & 1);
    return node - cache->ways;
}

static uint32_t place_for(struct sim_cache *cache, uint32_t set, const uint32_t *keys)
{
    if (cache->policy == SIM_LRU)
        return least_recent(cache, set);
    if (cache->filled[set] == cache->ways)
        return choose_victim(cache, set);
    cache->filled[set]++;
    return find_empty(cache, keys);
}

uint32_t sim_cache_fill(struct sim_cache *cache, uint32_t key)
{
    uint32_t set = sim_cache_set(cache, key);
    uint32_t *keys = sim_cache_keys(cache, set);
    uint32_t way = place_for(cache, set, keys), gone = keys[way];

    keys[way] = key;
    cache->hint[key % SIM_CACHE_HINTS] = (uint8_t)way;
    sim_cache_make_recent(cache, set, way);
    return gone;
}

bool sim_cache_holds(const struct sim_cache *cache, uint32_t key)
{
    return find(cache, sim_cache_keys(cache, sim_cache_set(cache, key)), key) != cache->ways;
}

bool sim_cache_drop(struct sim_cache *cache, uint32_t key)
{
    uint32_t set = sim_cache_set(cache, key);
    uint32_t *keys = sim_cache_keys(cache, set);
    uint32_t way = find(cache, keys, key);

    if (way == cache->ways)
        return false;
    keys[way] = SIM_NO_KEY;
    if (cache->policy == SIM_LRU)
        keys[cache->room + way] = way;
    else
        cache->filled[set]--;
    return true;
}
