/* SPDX-License-Identifier: BSD-2-Clause */
/* Copies, fills and compares ordinary memory (never a measured window). The compiler may emit calls
 * to memcpy and its relatives; without a C library those are in linker/libc.c. */
#ifndef CORE_LIB_MEMORY_H
#define CORE_LIB_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The two ranges must not overlap. */
void memory_copy(void *to, const void *from, size_t bytes);
void memory_fill(void *pos, uint8_t value, size_t bytes);
/* True if all bytes are equal; also for 0 bytes. */
bool memory_same(const void *a, const void *b, size_t bytes);

#endif
