/* SPDX-License-Identifier: BSD-2-Clause */
/* What a simulated machine consists of: known truth for every figure the engine recovers. */
#ifndef TESTS_SIM_CONFIG_H
#define TESTS_SIM_CONFIG_H

#include <stddef.h>
#include <stdint.h>

#define SIM_CACHES_MAX 6

/* A physically indexed, least-recently-used cache; a miss fills every level it passed. */
struct sim_cache_config {
    const char *name;
    uint64_t bytes;
    uint32_t ways, line_bytes;
    uint32_t latency_cycles; /* load to use */
};

struct sim_config {
    const char *name;
    size_t cache_count;
    struct sim_cache_config cache[SIM_CACHES_MAX];
    uint64_t memory_bytes; /* all of it usable, from physical 4 GiB on */
    double memory_ns;      /* load to use of a line that no cache holds */
    double core_hz, clock_hz;
    uint64_t clock_step;      /* the counter advances in steps of so many ticks */
    double draw_cycles;       /* the arithmetic of one independent draw */
    double build_ns, read_ns; /* what building and reading back one node take */
};

/* The machine that runs when none is named: three levels and flat memory. */
extern const struct sim_config sim_config_default;

#endif
