/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine's dram experiment on a simulated machine, and how far its figures are from the ledger.
 */
#ifndef TESTS_SIM_TRUTH_ENGINE_H
#define TESTS_SIM_TRUTH_ENGINE_H

#include "tests/sim/truth.h"

struct sim_dram_outcome {
    bool ran; /* to an end that says ok, with a dram record */
    double ns, truth_ns, slope_ns, slope_truth_ns;
    double tlb_cost_ns, tlb_cost_truth_ns, small_pages_ns;
    unsigned intervals, intervals_hold;
    char verdict[16]; /* "" when none was given */
    bool prefetches;  /* the truth of it */
};

void sim_dram_compare(const struct sim_config *config, const char *words,
                      struct sim_dram_outcome *outcome);

#endif
