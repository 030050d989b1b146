/* SPDX-License-Identifier: BSD-2-Clause */
/* Plausible machines drawn from a seed: the analysis is tested on them besides the machine files.
 */
#ifndef TESTS_SIM_GENERATOR_H
#define TESTS_SIM_GENERATOR_H

#include "core/lib/random.h"
#include "tests/sim/config.h"

/* Draws the machine of that seed. Returns how many draws were rejected before it: capacities
 * (cumulative) less than 4 times apart, latencies less than 1.4, a TLB step under 3 %, TLB reaches
 * less than 4 times apart. A TLB reach less than 1.5 times from a capacity is kept: there the
 * merged level is right (sim_truth_near). */
unsigned sim_generate(struct sim_config *config, uint64_t seed);

/* Draws shared with other generators. Page walks, which load their entries through the caches with
 * probability load_share; memory of 1G. */
void sim_draw_walks(struct random *random, struct sim_config *config, double load_share);
void sim_draw_memory(struct random *random, struct sim_config *config);

#endif
