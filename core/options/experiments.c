/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/options/experiments.h"

#include "core/lib/text.h"
#include "core/options/followed.h"
#include "core/options/options.h"

#define ALWAYS (1u << PLAN_QUICK | 1u << PLAN_FULL)
#define ASKED  0u

#define SAMPLING \
    (FOLLOWS_ERROR | FOLLOWS_HOPS | FOLLOWS_ITERATIONS | FOLLOWS_SECONDS | FOLLOWS_REPEATS)
#define STATES (FOLLOWS_ON | FOLLOWS_BOTH)
/* Experiments with one set of memory, and chases of their own choice. */
#define SET (FOLLOWS_MAX | FOLLOWS_STRIDE)
#define HOP (FOLLOWS_KIND | FOLLOWS_ORDER | FOLLOWS_PART | FOLLOWS_HOP)

const struct experiment_listing experiment_list[] = {
    {"curve", "latency over working sets, for each page size", ALWAYS,
     FOLLOWS_MIN | FOLLOWS_POINTS | FOLLOWS_FIT | SET | HOP | STATES | SAMPLING},
    {"dram", "the headline: latency of memory far beyond the last-level cache", ALWAYS,
     SET | FOLLOWS_KIND | STATES | SAMPLING | FOLLOWS_FLUSH | FOLLOWS_WITNESS},
    {"pattern", "one set as the options spell it out: pattern, stride, chains, load, hint, work",
     ASKED, SET | HOP | STATES | SAMPLING},
    {"parallel", "latency and bandwidth over chains, and the number of outstanding misses", ASKED,
     SET | STATES | SAMPLING},
    {"throughput", "loads that depend on each other against independent loads", ASKED,
     SET | STATES | SAMPLING},
    {"random-sequential", "cold random steps against warm sequential ones: 20 million, 256 MiB",
     ASKED, SET | STATES | FOLLOWS_HOPS | FOLLOWS_REPEATS},
    {"tlb", "cost of a TLB miss and entries, for each page size", ASKED,
     FOLLOWS_MAX | FOLLOWS_ON | SAMPLING},
    {"footprint", "lines that prefetchers bring after one to eight touches", ASKED, STATES},
    {"prefetchers", "each prefetcher switched off by itself, for each pattern", ASKED,
     FOLLOWS_MAX | SAMPLING},
    {"frequency", "latencies with turbo on and off: core cycles and fixed time", ASKED,
     SET | FOLLOWS_ON | SAMPLING},
    {"cores", "the last cache and memory from every CPU, one at a time", ASKED,
     SET | STATES | SAMPLING | FOLLOWS_CPUS},
    {"handoff", "cache lines from one CPU to another, for all pairs of CPUs", ASKED,
     FOLLOWS_ON | FOLLOWS_CPUS | FOLLOWS_NODES},
    {"threads", "1, 2, 4, ... CPUs chase at once: latency of each, bandwidth, contention", ASKED,
     SET | STATES | SAMPLING | FOLLOWS_CPUS | FOLLOWS_CHAINS},
    {"loaded", "latency of memory while other CPUs load it at stepped rates, and its knee", ASKED,
     SET | STATES | SAMPLING | FOLLOWS_CPUS},
    {"awake", "the last cache and memory with other CPUs asleep, awake, siblings too, and parked",
     ASKED, SET | STATES | SAMPLING | FOLLOWS_CPUS},
    {"nodes", "latency and bandwidth from a CPU of each node to the memory of each", ASKED,
     SET | STATES | SAMPLING | FOLLOWS_CPUS | FOLLOWS_NODES | FOLLOWS_PLACE},
    {"banks", "functions that map addresses to channels, ranks and banks", ASKED,
     FOLLOWS_MAX | FOLLOWS_ON | FOLLOWS_EXPECT_BANKS},
    {"single", "single accesses to memory: distribution, open rows, refreshes", ASKED,
     FOLLOWS_MAX | FOLLOWS_ON},
    {"regions", "latency of every block of physical memory: ranges that are slower", ASKED,
     FOLLOWS_MAX | FOLLOWS_ON | FOLLOWS_BLOCK | FOLLOWS_EXPECT_BANKS | FOLLOWS_EXPECT_BANDWIDTH |
         FOLLOWS_CPUS},
    {"verify", "what memory holds: all of it is written and read back; bad words and ranges", ASKED,
     FOLLOWS_MAX | FOLLOWS_HOLD | FOLLOWS_CPUS},
};

const size_t experiment_count = sizeof experiment_list / sizeof experiment_list[0];

bool options_test(const struct options *options, const char *name)
{
    for (uint32_t i = 0; i < options->test_count; i++)
        if (text_equal(experiment_list[options->tests[i]].name, name))
            return true;
    return false;
}
