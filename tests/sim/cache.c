/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/age.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LANES 4

#define HOST_LINE 16 /* keys in a line of the host's caches */

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t signed_lanes __attribute__((vector_size(4 * LANES)));
typedef uint32_t unaligned_lanes __attribute__((vector_size(4 * LANES), aligned(4)));

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

/* A set does not lie across more of the host's lines than it must. */
static uint32_t words_of_set(uint32_t room)
{
    uint32_t words = LANES;

    while (words < room && words < HOST_LINE)
        words *= 2;
    return words < room ? (room + HOST_LINE - 1) / HOST_LINE * HOST_LINE : words;
}

static void start_full(struct sim_cache *cache, uint32_t entries)
{
    cache->full = allocate(sizeof *cache->full);
    sim_full_start(cache->full, entries, cache->policy, &cache->random);
}

void sim_cache_start(struct sim_cache *cache, uint32_t entries, uint32_t ways,
                     enum sim_policy policy, uint64_t seed)
{
    bool full = ways > SIM_WAYS_MAX;

    memset(cache, 0, sizeof *cache);
    cache->slices = 1;
    cache->ways = full ? 1 : ways;
    cache->room = (cache->ways + LANES - 1) / LANES * LANES;
    cache->sets = entries / ways;
    if ((cache->sets & (cache->sets - 1)) == 0)
        cache->mask = cache->sets - 1;
    cache->reciprocal = UINT64_MAX / cache->sets + 1;
    cache->policy = policy;
    cache->set_words = words_of_set(cache->room);
    cache->keys = allocate((size_t)cache->sets * cache->set_words * sizeof *cache->keys);
    if (policy != SIM_LRU && policy != SIM_RANDOM_ANY)
        cache->filled = allocate(cache->sets);
    if (policy == SIM_TREE_PLRU) {
        cache->tree = allocate(cache->sets * sizeof *cache->tree);
        prepare_tree(cache);
    }
    if (policy == SIM_QLRU)
        cache->age = allocate(cache->sets * sizeof *cache->age);
    random_start(&cache->random, seed);
    if (full)
        start_full(cache, entries);
    sim_cache_clear(cache);
}

void sim_cache_stop(struct sim_cache *cache)
{
    free(cache->keys);
    free(cache->filled);
    free(cache->tree);
    free(cache->age);
    if (cache->full)
        sim_full_stop(cache->full);
    free(cache->full);
}

void sim_cache_clear(struct sim_cache *cache)
{
    memset(cache->keys, 0xff, (size_t)cache->sets * cache->set_words * sizeof *cache->keys);
    if (cache->filled)
        memset(cache->filled, 0, cache->sets);
    if (cache->tree)
        memset(cache->tree, 0, cache->sets * sizeof *cache->tree);
    if (cache->age)
        sim_age_clear(cache);
    if (cache->full)
        sim_full_clear(cache->full);
}

void sim_cache_slice(struct sim_cache *cache, uint32_t slices)
{
    if (slices <= 1)
        return;
    cache->slices = slices;
    cache->slice_sets = cache->sets / slices;
    cache->mask = 0;
}

static uint32_t folded(uint32_t x)
{
    return x ^ x >> 3 ^ x >> 7 ^ x >> 12 ^ x >> 18;
}

/* Of any run of as many keys as there are sets, each set has one: for whatever stands above and
 * beside it, what chooses the slice goes round all of them. */
