/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/hierarchy.h"
#include "tests/sim/reserve.h"

#include <stdio.h>
#include <stdlib.h>

/* What the host's own first caches hold next to everything else, at 64 bytes a set. */
#define FAR_SETS 512

static void start_cache(struct sim_cache *cache, const struct sim_config *config, size_t level,
                        uint32_t core)
{
    const struct sim_cache_config *from = &config->cache[level];
    uint64_t lines = from->bytes / from->line_bytes, seed = config->seed + level + 1000ull * core;

    if (sim_config_wide(config, level))
        sim_cache_start_wide(cache, lines, from->ways, from->policy, seed);
    else
        sim_cache_start(cache, (uint32_t)lines, from->ways, from->policy, seed);
    sim_cache_slice(cache, from->slices);
}

/* The host prefetches, and passes victims on, in the same way for every core. */
static void find_shape(struct sim_hierarchy *h)
{
    while (h->far < h->narrow && h->cache[h->far]->sets < FAR_SETS)
        h->far++;
    for (size_t i = 1; i < h->narrow && h->spill == 0; i++)
        if (i >= h->far && h->inclusion[i] == SIM_EXCLUSIVE && h->cache[i - 1]->ordered)
            h->spill = i;
    for (size_t i = 0; i < h->count; i++)
        h->victims[i] = h->inclusion[i] == SIM_INCLUSIVE ||
                        (i + 1 < h->count && h->inclusion[i + 1] == SIM_EXCLUSIVE);
}

static void start(struct sim_hierarchy *h, const struct sim_config *config,
                  struct sim_hierarchy *first, uint32_t core)
{
    *h = (struct sim_hierarchy){.count = config->cache_count,
                                .own = sim_config_private(config),
                                .cores = sim_config_cores(config),
                                .core = core,
                                .used = core == 0};
    h->lines = config->memory.bytes / config->cache[0].line_bytes;
    h->narrow = h->count;
    for (size_t i = 0; i < h->count; i++) {
        const struct sim_cache_config *cache = &config->cache[i];
        h->inclusion[i] = cache->inclusion;
        h->coherent += !cache->memory_side;
        h->shift[i] = (unsigned)__builtin_ctz(cache->line_bytes / config->cache[0].line_bytes);
        if (sim_config_wide(config, i))
            h->narrow = i < h->narrow ? i : h->narrow;
        h->cache[i] = core == 0 || i < h->own ? &h->store[i] : first->cache[i];
        if (h->cache[i] == &h->store[i])
            start_cache(h->cache[i], config, i, core);
    }
    find_shape(h);
}

void sim_hierarchy_start(struct sim_hierarchy *h, const struct sim_config *config)
{
    start(h, config, h, 0);
    if (h->cores == 1)
        return;
    h->all = calloc(h->cores, sizeof *h->all);
    if (!h->all) {
        fprintf(stderr, "simulator: no memory for the caches of %u cores\n", h->cores);
        exit(2);
    }
    h->all[0] = h;
}

void sim_hierarchy_start_core(struct sim_hierarchy *h, const struct sim_config *config,
                              struct sim_hierarchy *first, uint32_t core)
{
    start(h, config, first, core);
    h->all = first->all;
    h->all[core] = h;
}

static uint64_t dirty_bytes(const struct sim_hierarchy *h)
{
    return (h->lines / 64 + 1) * sizeof *h->dirty;
}

void sim_hierarchy_stop(struct sim_hierarchy *h)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->cache[i] == &h->store[i])
            sim_cache_stop(h->cache[i]);
    if (h->core != 0)
        return;
    free(h->all);
    sim_reserve_free(h->dirty, dirty_bytes(h));
}

/* Lines of the first cache, from `line` to `end`, leave those caches before `before` that other
 * cores have for themselves. */
static void drop_others(struct sim_hierarchy *h, uint64_t line, uint64_t end, size_t before)
{
    for (uint32_t core = 0; h->all && core < h->cores; core++) {
        struct sim_hierarchy *other = h->all[core];
        for (size_t level = 0; other != h && other->used && level < h->own && level < before;
             level++)
            for (uint64_t each = line; each < end; each += 1u << h->shift[level])
                sim_cache_drop(other->cache[level], each >> h->shift[level]);
    }
}

