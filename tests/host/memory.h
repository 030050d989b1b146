/* SPDX-License-Identifier: BSD-2-Clause */
/* How much memory of each kind a process can get now. */
#ifndef TESTS_HOST_MEMORY_H
#define TESTS_HOST_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"

/* Ordinary memory that can be taken without swapping or the OOM killer: what the kernel calls
 * available, limited by the control groups above this process, minus a reserve. */
uint64_t memory_available(void);
/* The same, including the reserve. */
uint64_t memory_unreserved(void);
/* Pure: what remains without the reserve, three quarters or more. */
uint64_t memory_less_reserve(uint64_t unreserved);
/* Bytes in free pages of that size in the kernel's pools, and in those it may still add. */
uint64_t memory_pool_bytes(enum page_size page);
/* Whether madvise may turn memory into transparent huge pages of 2 MiB: both the kernel's setting
 * and the process's allow it. */
bool memory_transparent(void);

#endif
