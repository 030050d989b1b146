/* SPDX-License-Identifier: BSD-2-Clause */
/* Cache and TLB levels from timing alone. The points come from uniform independent draws (pattern
 * "iid"), for which T(N) = N * latency(N) is convex and piecewise linear: its slopes are level
 * latencies, its knees capacities. Fitting curves of two page sizes together separates caches
 * (knees in every curve) from TLBs (knees in one). Implementation: core/levels/levels.c; theory:
 * docs/method.md. */
#ifndef CORE_LEVELS_LEVELS_H
#define CORE_LEVELS_LEVELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"
#include "core/machine.h"
#include "core/stats/doubt.h"
#include "core/stats/figure.h"

#define LEVELS_MAX        24  /* more than any machine has */
#define LEVELS_POINTS_MAX 256 /* further points are dropped, largest sets first */
#define LEVELS_SPREAD_MAX 128 /* likewise */

enum level_kind {
    LEVEL_CACHE,
    LEVEL_TLB,
    LEVEL_WALK, /* page walks whose entries no longer fit a cache */
    LEVEL_MEMORY,
    LEVEL_MERGED,      /* a cache and a TLB, or two caches, that are too close to separate */
    LEVEL_MERGED_TLBS, /* two TLBs, likewise; figures as of one */
    LEVEL_UNEXPLAINED
};

/* One measured point. bytes: the whole working set. ns: cost per hop without the pattern's own
 * arithmetic. rel_error: its relative standard error, including drift but not the error common to
 * all points. page: its page size, which selects the curve. doubt: reasons against it from the
 * measurement. */
struct level_point {
    double bytes, ns, rel_error;
    enum page_size page;
    doubt_set doubt;
};

/* One measured point of a page curve: draws from `pages` lines, each in a page of its own. The
 * lines' offsets in their pages ascend, so that they fill cache sets evenly. ns and rel_error as in
 * struct level_point. */
struct level_spread {
    double pages, ns, rel_error;
    enum page_size page;
    doubt_set doubt;
};

/* Declared caches and TLBs are used to name levels, and to choose between interpretations that fit
 * equally well; they never create a level. */
struct levels_request {
    const struct level_point *points; /* in any order */
    size_t count;
    const struct level_spread *spread; /* in any order */
    size_t spread_count;
    const struct cache_level *caches;
    size_t cache_count;
    const struct tlb_level *tlbs;
    size_t tlb_count;
    double common_error_ns; /* standard error of what was subtracted from every point */
    bool prefetched;        /* prefetchers were seen to bring lines: on a miss, or on several */
    double brought_lines;   /* lines that they fetch in addition on a single miss */
    uint32_t line_bytes;
    bool in_pieces; /* large pages are known to be mapped by pieces of 4K, as by a guest's host */
    /* Asked between parts of the work, at least every 64 evaluations of a model; done: 0 to 1, a
     * rough share. False: give up. What is found does not depend on it otherwise. NULL: nobody is
     * asked. */
    bool (*go_on)(void *context, double done);
    void *context;
};

/* One level. Bounds are 95 % confidence bounds; NAN: unknown.
 * - cache, merged, unexplained: bytes is the total capacity of all levels up to it, as far as a set
 *   four times as large fills it; ns the load-to-use latency of a hit, without a TLB miss
 * - tlb, merged of TLBs: bytes is its reach (entries times page size); ns the cost of a miss per
 * hop
 * - walk: bytes is the set size at which walks begin to miss; ns the additional cost per hop beyond
 * - memory: bytes is NAN; ns the latency of a hop that misses every cache
 * extrapolated: the curve ends too soon after the knee, or the knee may be at its end, so the
 * figure comes from the model. */
struct level {
    enum level_kind kind;
    char name[48]; /* "L1", "TLB 4k L2", "walk 4k", "memory", "L2 + TLB 4k L1", "unexplained" */
    double bytes, bytes_low, bytes_high, ns, ns_low, ns_high;
    uint64_t declared_bytes; /* as declared by registers; 0: not declared */
    uint32_t tlb_pages;      /* bit n: it is, or is merged with, TLBs or walks of 2^n byte pages */
    bool extrapolated;
    doubt_set doubt; /* reasons against it; empty: none known */
};

/* Returns the bytes of workspace that the fit needs, aligned to 16. */
size_t levels_workspace_bytes(void);

/* Finds the levels: in ascending order of bytes, memory last. Returns how many (at most `max`); 0:
 * fewer than 6 usable points of every page size, or go_on gave up. Points that are not positive and
 * finite are ignored. workspace: levels_workspace_bytes(). */
size_t levels_find(const struct levels_request *request, void *workspace, struct level *levels,
                   size_t max);

/* fit=declared: takes the declared capacities (data and unified caches, as declared) and fits only
 * latencies, by least squares of relative residuals on the curve of the largest page size. Also
 * returns 0 if no cache is declared. */
size_t levels_fit_declared(const struct levels_request *request, void *workspace,
                           struct level *levels, size_t max);

/* Of an access that costs that much more than one of `small` ns: `more`, in ns, if the difference
 * is beyond error and as large as the miss of a TLB, else 0. Pure. */
double levels_offset_ns(struct figure small, struct figure more);
/* Returns by how many ns an access to pages of that size costs more than one to 4K pages even in
 * the smallest sets, which fit the first cache and TLB: the first TLB has no entries for them. 0:
 * not beyond error, or too few points. workspace: as levels_find, which has taken that off, left
 * it. */
double levels_page_offset_ns(const void *workspace, enum page_size page);

/* True for caches and memory, false for a TLB, two of them or a walk. */
bool levels_is_of_caches(const struct level *level);
/* True for two levels that cannot be separated, whatever they are. */
bool levels_is_merged(const struct level *level);
/* Returns the word in results.jsonl: "cache", "tlb", "walk", "memory", "merged", "unexplained". */
const char *level_kind_name(enum level_kind kind);
/* Whether so many points of one page size lie beyond a cache of that many bytes that its knee can
 * be seen. Pure. */
bool levels_see_beyond(const struct level_point *points, size_t count, double bytes);

#endif
