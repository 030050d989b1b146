/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/hierarchy.h"

#include <stdio.h>
#include <stdlib.h>

void sim_hierarchy_start(struct sim_hierarchy *h, const struct sim_config *config)
{
    *h = (struct sim_hierarchy){.count = config->cache_count};
    h->lines = (uint32_t)(config->memory.bytes / config->cache[0].line_bytes);
    for (size_t i = 0; i < h->count; i++) {
        const struct sim_cache_config *cache = &config->cache[i];
        h->inclusion[i] = cache->inclusion;
        h->shift[i] = (unsigned)__builtin_ctz(cache->line_bytes / config->cache[0].line_bytes);
        sim_cache_start(&h->cache[i], (uint32_t)(cache->bytes / cache->line_bytes), cache->ways,
                        cache->policy, config->seed + i);
        sim_cache_slice(&h->cache[i], cache->slices);
    }
}

void sim_hierarchy_stop(struct sim_hierarchy *h)
{
    for (size_t i = 0; i < h->count; i++)
        sim_cache_stop(&h->cache[i]);
    free(h->dirty);
}

static bool is_dirty(const struct sim_hierarchy *h, uint32_t line)
{
    return h->dirty && line < h->lines && (h->dirty[line / 64] >> line % 64 & 1) != 0;
}

static bool holds(const struct sim_hierarchy *h, size_t level, uint32_t line)
{
    return sim_cache_holds(&h->cache[level], line >> h->shift[level]);
}

static bool held_before(const struct sim_hierarchy *h, uint32_t line, size_t level)
{
    for (size_t nearer = 0; nearer < level; nearer++)
        if (holds(h, nearer, line))
            return true;
    return false;
}

static void give_up(struct sim_hierarchy *h, uint32_t line)
{
    h->dirty[line / 64] &= ~(1ull << line % 64);
    h->given_up[h->given_up_count++] = line;
}

/* The first cache's lines in a line that `level` has let go, from `gone` on. */
static void drop_before(struct sim_hierarchy *h, size_t level, uint32_t gone)
{
    uint32_t end = gone + (1u << h->shift[level]);

    for (size_t nearer = 0; nearer < level; nearer++)
        for (uint32_t line = gone; line < end; line += 1u << h->shift[nearer])
            sim_cache_drop(&h->cache[nearer], line >> h->shift[nearer]);
}

/* Whether some of them have nobody any more who knows what memory does not; last: nobody beyond
 * `level` either, and they are given up. */
static bool leave_dirty(struct sim_hierarchy *h, size_t level, uint32_t gone, bool last)
{
    uint32_t end = gone + (1u << h->shift[level]);
    bool any = false;

    for (uint32_t line = gone; h->dirty && line < end; line++) {
        if (!is_dirty(h, line) || held_before(h, line, level))
            continue;
        any = true;
        if (last)
            give_up(h, line);
    }
    return any;
}

/* Takes the line into a cache; what has to go there goes on to the next one if that takes victims
 * only or if memory does not have it, and out of the nearer ones if they may not keep it. */
static void fill(struct sim_hierarchy *h, size_t level, uint32_t line)
{
    while (level < h->count) {
        uint32_t gone = sim_cache_fill(&h->cache[level], line >> h->shift[level]);
        bool dirty;
        if (gone == SIM_NO_KEY)
            return;
        gone <<= h->shift[level];
        if (h->inclusion[level] == SIM_INCLUSIVE)
            drop_before(h, level, gone);
        dirty = leave_dirty(h, level, gone, level + 1 == h->count);
        level++;
        if (level == h->count || (h->inclusion[level] != SIM_EXCLUSIVE && !dirty) ||
            holds(h, level, gone))
            return;
        line = gone;
    }
}

/* Looks for a line that cache `first` does not hold in those beyond, and takes it out of one that
 * gives up what hits. */
static size_t look_beyond(struct sim_hierarchy *h, uint32_t line, size_t first)
{
    size_t from = first + 1;

    /* The host's own misses overlap that way. */
    sim_hierarchy_expect(h, line, from);
    while (from < h->count && !sim_cache_touch(&h->cache[from], line >> h->shift[from]))
        from++;
    if (from < h->count && h->inclusion[from] == SIM_EXCLUSIVE)
        sim_cache_drop(&h->cache[from], line >> h->shift[from]);
    return from;
}

size_t sim_hierarchy_miss(struct sim_hierarchy *h, uint32_t line, size_t first)
{
    size_t from = look_beyond(h, line, first);

    for (size_t level = from; level-- > first;)
        if (level == first || h->inclusion[level] != SIM_EXCLUSIVE)
            fill(h, level, line);
    return from;
}

size_t sim_hierarchy_access_one(struct sim_hierarchy *h, uint32_t line, size_t first)
{
    size_t from = first;

    if (!sim_cache_touch(&h->cache[first], line >> h->shift[first]))
        from = look_beyond(h, line, first);
    for (size_t level = from; level-- > first;)
        if (level == first || h->inclusion[level] == SIM_INCLUSIVE)
            fill(h, level, line);
    return from;
}

void sim_hierarchy_soil(struct sim_hierarchy *h, uint32_t line)
{
    if (!h->dirty)
        h->dirty = calloc(h->lines / 64 + 1, sizeof *h->dirty);
    if (!h->dirty) {
        fprintf(stderr, "simulator: no memory for %u lines' state\n", h->lines);
        exit(2);
    }
    h->dirty[line / 64] |= 1ull << line % 64;
}

size_t sim_hierarchy_find(const struct sim_hierarchy *h, uint32_t line)
{
    size_t level = 0;

    while (level < h->count && !holds(h, level, line))
        level++;
    return level;
}

bool sim_hierarchy_drop(struct sim_hierarchy *h, uint32_t line)
{
    bool dirty = is_dirty(h, line);

    for (size_t level = 0; level < h->count; level++)
        sim_cache_drop(&h->cache[level], line >> h->shift[level]);
    if (dirty)
        h->dirty[line / 64] &= ~(1ull << line % 64);
    return dirty;
}

uint64_t sim_hierarchy_room(const struct sim_hierarchy *h)
{
    uint64_t lines = 0;

    for (size_t level = 0; level < h->count; level++)
        lines += ((uint64_t)h->cache[level].sets * h->cache[level].ways) << h->shift[level];
    return lines;
}

void sim_hierarchy_empty(struct sim_hierarchy *h)
{
    for (size_t level = 0; level < h->count; level++)
        sim_cache_clear(&h->cache[level]);
    free(h->dirty);
    h->dirty = NULL;
}

uint64_t sim_hierarchy_resident(const struct sim_hierarchy *h, size_t last)
{
    uint64_t lines = 0;

    for (size_t level = 0; level <= last; level++) {
        const struct sim_cache *cache = &h->cache[level];
        for (uint32_t set = 0; set < cache->sets; set++)
            for (uint32_t way = 0; way < cache->ways; way++) {
                uint32_t key = sim_cache_keys(cache, set)[way], first = key << h->shift[level];
                for (uint32_t i = 0; key != SIM_NO_KEY && i < 1u << h->shift[level]; i++)
                    lines += sim_hierarchy_find(h, first + i) == level;
            }
    }
    return lines;
}
