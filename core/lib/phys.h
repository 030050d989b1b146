/* SPDX-License-Identifier: BSD-2-Clause */
/* A physical address has a type of its own, so that no pointer can be taken for one. */
#ifndef CORE_LIB_PHYS_H
#define CORE_LIB_PHYS_H

#include <stdint.h>

typedef struct {
    uint64_t value;
} phys_addr;

static inline phys_addr phys_make(uint64_t value)
{
    return (phys_addr){value};
}

#endif
