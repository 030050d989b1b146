/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/mapping/node_map.h"

#include "core/lib/memory.h"

struct node_info *node_map_node(struct node_map *map, uint32_t number)
{
    size_t pos = 0;

    while (pos < map->count && map->node[pos].number < number)
        pos++;
    if (pos < map->count && map->node[pos].number == number)
        return &map->node[pos];
    if (map->count == NODES_MAX) {
        map->more++;
        return NULL;
    }
    for (size_t i = map->count++; i > pos; i--)
        map->node[i] = map->node[i - 1];
    map->node[pos] = (struct node_info){.number = number};
    return &map->node[pos];
}

void node_map_start(struct node_map *map, const struct memory_range *ranges, size_t range_count,
                    const struct cpu_info *cpus, size_t cpu_count)
{
    memory_fill(map, 0, sizeof *map);
    for (size_t i = 0; i < range_count; i++) {
        struct node_info *node;
        if (!ranges[i].usable || ranges[i].node == NODE_UNKNOWN)
            continue;
        node = node_map_node(map, ranges[i].node);
        if (node == NULL)
            continue;
        node->bytes += ranges[i].bytes;
        node->ordinary_bytes += ranges[i].kind == MEMORY_ORDINARY ? ranges[i].bytes : 0;
    }
    for (size_t i = 0; i < cpu_count; i++)
        if (cpus[i].enabled && cpus[i].node != NODE_UNKNOWN)
            (void)node_map_node(map, cpus[i].node);
}

void node_map_claim(struct node_map *map, const struct node_claim *claim)
{
    bool says = claim->distance != 0 || claim->latency_ns > 0 || claim->bytes_per_s > 0;

    if (says && map->claim_count < sizeof map->claim / sizeof map->claim[0])
        map->claim[map->claim_count++] = *claim;
}
