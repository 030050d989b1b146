/* SPDX-License-Identifier: BSD-2-Clause */
/* All caches of the simulated machine, as one core sees them: which one holds a line, and where a
 * line goes. It knows lines only; costs are accounted elsewhere. */
#ifndef TESTS_SIM_HIERARCHY_H
#define TESTS_SIM_HIERARCHY_H

#include "tests/sim/cache.h"

#define SIM_GIVEN_UP_MAX 64

struct sim_hierarchy {
    size_t count;
    size_t own;                 /* the first caches, which each core has for itself */
    uint32_t cores, core;       /* core: whose these are */
    bool used;                  /* its own ones may hold something */
    struct sim_hierarchy **all; /* [cores] of all cores, this one too; NULL: there is one core */
    uint64_t *dirty; /* a bit a line: memory does not have what the caches have; NULL: none is */
    uint64_t lines;  /* of the memory; page tables beyond are never written to */
    uint32_t given_up_count;
    uint64_t given_up[SIM_GIVEN_UP_MAX]; /* dirty lines that the last access left no cache for */
    enum sim_inclusion inclusion[SIM_CACHES_MAX];
    size_t narrow; /* the first cache that is wide; count: none */
    size_t far;    /* the first cache whose keys take much of the host's memory */
    size_t spill;  /* such a cache that takes the victims of the LRU one before it; 0: none */
    bool victims[SIM_CACHES_MAX];   /* a cache's victims concern others */
    size_t coherent;                /* caches before the point of coherency: not memory-side */
    unsigned shift[SIM_CACHES_MAX]; /* log2 of the first cache's lines in one of this cache's */
    struct sim_cache *cache[SIM_CACHES_MAX]; /* from `own` on all cores' in common */
    struct sim_cache store[SIM_CACHES_MAX];  /* of core 0 for all of them, else for its own */
};

/* The caches as core 0 sees them. sim_hierarchy_stop frees. */
void sim_hierarchy_start(struct sim_hierarchy *h, const struct sim_config *config);
/* The same for a further core of the same machine, which is stopped before core 0 is; both stay
 * where they are. Lines that no core must keep, as an inclusive cache evicts them or they are
 * flushed or stored to, leave the caches of all cores that are used. */
void sim_hierarchy_start_core(struct sim_hierarchy *h, const struct sim_config *config,
                              struct sim_hierarchy *first, uint32_t core);
void sim_hierarchy_stop(struct sim_hierarchy *h);
/* Removes the line from the own caches of all other cores: it is stored to. */
void sim_hierarchy_claim(struct sim_hierarchy *h, uint64_t line);
/* The host fetches the set that takes what the line will evict from the cache before `spill`, if
 * nothing changes there until then. */
__attribute__((always_inline)) static inline void
sim_hierarchy_expect_spill(const struct sim_hierarchy *h, uint64_t line)
{
    const struct sim_cache *from = h->cache[h->spill - 1], *to = h->cache[h->spill];
    uint32_t set = sim_cache_set(from, line >> h->shift[h->spill - 1]);
    uint64_t gone = sim_cache_keys(from, set)[from->ways - 1];
    uint64_t key = gone << h->shift[h->spill - 1] >> h->shift[h->spill];

    __builtin_prefetch(sim_cache_keys(to, sim_cache_set(to, key)));
}
/* The host fetches the sets that an access to the line will look into, of caches that its own near
 * ones do not hold. Always inline: compilers drop a call that only prefetches. */
__attribute__((always_inline)) static inline void
sim_hierarchy_expect(const struct sim_hierarchy *h, uint64_t line, size_t first)
{
    for (size_t level = first > h->far ? first : h->far; level < h->narrow; level++)
        __builtin_prefetch(sim_cache_keys(h->cache[level],
                                          sim_cache_set(h->cache[level], line >> h->shift[level])));
    if (h->spill != 0)
        sim_hierarchy_expect_spill(h, line);
}
/* Brings a line that cache `first` was just found not to hold into that one, as an access does.
 * Returns the cache that had it; count: memory. */
size_t sim_hierarchy_miss(struct sim_hierarchy *h, uint64_t line, size_t first);
/* Looks for the line from cache `first` on and brings it into that one, as an access does. Returns
 * the cache that had it; count: memory. The caller empties given_up after each call. */
static inline size_t sim_hierarchy_access(struct sim_hierarchy *h, uint64_t line, size_t first)
{
    return sim_cache_touch(h->cache[first], line >> h->shift[first])
               ? first
               : sim_hierarchy_miss(h, line, first);
}
/* The same, but only cache `first` is filled, and those that must hold what it holds. */
size_t sim_hierarchy_access_one(struct sim_hierarchy *h, uint64_t line, size_t first);
/* Marks a line that some cache holds as dirty. */
void sim_hierarchy_soil(struct sim_hierarchy *h, uint64_t line);
/* Returns the nearest cache that holds the line, count: none; changes nothing. */
size_t sim_hierarchy_find(const struct sim_hierarchy *h, uint64_t line);
/* Whether one of the caches 0..end-1 holds the line; changes nothing. */
bool sim_hierarchy_holds_before(const struct sim_hierarchy *h, uint64_t line, size_t end);
/* Removes the line from all caches; true if it was dirty. */
bool sim_hierarchy_drop(struct sim_hierarchy *h, uint64_t line);
/* The same as far as the point of coherency: a memory-side cache keeps the line if it holds it. */
bool sim_hierarchy_flush(struct sim_hierarchy *h, uint64_t line);
/* How many lines all caches that one core sees can hold together. */
uint64_t sim_hierarchy_room(const struct sim_hierarchy *h);
/* Empties all caches. */
void sim_hierarchy_empty(struct sim_hierarchy *h);
/* Distinct lines that the caches 0..last hold together. */
uint64_t sim_hierarchy_resident(const struct sim_hierarchy *h, size_t last);

#endif
