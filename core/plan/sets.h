/* SPDX-License-Identifier: BSD-2-Clause */
/* Working sets that several experiments measure at: one that each cache holds, and one of memory.
 */
#ifndef CORE_PLAN_SETS_H
#define CORE_PLAN_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "core/machine.h"

struct plan;

#define PLAN_SETS_MAX 8

struct plan_set {
    const char *name; /* "L1", "L2", ..., "memory" */
    uint64_t bytes;
};

/* Half of each declared cache that is larger than the one before, and memory's set (bytes), if that
 * is larger still, whole nodes of the options' stride; a set of memory that max= makes so small
 * that a cache holds it has that cache's name. Answers how many. */
size_t plan_sets(const struct plan *plan, uint64_t memory_bytes,
                 struct plan_set sets[PLAN_SETS_MAX]);
/* "declared L2" for the name "L2" of such a set: what registers say, and no timing has seen. NULL:
 * it is memory's. */
const char *plan_set_declared(const char *name);
/* The largest page size of the mask (bit n: 2^n bytes) that reaches a set so large; failing that,
 * the one that reaches furthest. *limit is how far; 0: none can be had. */
enum page_size plan_reaching_page(const struct plan *plan, uint32_t sizes, uint64_t bytes,
                                  uint64_t *limit);
/* The set of memory (max= or, failing that, 32 times the last-level cache but no more than 1 GiB,
 * or 4 times where that is more) and the page size for it, cut to what can be mapped with a note
 * under `what`. 0: no page size asked for can be had, which a note says. */
uint64_t plan_memory_set(const struct plan *plan, const char *what, enum page_size *page);

#endif
