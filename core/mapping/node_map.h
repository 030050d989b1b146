/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds the list of a machine's nodes and of what is claimed of pairs of them (struct node_map).
 * Pure. */
#ifndef CORE_MAPPING_NODE_MAP_H
#define CORE_MAPPING_NODE_MAP_H

#include <stddef.h>

#include "core/inventory.h"

/* Lists every node that a range of usable memory or an enabled CPU is of, in ascending order,
 * without claims. */
void node_map_start(struct node_map *map, const struct memory_range *ranges, size_t range_count,
                    const struct cpu_info *cpus, size_t cpu_count);
/* The node of that number, added in its place if it is not there; NULL: there is no room. */
struct node_info *node_map_node(struct node_map *map, uint32_t number);
/* Adds a claim, unless it says nothing or there is no room. */
void node_map_claim(struct node_map *map, const struct node_claim *claim);

#endif
