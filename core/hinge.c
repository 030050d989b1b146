/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/hinge.h"

#include "core/real.h"

#define SHARP 0.01
#define NODES 9

/* Nine equally likely values of the standard normal law (midpoints of its ninths), stretched to a
 * variance of 1. */
static const double normal_nodes[NODES] = {-1.6683, -1.0128, -0.6172, -0.2959, 0,
                                           0.2959,  0.6172,  1.0128,  1.6683};

static double sharp_share(double at, double bytes)
{
    return bytes > at ? 1 - at / bytes : 0;
}

/* Sets that receive lines by a Poisson law overflow, as a mixture of sharp knees, at places that
 * follow a gamma law of mean `at` (its quantiles by Wilson and Hilferty, 1931). The mean is kept
 * exactly: it alone is the capacity. */
static double soft_share(double at, double soft, double bytes)
{
    double place[NODES], sum = 0, share = 0;

    for (int i = 0; i < NODES; i++) {
        double root = 1 - soft * soft / 9 + normal_nodes[i] * soft / 3;
        place[i] = root * root * root;
        sum += place[i];
    }
    for (int i = 0; i < NODES; i++)
        share += sharp_share(at * place[i] * NODES / sum, bytes);
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
    double soft = hinge->soft[curve];

    if (hinge->kind != HINGE_CACHE && hinge->curve != curve)
        return 0;
    if (hinge->kind == HINGE_WALK)
        return walk_share(hinge->at, soft, bytes);
    return soft < SHARP ? sharp_share(hinge->at, bytes) : soft_share(hinge->at, soft, bytes);
}
