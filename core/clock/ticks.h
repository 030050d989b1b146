/* SPDX-License-Identifier: BSD-2-Clause */
/* Properties derived from clock readings: the clock's resolution, and the core frequency over a
 * busy interval. */
#ifndef CORE_CLOCK_TICKS_H
#define CORE_CLOCK_TICKS_H

#include <stddef.h>
#include <stdint.h>

/* Returns the smallest nonzero step between consecutive readings; 0 if they never changed. */
uint64_t ticks_smallest_step(const uint64_t *readings, size_t count);

/* Core frequency from a cycle count and the ticks of the same interval; 0 if the clock did not
 * advance. */
double ticks_core_hz_from_counts(uint64_t cycles, uint64_t ticks, uint64_t tick_hz);

/* Core frequency from two chains of dependent one-cycle instructions: difference of lengths over
 * difference of times, which cancels the cost of reading the clock. 0 if the longer chain did not
 * take longer. */
double ticks_core_hz_from_chains(uint64_t short_cycles, uint64_t short_ticks, uint64_t long_cycles,
                                 uint64_t long_ticks, uint64_t tick_hz);

/* Runs a chain of that many loops; returns its ticks. */
typedef uint64_t ticks_chain(uint64_t loops);

/* The same by running chains of loop_cycles per loop: the fastest of a few runs of each length,
 * because disturbances only add time. 0 as above. */
double ticks_core_hz_by_chain(ticks_chain *chain, uint64_t loop_cycles, uint64_t short_loops,
                              uint64_t long_loops, uint64_t tick_hz);

/* Returns how many loops of loop_cycles to run so that a coarse clock resolves them: at least
 * TICKS_CHAIN_MIN ticks at 4 GHz, and at least `min` loops. */
#define TICKS_CHAIN_MIN 2000
uint64_t ticks_chain_loops(uint64_t tick_hz, uint64_t loop_cycles, uint64_t min);

#endif
