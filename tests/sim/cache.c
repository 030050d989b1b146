/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sim_cache_start(struct sim_cache *cache, const struct sim_cache_config *config)
{
    *cache = (struct sim_cache){.ways = config->ways,
                                .line_log2 = (uint32_t)__builtin_ctz(config->line_bytes),
                                .sets = config->bytes / config->line_bytes / config->ways};
    if ((cache->sets & (cache->sets - 1)) == 0)
        cache->mask = cache->sets - 1;
    cache->tags = calloc(cache->sets * cache->ways, sizeof *cache->tags);
    if (!cache->tags) {
        fprintf(stderr, "simulator: no memory for cache %s\n", config->name);
        exit(2);
    }
}

void sim_cache_stop(struct sim_cache *cache)
{
    free(cache->tags);
}

static uint64_t *set_of(const struct sim_cache *cache, uint64_t line)
{
    /* A division takes longer than the rest of the look-up. */
    uint64_t set = cache->mask != 0 ? line & cache->mask : line % cache->sets;

    return &cache->tags[set * cache->ways];
}

bool sim_cache_access(struct sim_cache *cache, uint64_t physical)
{
    uint64_t line = physical >> cache->line_log2;
    uint64_t *set = set_of(cache, line);
    uint32_t way = 0;
    bool hit;

    while (way < cache->ways - 1 && set[way] != line)
        way++;
    hit = set[way] == line;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line;
    if (hit)
        cache->hits++;
    else
        cache->misses++;
    return hit;
}

void sim_cache_drop(struct sim_cache *cache, uint64_t physical)
{
    uint64_t line = physical >> cache->line_log2;
    uint64_t *set = set_of(cache, line);

    for (uint32_t way = 0; way < cache->ways; way++) {
        if (set[way] != line)
            continue;
        memmove(set + way, set + way + 1, (cache->ways - 1 - way) * sizeof *set);
        set[cache->ways - 1] = 0;
        return;
    }
}
