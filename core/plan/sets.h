/* SPDX-License-Identifier: BSD-2-Clause */
/* Working sets that several experiments use: one in each cache, and one in memory. */
#ifndef CORE_PLAN_SETS_H
#define CORE_PLAN_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine.h"
#include "core/stats/doubt.h"

struct plan;
struct point;

#define PLAN_SETS_MAX 8
/* Undeclared caches are assumed to be smaller than a quarter of this: a smaller set may lie
 * entirely in one, and look like memory. */
#define PLAN_MEMORY_MIN_BYTES (256ull << 20)

struct plan_set {
    const char *name; /* "L1", "L2", ..., "memory" */
    uint64_t bytes;
};

/* Half of each declared cache that is larger than the one before, and memory's set (memory_bytes)
 * if it is larger still; all whole nodes of the options' stride. If max= makes memory's set so
 * small that a cache holds it, it has that cache's name. Returns the number of sets. */
size_t plan_sets(const struct plan *plan, uint64_t memory_bytes,
                 struct plan_set sets[PLAN_SETS_MAX]);
/* "declared L2" for a plan_set's name "L2" (the same pointer): a cache that registers declare and
 * no timing has confirmed. NULL for memory. */
const char *plan_set_declared(const char *name);
/* The largest page size of the mask (bit n: 2^n bytes) in which a set of `bytes` can be mapped, or,
 * if there is none, the one that allows the largest set. *limit: that size's limit in bytes; 0: no
 * size can be mapped. */
enum page_size plan_reaching_page(const struct plan *plan, uint32_t sizes, uint64_t bytes,
                                  uint64_t *limit);
/* The largest of all caches that registers or tables of the firmware alone declare; 0: none is. */
uint64_t plan_declared_bytes(const struct plan *plan);
/* What plan_memory_set would take if all of it could be mapped; and the least that is still a set
 * of memory: 4 times the last-level cache, unless max= is less. */
uint64_t plan_wanted_bytes(const struct plan *plan);
uint64_t plan_least_bytes(const struct plan *plan);
/* Why the latency of a set that is called memory's may be another: it is less than 4 times the
 * largest cache that anything declares (DOUBT_EXTRAPOLATED), or than 4 times what timing has found
 * beyond it, or than PLAN_MEMORY_MIN_BYTES (DOUBT_UNDECLARED_CACHE). */
doubt_set plan_set_doubt(const struct plan *plan, uint64_t bytes);
/* Why the latency of a set of a declared cache may be partly a nearer one's: that one, of the
 * second level or beyond, holds more than an eighth of the set (DOUBT_MERGED). An LRU cache answers
 * nothing of a larger set that is walked in a cycle, one that replaces adaptively as much as it
 * holds. */
doubt_set plan_cache_set_doubt(const struct plan *plan, uint64_t bytes);
/* Whether TLB misses may be part of a set's latency: TLBs are declared, and none of that page size
 * holds it (DOUBT_TRANSLATION). */
doubt_set plan_pages_doubt(const struct plan *plan, enum page_size page, uint64_t bytes);
/* Warns of a declared cache that may hold some or all of the set. name: of the experiment. */
void plan_note_cached(const struct plan *plan, const char *name, uint64_t bytes);
/* Bytes of memory's set: max=, or 32 times the largest cache that anything declares but at least
 * PLAN_MEMORY_MIN_BYTES and no more than 1 GiB, or 4 times the last-level cache if that is more.
 * *page is the page size for it. Cut to what can be mapped, with a warning `what`. 0: none of the
 * requested page sizes can be mapped, and a warning says so. */
uint64_t plan_memory_set(const struct plan *plan, const char *what, enum page_size *page);
/* Plans a point like that one in memory's set, if max= leaves any, and one in the last declared
 * cache's, which stays there: with these tags, and the sets' names as labels. bytes: as
 * plan_memory_set returns it, not 0. */
void plan_add_outer_sets(struct plan *plan, const struct point *like, uint64_t bytes,
                         uint32_t memory_tag, uint32_t cache_tag);

#endif
