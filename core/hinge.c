/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/hinge.h"

#include "core/real.h"

#define SHARP      0.01
#define HOLES_FROM 0.75 /* of the capacity; less is never lost */

/* Nine equally likely values of the standard normal law (midpoints of its ninths), stretched to a
 * variance of 1. */
static const double normal_nodes[HINGE_NODES] = {-1.6683, -1.0128, -0.6172, -0.2959, 0,
                                                 0.2959,  0.6172,  1.0128,  1.6683};

/* Sets that receive lines by a Poisson law overflow, as a mixture of sharp knees, at places that
 * follow a gamma law of mean `at` (its quantiles by Wilson and Hilferty, 1931). The mean is kept
 * exactly: it alone is the capacity. */
static void spread_places(struct hinge_shape *shape)
{
    double sum = 0;

    for (int i = 0; i < HINGE_NODES; i++) {
        double root = 1 - shape->soft * shape->soft / 9 + normal_nodes[i] * shape->soft / 3;
        shape->place[i] = root * root * root;
        sum += shape->place[i];
    }
    for (int i = 0; i < HINGE_NODES; i++)
        shape->place[i] *= shape->at * HINGE_NODES / sum;
}

void hinge_shape_make(struct hinge_shape *shape, const struct hinge *hinge, size_t curve)
{
    shape->absent = hinge->kind != HINGE_CACHE && hinge->curve != curve;
    shape->walk = hinge->kind == HINGE_WALK;
    shape->at = shape->place[0] = hinge->at;
    shape->soft = hinge->soft[curve];
    shape->holes = hinge->holes;
    shape->rows = hinge->rows[curve] * hinge->at;
    shape->open = hinge->open > 0 ? hinge->open : 1;
    shape->fades = hinge->fades;
    shape->nodes = 1;
    if (shape->absent || shape->walk)
        return;
    if (shape->soft >= SHARP) {
        shape->nodes = HINGE_NODES;
        spread_places(shape);
    }
    for (size_t i = 0; i < shape->nodes; i++) {
        double part = shape->place[i] / shape->at;
        shape->steep[i] = part * part * part * real_sqrt(part);
    }
}

/* An exclusive level gives up what hits, and the hole stays until a victim falls into that set. The
 * larger the set of lines, the rarer hits are, and the fewer the holes. The law is that of
 * simulated levels of 8 to 16 ways with any policy, to 0.6 % of the capacity: holes / 2 * (1/x +
 * x^-3.5) at x times the capacity. */
static double sharp_shares(const struct hinge_shape *shape, double inverse)
{
    double part = shape->at * inverse, steep = 0, sum = 0;

    if (shape->holes > 0)
        steep = part * part * part * real_sqrt(part);
    for (size_t i = 0; i < shape->nodes; i++) {
        double held = shape->place[i] * inverse;
        double empty = shape->holes / 2 * (held + steep * shape->steep[i]);
        double share = 1 - (1 - empty) * held;
        sum += share > 0 && held * HOLES_FROM < 1 ? share : 0;
    }
    return sum;
}

/* A page table of n lines, each used again after a number of hops that follows an exponential law
 * of mean n, in a cache of s lines that takes a line of data with every hop too; lines = s/n.
 * Least recently used first: what was used longer ago than u * n hops is gone, where
 * u + 1 - exp(-u) = s/n lines came since. At random: each hop throws a line out with 1/s. */
static double walk_share(double lines, double soft)
{
    double u = lines < 2 ? lines / 2 * (1 + lines / 8) : lines - 1 + 1.11 / (lines * lines);
    double gone = 0, past = 0;

    /* From within 0.03 two of Newton's steps lead to within 1e-9. */
    for (int step = 0; step < 2; step++) {
        gone = real_exp(-u);
        past = (u + 1 - gone - lines) / (1 + gone);
        u -= past;
    }
    gone *= 1 + past * (1 + past / 2 * (1 + past / 3));
    return (1 - soft) * gone + soft / (1 + lines);
}

double hinge_shape_share(const struct hinge_shape *shape, double inverse)
{
    double open_rows = shape->rows * inverse, share;

    if (shape->absent)
        return 0;
    if (shape->walk)
        return walk_share(shape->at * inverse, shape->soft);
    if (shape->fades)
        open_rows *= shape->open / (shape->open + open_rows);
    else if (open_rows > shape->open)
        open_rows = shape->open;
    share = sharp_shares(shape, inverse);
    return (shape->nodes > 1 ? share / HINGE_NODES : share) * (1 - open_rows);
}

double hinge_share(const struct hinge *hinge, double bytes, size_t curve)
{
    struct hinge_shape shape;

    hinge_shape_make(&shape, hinge, curve);
    return hinge_shape_share(&shape, 1 / bytes);
}
