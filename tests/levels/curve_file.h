/* SPDX-License-Identifier: BSD-2-Clause */
/* A recorded curve: the input of core/levels/levels.c on a simulated machine, and the true levels
 * of that machine. Text with one item per line, so that other programs can read it too. */
#ifndef TESTS_LEVELS_CURVE_FILE_H
#define TESTS_LEVELS_CURVE_FILE_H

#include <stdio.h>

#include "core/levels/levels.h"
#include "tests/sim/truth.h"

#define CURVE_TLBS_MAX 16

struct curve_file {
    char machine[SIM_NAME_MAX];
    bool noisy, walks_load;
    struct level_point point[LEVELS_POINTS_MAX];
    struct level_spread spread[LEVELS_SPREAD_MAX];
    struct cache_level cache[CACHE_LEVELS_MAX];
    struct tlb_level tlb[CURVE_TLBS_MAX];
    struct levels_request request; /* of the arrays above */
    struct sim_truth_level truth[SIM_TRUTHS_MAX];
    size_t truths;
};

void curve_file_write(const struct curve_file *curve, FILE *file);
/* False: the file holds no curve that is whole. */
bool curve_file_read(struct curve_file *curve, FILE *file);

#endif
