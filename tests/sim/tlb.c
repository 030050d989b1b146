/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/tlb.h"

#include <string.h>

/* Page tables are beyond all memory, each level of a tree in a range of its own. */
#define TABLE_LEVEL_LOG2      24
#define TABLE_LEVEL_WIDE_LOG2 32

static void start_tables(struct sim_tables *tables, uint64_t first_line, const uint32_t entries[3])
{
    tables->first_line = first_line;
    for (unsigned i = 0; i < 3; i++)
        if (entries[i] != 0)
            sim_cache_start(&tables->structure[i], entries[i], entries[i], SIM_LRU, 0);
}

static void forget_tables(struct sim_tables *tables)
{
    for (unsigned i = 0; i < 3; i++)
        if (tables->structure[i].keys)
            sim_cache_clear(&tables->structure[i]);
}

/* Where the entries for pages of that size are: shared ones are with the smallest ones. */
static enum sim_page slot_of(const struct sim_tlb_config *tlb, enum sim_page page)
{
    enum sim_page first = SIM_PAGE_4K;

    while (first < page && !(sim_tlb_shares(tlb, first) && sim_tlb_shares(tlb, page)))
        first++;
    return first;
}

void sim_tlb_start(struct sim_tlb *tlb, const struct sim_config *config)
{
    uint64_t first = sim_config_large(config) ? SIM_LINES_WIDE : SIM_LINES_MAX;

    memset(tlb, 0, sizeof *tlb);
    tlb->config = config;
    tlb->line_log2 = (unsigned)__builtin_ctz(config->cache[0].line_bytes);
    tlb->entries_log2 = (unsigned)__builtin_ctz(config->cache[0].line_bytes / 8);
    for (size_t i = 0; i < config->tlb_count; i++)
        for (unsigned page = 0; page < SIM_PAGES; page++) {
            uint32_t ways, entries = sim_tlb_entries(&config->tlb[i], (enum sim_page)page, &ways);
            if (entries != 0 && slot_of(&config->tlb[i], (enum sim_page)page) == page)
                sim_cache_start(&tlb->level[i][page], entries, ways, config->tlb[i].policy,
                                config->seed + 100 + i * SIM_PAGES + page);
        }
    tlb->level_log2 = sim_config_large(config) ? TABLE_LEVEL_WIDE_LOG2 : TABLE_LEVEL_LOG2;
    start_tables(&tlb->tables, first, config->walk.entries);
    start_tables(&tlb->host, first + (4ull << tlb->level_log2), config->walk.nested_entries);
    sim_tlb_open(tlb, SIM_PAGE_4K);
}

void sim_tlb_stop(struct sim_tlb *tlb)
{
    for (size_t i = 0; i < SIM_TLBS_MAX; i++)
        for (unsigned page = 0; page < SIM_PAGES; page++)
            sim_cache_stop(&tlb->level[i][page]);
    for (unsigned i = 0; i < 3; i++) {
        sim_cache_stop(&tlb->tables.structure[i]);
        sim_cache_stop(&tlb->host.structure[i]);
    }
}

static void find_first(struct sim_tlb *tlb)
{
    tlb->first = NULL;
    if (tlb->config->tlb_count != 0 && tlb->level[0][tlb->slot[0]].keys)
        tlb->first = &tlb->level[0][tlb->slot[0]];
}

void sim_tlb_open(struct sim_tlb *tlb, enum sim_page page)
{
    tlb->page = page;
    tlb->piece = sim_config_piece(tlb->config, page);
    for (size_t i = 0; i < tlb->config->tlb_count; i++)
        tlb->slot[i] = slot_of(&tlb->config->tlb[i], tlb->piece);
    find_first(tlb);
    tlb->last_key = SIM_EMPTY;
    for (size_t i = 0; i < tlb->config->tlb_count; i++)
        for (unsigned any = 0; any < SIM_PAGES; any++)
            if (tlb->level[i][any].keys)
                sim_cache_clear(&tlb->level[i][any]);
    forget_tables(&tlb->tables);
    forget_tables(&tlb->host);
}

size_t sim_tlb_miss(struct sim_tlb *tlb, uint32_t key)
{
    size_t count = tlb->config->tlb_count, level = tlb->first ? 1 : 0;

    while (level < count) {
        struct sim_cache *cache = &tlb->level[level][tlb->slot[level]];
        if (cache->keys && sim_cache_touch(cache, key))
            break;
        level++;
    }
    for (size_t i = level; i-- > 0;)
        if (tlb->level[i][tlb->slot[i]].keys)
            sim_cache_fill(&tlb->level[i][tlb->slot[i]], key);
    /* Only what the first level holds now hits there without being looked up. */
    if (tlb->first)
        tlb->last_key = key;
    return level;
}

bool sim_tlb_prefetch(struct sim_tlb *tlb, uint32_t key)
{
    size_t count = tlb->config->tlb_count;

    for (size_t i = 0; i < count; i++)
        if (tlb->level[i][tlb->slot[i]].keys && sim_cache_holds(&tlb->level[i][tlb->slot[i]], key))
            return false;
    if (count == 0 || !tlb->level[count - 1][tlb->slot[count - 1]].keys)
        return false;
    sim_cache_fill(&tlb->level[count - 1][tlb->slot[count - 1]], key);
    tlb->last_key = SIM_EMPTY;
    return true;
}

uint64_t sim_tlb_leaf(const struct sim_tlb *tlb, uint32_t page)
{
    return tlb->tables.first_line + ((uint64_t)tlb->page << tlb->level_log2) +
           (page >> tlb->entries_log2);
}

/* The entries from the first one that no structure cache covers down to the leaf; structure[n]
 * holds entries of tree level n + 1, and one that hits points to the level below. */
static size_t walk_tables(const struct sim_tlb *tlb, struct sim_tables *tables, unsigned leaf,
                          uint32_t page, uint64_t *lines)
{
    unsigned top = leaf + 1;
    size_t count = 0;

    while (top <= 3) {
        struct sim_cache *cache = &tables->structure[top - 1];
        if (cache->keys && sim_cache_touch(cache, page >> 9 * (top - leaf)))
            break;
        top++;
    }
    for (unsigned level = top; level-- > leaf;) {
        uint32_t entry = page >> 9 * (level - leaf);
        lines[count++] = tables->first_line + ((uint64_t)level << tlb->level_log2) +
                         (entry >> tlb->entries_log2);
        if (level > leaf && tables->structure[level - 1].keys)
            sim_cache_fill(&tables->structure[level - 1], entry);
    }
    return count;
}

size_t sim_tlb_walk(struct sim_tlb *tlb, uint32_t page, uint64_t line,
                    uint64_t lines[SIM_WALK_LOADS_MAX])
{
    size_t count = walk_tables(tlb, &tlb->tables, tlb->page, page, lines);
    enum sim_nested nested = tlb->config->walk.nested;
    enum sim_page host = (enum sim_page)(nested - SIM_NESTED_4K);

    if (nested == SIM_NOT_NESTED)
        return count;
    return count + walk_tables(tlb, &tlb->host, host,
                               (uint32_t)(line >> (sim_page_log2(host) - tlb->line_log2)),
                               lines + count);
}
