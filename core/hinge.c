/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/hinge.h"

#include "core/real.h"

#define SHARP      0.01
#define NODES      9
#define HOLES_FROM 0.75 /* of the capacity; less is never lost */

/* Nine equally likely values of the standard normal law (midpoints of its ninths), stretched to a
 * variance of 1. */
static const double normal_nodes[NODES] = {-1.6683, -1.0128, -0.6172, -0.2959, 0,
                                           0.2959,  0.6172,  1.0128,  1.6683};

/* An exclusive level gives up what hits, and the hole stays until a victim falls into that set. The
 * larger the set of lines, the rarer hits are, and the fewer the holes. The law is that of
 * simulated levels of 8 to 16 ways with any policy, to 0.6 % of the capacity: holes / 2 * (1/x +
 * x^-3.5) at x times the capacity. */
static double sharp_share(double at, double holes, double bytes)
{
    double x = bytes / at, empty, share;

    if (holes == 0)
        return x > 1 ? 1 - 1 / x : 0;
    empty = holes / 2 * (1 / x + 1 / (x * x * x * real_sqrt(x)));
    share = 1 - (1 - empty) / x;
    return share > 0 && x > HOLES_FROM ? share : 0;
}

/* Sets that receive lines by a Poisson law overflow, as a mixture of sharp knees, at places that
 * follow a gamma law of mean `at` (its quantiles by Wilson and Hilferty, 1931). The mean is kept
 * exactly: it alone is the capacity. */
static double soft_share(const struct hinge *hinge, double soft, double bytes)
{
    double place[NODES], sum = 0, share = 0;

    for (int i = 0; i < NODES; i++) {
        double root = 1 - soft * soft / 9 + normal_nodes[i] * soft / 3;
        place[i] = root * root * root;
        sum += place[i];
    }
    for (int i = 0; i < NODES; i++)
        share += sharp_share(hinge->at * place[i] * NODES / sum, hinge->holes, bytes);
    return share / NODES;
}

/* A page table of n lines, each used again after a number of hops that follows an exponential law
 * of mean n, in a cache of s lines that takes a line of data with every hop too; at/bytes = s/n.
 * Least recently used first: what was used longer ago than u * n hops is gone, where
 * u + 1 - exp(-u) = s/n lines came since. At random: each hop throws a line out with 1/s. */
static double walk_share(double at, double soft, double bytes)
{
    double lines = at / bytes, u = lines > 1 ? lines - 1 : lines / 2, random = 1 / (1 + lines);

    for (int step = 0; step < 4; step++) {
        double gone = real_exp(-u);
        u -= (u + 1 - gone - lines) / (1 + gone);
    }
    return (1 - soft) * real_exp(-u) + soft * random;
}

double hinge_share(const struct hinge *hinge, double bytes, size_t curve)
{
    double soft = hinge->soft[curve], open_rows = hinge->rows[curve] * hinge->at / bytes, share;

    if (hinge->kind != HINGE_CACHE && hinge->curve != curve)
        return 0;
    if (hinge->kind == HINGE_WALK)
        return walk_share(hinge->at, soft, bytes);
    share =
        soft < SHARP ? sharp_share(hinge->at, hinge->holes, bytes) : soft_share(hinge, soft, bytes);
    return open_rows < 1 ? share * (1 - open_rows) : 0;
}
