/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/age.h"
#include "tests/sim/reserve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE (2u << 20)
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
    size_t unit = bytes < HUGE_PAGE / 2 ? 64 : HUGE_PAGE;
    void *memory = aligned_alloc(unit, (bytes + unit - 1) / unit * unit);

    if (!memory) {
        fprintf(stderr, "simulator: no memory for a cache: %zu bytes\n", bytes);
        exit(2);
    }
    if (unit == HUGE_PAGE)
        madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
}

static size_t bytes_of_keys(const struct sim_cache *cache)
{
    return (size_t)cache->sets * sizeof *cache->keys << cache->words_log2;
}

static void start_full(struct sim_cache *cache, uint32_t entries)
{
    cache->full = allocate(sizeof *cache->full);
    sim_full_start(cache->full, entries, cache->policy, &cache->random);
}

/* What a policy keeps of each set, from fresh memory. */
static void start_policy(struct sim_cache *cache, void *get(size_t bytes))
{
    if (cache->policy != SIM_LRU && cache->policy != SIM_RANDOM_ANY)
        cache->filled = get(cache->sets);
    if (cache->policy == SIM_TREE_PLRU) {
        cache->tree = get(cache->sets * sizeof *cache->tree);
        prepare_tree(cache);
    }
    if (cache->policy == SIM_QLRU)
        cache->age = get(cache->sets * sizeof *cache->age);
}

static void start_sets(struct sim_cache *cache, uint32_t sets, uint32_t ways,
                       enum sim_policy policy, uint64_t seed)
{
    memset(cache, 0, sizeof *cache);
    cache->ways = ways;
    cache->sets = sets;
    cache->mask = cache->sets - 1;
    cache->divided = (cache->sets & cache->mask) != 0;
    cache->set = sim_divisor_of(cache->sets);
    cache->slice = sim_divisor_of(1);
    cache->policy = policy;
    cache->duel = SIM_AGE_DUEL_MAX / 2;
    random_start(&cache->random, seed);
}

void sim_cache_start(struct sim_cache *cache, uint32_t entries, uint32_t ways,
                     enum sim_policy policy, uint64_t seed)
{
    bool full = ways > SIM_WAYS_MAX;

    start_sets(cache, entries / ways, full ? 1 : ways, policy, seed);
    cache->room = (cache->ways + SIM_LANES - 1) / SIM_LANES * SIM_LANES;
    cache->ordered = policy == SIM_LRU && !full;
    cache->unusual = full;
    /* So that a set spans no more of the host's lines than necessary. */
    cache->words_log2 = log2_of(2 * cache->room - 1);
    cache->keys = allocate(bytes_of_keys(cache));
    start_policy(cache, allocate);
    if (full)
        start_full(cache, entries);
    sim_cache_clear(cache);
}

static void *reserve(size_t bytes)
{
    return sim_reserve(bytes);
}

void sim_cache_start_wide(struct sim_cache *cache, uint64_t entries, uint32_t ways,
                          enum sim_policy policy, uint64_t seed)
{
    start_sets(cache, (uint32_t)(entries / ways), ways, policy, seed);
    cache->unusual = true;
    cache->wide = sim_reserve(entries * sizeof *cache->wide);
    start_policy(cache, reserve);
}

/* Of each of a wide cache's arrays. */
static void for_reserved(struct sim_cache *cache, void act(void *memory, uint64_t bytes))
{
    uint64_t sets = cache->sets;

    act(cache->wide, sets * cache->ways * sizeof *cache->wide);
    if (cache->filled)
        act(cache->filled, sets);
    if (cache->tree)
        act(cache->tree, sets * sizeof *cache->tree);
    if (cache->age)
        act(cache->age, sets * sizeof *cache->age);
}

void sim_cache_stop(struct sim_cache *cache)
{
    if (cache->wide) {
        for_reserved(cache, sim_reserve_free);
        return;
    }
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
    if (cache->wide) {
        for_reserved(cache, sim_reserve_clear);
        return;
    }
    memset(cache->keys, 0xff, bytes_of_keys(cache));
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
    cache->set = sim_divisor_of(cache->sets / slices);
    cache->slice = sim_divisor_of(slices);
    if ((slices & (slices - 1)) == 0)
        cache->slice_mask = slices - 1;
    cache->divided = true;
}

static uint64_t folded(uint64_t x)
{
    return x ^ x >> 3 ^ x >> 7 ^ x >> 12 ^ x >> 18;
}

/* As sim_cache_sliced_set. */
uint32_t sim_cache_wide_set(const struct sim_cache *cache, uint64_t key)
{
    uint64_t above = key / cache->set.by, set = key % cache->set.by, slice;
    uint32_t slices = cache->slice.by;

    if (cache->slice_mask != 0)
        slice = folded(above ^ set) & cache->slice_mask;
    else
        slice = (above + folded(above / slices) % slices + folded(set)) % slices;
    return (uint32_t)(slice * cache->set.by + set);
}

