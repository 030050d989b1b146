/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiment.h"

#include "core/experiment_curve.h"
#include "core/experiment_dram.h"
#include "core/experiment_footprint.h"
#include "core/experiment_pattern.h"
#include "core/experiment_frequency.h"
#include "core/experiment_parallel.h"
#include "core/experiment_prefetchers.h"
#include "core/experiment_random_sequential.h"
#include "core/experiment_throughput.h"
#include "core/experiment_tlb.h"
#include "core/options.h"

#define ALWAYS (1u << PLAN_QUICK | 1u << PLAN_FULL)
#define ASKED  0u

const struct experiment experiment_table[] = {
    {"curve", "latency over working sets, for each page size", ALWAYS, curve_plan, NULL,
     curve_conclude},
    {"dram", "the headline: latency of memory far beyond the last-level cache", ALWAYS, dram_plan,
     dram_extend, dram_conclude},
    {"pattern", "one set as the options spell it out: pattern, stride, chains, load, hint, work",
     ASKED, pattern_plan, NULL, pattern_conclude},
    {"parallel", "latency and bandwidth over chains, and the misses that can be under way", ASKED,
     parallel_plan, NULL, parallel_conclude},
    {"throughput", "loads that wait for each other beside loads that do not", ASKED,
     throughput_plan, NULL, throughput_conclude},
    {"random-sequential", "cold random steps against warm sequential ones: 20 million, 256 MiB",
     ASKED, random_sequential_plan, NULL, random_sequential_conclude},
    {"tlb", "cost of a TLB miss and entries, for each page size", ASKED, tlb_plan, NULL,
     tlb_conclude},
    {"footprint", "lines that prefetchers bring after one to eight touches", ASKED,
     footprint_experiment_plan, NULL, footprint_experiment_conclude},
    {"prefetchers", "each prefetcher alone off, against each pattern", ASKED, prefetchers_plan,
     NULL, prefetchers_conclude},
    {"frequency", "latencies with turbo on and off: core cycles and fixed time", ASKED,
     frequency_plan, NULL, frequency_conclude},
};

const size_t experiment_count = sizeof experiment_table / sizeof experiment_table[0];
