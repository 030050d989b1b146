/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_SCORE_DRAW_H
#define TESTS_SCORE_DRAW_H

#include "tests/sim/config.h"

/* A machine with figures that occur in practice, by seed: what tests/levels/wide.h draws, and also
 * last levels up to 32M, caches that registers leave out or declare with wrong sizes, adaptive
 * replacement and slices, prefetchers whose controls may lie, steps of the core's frequency, a
 * host's tables. Returns how many draws were rejected before it. */
unsigned score_draw(struct sim_config *config, uint64_t seed);

#endif
