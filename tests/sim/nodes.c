/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/nodes.h"

size_t sim_nodes_segments(const struct sim_memory_config *config,
                          struct sim_segment segments[SIM_NODES_MAX])
{
    uint64_t end = config->far_bytes;
    size_t count = 0;

    if (end != 0)
        segments[count++] = (struct sim_segment){end, SIM_NODE_FAR, config->far_is_specific};
    for (size_t i = 0; i < config->node_count; i++) {
        const struct sim_node_config *node = &config->node[i];
        end += node->bytes;
        segments[count++] = (struct sim_segment){end, node->number, node->is_specific};
    }
    segments[count++] = (struct sim_segment){UINT64_MAX, SIM_NODE_NEAR, false};
    return count;
}

double sim_nodes_way_ns(const struct sim_memory_config *config, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i < config->way_count; i++)
        if (config->way[i].from == from && config->way[i].to == to && config->way[i].adds_ns >= 0)
            return config->way[i].adds_ns;
    return from == to ? 0 : config->far_ns;
}
