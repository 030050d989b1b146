/* SPDX-License-Identifier: BSD-2-Clause */
/* Found levels against true ones. */
#ifndef TESTS_SIM_TRUTH_SCORE_H
#define TESTS_SIM_TRUTH_SCORE_H

#include "tests/sim/truth.h"

struct sim_score {
    unsigned missing, extra;
    double latency, latency_exclusive; /* largest relative errors; 0: none to judge */
    double capacity, capacity_exclusive;
    double reach, reach_loaded;
    unsigned intervals, intervals_hold;
    char words[400]; /* what is missing, what is too much */
};

void sim_score_levels(const struct level *found, size_t found_count,
                      const struct sim_truth_level *truth, size_t truth_count, bool walks_load,
                      struct sim_score *score);

#endif
