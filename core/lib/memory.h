/* SPDX-License-Identifier: BSD-2-Clause */
/* Bytes in ordinary memory (never a measured window): copied, filled, compared. The compiler may
 * call memcpy and its three relatives by itself; without a C library those are in linker/libc.c. */
#ifndef CORE_LIB_MEMORY_H
#define CORE_LIB_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The two ranges must not overlap. */
void memory_copy(void *to, const void *from, size_t bytes);
void memory_fill(void *at, uint8_t value, size_t bytes);
/* True when all bytes are equal; ranges of 0 bytes are. */
bool memory_same(const void *a, const void *b, size_t bytes);

#endif
