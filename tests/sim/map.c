/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/map.h"

static void add(struct sim_map *map, uint64_t physical, uint64_t offset, uint64_t bytes)
{
    if (bytes != 0)
        map->run[map->count++] = (struct sim_run){physical, offset, bytes};
}

void sim_map_start(struct sim_map *map, const struct sim_memory_config *config)
{
    uint64_t physical = SIM_MEMORY_BASE, offset = config->low_bytes;

    *map = (struct sim_map){.count = 0};
    add(map, 0, 0, config->low_bytes);
    for (size_t i = 0; i < config->hole_count; i++) {
        const struct sim_hole_config *hole = &config->hole[i];
        add(map, physical, offset, hole->from - physical);
        offset += hole->from - physical;
        physical = hole->from + hole->bytes;
    }
    add(map, physical, offset, config->bytes - offset);
}

uint64_t sim_map_physical(const struct sim_map *map, uint64_t offset)
{
    size_t i = 0;

    while (i + 1 < map->count && offset >= map->run[i + 1].offset)
        i++;
    return map->run[i].physical + (offset - map->run[i].offset);
}

uint64_t sim_map_offset(const struct sim_map *map, uint64_t physical)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct sim_run *run = &map->run[i];
        if (physical >= run->physical && physical - run->physical < run->bytes)
            return run->offset + (physical - run->physical);
    }
    return UINT64_MAX;
}
