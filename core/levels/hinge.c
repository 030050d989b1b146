/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/levels/hinge.h"

#include "core/lib/real.h"

/* Limits of the iterations for a victim cache's contents. */
#define FITS_MIN   1e-3
#define NEWTON_MAX 8
#define STEEPEST   0.98
#define HELD_ERROR 1e-4
/* Smallest set, in sizes of an LRU level, in which lines that prefetchers bring evict those that
 * nearer levels hold. Fitted to simulated machines (docs/levels.md). */
#define BROUGHT_LATE 1.1

/* Nine equally likely values of the standard normal distribution (midpoints of its ninths), scaled
 * to a variance of 1. */
static const double normal_nodes[HINGE_NODES] = {-1.6683, -1.0128, -0.6172, -0.2959, 0,
                                                 0.2959,  0.6172,  1.0128,  1.6683};

/* If the number of lines per set is Poisson distributed, the knee is a mixture of sharp knees whose
 * places follow a gamma distribution of mean `at` (quantiles by Wilson and Hilferty, 1931). The
 * mean is kept exact, since it is the capacity. */
static void spread_places(struct hinge_shape *shape)
{
    double sum = 0;

    for (int i = 0; i < HINGE_NODES; i++) {
        double root = 1 - shape->soft * shape->soft / 9 + normal_nodes[i] * shape->soft / 3;
        shape->place[i] = root * root * root;
        sum += shape->place[i];
    }
    for (int i = 0; i < HINGE_NODES; i++)
        shape->place[i] *= shape->pos * HINGE_NODES / sum;
}

/* A hit in a victim cache leaves a free way. Every miss of the nearer caches evicts one of their
 * lines to its set here, where it fills a free way or evicts a line. The more free ways a set has,
 * the more of its lines are in the nearer caches, and the sooner one returns. This is Engset's
 * system (1918) with `ways` servers and as many sources as there are lines in the nearer caches and
 * in this one; that number depends on the result, hence Newton's method. Within 0.5 % of the exact
 * Markov chain for 8 and 16 ways at any load. */
static double engset_mean(unsigned ways, double sources, double rate, double *slope)
{
    double weight = 1, sum = 1, first = 0, weight_by = 0, first_by = 0, sum_by = 0;

    for (unsigned k = 1; k <= ways && sources > k - 1; k++) {
        double left = sources - (k - 1), share = rate / k;
        weight_by = (weight_by * left + weight) * share;
        weight *= left * share;
        sum += weight;
        first += weight * k;
        sum_by += weight_by;
        first_by += weight_by * k;
    }
    *slope = (first_by - first * sum_by / sum) / sum;
    return first / sum;
}

/* Newton's method starting at `held` lines; returns the number of lines held. A set that all lines
 * fit into evicts none. */
static double held_lines(unsigned ways, double load, double inner, double held)
{
    double slope = 0;

    if (load + inner <= ways)
        return load;
    for (int step = 0; step < NEWTON_MAX; step++) {
        double off = engset_mean(ways, inner + held, load / inner, &slope) - held;
        double next = held + off / (slope < STEEPEST ? 1 - slope : 1 - STEEPEST);
        next = next > 0 ? next : 0;
        next = next < ways ? next : ways;
        off = real_abs(next - held);
        held = next;
        if (off < HELD_ERROR * ways)
            break;
    }
    return held < load ? held : load;
}

double hinge_occupied(unsigned ways, double load, double inner)
{
    return held_lines(ways, load, inner, load < ways ? load : ways) / ways;
}

bool hinge_has_ways(enum hinge_law law)
{
    return law == HINGE_VICTIMS || hinge_is_thin(law);
}

bool hinge_has_lost(enum hinge_law law)
{
    return law == HINGE_BROUGHT || law == HINGE_BROUGHT_LATE;
}

/* What prefetchers evict grows with the fraction of the set that does not fit: that much of what
 * they bring is new here. */
static double evicted(const struct hinge *hinge, double fits)
{
    fits *= hinge->law == HINGE_BROUGHT_LATE ? BROUGHT_LATE : 1;
    return fits < 1 ? hinge->lost * (1 - real_exp(hinge->fast * real_log(fits))) : 0;
}

