/* SPDX-License-Identifier: BSD-2-Clause */
/* The engine on a simulated machine: what its records say, beside what the ledger says. */
#ifndef TESTS_SIM_TRUTH_ENGINE_H
#define TESTS_SIM_TRUTH_ENGINE_H

#include "core/stats/doubt.h"
#include "tests/sim/truth.h"

struct sim_engine_outcome {
    bool ran;                       /* to an end that says ok, with a dram record */
    struct level level[LEVELS_MAX]; /* of the curve */
    size_t levels;
    double largest_bytes; /* set that the levels were found from */
    double ns, truth_ns, translation_ns, slope_ns, slope_truth_ns;
    double tlb_cost_ns, tlb_cost_truth_ns, small_pages_ns;
    unsigned intervals, intervals_hold;
    char verdict[16]; /* "" when none was given */
    doubt_set verdict_doubt;
    bool prefetches; /* the truth of it */
    doubt_set doubt; /* of the headline */
    double bytes;    /* of its set */
    bool followed;   /* a note says that something follows pointers */
    bool undeclared; /* and that there is an undeclared cache */
    uint64_t loads;  /* simulated */
};

/* Runs the words on the machine, and adds the outcome to *outcome, which is all zero at first: what
 * one run does not measure another one may. */
void sim_engine_try(const struct sim_config *config, const char *words,
                    struct sim_engine_outcome *outcome);

#endif