void sim_hierarchy_claim(struct sim_hierarchy *h, uint64_t line)
{
    drop_others(h, line, line + 1, h->own);
}

static bool is_dirty(const struct sim_hierarchy *h, uint64_t line)
{
    return h->dirty && line < h->lines && (h->dirty[line / 64] >> line % 64 & 1) != 0;
}

static bool holds(const struct sim_hierarchy *h, size_t level, uint64_t line)
{
    return sim_cache_holds(h->cache[level], line >> h->shift[level]);
}

bool sim_hierarchy_holds_before(const struct sim_hierarchy *h, uint64_t line, size_t end)
{
    for (size_t level = 0; level < end; level++)
        if (holds(h, level, line))
            return true;
    return false;
}

static void give_up(struct sim_hierarchy *h, uint64_t line)
{
    h->dirty[line / 64] &= ~(1ull << line % 64);
    h->given_up[h->given_up_count++] = line;
}

/* Drops the first cache's lines of a line that `level` has evicted, from `gone` on. */
static void drop_before(struct sim_hierarchy *h, size_t level, uint64_t gone)
{
    uint64_t end = gone + (1u << h->shift[level]);

    for (size_t nearer = 0; nearer < level; nearer++)
        for (uint64_t line = gone; line < end; line += 1u << h->shift[nearer])
            sim_cache_drop(h->cache[nearer], line >> h->shift[nearer]);
    if (level >= h->own)
        drop_others(h, gone, end, level);
}

/* Whether a removed line is dirty and no cache before `level` has a copy; last: no cache beyond
 * `level` has one either, so such lines are given up. */
static bool leave_dirty(struct sim_hierarchy *h, size_t level, uint64_t gone, bool last)
{
    uint64_t end = gone + (1u << h->shift[level]);
    bool any = false;

    for (uint64_t line = gone; h->dirty && line < end; line++) {
        if (!is_dirty(h, line) || sim_hierarchy_holds_before(h, line, level))
            continue;
        any = true;
        if (last)
            give_up(h, line);
    }
    return any;
}

/* A victim goes to the next cache if that takes victims only or if the line is dirty, and leaves
 * the nearer ones if they may not keep it. */
static void pass_on(struct sim_hierarchy *h, size_t level, uint64_t gone)
{
    while (gone != SIM_NO_KEY) {
        uint64_t line = gone << h->shift[level], key;
        uint32_t set;
        bool dirty;
        if (h->inclusion[level] == SIM_INCLUSIVE)
            drop_before(h, level, line);
        dirty = leave_dirty(h, level, line, level + 1 == h->count);
        level++;
        if (level == h->count || (h->inclusion[level] != SIM_EXCLUSIVE && !dirty))
            return;
        key = line >> h->shift[level];
        set = sim_cache_set(h->cache[level], key);
        if (sim_cache_holds_in(h->cache[level], set, key))
            return;
        gone = sim_cache_fill_in(h->cache[level], set, key);
    }
}

/* Fills the line into a cache. */
static inline void fill(struct sim_hierarchy *h, size_t level, uint32_t set, uint64_t line)
{
    uint64_t gone = sim_cache_fill_in(h->cache[level], set, line >> h->shift[level]);

    if (h->victims[level] || h->dirty)
        pass_on(h, level, gone);
}

/* The set of a line in each cache from `first` on. */
static inline void find_sets(const struct sim_hierarchy *h, uint64_t line, size_t first,
                             uint32_t set[SIM_CACHES_MAX])
{
    for (size_t level = first; level < h->count; level++)
        set[level] = sim_cache_set(h->cache[level], line >> h->shift[level]);
    /* The host's own misses overlap that way. */
    for (size_t level = first > h->far ? first : h->far; level < h->narrow; level++)
        __builtin_prefetch(sim_cache_keys(h->cache[level], set[level]));
}

/* Looks for a line that cache `first` does not hold in those beyond, and removes it from one that
 * gives up lines on a hit. */
