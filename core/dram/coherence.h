/* SPDX-License-Identifier: BSD-2-Clause */
/* Events on a circle: how well they keep in step with a period. A turn is 2^64, so that the phase
 * of an event at time t is t * turn, and the product's overflow leaves out whole turns. Pure. */
#ifndef CORE_DRAM_COHERENCE_H
#define CORE_DRAM_COHERENCE_H

#include <stddef.h>
#include <stdint.h>

#define COHERENCE_TURN 0x1p64

struct coherence_vector {
    double x, y;
};

/* The sum of the events' directions, each of length 1. */
struct coherence_vector coherence_sum(const uint64_t *end, size_t count, uint64_t turn);
/* Squared coherence of events that lie in one stretch, over all stretches: of pairs, without each
 * event's with itself. */
double coherence_within(const uint64_t *end, size_t count, double stretch, uint64_t turn);
/* Of all events, at least one, over the whole time: 0 to 1. */
double coherence_whole(const uint64_t *end, size_t count, uint64_t turn);
/* A direction as 2^64ths of a turn: by halves, since there is no arc tangent here. */
uint64_t coherence_direction(struct coherence_vector v);

#endif
