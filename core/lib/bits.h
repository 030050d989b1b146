/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of a number, without the compiler's library, which firmware has none of. */
#ifndef CORE_LIB_BITS_H
#define CORE_LIB_BITS_H

#include <stdint.h>

/* How many are set. */
static inline unsigned bits_count(uint64_t x)
{
    unsigned count = 0;

    for (; x != 0; x &= x - 1)
        count++;
    return count;
}

/* Whether that is odd. */
static inline unsigned bits_parity(uint64_t x)
{
    x ^= x >> 32;
    x ^= x >> 16;
    x ^= x >> 8;
    x ^= x >> 4;
    return 0x6996u >> (x & 15) & 1;
}

/* The lowest that is set; 0: none is. */
static inline uint64_t bits_lowest(uint64_t x)
{
    return x & (~x + 1);
}

#endif
