/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/measure/witness.h"

#include "core/lib/real.h"

/* Loads may be counted wrongly: speculative ones, and those of the section itself. */
#define ASTRAY_MAX 0.02

void witness_add(struct witness_counts *counts, const struct machine_counters *delta,
                 uint64_t accesses)
{
    counts->accesses += delta->accesses != MACHINE_UNKNOWN ? delta->accesses : accesses;
    if (delta->llc_misses != MACHINE_UNKNOWN)
        counts->llc_misses += delta->llc_misses;
    else
        counts->misses_lost = true;
    if (delta->page_walks != MACHINE_UNKNOWN)
        counts->page_walks += delta->page_walks;
    else
        counts->walks_lost = true;
}

static double share_of(uint64_t events, bool lost, uint64_t accesses)
{
    return lost || accesses == 0 ? real_nan() : (double)events / (double)accesses;
}

double witness_missed(const struct witness_counts *counts)
{
    return share_of(counts->llc_misses, counts->misses_lost, counts->accesses);
}

double witness_walked(const struct witness_counts *counts)
{
    return share_of(counts->page_walks, counts->walks_lost, counts->accesses);
}

void witness_judge(struct witness *witness)
{
    bool hits = witness->known_hits <= ASTRAY_MAX;
    bool misses = real_abs(witness->known_misses - 1) <= ASTRAY_MAX;

    witness->state = hits && misses ? WITNESS_SOUND : WITNESS_UNSOUND;
}

double witness_least_missed(double cached_bytes, double set_bytes)
{
    return cached_bytes < set_bytes ? (1 - ASTRAY_MAX) * (1 - cached_bytes / set_bytes) : 0;
}
