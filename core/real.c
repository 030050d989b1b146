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

double real_root2(unsigned n, unsigned d)
{
    double low = 1, high = 2;

    for (int step = 0; step < 60; step++) {
        double middle = 0.5 * (low + high);
        double power = 1;
        /* middle^d against 2^n, both kept near one. */
        unsigned halved = 0;
        for (unsigned i = 0; i < d; i++) {
            power *= middle;
            if (power >= 2 && halved < n) {
                power /= 2;
                halved++;
            }
        }
        if (halved < n || power < 1)
            low = middle;
        else
            high = middle;
    }
    return 0.5 * (low + high);
}

bool real_is_nan(double x)
{
    return x != x;
}

double real_nan(void)
{
    return __builtin_nan("");
}
