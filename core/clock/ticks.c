/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/clock/ticks.h"

#define CHAIN_TRIES 3
#define CORE_HZ_MAX 4000000000ull

uint64_t ticks_smallest_step(const uint64_t *readings, size_t count)
{
    uint64_t best = 0;
    size_t i;

    for (i = 1; i < count; i++) {
        uint64_t step = readings[i] - readings[i - 1];
        if (step && (!best || step < best))
            best = step;
    }
    return best;
}

double ticks_core_hz_from_counts(uint64_t cycles, uint64_t ticks, uint64_t tick_hz)
{
    return ticks ? (double)tick_hz * (double)cycles / (double)ticks : 0;
}

double ticks_core_hz_from_chains(uint64_t short_cycles, uint64_t short_ticks, uint64_t long_cycles,
                                 uint64_t long_ticks, uint64_t tick_hz)
{
    if (long_ticks <= short_ticks || long_cycles <= short_cycles)
        return 0;
    return (double)tick_hz * (double)(long_cycles - short_cycles) /
           (double)(long_ticks - short_ticks);
}

double ticks_core_hz_by_chain(ticks_chain *chain, uint64_t loop_cycles, uint64_t short_loops,
                              uint64_t long_loops, uint64_t tick_hz)
{
    uint64_t best_short = UINT64_MAX, best_long = UINT64_MAX;
    unsigned i;

    for (i = 0; i < CHAIN_TRIES; i++) {
        uint64_t now_short = chain(short_loops), now_long = chain(long_loops);
        best_short = now_short < best_short ? now_short : best_short;
        best_long = now_long < best_long ? now_long : best_long;
    }
    return ticks_core_hz_from_chains(loop_cycles * short_loops, best_short,
                                     loop_cycles * long_loops, best_long, tick_hz);
}

uint64_t ticks_chain_loops(uint64_t tick_hz, uint64_t loop_cycles, uint64_t min)
{
    uint64_t loops;

    if (!tick_hz)
        return min;
    loops = TICKS_CHAIN_MIN * CORE_HZ_MAX / tick_hz / loop_cycles + 1;
    return loops > min ? loops : min;
}
