/* SPDX-License-Identifier: BSD-2-Clause */
/* Non-negative integers of up to BIGINT_WORDS * 32 bits in a fixed array: large enough for any
 * double as an exact fraction scaled by a power of ten. Overflow is not checked; decimal.c states
 * for each use why it cannot occur. */
#ifndef CORE_LIB_BIGINT_H
#define CORE_LIB_BIGINT_H

#include <stdbool.h>
#include <stdint.h>

#define BIGINT_WORDS 132

struct bigint {
    uint32_t used; /* words in use; the highest one is not 0 */
    uint32_t word[BIGINT_WORDS];
};

void bigint_set(struct bigint *a, uint64_t value);
void bigint_copy(struct bigint *a, const struct bigint *b);
bool bigint_is_zero(const struct bigint *a);
uint32_t bigint_bits(const struct bigint *a); /* 0 has 0 bits */
void bigint_multiply_add(struct bigint *a, uint32_t factor, uint32_t addend);
void bigint_power10(struct bigint *a, uint32_t power); /* a *= 10^power */
void bigint_left(struct bigint *a, uint32_t bits);
uint32_t bigint_divide(struct bigint *a, uint32_t divisor); /* returns the remainder */
/* Returns -1, 0 or 1. */
int bigint_compare(const struct bigint *a, const struct bigint *b);
void bigint_add(struct bigint *a, const struct bigint *b);
void bigint_subtract(struct bigint *a, const struct bigint *b); /* a >= b */
/* a -= b * factor; a >= b * factor. */
void bigint_subtract_times(struct bigint *a, const struct bigint *b, uint32_t factor);
/* a /= 2^bits, rounded half to even. */
void bigint_right_even(struct bigint *a, uint32_t bits);
/* Returns the 64 bits from `bit` upwards. */
uint64_t bigint_from_bit(const struct bigint *a, uint32_t bit);

#endif
