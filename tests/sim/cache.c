/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 4

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

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
    cache->memory = aligned_alloc(64, ((size_t)cache->sets * cache->room * 4 + 127) / 64 * 64);
    cache->filled = malloc(cache->sets);
    cache->tree = policy == SIM_TREE_PLRU ? malloc(cache->sets * sizeof *cache->tree) : NULL;
    if (!cache->memory || !cache->filled || (policy == SIM_TREE_PLRU && !cache->tree)) {
        fprintf(stderr, "simulator: no memory for a cache of %u entries\n", entries);
        exit(2);
    }
    /* push reads one key before a set. */
    cache->keys = cache->memory + 64 / sizeof *cache->memory;
    if (policy == SIM_TREE_PLRU)
        prepare_tree(cache);
    random_start(&cache->random, seed);
    sim_cache_clear(cache);
}

void sim_cache_stop(struct sim_cache *cache)
{
    free(cache->memory);
    free(cache->filled);
    free(cache->tree);
}

void sim_cache_clear(struct sim_cache *cache)
{
    memset(cache->memory, 0xff, 64 + (size_t)cache->sets * cache->room * sizeof *cache->keys);
    memset(cache->filled, 0, cache->sets);
    if (cache->tree)
        memset(cache->tree, 0, cache->sets * sizeof *cache->tree);
}

/* The remainder by multiplication (Lemire, Kaser, Kurz 2019): a division takes longer than the rest
 * of the look-up. */
static inline uint32_t set_of(const struct sim_cache *cache, uint32_t key)
{
    uint64_t fraction;

    if (cache->mask != 0)
        return key & cache->mask;
    if (cache->sets == 1)
        return 0;
    fraction = cache->reciprocal * key;
    return (uint32_t)(((unsigned __int128)fraction * cache->sets) >> 64);
}

/* The way that holds the key; at least `ways` when none does. Without branches on what is found:
 * where in its set a key stands is chance, and a branch guessed wrong takes longer than all of
 * this.
 */
static inline uint32_t find(const struct sim_cache *cache, const uint32_t *set, uint32_t key)
{
    const lanes wanted = {key, key, key, key};
    lanes place = {1, 2, 3, 4}, found = {0};
    const lanes step = {LANES, LANES, LANES, LANES};
    uint32_t lane[LANES], way;

    /* A key is never SIM_NO_KEY, so the unused room of a set cannot match. */
    for (uint32_t first = 0; first < cache->room; first += LANES) {
        found |= (lanes)(*(const lanes *)(set + first) == wanted) & place;
        place += step;
    }
    memcpy(lane, &found, sizeof lane);
    way = lane[0] | lane[1] | lane[2] | lane[3];
    return way == 0 ? cache->ways : way - 1;
}

/* The first empty way; at least `ways` when there is none. */
static inline uint32_t find_empty(const struct sim_cache *cache, const uint32_t *set)
{
    uint32_t way = 0;

    while (way < cache->ways && set[way] != SIM_NO_KEY)
        way++;
    return way;
}

static inline uint32_t *keys_of(const struct sim_cache *cache, uint32_t set)
{
    return &cache->keys[(size_t)set * cache->room];
}

static inline void make_recent(struct sim_cache *cache, uint32_t set, uint32_t way)
{
    if (cache->policy == SIM_TREE_PLRU)
        cache->tree[set] = (cache->tree[set] & ~cache->path[way]) | cache->away[way];
}

/* The first `count` keys move up by one, and key becomes the first. From the far end, so that a
 * vector's lower neighbour is still the old one. */
static inline void push(const struct sim_cache *cache, uint32_t *keys, uint32_t count, uint32_t key)
{
    const lanes last = {count, count, count, count}, lane = {0, 1, 2, 3};
    uint32_t first = cache->room <= 16 ? cache->room - LANES : count / LANES * LANES;

    for (;; first -= LANES) {
        lanes at = lane + (lanes){first, first, first, first};
        lanes moves = (lanes)(at <= last), now = *(const lanes *)(keys + first), before;
        memcpy(&before, keys + first - 1, sizeof before);
        *(lanes *)(keys + first) = (before & moves) | (now & ~moves);
        if (first == 0)
            break;
    }
    keys[0] = key;
}

bool sim_cache_touch(struct sim_cache *cache, uint32_t key)
{
    uint32_t set = set_of(cache, key);
    uint32_t *keys = keys_of(cache, set);
    uint32_t way = find(cache, keys, key);

    if (way == cache->ways) {
        cache->misses++;
        return false;
    }
    cache->hits++;
    if (cache->policy == SIM_LRU)
        push(cache, keys, way, key);
    else
        make_recent(cache, set, way);
    return true;
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

uint32_t sim_cache_fill(struct sim_cache *cache, uint32_t key)
{
    uint32_t set = set_of(cache, key);
    uint32_t *keys = keys_of(cache, set);
    uint32_t way, gone;

    if (cache->policy == SIM_LRU) {
        gone = keys[cache->ways - 1];
        cache->filled[set] += gone == SIM_NO_KEY;
        push(cache, keys, cache->ways - 1, key);
        return gone;
    }
    way = cache->filled[set] == cache->ways ? cache->ways : find_empty(cache, keys);
    if (way == cache->ways)
        way = choose_victim(cache, set);
    else
        cache->filled[set]++;
    gone = keys[way];
    keys[way] = key;
    make_recent(cache, set, way);
    return gone;
}

bool sim_cache_holds(const struct sim_cache *cache, uint32_t key)
{
    return find(cache, keys_of(cache, set_of(cache, key)), key) != cache->ways;
}

bool sim_cache_drop(struct sim_cache *cache, uint32_t key)
{
    uint32_t set = set_of(cache, key);
    uint32_t *keys = keys_of(cache, set);
    uint32_t way = find(cache, keys, key);

    if (way == cache->ways)
        return false;
    /* Empty ways of an LRU set stand at its end. */
    if (cache->policy == SIM_LRU)
        for (; way < cache->ways - 1; way++)
            keys[way] = keys[way + 1];
    keys[way] = SIM_NO_KEY;
    cache->filled[set]--;
    return true;
}
