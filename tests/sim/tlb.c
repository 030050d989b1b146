/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/tlb.h"

#include <string.h>

/* Page tables stand beyond all memory, each level of the tree in a stretch of its own. */
#define TABLE_LINES      (1u << 30)
#define TABLE_LEVEL_LOG2 24

void sim_tlb_start(struct sim_tlb *tlb, const struct sim_config *config)
{
    memset(tlb, 0, sizeof *tlb);
    tlb->config = config;
    tlb->entries_log2 = (unsigned)__builtin_ctz(config->cache[0].line_bytes / 8);
    for (size_t i = 0; i < config->tlb_count; i++)
        for (unsigned page = 0; page < SIM_PAGES; page++)
            if (config->tlb[i].entries[page] != 0)
                sim_cache_start(&tlb->level[i][page], config->tlb[i].entries[page],
                                config->tlb[i].ways[page], config->tlb[i].policy,
                                config->seed + 100 + i * SIM_PAGES + page);
    for (unsigned i = 0; i < 3; i++)
        if (config->walk.entries[i] != 0)
            sim_cache_start(&tlb->structure[i], config->walk.entries[i], config->walk.entries[i],
                            SIM_LRU, 0);
    sim_tlb_open(tlb, SIM_PAGE_4K);
}

void sim_tlb_stop(struct sim_tlb *tlb)
{
    for (size_t i = 0; i < SIM_TLBS_MAX; i++)
        for (unsigned page = 0; page < SIM_PAGES; page++)
            sim_cache_stop(&tlb->level[i][page]);
    for (unsigned i = 0; i < 3; i++)
        sim_cache_stop(&tlb->structure[i]);
}

void sim_tlb_open(struct sim_tlb *tlb, enum sim_page page)
{
    tlb->page = page;
    tlb->first = NULL;
    if (tlb->config->tlb_count != 0 && tlb->level[0][page].keys)
        tlb->first = &tlb->level[0][page];
    tlb->last_key = SIM_NO_KEY;
    for (size_t i = 0; i < tlb->config->tlb_count; i++)
        for (unsigned any = 0; any < SIM_PAGES; any++)
            if (tlb->level[i][any].keys)
                sim_cache_clear(&tlb->level[i][any]);
    for (unsigned i = 0; i < 3; i++)
        if (tlb->structure[i].keys)
            sim_cache_clear(&tlb->structure[i]);
}

size_t sim_tlb_miss(struct sim_tlb *tlb, uint32_t key)
{
    size_t count = tlb->config->tlb_count, level = tlb->first ? 1 : 0;

    while (level < count) {
        struct sim_cache *cache = &tlb->level[level][tlb->page];
        if (cache->keys && sim_cache_touch(cache, key))
            break;
        level++;
    }
    for (size_t i = level; i-- > 0;)
        if (tlb->level[i][tlb->page].keys)
            sim_cache_fill(&tlb->level[i][tlb->page], key);
    /* Only what the first level holds now hits there without being looked up. */
    if (tlb->first)
        tlb->last_key = key;
    return level;
}

bool sim_tlb_prefetch(struct sim_tlb *tlb, uint32_t key)
{
    size_t count = tlb->config->tlb_count;

    for (size_t i = 0; i < count; i++)
        if (tlb->level[i][tlb->page].keys && sim_cache_holds(&tlb->level[i][tlb->page], key))
            return false;
    if (count == 0 || !tlb->level[count - 1][tlb->page].keys)
        return false;
    sim_cache_fill(&tlb->level[count - 1][tlb->page], key);
    tlb->last_key = SIM_NO_KEY;
    return true;
}

static uint32_t table_line(const struct sim_tlb *tlb, unsigned depth, uint32_t entry)
{
    return TABLE_LINES + (depth << TABLE_LEVEL_LOG2) + (entry >> tlb->entries_log2);
}

size_t sim_tlb_walk(struct sim_tlb *tlb, uint32_t page, uint32_t lines[SIM_WALK_LOADS_MAX])
{
    unsigned leaf = tlb->page;
    unsigned top = leaf + 1;
    size_t count = 0;

    /* structure[n] holds entries of tree level n + 1; one that hits points to the level below. */
    while (top <= 3) {
        struct sim_cache *cache = &tlb->structure[top - 1];
        if (cache->keys && sim_cache_touch(cache, page >> 9 * (top - leaf)))
            break;
        top++;
    }
    for (unsigned level = top; level-- > leaf;) {
        uint32_t entry = page >> 9 * (level - leaf);
        lines[count++] = table_line(tlb, level, entry);
        if (level > leaf && tlb->structure[level - 1].keys)
            sim_cache_fill(&tlb->structure[level - 1], entry);
    }
    return count;
}
