/* SPDX-License-Identifier: BSD-2-Clause */
/* How much memory of which kind a process can have now. */
#ifndef TESTS_HOST_MEMORY_H
#define TESTS_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"

/* Ordinary memory that can be taken without swapping or being killed for it: what the kernel calls
 * available, and what the control groups above this process leave, less a reserve. */
uint64_t memory_available(void);
/* The same with the reserve. */
uint64_t memory_unreserved(void);
/* Pure: what the reserve leaves of it, three quarters or more. */
uint64_t memory_less_reserve(uint64_t unreserved);
/* Pages of that size that the kernel's pools hold and nobody has, and those it may still make. */
uint64_t memory_pool_bytes(enum page_size page);
/* Whether madvise may turn memory into transparent huge pages of 2 MiB: both the kernel and who
 * started this process allow it. */
bool memory_transparent(void);

#endif
