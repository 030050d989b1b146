/* SPDX-License-Identifier: BSD-2-Clause */
/* What readings of a clock that ticks tell: its smallest step, and the frequency of a core that
 * was kept busy between two of them. */
#ifndef CORE_CLOCK_TICKS_H
#define CORE_CLOCK_TICKS_H

#include <stddef.h>
#include <stdint.h>

/* The smallest step above 0 between neighbouring readings; 0: they never moved. */
uint64_t ticks_smallest_step(const uint64_t *readings, size_t count);

/* Core frequency from a count of its cycles and the ticks of the same stretch. 0 when the clock did
 * not move. */
double ticks_core_hz_from_counts(uint64_t cycles, uint64_t ticks, uint64_t tick_hz);

/* Core frequency from two chains of dependent one-cycle instructions: the difference of their
 * lengths over the difference of their times, so that the cost of reading the clock falls out. 0
 * when the longer one did not take longer. */
double ticks_core_hz_from_chains(uint64_t short_cycles, uint64_t short_ticks, uint64_t long_cycles,
                                 uint64_t long_ticks, uint64_t tick_hz);

/* Runs a chain of that many loops and answers the ticks it took. */
typedef uint64_t ticks_chain(uint64_t loops);

/* The same over real chains of loop_cycles a loop: each length a few times and the quickest of
 * them, since what disturbs only ever adds. 0 as above. */
double ticks_core_hz_by_chain(ticks_chain *chain, uint64_t loop_cycles, uint64_t short_loops,
                              uint64_t long_loops, uint64_t tick_hz);

/* How many loops of loop_cycles to run so that a coarse clock resolves them: TICKS_CHAIN_LEAST
 * ticks even on a core of 4 GHz, and no fewer than least. */
#define TICKS_CHAIN_LEAST 2000
uint64_t ticks_chain_loops(uint64_t tick_hz, uint64_t loop_cycles, uint64_t least);

#endif
