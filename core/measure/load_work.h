/* SPDX-License-Identifier: BSD-2-Clause */
/* What CPUs that load memory beside a chase are told to do, and what they did: part of struct
 * measure. */
#ifndef CORE_MEASURE_LOAD_WORK_H
#define CORE_MEASURE_LOAD_WORK_H

#include "core/machine.h"
#include "core/stats/figure.h"
#include "core/stats/rate.h"

/* For experiments that want to know of each CPU by itself (point_traffic.share). */
#define LOAD_SHARES_MAX (4 * CPUS_MAX)

/* What one CPU did beside a point. */
struct load_share {
    struct figure lines_per_s;
};

struct load_run {
    bool in_force;
    const char *why; /* it could not be put on, the last time */
    uint32_t count;  /* of CPUs that load; of each: */
    struct traffic traffic[CPUS_MAX];
    struct traffic_done done[CPUS_MAX];    /* in the last section */
    double drift[CPUS_MAX];                /* hops beyond what the chase did, since it was put on */
    bool apart;                            /* they are to be evenly spaced again */
    struct rate_account account[CPUS_MAX]; /* lines over seconds, in all sections of samples */
    struct rate_account total;             /* of all of them together */
    double read_lines, written_lines;
    uint64_t wakes; /* of those that are parked, in all sections of samples */
    double parked_s;
    bool told_wakes; /* of some point, which is enough */
    uint32_t gaps;   /* sections in which some CPU did not run; they count for nothing else */
    struct load_share share[LOAD_SHARES_MAX];
};

#endif
