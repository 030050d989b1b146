/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiment.h"

#include "core/experiment_curve.h"
#include "core/experiment_dram.h"

const struct experiment experiment_table[] = {
    {"curve", "latency over working sets, for each page size", curve_plan, curve_conclude},
    {"dram", "the headline: latency of memory far beyond the last-level cache", dram_plan,
     dram_conclude},
};

const size_t experiment_count = sizeof experiment_table / sizeof experiment_table[0];
