/* SPDX-License-Identifier: BSD-2-Clause */
#ifndef TESTS_LEVELS_WIDE_H
#define TESTS_LEVELS_WIDE_H

#include "tests/sim/config.h"

/* A machine with figures that occur in practice, rather than easy ones: capacities 1.5 to 8 times
 * apart, latencies from 1.2 times, TLBs of large pages of 8 to 64 entries with and without a second
 * level. Returns how many draws were rejected before it. */
unsigned wide_generate(struct sim_config *config, uint64_t seed);

#endif
