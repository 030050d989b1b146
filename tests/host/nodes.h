/* SPDX-License-Identifier: BSD-2-Clause */
/* NUMA nodes, by the kernel's numbers. The kernel places a page on the node of the CPU that touches
 * it first, if there is room there. So the node is read from the pages, not requested. */
#ifndef TESTS_HOST_NODES_H
#define TESTS_HOST_NODES_H

#include <stdint.h>

/* The node that has all the memory; NODE_UNKNOWN: there are several, or the kernel reports none. */
uint32_t nodes_only(void);
/* That CPU's node; NODE_UNKNOWN where the kernel reports none. */
uint32_t nodes_of_cpu(uint32_t cpu);
/* The node of all pages of page_bytes in [base, base + bytes); NODE_UNKNOWN also if they are on
 * several nodes or one is missing. */
uint32_t nodes_of_pages(uintptr_t base, uint64_t bytes, uint64_t page_bytes);

#endif
