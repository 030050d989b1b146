/* SPDX-License-Identifier: BSD-2-Clause */
/* Reasons why a figure may be wrong: a closed set that accompanies every level, headline, finding
 * and verdict. An empty set is a promise: the true value lies within the bounds. */
#ifndef CORE_STATS_DOUBT_H
#define CORE_STATS_DOUBT_H

#include <stdint.h>

enum doubt_reason {
    DOUBT_UNSETTLED,        /* the caches did not reach a steady state */
    DOUBT_DRIFT,            /* the figure changed during measurement: a trend, a frequency step */
    DOUBT_TRANSLATION,      /* includes TLB misses or page walks that could not be subtracted */
    DOUBT_UNDECLARED_CACHE, /* may include an undeclared cache */
    DOUBT_MERGED,           /* two levels that could not be separated */
    DOUBT_EXTRAPOLATED,     /* the working sets end too soon after it */
    DOUBT_DISTURBED,        /* other programs, SMIs or a hypervisor affected some samples */
    DOUBT_BUDGET,           /* the budget ended before the error target, or required points */
    DOUBT_COARSE_CLOCK,     /* the clock's resolution is not small against the timed interval */
    DOUBT_CONTRADICTED,     /* another figure for the same quantity disagrees beyond both errors */
    DOUBT_REASONS
};

/* Bit n stands for reason n; 0: no doubt. */
typedef uint32_t doubt_set;

static inline doubt_set doubt_of(enum doubt_reason reason)
{
    return (doubt_set)1 << reason;
}

/* Returns "unsettled", "undeclared-cache", ...: the words used in results.jsonl. */
const char *doubt_name(enum doubt_reason reason);

#endif
