/* SPDX-License-Identifier: BSD-2-Clause */
/* Evaluates chases and draws over sets of memory together. */
#include "core/experiments/dram_figures.h"

#include "core/lib/real.h"

/* A chase faster than draws by this many standard errors is so for a reason. */
#define FOLLOWED_ERRORS 4
#define FOLLOWED_SHARE  0.005 /* smaller differences do not matter to the figure */
/* If draws find a smaller share of the set in caches, it is far beyond them: a chase over a set of
 * which a cache with random replacement holds this share hits once in a thousand hops, exp(-1 /
 * share). */
#define FAR_SHARE     0.14
#define CACHED_ERRORS 2

struct figure dram_slope(struct figure whole, double large, struct figure half, double small)
{
    double span = large - small, ns = (large * whole.value - small * half.value) / span;

    if (!figure_is_known(whole) || !figure_is_known(half) || span <= 0 || ns <= 0)
        return figure_unknown();
    return (struct figure){
        .value = ns, .error = real_hypotenuse(large * whole.error, small * half.error) / span};
}

static bool is_less(struct figure a, struct figure b, double errors, double share)
{
    double missing_ns = b.value - a.value;

    return figure_is_known(a) && figure_is_known(b) && missing_ns > share * b.value &&
           missing_ns > errors * real_hypotenuse(a.error, b.error);
}

enum dram_chase dram_judge_chase(const struct dram_chase_parts *parts)
{
    bool far = figure_is_known(parts->draw) &&
               parts->draw.value >= (1 - FAR_SHARE) * parts->draw_slope.value;

    if (!parts->agree)
        return DRAM_CHASE_PLAIN;
    if (is_less(parts->chase_slope, parts->draw_slope, FOLLOWED_ERRORS, FOLLOWED_SHARE) &&
        (far || is_less(parts->chase, parts->draw, FOLLOWED_ERRORS, FOLLOWED_SHARE)))
        return DRAM_CHASE_FOLLOWED;
    if (!parts->in_pieces &&
        is_less(parts->chase, parts->draw_slope, CACHED_ERRORS, DRAM_SAME_SHARE))
        return DRAM_CHASE_CACHED;
    return DRAM_CHASE_PLAIN;
}

struct figure dram_draws_figure(struct figure slope, struct figure draw)
{
    double apart_ns = real_abs(slope.value - draw.value);

    if (!figure_is_known(slope) || !figure_is_known(draw))
        return figure_is_known(slope) ? slope : draw;
    if (2 * slope.error <= DRAM_SAME_SHARE * slope.value ||
        apart_ns > 2 * real_hypotenuse(slope.error, draw.error))
        return slope;
    return draw;
}

struct figure dram_chase_figure(struct figure chase, struct figure draw, struct figure slope,
                                struct figure rise)
{
    double hidden_ns = slope.value - draw.value, max_ns = rise.value + 2 * rise.error;

    if (figure_is_known(rise) && max_ns < hidden_ns)
        hidden_ns = max_ns;
    if (!figure_is_known(slope) || !figure_is_known(draw) || hidden_ns <= 0)
        return chase;
    chase.value += hidden_ns / 2;
    chase.error = real_hypotenuse(chase.error, DRAM_ANYWHERE_SHARE * hidden_ns);
    return chase;
}

double dram_share_cached(struct figure draw, struct figure slope)
{
    double max = draw.value + 2 * draw.error, min = slope.value - 2 * slope.error;

    return figure_is_known(draw) && figure_is_known(slope) && max < min ? 1 - max / min : 0;
}

bool dram_reconcile(struct dram_bounds *a, struct dram_bounds *b)
{
    struct dram_bounds *low = a->ns < b->ns ? a : b, *high = a->ns < b->ns ? b : a;

    /* False for NAN. */
    if (!(low->high_ns < high->low_ns))
        return false;
    low->high_ns = high->ns;
    high->low_ns = low->ns;
    return high->ns - low->ns > DRAM_SAME_SHARE * high->ns;
}

static double half_width(const struct dram_bounds *bounds)
{
    return (bounds->high_ns - bounds->low_ns) / 2;
}

void dram_take_mean(struct dram_bounds *a, const struct dram_bounds *b)
{
    double own = half_width(a), other = half_width(b), both = real_hypotenuse(own, other);
    double low_ns = a->ns < b->ns ? a->ns : b->ns, high_ns = a->ns < b->ns ? b->ns : a->ns;

    /* False for NAN. */
    if (!(own > 0) || !(other > 0))
        return;
    a->ns += own * own / (both * both) * (b->ns - a->ns);
    a->low_ns = a->ns - own * other / both;
    a->high_ns = a->ns + own * other / both;
    a->low_ns = low_ns < a->low_ns ? low_ns : a->low_ns;
    a->high_ns = high_ns > a->high_ns ? high_ns : a->high_ns;
}
