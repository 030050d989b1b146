/* SPDX-License-Identifier: BSD-2-Clause */
/* Exact conversion between doubles and decimal digits in integer arithmetic: independent of libm
 * and the rounding mode. Method: Steele and White 1990; Burger and Dybvig 1996 ("Printing
 * Floating-Point Numbers Quickly and Accurately"). */
#ifndef CORE_LIB_DECIMAL_H
#define CORE_LIB_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A finite double is mantissa * 2^exponent. */
struct decimal_parts {
    bool negative, infinite, nan;
    uint64_t mantissa;
    int exponent;
};

struct decimal_parts decimal_split(double value);

/* 0.d1d2d3... * 10^exponent; "0" with exponent 1 for zero. */
struct decimal {
    char digits[20]; /* ASCII, '\0'-terminated, no trailing zeros */
    unsigned count;
    int exponent;
};

/* The shortest digits that read back as this finite double; of several, the closest to its
 * value. */
void decimal_shortest(double value, struct decimal *out);

#define DECIMAL_FIXED_MAX 344 /* digits of the largest double with 17 decimals, and '\0' */

/* value| * 10^decimals, rounded half to even, as decimal digits without leading zeros ("0" for
 * zero). value is finite; decimals 0..17. Returns the number of digits. */
size_t decimal_scaled(double value, unsigned decimals, char digits[DECIMAL_FIXED_MAX]);

/* Stores the double nearest to digits * 10^exponent (half to even); digits are ASCII, any number of
 * them. Returns false if the result exceeds the largest double. */
bool decimal_read(const char *digits, size_t count, int64_t exponent, double *value);

#endif
