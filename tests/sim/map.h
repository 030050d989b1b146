/* SPDX-License-Identifier: BSD-2-Clause */
/* Where the simulated machine's memory is among physical addresses. Everything else of the machine
 * counts its bytes from 0 on, without holes: an offset. */
#ifndef TESTS_SIM_MAP_H
#define TESTS_SIM_MAP_H

#include "tests/sim/config.h"

/* Low memory, and what holes divide the rest into. */
#define SIM_RUNS_MAX (SIM_HOLES_MAX + 2)

struct sim_run {
    uint64_t physical, offset, bytes;
};

struct sim_map {
    size_t count;                     /* at least 1 */
    struct sim_run run[SIM_RUNS_MAX]; /* ascending */
};

void sim_map_start(struct sim_map *map, const struct sim_memory_config *config);
/* The physical address of an offset in the memory. */
uint64_t sim_map_physical(const struct sim_map *map, uint64_t offset);
/* The offset of a physical address; UINT64_MAX: there is no memory. */
uint64_t sim_map_offset(const struct sim_map *map, uint64_t physical);

#endif
