/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/table.h"

#include "core/experiments/curve.h"
#include "core/experiments/dram.h"
#include "core/experiments/footprint.h"
#include "core/experiments/frequency.h"
#include "core/experiments/parallel.h"
#include "core/experiments/pattern.h"
#include "core/experiments/prefetchers.h"
#include "core/experiments/random_sequential.h"
#include "core/experiments/throughput.h"
#include "core/experiments/tlb.h"
#include "core/options/followed.h"

#define ALWAYS (1u << PLAN_QUICK | 1u << PLAN_FULL)
#define ASKED  0u

#define SAMPLING \
    (FOLLOWS_ERROR | FOLLOWS_HOPS | FOLLOWS_ITERATIONS | FOLLOWS_SECONDS | FOLLOWS_REPEATS)
#define STATES (FOLLOWS_ON | FOLLOWS_BOTH)
/* One set of memory, a chase or two that the experiment chooses. */
#define SET (FOLLOWS_MAX | FOLLOWS_STRIDE)
#define HOP (FOLLOWS_KIND | FOLLOWS_ORDER | FOLLOWS_PART | FOLLOWS_HOP)

const struct experiment experiment_table[] = {
    {"curve", "latency over working sets, for each page size", ALWAYS,
     FOLLOWS_MIN | FOLLOWS_POINTS | FOLLOWS_FIT | SET | HOP | STATES | SAMPLING, curve_plan,
     curve_extend, curve_conclude},
    {"dram", "the headline: latency of memory far beyond the last-level cache", ALWAYS,
     SET | FOLLOWS_KIND | STATES | SAMPLING, dram_plan, dram_extend, dram_conclude},
    {"pattern", "one set as the options spell it out: pattern, stride, chains, load, hint, work",
     ASKED, SET | HOP | STATES | SAMPLING, pattern_plan, NULL, pattern_conclude},
    {"parallel", "latency and bandwidth over chains, and the misses that can be under way", ASKED,
     SET | STATES | SAMPLING, parallel_plan, NULL, parallel_conclude},
    {"throughput", "loads that wait for each other beside loads that do not", ASKED,
     SET | STATES | SAMPLING, throughput_plan, NULL, throughput_conclude},
    {"random-sequential", "cold random steps against warm sequential ones: 20 million, 256 MiB",
     ASKED, SET | STATES | FOLLOWS_HOPS | FOLLOWS_REPEATS, random_sequential_plan, NULL,
     random_sequential_conclude},
    {"tlb", "cost of a TLB miss and entries, for each page size", ASKED,
     FOLLOWS_MAX | FOLLOWS_ON | SAMPLING, tlb_plan, NULL, tlb_conclude},
    {"footprint", "lines that prefetchers bring after one to eight touches", ASKED, STATES,
     footprint_experiment_plan, NULL, footprint_experiment_conclude},
    {"prefetchers", "each prefetcher alone off, against each pattern", ASKED,
     FOLLOWS_MAX | SAMPLING, prefetchers_plan, NULL, prefetchers_conclude},
    {"frequency", "latencies with turbo on and off: core cycles and fixed time", ASKED,
     SET | FOLLOWS_ON | SAMPLING, frequency_plan, NULL, frequency_conclude},
};

const size_t experiment_count = sizeof experiment_table / sizeof experiment_table[0];
