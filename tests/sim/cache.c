/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/age.h"

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

void sim_cache_start(struct sim_cache *cache, uint32_t entries, uint32_t ways,
                     enum sim_policy policy, uint64_t seed)
{
    bool full = ways > SIM_WAYS_MAX;

    memset(cache, 0, sizeof *cache);
    cache->ways = full ? 1 : ways;
    cache->room = (cache->ways + SIM_LANES - 1) / SIM_LANES * SIM_LANES;
    cache->sets = entries / ways;
    cache->mask = cache->sets - 1;
    cache->divided = (cache->sets & cache->mask) != 0;
    cache->set = sim_divisor_of(cache->sets);
    cache->slice = sim_divisor_of(1);
    cache->policy = policy;
    cache->ordered = policy == SIM_LRU && !full;
    /* So that a set spans no more of the host's lines than necessary. */
    cache->words_log2 = log2_of(2 * cache->room - 1);
    cache->keys = allocate(bytes_of_keys(cache));
    if (policy != SIM_LRU && policy != SIM_RANDOM_ANY)
        cache->filled = allocate(cache->sets);
    if (policy == SIM_TREE_PLRU) {
        cache->tree = allocate(cache->sets * sizeof *cache->tree);
        prepare_tree(cache);
    }
    if (policy == SIM_QLRU)
        cache->age = allocate(cache->sets * sizeof *cache->age);
    cache->duel = SIM_AGE_DUEL_MAX / 2;
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

/* The first empty way; `ways` when there is none. */
static inline uint32_t find_empty(const struct sim_cache *cache, const uint32_t *set)
{
    uint32_t way = 0;

    while (way < cache->ways && set[way] != SIM_NO_KEY)
        way++;
    return way;
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

bool sim_cache_touch_other(struct sim_cache *cache, uint32_t set, uint32_t key)
{
    uint32_t way;

    if (cache->full)
        return search_full(cache, key);
    way = sim_lanes_find(sim_cache_keys(cache, set), cache->room, key);
    if (way == cache->room) {
        cache->misses++;
        return false;
    }
    cache->hits++;
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

static uint32_t place_for(struct sim_cache *cache, uint32_t set, const uint32_t *keys)
{
    if (!cache->filled || cache->filled[set] == cache->ways)
        return choose_victim(cache, set);
    cache->filled[set]++;
    return find_empty(cache, keys);
}

uint32_t sim_cache_fill_other(struct sim_cache *cache, uint32_t set, uint32_t key)
{
    uint32_t *keys = sim_cache_keys(cache, set);
    uint32_t way, gone;

    if (cache->full) {
        keys[0] = key;
        return sim_full_fill(cache->full, key);
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

bool sim_cache_drop_other(struct sim_cache *cache, uint32_t set, uint32_t key)
{
    uint32_t *keys = sim_cache_keys(cache, set);
    uint32_t way = sim_lanes_find(keys, cache->room, key);

    if (cache->full) {
        keys[0] = SIM_NO_KEY;
        return sim_full_drop(cache->full, key);
    }
    if (way == cache->room)
        return false;
    keys[way] = SIM_NO_KEY;
    if (cache->filled)
        cache->filled[set]--;
    return true;
}
