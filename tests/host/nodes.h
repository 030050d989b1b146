/* SPDX-License-Identifier: BSD-2-Clause */
/* NUMA nodes, by the kernel's numbers. The kernel places a page on the node of the CPU that touches
 * it first, if there is room there; memory that is to be of one node is bound to it. The node of a
 * window is read from its pages in any case. */
#ifndef TESTS_HOST_NODES_H
#define TESTS_HOST_NODES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"

#define NODES_ROOT "/sys/devices/system/node"

/* The node that has all the memory; NODE_UNKNOWN: there are several, or the kernel reports none. */
uint32_t nodes_only(void);
/* That CPU's node; NODE_UNKNOWN where the kernel reports none. */
uint32_t nodes_of_cpu(uint32_t cpu);
/* The node of all pages of page_bytes in [base, base + bytes); NODE_UNKNOWN also if they are on
 * several nodes or one is missing. */
uint32_t nodes_of_pages(uintptr_t base, uint64_t bytes, uint64_t page_bytes);

/* Adds the kernel's nodes with their memory, and what it says of pairs of them: distances, which
 * are the SLIT's, and the HMAT's latencies and bandwidths, which it shows for the nearest
 * initiators of each memory alone (its Documentation/admin-guide/mm/numaperf.rst). root:
 * NODES_ROOT. */
void nodes_describe(const char *root, struct node_map *map);
/* The node that memory must be bound to so as to be of `node`: NODE_ANY if none is asked for, or it
 * is the only one. */
uint32_t nodes_to_bind(uint32_t node);
/* Memory that is free there, and free pages of its pool; of NODE_ANY without limit. */
uint64_t nodes_free_bytes(uint32_t node);
uint64_t nodes_pool_bytes(uint32_t node, enum page_size page);
/* All pages of [base, base + bytes) that are populated from now on are of that node, or cannot be
 * had. NODE_ANY: nothing changes. */
bool nodes_bind(void *base, uint64_t bytes, uint32_t node);

#endif