/* Fraction of the nearer levels' capacity that holds no lines in a set as large as this level: free
 * ways of a victim cache. In larger sets it is the less the larger they are. */
static double inner_free(const struct hinge *hinge)
{
    double before = hinge->inner_inner, own = hinge->inner - before;
    double per_byte = hinge->inner_ways / own;

    if (hinge->inner_ways == 0)
        return 0;
    return (1 - hinge_occupied(hinge->inner_ways, (hinge->pos - before) * per_byte,
                               before * per_byte)) *
           own / hinge->inner;
}

static void fill_lost(struct hinge_shape *shape, const struct hinge *hinge)
{
    double inner = shape->inner / shape->pos, before = hinge->inner_inner / shape->pos, unfilled;

    if (shape->held_law == hinge->law && shape->held_ways == hinge->ways &&
        shape->held_inner == inner && shape->held_before == before &&
        shape->held_inner_ways == hinge->inner_ways && shape->held_lost == hinge->lost &&
        shape->held_fast == hinge->fast)
        return;
    shape->held_law = hinge->law;
    shape->held_ways = hinge->ways;
    shape->held_inner = inner;
    shape->held_before = before;
    shape->held_inner_ways = hinge->inner_ways;
    shape->held_lost = hinge->lost;
    shape->held_fast = hinge->fast;
    unfilled = inner_free(hinge);
    for (size_t k = 0; k < HINGE_TABLE; k++) {
        double fits = k > 0 ? (double)k / (HINGE_TABLE - 1) : FITS_MIN;
        double held = 1 - fits * unfilled;
        shape->held[k] = hinge_has_lost(hinge->law) ? evicted(hinge, fits)
                                                    : held * hinge_lost(hinge->law, hinge->ways,
                                                                        fits, held * inner, before);
    }
}

/* Consecutive evaluations nearly always need the same table, determined by ways and bytes. Each
 * entry starts from an extrapolation of the previous two. */
static void fill_table(struct hinge_shape *shape, unsigned ways)
{
    double inner = ways * shape->inner / (shape->pos - shape->inner), held[HINGE_TABLE];

    if (shape->held_law == HINGE_VICTIMS && shape->held_ways == ways && shape->held_inner == inner)
        return;
    shape->held_law = HINGE_VICTIMS;
    shape->held_ways = ways;
    shape->held_inner = inner;
    shape->held[0] = 1;
    held[0] = ways;
    for (size_t k = 1; k < HINGE_TABLE; k++) {
        double load = ways * HINGE_TABLE_STEPS / (double)k;
        double start = k > 1 ? 2 * held[k - 1] - held[k - 2] : ways;
        held[k] = held_lines(ways, load, inner, start < load ? start : load);
        shape->held[k] = held[k] / ways;
    }
}

void hinge_shape_make(struct hinge_shape *shape, const struct hinge *hinge, size_t curve)
{
    bool behind = hinge->inner > 0 && hinge->inner < hinge->pos;

    shape->absent = hinge->kind != HINGE_CACHE && hinge->curve != curve;
    shape->walk = hinge->kind == HINGE_WALK;
    shape->pos = shape->place[0] = hinge->pos;
    shape->soft = hinge->soft[curve];
    shape->rows = hinge->rows[curve] * hinge->pos;
    shape->open = hinge->open > 0 ? hinge->open : 1;
    shape->fades = hinge->fades;
    shape->nodes = 1;
    shape->inner = hinge->inner;
    shape->own = 1 - hinge->inner / hinge->pos;
    shape->exclusive = hinge->law == HINGE_VICTIMS && behind;
    shape->beside = hinge->law >= HINGE_BESIDE && behind;
    if (shape->absent || shape->walk)
        return;
    if (shape->beside)
        fill_lost(shape, hinge);
    if (shape->exclusive)
        fill_table(shape, hinge->ways);
    if (shape->soft > 0) {
        shape->nodes = HINGE_NODES;
        spread_places(shape);
    }
}

