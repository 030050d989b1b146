/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiment.h"

#include "core/experiment_curve.h"
#include "core/experiment_dram.h"
#include "core/experiment_pattern.h"
#include "core/options.h"

#define ALWAYS (1u << PLAN_QUICK | 1u << PLAN_FULL)
#define ASKED  0u

const struct experiment experiment_table[] = {
    {"curve", "latency over working sets, for each page size", ALWAYS, curve_plan, curve_conclude},
    {"dram", "the headline: latency of memory far beyond the last-level cache", ALWAYS, dram_plan,
     dram_conclude},
    {"pattern", "one set as the options spell it out: pattern, stride, chains, load, hint, work",
     ASKED, pattern_plan, pattern_conclude},
};

const size_t experiment_count = sizeof experiment_table / sizeof experiment_table[0];
