/* SPDX-License-Identifier: BSD-2-Clause */
/* Why a figure may not be what it says: a closed set of reasons that stands beside every level,
 * headline, finding and verdict. An empty set is a promise: the truth lies within the bounds. */
#ifndef CORE_STATS_DOUBT_H
#define CORE_STATS_DOUBT_H

#include <stdint.h>

enum doubt_reason {
    DOUBT_UNSETTLED,        /* the caches were not seen in steady state */
    DOUBT_DRIFT,            /* the figure moved while it was measured: a trend, a frequency step */
    DOUBT_TRANSLATION,      /* TLB misses or page walks are in it and could not be taken off */
    DOUBT_UNDECLARED_CACHE, /* a cache that nothing declares may be in it */
    DOUBT_MERGED,           /* two levels that could not be told apart */
    DOUBT_EXTRAPOLATED,     /* the working sets end too soon behind it */
    DOUBT_DISTURBED,        /* other programs, SMIs or a hypervisor took part of the samples */
    DOUBT_BUDGET,           /* the budget ended before its error target, or points it needs */
    DOUBT_COARSE_CLOCK,     /* the clock's step is not small beside what is timed */
    DOUBT_CONTRADICTED,     /* another figure of the same thing disagrees beyond both errors */
    DOUBT_REASONS
};

/* Bit n: reason n; 0: none. */
typedef uint32_t doubt_set;

static inline doubt_set doubt_of(enum doubt_reason reason)
{
    return (doubt_set)1 << reason;
}

/* "unsettled", "undeclared-cache", ...: the words of results.jsonl. */
const char *doubt_name(enum doubt_reason reason);

#endif
