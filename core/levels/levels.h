/* SPDX-License-Identifier: BSD-2-Clause */
/* Cache and TLB levels from timing alone. The points come from uniform independent draws (pattern
 * "iid"), for which T(N) = N * latency(N) is convex and piecewise linear: its slopes are level
 * latencies, its knees capacities. Curves of two page sizes fitted together tell caches (knees of
 * every curve) from TLBs (knees of one). How: core/levels/levels.c; why it holds: docs/method.md.
 */
#ifndef CORE_LEVELS_LEVELS_H
#define CORE_LEVELS_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"
#include "core/machine.h"
#include "core/stats/doubt.h"

#define LEVELS_MOST       24  /* no machine gives more */
#define LEVELS_POINTS_MAX 256 /* further points are left out, largest sets last */
#define LEVELS_SPREAD_MAX 128 /* likewise */

enum level_kind {
    LEVEL_CACHE,
    LEVEL_TLB,
    LEVEL_WALK, /* page walks whose entries no longer fit the caches */
    LEVEL_MEMORY,
    LEVEL_MERGED, /* a cache and a TLB too close together to be told apart */
    LEVEL_UNEXPLAINED
};

/* One measured point. bytes is the whole working set; ns the cost of a hop without the pattern's
 * own arithmetic, rel_error its standard error, relative, drift included, without what all points
 * have in common. The page size's curve. doubt: what measuring it says against it. */
struct level_point {
    double bytes, ns, rel_error;
    enum page_size page;
    doubt_set doubt;
};

/* One measured point of a curve of pages: draws from so many lines, each in a page of its own. The
 * lines begin at ascending places of their pages, so that they fill the sets of caches evenly. ns
 * and rel_error as of struct level_point. */
struct level_spread {
    double pages, ns, rel_error;
    enum page_size page;
    doubt_set doubt;
};

/* What is declared serves to name levels, and to tell readings apart that fit alike; it finds none.
 */
struct levels_request {
    const struct level_point *points; /* in any order */
    size_t count;
    const struct level_spread *spread; /* in any order */
    size_t spread_count;
    const struct cache_level *caches;
    size_t cache_count;
    const struct tlb_level *tlbs;
    size_t tlb_count;
    double common_error_ns; /* standard error of what was taken off every point alike */
    double brought_lines;   /* that prefetchers bring beside a single miss */
    uint32_t line_bytes;
};

/* One level. Bounds hold the truth in 95 of 100 cases; NAN: not known.
 *   cache, merged, unexplained  bytes: capacity over all levels up to it, as much of it as a set
 *                               four times as large keeps filled; ns: load-to-use of a hit,
 *                               without a TLB miss
 *   tlb    bytes: reach (entries times page); ns: what a hop costs more once it misses
 *   walk   bytes: the set where walks begin to miss; ns: what a hop costs more beyond
 *   memory bytes: NAN; ns: a hop that misses every cache
 * extrapolated: the curve ends too soon after the last knee, so that the figure is the model's
 * rather than seen. */
struct level {
    enum level_kind kind;
    char name[48]; /* "L1", "TLB 4k L2", "walk 4k", "memory", "L2 + TLB 4k L1", "unexplained" */
    double bytes, bytes_low, bytes_high, ns, ns_low, ns_high;
    uint64_t declared_bytes; /* what the registers say of this level; 0: nothing */
    bool extrapolated;
    doubt_set doubt; /* why it may not be so; empty: none known */
};

/* The fit needs room for its matrices: this many bytes, aligned to 16. */
size_t levels_workspace_bytes(void);

/* Finds the levels: in ascending order of bytes, memory last; returns how many (at most `most`).
 * 0: fewer than 6 usable points of any one page size; points that are not positive and finite are
 * left out. */
size_t levels_find(const struct levels_request *request, void *workspace, struct level *levels,
                   size_t most);

/* fit=declared: capacities are the declared ones (data and unified caches, each as it stands) and
 * only latencies are fitted, on the curve of the largest page size; least squares of relative
 * residuals. 0 also when no cache is declared. */
size_t levels_fit_declared(const struct levels_request *request, void *workspace,
                           struct level *levels, size_t most);

/* The words of results.jsonl: "cache", "tlb", "walk", "memory", "merged", "unexplained". */
const char *level_kind_name(enum level_kind kind);

#endif
