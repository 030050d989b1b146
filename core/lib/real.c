/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/real.h"

#include <stddef.h>
#include <stdint.h>

/* ln 2 in two parts: the first has 32 trailing zero bits, so its product with an exponent is
 * exact. */
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW  0x1.a39ef35793c76p-33

#define EXPONENT_BIAS  1023
#define FRACTION_BITS  52
#define EXPONENT_LARGE 0x7ff

union bits {
    double real;
    uint64_t word;
};

double real_sqrt(double x)
{
    union bits guess = {.real = x};

    if (!(x > 0))
        return 0;
    /* Halving exponent and fraction gives the root within 7 %; each Newton step doubles the
     * digits. */
    guess.word = (guess.word >> 1) + ((uint64_t)EXPONENT_BIAS << (FRACTION_BITS - 1));
    for (int step = 0; step < 4; step++)
        guess.real = 0.5 * (guess.real + x / guess.real);
    return guess.real;
}

double real_hypotenuse(double a, double b)
{
    double squares = a * a + b * b;

    return real_is_finite(squares) ? real_sqrt(squares) : real_nan();
}

/* 2^exponent, for exponents of normal numbers. */
static double power_of_two(int exponent)
{
    union bits u = {.word = (uint64_t)(exponent + EXPONENT_BIAS) << FRACTION_BITS};

    return u.real;
}

double real_log(double x)
{
    union bits u = {.real = x};
    int exponent = 0;
    double s, square, sum = 0;

    if (!(x > 0))
        return x == 0 ? -__builtin_inf() : real_nan();
    if (u.word >> FRACTION_BITS == EXPONENT_LARGE)
        return x;
    if (u.word >> FRACTION_BITS == 0) {
        u.real = x * 0x1p54;
        exponent = -54;
    }
    exponent += (int)(u.word >> FRACTION_BITS) - EXPONENT_BIAS;
    u.word &= (1ull << FRACTION_BITS) - 1;
    u.word |= (uint64_t)EXPONENT_BIAS << FRACTION_BITS;
    /* Near 1 the exponent must be 0: its logarithm would cancel the fraction's digits. */
    if (u.real > 1.4142135623730951) {
        u.real /= 2;
        exponent++;
    }
    /* ln m = 2 artanh s; |s| < 0.172, so eleven terms are enough. */
    s = (u.real - 1) / (u.real + 1);
    square = s * s;
    for (int term = 23; term >= 3; term -= 2)
        sum = square * (sum + 1.0 / term);
    return exponent * LN2_HIGH + (2 * s + (2 * s * sum + exponent * LN2_LOW));
}

/* 1/13! to 1/0!: the remaining terms are below 5e-18. */
static const double exp_series[] = {1 / 6227020800.0,
                                    1 / 479001600.0,
                                    1 / 39916800.0,
                                    1 / 3628800.0,
                                    1 / 362880.0,
                                    1 / 40320.0,
                                    1 / 5040.0,
                                    1 / 720.0,
                                    1 / 120.0,
                                    1 / 24.0,
                                    1 / 6.0,
                                    1 / 2.0,
                                    1.0,
                                    1.0};

double real_exp(double x)
{
    int exponent, half;
    double rest, sum = 0;

    if (real_is_nan(x))
        return x;
    if (x > 709.79)
        return __builtin_inf();
    if (x < -745.2)
        return 0;
    exponent = (int)(x * (1 / (LN2_HIGH + LN2_LOW)) + (x < 0 ? -0.5 : 0.5));
    rest = x - exponent * LN2_HIGH - exponent * LN2_LOW;
    for (size_t term = 0; term < sizeof exp_series / sizeof *exp_series; term++)
        sum = sum * rest + exp_series[term];
    /* In two steps, because 2^1024 and subnormal powers are not factors that power_of_two can
     * return. */
    half = exponent / 2;
    return sum * power_of_two(half) * power_of_two(exponent - half);
}

/* Within an eighth of a turn of 0; the first terms left out are below 1e-10. */
void real_circle(uint64_t turn, double *cosine, double *sine)
{
    uint64_t quarter = (turn + (1ull << 61)) >> 62;
    double x = (double)(int64_t)(turn - (quarter << 62)) * (6.283185307179586 * 0x1p-64);
    double square = x * x;
    double c =
        1 -
        square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90))));
    double s =
        x *
        (1 - square / 6 *
                 (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))));

    *cosine = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
    *sine = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}

double real_abs(double x)
{
    return x < 0 ? -x : x;
}

bool real_is_nan(double x)
{
    return x != x;
}

bool real_is_finite(double x)
{
    return x - x == 0;
}

double real_nan(void)
{
    return __builtin_nan("");
}
