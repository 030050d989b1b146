/* SPDX-License-Identifier: BSD-2-Clause */
/* The curve of a simulated machine by independent draws, measured through core/machine.h alone: the
 * points that levels are found from, without the engine's patience and budgets in them. */
#ifndef TESTS_SIM_TRUTH_CURVE_H
#define TESTS_SIM_TRUTH_CURVE_H

#include "core/levels.h"
#include "tests/sim/simulator.h"

/* What a curve consists of. */
struct sim_curve {
    uint64_t smallest_bytes, largest_bytes;
    unsigned per_octave;
    uint32_t samples;
    uint64_t hops; /* of a sample */
};

/* Both page sizes of the machine, the smallest and the largest. Answers how many points. noisy (or
 * NULL) gets the same samples once more, as `noise` disturbs them: its jitter and spikes work on
 * whole samples, so that nothing has to be run again for it. */
size_t sim_curve_measure(struct simulator *sim, const struct sim_curve *curve,
                         struct sim_noise *noise, struct level_point points[LEVELS_POINTS_MAX],
                         struct level_point noisy[LEVELS_POINTS_MAX]);

#endif
