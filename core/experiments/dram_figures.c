/* SPDX-License-Identifier: BSD-2-Clause */
/* What chases and draws over sets of memory say together. */
#include "core/experiments/dram.h"
#include "core/experiments/dram_parts.h"
#include "core/lib/real.h"

/* A chase that is faster than draws by so many standard errors is so for a reason. */
#define FOLLOWED_ERRORS 4
#define FOLLOWED_SHARE  0.005 /* less is nothing that a figure would have to be changed for */
/* Where draws find less of the set in caches, the set is far beyond them: a chase over a set hits a
 * cache that holds this share of it, and replaces at random, in one hop of a thousand:
 * exp(-1 / share). */
#define FAR_SHARE     0.14
#define CACHED_ERRORS 2
/* Figures of one thing that differ by less are one. */
#define SAME_SHARE 0.01

struct dram_ns dram_slope(struct dram_ns whole, double large, struct dram_ns half, double small)
{
    double span = large - small, ns = (large * whole.ns - small * half.ns) / span;

    return (struct dram_ns){
        .known = whole.known && half.known && span > 0 && ns > 0,
        .ns = ns,
        .error_ns = real_hypotenuse(large * whole.error_ns, small * half.error_ns) / span};
}

static bool is_less(struct dram_ns a, struct dram_ns b, double errors, double share)
{
    double missing_ns = b.ns - a.ns;

    return a.known && b.known && missing_ns > share * b.ns &&
           missing_ns > errors * real_hypotenuse(a.error_ns, b.error_ns);
}

enum dram_chase dram_judge_chase(const struct dram_chase_parts *parts)
{
    bool far = parts->draw.known && parts->draw.ns >= (1 - FAR_SHARE) * parts->draw_slope.ns;

    if (!parts->agree)
        return DRAM_CHASE_PLAIN;
    if (is_less(parts->chase_slope, parts->draw_slope, FOLLOWED_ERRORS, FOLLOWED_SHARE) &&
        (far || is_less(parts->chase, parts->draw, FOLLOWED_ERRORS, FOLLOWED_SHARE)))
        return DRAM_CHASE_FOLLOWED;
    if (is_less(parts->chase, parts->draw_slope, CACHED_ERRORS, SAME_SHARE))
        return DRAM_CHASE_CACHED;
    return DRAM_CHASE_PLAIN;
}

struct dram_ns dram_draws_figure(struct dram_ns slope, struct dram_ns draw)
{
    double apart_ns = real_abs(slope.ns - draw.ns);

    if (!slope.known || !draw.known)
        return slope.known ? slope : draw;
    if (2 * slope.error_ns <= SAME_SHARE * slope.ns ||
        apart_ns > 2 * real_hypotenuse(slope.error_ns, draw.error_ns))
        return slope;
    return draw;
}

struct dram_ns dram_chase_figure(struct dram_ns chase, struct dram_ns draw, struct dram_ns slope,
                                 struct dram_ns rise)
{
    double hidden_ns = slope.ns - draw.ns, most_ns = rise.ns + 2 * rise.error_ns;

    if (rise.known && most_ns < hidden_ns)
        hidden_ns = most_ns;
    if (!slope.known || !draw.known || hidden_ns <= 0)
        return chase;
    chase.ns += hidden_ns / 2;
    chase.error_ns = real_hypotenuse(chase.error_ns, DRAM_ANYWHERE_SHARE * hidden_ns);
    return chase;
}

double dram_share_cached(struct dram_ns draw, struct dram_ns slope)
{
    double most = draw.ns + 2 * draw.error_ns, least = slope.ns - 2 * slope.error_ns;

    return draw.known && slope.known && most < least ? 1 - most / least : 0;
}

bool dram_reconcile(struct dram_bounds *a, struct dram_bounds *b)
{
    struct dram_bounds *low = a->ns < b->ns ? a : b, *high = a->ns < b->ns ? b : a;

    /* Never true of NAN. */
    if (!(low->high_ns < high->low_ns))
        return false;
    low->high_ns = high->ns;
    high->low_ns = low->ns;
    return high->ns - low->ns > SAME_SHARE * high->ns;
}
