/* SPDX-License-Identifier: BSD-2-Clause */
/* What the CPU's own counters say of a chase: which share of its loads missed every cache, and
 * which waited for a page walk. A second witness beside timing, believed only after it counted
 * loads that must miss and loads that must hit. Pure. */
#ifndef CORE_MEASURE_WITNESS_H
#define CORE_MEASURE_WITNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"

/* Events over one or more chases. */
struct witness_counts {
    uint64_t accesses, llc_misses, page_walks;
    bool misses_lost, walks_lost; /* at least one chase had no such count */
};

/* Adds a chase of that many accesses; the machine's own count of accesses is preferred. */
void witness_add(struct witness_counts *counts, const struct machine_counters *delta,
                 uint64_t accesses);
/* Shares of the accesses; NAN: not counted. */
double witness_missed(const struct witness_counts *counts);
double witness_walked(const struct witness_counts *counts);

enum witness_state {
    WITNESS_UNTRIED, /* or the machine counts no misses */
    WITNESS_SOUND,
    WITNESS_UNSOUND /* the counter does not count what its name says: none of its counts is used */
};

/* The result of the trial: which share of the loads of each kind was counted as misses. */
struct witness {
    enum witness_state state;
    double known_hits, known_misses;
};

/* Fills state from the two shares: SOUND if at most 2 % of known hits and 98 to 102 % of known
 * misses were counted. */
void witness_judge(struct witness *witness);

/* The least share of loads over a set of set_bytes that miss caches of cached_bytes: 98 % of what
 * they cannot hold. 0: they can hold all of it. */
double witness_least_missed(double cached_bytes, double set_bytes);

#endif