static uint64_t *wide_keys(const struct sim_cache *cache, uint32_t set)
{
    return &cache->wide[(uint64_t)set * cache->ways];
}

uint64_t sim_cache_key_at(const struct sim_cache *cache, uint32_t set, uint32_t way)
{
    if (cache->wide)
        return wide_keys(cache, set)[way] - 1;
    return sim_cache_widened(sim_cache_keys(cache, set)[way]);
}

/* The first empty way; `ways` when there is none. */
static inline uint32_t find_empty(const struct sim_cache *cache, uint32_t set)
{
    uint32_t way = 0;

    while (way < cache->ways && sim_cache_key_at(cache, set, way) != SIM_NO_KEY)
        way++;
    return way;
}

/* The way of a key; `ways` or more when it is not there. */
static inline uint32_t find_key(const struct sim_cache *cache, uint32_t set, uint64_t key)
{
    const uint64_t *keys;
    uint32_t way = 0;

    if (!cache->wide)
        return sim_lanes_find(sim_cache_keys(cache, set), cache->room, (uint32_t)key);
    keys = wide_keys(cache, set);
    while (way < cache->ways && keys[way] != key + 1)
        way++;
    return way;
}

/* Puts a key into a way; returns the one that was there. */
static inline uint64_t put_key(struct sim_cache *cache, uint32_t set, uint32_t way, uint64_t key)
{
    uint64_t gone = sim_cache_key_at(cache, set, way);

    if (cache->wide)
        wide_keys(cache, set)[way] = key + 1;
    else
        sim_cache_keys(cache, set)[way] = (uint32_t)key;
    return gone;
}

/* Keys of a wide LRU set are in the order of their use: puts one in front, in place of that in a
 * way. */
static void bring_forward(struct sim_cache *cache, uint32_t set, uint32_t way, uint64_t key)
{
    uint64_t *keys = wide_keys(cache, set);

    memmove(keys + 1, keys, way * sizeof *keys);
    keys[0] = key + 1;
}

static void close_up(struct sim_cache *cache, uint32_t set, uint32_t way)
{
    uint64_t *keys = wide_keys(cache, set);

    memmove(keys + way, keys + way + 1, (cache->ways - way - 1) * sizeof *keys);
    keys[cache->ways - 1] = 0;
}

bool sim_cache_holds_unusual(const struct sim_cache *cache, uint32_t set, uint64_t key)
{
    if (cache->full)
        return sim_full_holds(cache->full, (uint32_t)key);
    return find_key(cache, set, key) < cache->ways;
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

bool sim_cache_touch_other(struct sim_cache *cache, uint32_t set, uint64_t key)
{
    uint32_t way;

    if (cache->full)
        return search_full(cache, (uint32_t)key);
    way = find_key(cache, set, key);
    if (way >= cache->ways) {
        cache->misses++;
        return false;
    }
    cache->hits++;
    if (cache->policy == SIM_LRU)
        bring_forward(cache, set, way, key);
    else
        make_recent(cache, set, way);
    return true;
}

/* The way that tree-PLRU points to, that random replacement hits, or that QLRU finds the oldest. */
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

static uint32_t place_for(struct sim_cache *cache, uint32_t set)
{
    if (!cache->filled || cache->filled[set] == cache->ways)
        return choose_victim(cache, set);
    cache->filled[set]++;
    return find_empty(cache, set);
}

uint64_t sim_cache_fill_other(struct sim_cache *cache, uint32_t set, uint64_t key)
{
    uint64_t gone;
    uint32_t way;

    if (cache->full) {
        sim_cache_keys(cache, set)[0] = (uint32_t)key;
        return sim_cache_widened(sim_full_fill(cache->full, (uint32_t)key));
    }
    if (cache->policy == SIM_LRU) {
        gone = sim_cache_key_at(cache, set, cache->ways - 1);
        bring_forward(cache, set, cache->ways - 1, key);
        return gone;
    }
    way = place_for(cache, set);
    gone = put_key(cache, set, way, key);
    if (cache->policy == SIM_QLRU)
        sim_age_insert(cache, set, way);
    else
        make_recent(cache, set, way);
    return gone;
}

bool sim_cache_drop_other(struct sim_cache *cache, uint32_t set, uint64_t key)
{
    uint32_t way;

    if (cache->full) {
        sim_cache_keys(cache, set)[0] = SIM_EMPTY;
        return sim_full_drop(cache->full, (uint32_t)key);
    }
    way = find_key(cache, set, key);
    if (way >= cache->ways)
        return false;
    if (cache->policy == SIM_LRU)
        close_up(cache, set, way);
    else
        put_key(cache, set, way, SIM_NO_KEY);
    if (cache->filled)
        cache->filled[set]--;
    return true;
}
