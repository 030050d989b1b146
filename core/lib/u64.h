/* SPDX-License-Identifier: BSD-2-Clause */
/* The larger and the smaller of two numbers. */
#ifndef CORE_LIB_U64_H
#define CORE_LIB_U64_H

#include <stdint.h>

static inline uint64_t u64_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline uint64_t u64_min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

#endif
