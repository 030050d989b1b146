/* SPDX-License-Identifier: BSD-2-Clause */
/* Translation on the simulated machine: TLB levels, paging-structure caches, and which entries a
 * walk has to load, a host's among them. What a walk's loads cost is counted by the memory system.
 */
#ifndef TESTS_SIM_TLB_H
#define TESTS_SIM_TLB_H

#include "tests/sim/cache.h"

#define SIM_WALK_LOADS_MAX 8

/* One tree of page tables. */
struct sim_tables {
    uint64_t first_line;           /* where they begin */
    struct sim_cache structure[3]; /* paging-structure caches, started where there are entries */
};

struct sim_tlb {
    const struct sim_config *config;
    enum sim_page page;                              /* of the window that is open */
    enum sim_page piece;                             /* what the levels hold of it */
    struct sim_cache level[SIM_TLBS_MAX][SIM_PAGES]; /* started where it has entries */
    enum sim_page slot[SIM_TLBS_MAX];                /* where a level has its entries for them */
    struct sim_tables tables, host;
    struct sim_cache *first;          /* what the first level has for these pages; NULL: nothing */
    uint32_t last_key;                /* of the previous access: it hits again */
    unsigned level_log2;              /* of the lines that a level of tables has numbers for */
    unsigned line_log2, entries_log2; /* entries_log2: of page-table entries in a line */
};

/* sim_tlb_stop frees. */
void sim_tlb_start(struct sim_tlb *tlb, const struct sim_config *config);
void sim_tlb_stop(struct sim_tlb *tlb);
/* Opens another window: everything is forgotten. */
void sim_tlb_open(struct sim_tlb *tlb, enum sim_page page);
/* sim_tlb_access for a key that the first level was just found not to hold. */
size_t sim_tlb_miss(struct sim_tlb *tlb, uint32_t key);
/* Looks the key up, and inserts it where it was missing. Returns the level that had it; tlb_count:
 * a walk is needed. */
static inline size_t sim_tlb_access(struct sim_tlb *tlb, uint32_t key)
{
    if (key == tlb->last_key)
        return 0;
    if (!tlb->first || !sim_cache_touch(tlb->first, key))
        return sim_tlb_miss(tlb, key);
    tlb->last_key = key;
    return 0;
}
/* Puts a key into the last level only, as a prefetcher does. False: it was in some level. */
bool sim_tlb_prefetch(struct sim_tlb *tlb, uint32_t key);
/* The line of the window's own tables that has the entry for this page. */
uint64_t sim_tlb_leaf(const struct sim_tlb *tlb, uint32_t page);
/* The lines whose entries a walk for this page of the window, and this line in it, loads, in order:
 * the host's tables come last. Returns how many. Fills the paging-structure caches. */
size_t sim_tlb_walk(struct sim_tlb *tlb, uint32_t page, uint64_t line,
                    uint64_t lines[SIM_WALK_LOADS_MAX]);

#endif
