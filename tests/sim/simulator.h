/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated machine behind core/machine.h: caches and memory with known costs and a virtual
 * clock. The kernels that run on it are core/kernels.h, as on silicon. */
#ifndef TESTS_SIM_SIMULATOR_H
#define TESTS_SIM_SIMULATOR_H

#include "core/frames.h"
#include "core/machine.h"
#include "tests/sim/cache.h"
#include "tests/sim/config.h"

/* A pointer that is spoilt once the chain stands, for the tests of the error path. */
struct sim_flip {
    bool armed;
    uint64_t offset; /* in the window */
    unsigned bit;
};

/* What the engine told about its progress, on the virtual clock. */
struct sim_progress {
    double at_s, left_s, share;
};
#define SIM_PROGRESS_MAX 65536

struct simulator {
    struct machine machine; /* what the engine sees */
    const struct sim_config *config;
    struct machine_description description;
    struct cache_level cache_level[SIM_CACHES_MAX];
    struct cpu_info cpu;
    struct memory_range memory;
    struct sim_cache cache[SIM_CACHES_MAX];
    double cycles; /* the virtual clock, in core cycles */
    uint64_t loads;

    bool open;
    uintptr_t base;
    uint64_t bytes;
    struct frames frames;
    struct memmap_run run;
    uint64_t *frame; /* physical address of each page of the open window */
    unsigned page_log2;
    struct fault_info fault;

    struct sim_flip flip;
    uint64_t abort_after_loads; /* 0: nobody presses a key */
    struct sim_progress *progress;
    size_t progress_count;
};

/* config must outlive the simulator. progress room is allocated when keep_progress. */
void simulator_start(struct simulator *sim, const struct sim_config *config, bool keep_progress);
void simulator_stop(struct simulator *sim);

#endif
