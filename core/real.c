/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/real.h"

double real_sqrt(double x)
{
    double guess = 1;

    if (!(x > 0))
        return 0;
    while (guess * guess < x)
        guess *= 2;
    while (guess * guess > 4 * x)
        guess /= 2;
    /* Newton doubles the digits each step; the start is within a factor of two. */
    for (int step = 0; step < 7; step++)
        guess = 0.5 * (guess + x / guess);
    return guess;
}

bool real_is_nan(double x)
{
    return x != x;
}

double real_nan(void)
{
    return __builtin_nan("");
}