/* The unfilled fraction of an exclusive level when `part` of the bytes outside the nearer levels
 * fits into it; 0 if less than half of them does. */
static double lacking(const struct hinge_shape *shape, double part)
{
    double pos = part * HINGE_TABLE_STEPS;
    size_t k;

    /* Just beyond the nearer levels next to nothing lies outside them: `part` has no bound. */
    if (!(pos < HINGE_TABLE - 1))
        return 0;
    k = (size_t)pos;
    return 1 - part * (shape->held[k] + (pos - (double)k) * (shape->held[k + 1] - shape->held[k]));
}

/* Averaged over the places, for a set of 1 / inverse bytes. */
static double exclusive_share(const struct hinge_shape *shape, double inverse)
{
    double behind = 1 - shape->inner * inverse, sum = 0;

    if (!(behind > 0))
        return 0;
    for (size_t i = 0; i < shape->nodes; i++) {
        double share = lacking(shape, shape->place[i] * shape->own * inverse / behind);
        sum += share > 0 ? share : 0;
    }
    return behind * sum / (double)shape->nodes;
}

static double sharp_share(const struct hinge_shape *shape, double inverse)
{
    double sum = 0;

    if (shape->place[0] * inverse >= 1)
        return 0;
    /* The mean of all places is `at`. */
    if (shape->place[shape->nodes - 1] * inverse <= 1)
        return 1 - shape->pos * inverse;
    for (size_t i = 0; i < shape->nodes; i++) {
        double share = 1 - shape->place[i] * inverse;
        sum += share > 0 ? share : 0;
    }
    return sum / (double)shape->nodes;
}

/* Minus the lines that this level lost but the nearer levels still hold. */
static double beside_share(const struct hinge_shape *shape, double inverse)
{
    double fits = shape->pos * inverse * (HINGE_TABLE - 1), lost, share;
    size_t k = (size_t)fits;

    share = sharp_share(shape, inverse);
    if (k + 1 >= HINGE_TABLE)
        return share;
    lost = shape->held[k] + (fits - (double)k) * (shape->held[k + 1] - shape->held[k]);
    share -= shape->inner * inverse * lost;
    return share > 0 ? share : 0;
}

/* Misses of page-table entries. A page table has n lines, each reused after an exponentially
 * distributed number of hops of mean n, in a cache of s lines into which every hop also brings a
 * line of data; lines = s/n. LRU: an entry not used for u * n hops is evicted, where u + 1 -
 * exp(-u) = s/n is the number of lines brought in meanwhile. Random: each hop evicts a given line
 * with probability 1/s. soft mixes the two. */
static double walk_share(double lines, double soft)
{
    double u = lines < 2 ? lines / 2 * (1 + lines / 8) : lines - 1 + 1.11 / (lines * lines);
    double gone = real_exp(-u), past = (u + 1 - gone - lines) / (1 + gone);

    /* The start value is within 0.03; two Newton steps reach 1e-9. The first one's exponential is a
     * truncated series. */
    gone *= 1 + past * (1 + past / 2 * (1 + past / 3 * (1 + past / 4 * (1 + past / 5))));
    u -= past;
    past = (u + 1 - gone - lines) / (1 + gone);
    gone *= 1 + past * (1 + past / 2);
    return (1 - soft) * gone + soft / (1 + lines);
}

double hinge_shape_share(const struct hinge_shape *shape, double inverse)
{
    double open_rows = shape->rows * inverse, share;

    if (shape->absent)
        return 0;
    if (shape->walk)
        return walk_share(shape->pos * inverse, shape->soft);
    if (shape->fades)
        open_rows *= shape->open / (shape->open + open_rows);
    else if (open_rows > shape->open)
        open_rows = shape->open;
    share = shape->exclusive ? exclusive_share(shape, inverse)
            : shape->beside  ? beside_share(shape, inverse)
                             : sharp_share(shape, inverse);
    return share * (1 - open_rows);
}

double hinge_share(const struct hinge *hinge, double bytes, size_t curve)
{
    struct hinge_shape shape = {0};

    hinge_shape_make(&shape, hinge, curve);
    return hinge_shape_share(&shape, 1 / bytes);
}