static inline size_t look_beyond(struct sim_hierarchy *h, uint64_t line, size_t first,
                                 const uint32_t set[SIM_CACHES_MAX])
{
    size_t from;

    for (from = first + 1; from < h->count; from++) {
        struct sim_cache *cache = h->cache[from];
        uint64_t key = line >> h->shift[from];
        if (h->inclusion[from] == SIM_EXCLUSIVE ? sim_cache_take_in(cache, set[from], key)
                                                : sim_cache_touch_in(cache, set[from], key))
            break;
    }
    return from;
}

size_t sim_hierarchy_miss(struct sim_hierarchy *h, uint64_t line, size_t first)
{
    uint32_t set[SIM_CACHES_MAX];
    size_t from;

    find_sets(h, line, first, set);
    from = look_beyond(h, line, first, set);
    for (size_t level = from; level-- > first;)
        if (level == first || h->inclusion[level] != SIM_EXCLUSIVE)
            fill(h, level, set[level], line);
    return from;
}

size_t sim_hierarchy_access_one(struct sim_hierarchy *h, uint64_t line, size_t first)
{
    uint32_t set[SIM_CACHES_MAX];
    size_t from = first;

    find_sets(h, line, first, set);
    if (!sim_cache_touch_in(h->cache[first], set[first], line >> h->shift[first]))
        from = look_beyond(h, line, first, set);
    for (size_t level = from; level-- > first;)
        if (level == first || h->inclusion[level] == SIM_INCLUSIVE)
            fill(h, level, set[level], line);
    return from;
}

/* For all cores: what memory has is the same for each of them. */
static void set_dirty(struct sim_hierarchy *h, uint64_t *dirty)
{
    h->dirty = dirty;
    for (uint32_t core = 0; h->all && core < h->cores; core++)
        h->all[core]->dirty = dirty;
}

void sim_hierarchy_soil(struct sim_hierarchy *h, uint64_t line)
{
    if (!h->dirty)
        set_dirty(h, sim_reserve(dirty_bytes(h)));
    h->dirty[line / 64] |= 1ull << line % 64;
}

size_t sim_hierarchy_find(const struct sim_hierarchy *h, uint64_t line)
{
    size_t level = 0;

    while (level < h->count && !holds(h, level, line))
        level++;
    return level;
}

static bool drop_until(struct sim_hierarchy *h, uint64_t line, size_t end)
{
    bool dirty = is_dirty(h, line);

    for (size_t level = 0; level < end; level++)
        sim_cache_drop(h->cache[level], line >> h->shift[level]);
    drop_others(h, line, line + 1, end);
    if (dirty)
        h->dirty[line / 64] &= ~(1ull << line % 64);
    return dirty;
}

bool sim_hierarchy_drop(struct sim_hierarchy *h, uint64_t line)
{
    return drop_until(h, line, h->count);
}

bool sim_hierarchy_flush(struct sim_hierarchy *h, uint64_t line)
{
    return drop_until(h, line, h->coherent);
}

uint64_t sim_hierarchy_room(const struct sim_hierarchy *h)
{
    uint64_t lines = 0;

    for (size_t level = 0; level < h->count; level++)
        lines += ((uint64_t)h->cache[level]->sets * h->cache[level]->ways) << h->shift[level];
    return lines;
}

void sim_hierarchy_empty(struct sim_hierarchy *h)
{
    for (size_t level = 0; level < h->count; level++)
        sim_cache_clear(h->cache[level]);
    for (uint32_t core = 0; h->all && core < h->cores; core++) {
        struct sim_hierarchy *other = h->all[core];
        for (size_t level = 0; other != h && other->used && level < h->own; level++)
            sim_cache_clear(other->cache[level]);
        other->used = other == h;
    }
    sim_reserve_free(h->dirty, dirty_bytes(h));
    set_dirty(h, NULL);
}

uint64_t sim_hierarchy_resident(const struct sim_hierarchy *h, size_t last)
{
    uint64_t lines = 0;

    for (size_t level = 0; level <= last; level++) {
        const struct sim_cache *cache = h->cache[level];
        for (uint32_t set = 0; set < cache->sets; set++)
            for (uint32_t way = 0; way < cache->ways; way++) {
                uint64_t key = sim_cache_key_at(cache, set, way), first = key << h->shift[level];
                for (uint32_t i = 0; key != SIM_NO_KEY && i < 1u << h->shift[level]; i++)
                    lines += sim_hierarchy_find(h, first + i) == level;
            }
    }
    return lines;
}
