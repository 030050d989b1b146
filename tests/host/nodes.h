/* SPDX-License-Identifier: BSD-2-Clause */
/* NUMA nodes, by the kernel's numbers. A process's pages are where the kernel put them: on the node
 * of the CPU that touched them first, if there was room. So it is seen, not asked for. */
#ifndef TESTS_HOST_NODES_H
#define TESTS_HOST_NODES_H

#include <stdint.h>

/* The node that has all the memory; NODE_UNKNOWN: there are several, or the kernel knows none. */
uint32_t nodes_only(void);
/* The calling CPU's; NODE_UNKNOWN where the kernel knows none. */
uint32_t nodes_of_cpu(void);
/* Of all pages of page_bytes behind [base, base + bytes); NODE_UNKNOWN also where they are of
 * several, or one is not there. */
uint32_t nodes_of_pages(uintptr_t base, uint64_t bytes, uint64_t page_bytes);

#endif
