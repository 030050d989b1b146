/* SPDX-License-Identifier: BSD-2-Clause */
/* Bits of a number, without the compiler's library, which firmware has none of. */
#ifndef CORE_LIB_BITS_H
#define CORE_LIB_BITS_H

#include <stdbool.h>
#include <stdint.h>

/* The least multiple of `to`, a power of two, that is not below x. */
static inline uint64_t bits_align(uint64_t x, uint64_t to)
{
    return (x + to - 1) & ~(to - 1);
}

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

/* Whether some of masks[count], count below 32, have `sum` as their sum over GF(2): bit n of
 * *choice says that masks[n] is one of them. 0 is the sum of none. */
static inline bool bits_sum_to(const uint64_t masks[], uint32_t count, uint64_t sum,
                               uint32_t *choice)
{
    for (*choice = 0; *choice < 1u << count; ++*choice) {
        uint64_t left = sum;
        for (uint32_t i = 0; i < count; i++)
            left ^= *choice >> i & 1 ? masks[i] : 0;
        if (left == 0)
            return true;
    }
    return false;
}

/* The lowest that is set; 0: none is. */
static inline uint64_t bits_lowest(uint64_t x)
{
    return x & (~x + 1);
}

#endif
