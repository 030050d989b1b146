/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/stats/binomial.h"

#include "core/lib/real.h"

#define HALVINGS 26 /* 2^-26 = 1.5e-8 */

/* log n!; from n = 16 on by Stirling's series, with an error below 1e-13. */
static double log_factorial(uint32_t n)
{
    double x = n, sum = 0;

    if (n >= 16) {
        double inverse = 1 / x, square = inverse * inverse;
        return (x + 0.5) * real_log(x) - x + 0.91893853320467274 +
               inverse * (1.0 / 12 - square * (1.0 / 360 - square / 1260));
    }
    for (uint32_t i = 2; i <= n; i++)
        sum += real_log(i);
    return sum;
}

/* The probability of exactly `hits` successes; 0 < p < 1. */
static double exactly(uint32_t hits, uint32_t tries, double p)
{
    return real_exp(log_factorial(tries) - log_factorial(hits) - log_factorial(tries - hits) +
                    hits * real_log(p) + (tries - hits) * real_log(1 - p));
}

/* Away from the mean each term is smaller than the previous one, so few terms contribute. */
double binomial_at_most(uint32_t hits, uint32_t tries, double p)
{
    double term, sum = 0;

    if (hits >= tries || p <= 0)
        return 1;
    if (p >= 1)
        return 0;
    if (hits + 1 > (tries + 1) * p) {
        term = exactly(hits + 1, tries, p);
        for (uint32_t k = hits + 1; k <= tries && term > 1e-17; k++) {
            sum += term;
            term *= (tries - k) * p / ((k + 1) * (1 - p));
        }
        return 1 - sum;
    }
    term = exactly(hits, tries, p);
    for (uint32_t k = hits; term > 1e-17; k--) {
        sum += term;
        if (k == 0)
            break;
        term *= k * (1 - p) / ((tries - k + 1) * p);
    }
    return sum;
}

/* Bisects for the p at which P(at most `hits`), which falls with p, equals `chance`. */
static double where(uint32_t hits, uint32_t tries, double chance)
{
    double low = 0, high = 1;

    for (int i = 0; i < HALVINGS; i++) {
        double p = (low + high) / 2;
        if (binomial_at_most(hits, tries, p) > chance)
            low = p;
        else
            high = p;
    }
    return (low + high) / 2;
}

double binomial_low(uint32_t hits, uint32_t tries, double miss)
{
    return hits == 0 ? 0 : where(hits - 1, tries, 1 - miss);
}

double binomial_high(uint32_t hits, uint32_t tries, double miss)
{
    return hits >= tries ? 1 : where(hits, tries, miss);
}