uint32_t sim_cache_sliced_set(const struct sim_cache *cache, uint32_t key)
{
    uint32_t set = key % cache->slice_sets, above = key / cache->slice_sets, slice;

    if ((cache->slices & (cache->slices - 1)) == 0)
        slice = (folded(above) ^ folded(set)) & (cache->slices - 1);
    else
        slice =
            (above + folded(above / cache->slices) % cache->slices + folded(set)) % cache->slices;
    return slice * cache->slice_sets + set;
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

/* The first key of an LRU set is the most recent one, the last one goes: the key comes to the
 * front, and those before way `from` go on by one. Without a branch on where it stood. */
static inline void bring_forward(const struct sim_cache *cache, uint32_t *set, uint32_t from,
                                 uint32_t key)
{
    int32_t end = (int32_t)from, first = (int32_t)cache->room - LANES;
    const signed_lanes last = {end, end, end, end}, step = {LANES, LANES, LANES, LANES};
    signed_lanes place = {first, first + 1, first + 2, first + 3};
    lanes front, moved, moves;

    for (uint32_t *keys = set + cache->room - LANES; keys != set; keys -= LANES, place -= step) {
        lanes before = *(const unaligned_lanes *)(keys - 1), now = *(const lanes *)keys;
        moves = (lanes)(place <= last);
        *(lanes *)keys = (before & moves) | (now & ~moves);
    }
    /* What stands before a set is another set, which the host may not have. */
    front = *(const lanes *)set;
    moved = __builtin_shufflevector(front, front, 0, 0, 1, 2);
    moves = (lanes)(place <= last);
    *(lanes *)set = (moved & moves) | (front & ~moves);
    set[0] = key;
}

static inline void make_recent(struct sim_cache *cache, uint32_t set, uint32_t way)
{
    if (cache->policy == SIM_QLRU)
        sim_age_hit(cache, set, way);
    if (cache->policy == SIM_TREE_PLRU)
        cache->tree[set] = (cache->tree[set] & ~cache->path[way]) | cache->away[way];
}

static bool search_full(struct sim_cache *cache, uint32_t key)
{
    bool found = sim_full_touch(cache->full, key);

    cache->hits += found;
    cache->misses += !found;
    if (found)
        cache->keys[0] = key;
    return found;
}

bool sim_cache_search(struct sim_cache *cache, uint32_t set, uint32_t key)
{
    uint32_t *keys = sim_cache_keys(cache, set), way;

    if (cache->full)
        return search_full(cache, key);
    way = find(cache, keys, key);
    if (way == cache->ways) {
        cache->misses++;
        return false;
    }
    cache->hits++;
    if (cache->policy == SIM_LRU)
        bring_forward(cache, keys, way, key);
    else
        make_recent(cache, set, way);
    return true;
}

/* Where tree-PLRU points to, random replacement falls, and QLRU finds the oldest. */
static uint32_t choose_victim(struct sim_cache *cache, uint32_t set)
{
    uint32_t node = 1;

    if (cache->policy == SIM_QLRU)
        return sim_age_victim(cache, set);
    if (cache->policy != SIM_TREE_PLRU)
        return (uint32_t)random_below(&cache->random, cache->ways);
    while (node < cache->ways)
        node = 2 * node + (cache->tree[set] >> node & 1);
    return node - cache->ways;
}

static uint32_t place_for(struct sim_cache *cache, uint32_t set, const uint32_t *keys)
{
    if (!cache->filled || cache->filled[set] == cache->ways)
        return choose_victim(cache, set);
    cache->filled[set]++;
    return find_empty(cache, keys);
}

uint32_t sim_cache_fill(struct sim_cache *cache, uint32_t key)
{
    uint32_t set = sim_cache_set(cache, key);
    uint32_t *keys = sim_cache_keys(cache, set);
    uint32_t way = cache->ways - 1, gone;

    if (cache->full) {
        keys[0] = key;
        return sim_full_fill(cache->full, key);
    }
    if (cache->policy == SIM_LRU) {
        gone = keys[way];
        bring_forward(cache, keys, way, key);
        return gone;
    }
    way = place_for(cache, set, keys);
    gone = keys[way];
    keys[way] = key;
    if (cache->policy == SIM_QLRU)
        sim_age_insert(cache, set, way);
    else
        make_recent(cache, set, way);
    return gone;
}

bool sim_cache_holds(const struct sim_cache *cache, uint32_t key)
{
    if (cache->full)
        return sim_full_holds(cache->full, key);
    return find(cache, sim_cache_keys(cache, sim_cache_set(cache, key)), key) != cache->ways;
}

bool sim_cache_drop(struct sim_cache *cache, uint32_t key)
{
    uint32_t set = sim_cache_set(cache, key);
    uint32_t *keys = sim_cache_keys(cache, set);
    uint32_t way = find(cache, keys, key);

    if (cache->full) {
        keys[0] = SIM_NO_KEY;
        return sim_full_drop(cache->full, key);
    }
    if (way == cache->ways)
        return false;
    if (cache->policy == SIM_LRU) {
        /* Empty ways are the last ones. */
        memmove(keys + way, keys + way + 1, (cache->ways - 1 - way) * sizeof *keys);
        way = cache->ways - 1;
    }
    keys[way] = SIM_NO_KEY;
    if (cache->filled)
        cache->filled[set]--;
    return true;
}
