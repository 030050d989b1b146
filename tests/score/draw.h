/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_SCORE_DRAW_H
#define TESTS_SCORE_DRAW_H

#include "tests/sim/config.h"

/* A machine of what exists, by seed: what tests/levels/wide.h draws, and beyond that last levels up
 * to 32M, caches that registers leave out or tell wrong sizes of, adaptive replacement and slices,
 * prefetchers whose controls may lie, steps of the core's frequency, a host's tables. Answers how
 * many draws were rejected before it. */
unsigned score_draw(struct sim_config *config, uint64_t seed);

#endif
