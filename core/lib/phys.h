/* SPDX-License-Identifier: BSD-2-Clause */
/* A physical address is a distinct type, so that it cannot be mixed up with a pointer. */
#ifndef CORE_LIB_PHYS_H
#define CORE_LIB_PHYS_H

#include <stdint.h>

#define PHYS_ALL (1ull << 52) /* no physical address is as high (core/mapping/memmap.c) */

typedef struct {
    uint64_t value;
} phys_addr;

static inline phys_addr phys_make(uint64_t value)
{
    return (phys_addr){value};
}

#endif
