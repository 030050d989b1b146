/* SPDX-License-Identifier: BSD-2-Clause */
/* Pages of a process in the order of their physical addresses. */
#ifndef TESTS_HOST_SORTED_H
#define TESTS_HOST_SORTED_H

#include <stdbool.h>
#include <stdint.h>

/* How many pages can be sorted: each becomes a mapping of its own, of which the kernel allows a
 * process so many (Documentation/admin-guide/sysctl/vm.rst, max_map_count). */
uint64_t sorted_pages_max(void);
/* Moves the populated pages of [base, base + bytes), all of page_bytes, to other addresses in it,
 * so that they ascend in physical memory. False: their physical addresses are hidden, or the kernel
 * refused; pages may be gone then. */
bool sorted_make(char *base, uint64_t bytes, uint64_t page_bytes);

#endif
