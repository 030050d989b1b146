/* SPDX-License-Identifier: BSD-2-Clause */
/* What a non-inclusive level no longer holds of the nearer levels' lines, by the replacement of
 * both. */
#include "core/levels/hinge.h"

#include "core/lib/real.h"

#define LOST_STEPS 12
#define LOST_ERROR 1e-8
#define SAME_RATE  1e-3
#define FIRST_MIN  1e-6
/* Fraction of new lines that are retained (1/32) while the others are evicted early (Qureshi and
 * others, "Adaptive insertion policies for high performance caching", ISCA 2007). */
#define THIN_KEPT 32

bool hinge_is_thin(enum hinge_law law)
{
    return law == HINGE_THIN || law == HINGE_THIN_RANDOM;
}

/* Fraction of the nearer levels' lines that are still held here. With random replacement there, the
 * residence time is exponential. With LRU, a capacity of f bytes in a set of N keeps a line as long
 * as it is used again within T = -N ln(1 - f / N) hops (Che, Tung and Wang, IEEE J. Sel. Areas
 * Commun. 20, 2002): the time is a geometrically distributed number of exponentials truncated at T,
 * plus T. The fraction is the Laplace transform of the line's age. rate: evictions of a line in as
 * many hops as the set has lines. */
static double stays(bool random, double nearer_misses, double rate)
{
    double out = nearer_misses / (1 - nearer_misses), gone;

    if (random)
        return out / (out + rate);
    gone = real_exp((1 + rate) * real_log(nearer_misses));
    return out * (1 - gone) / (rate + gone);
}

/* With LRU here and random replacement in the level before, a line is here if it was last asked for
 * here within some time T. It then stays in the levels before that one for an exponentially
 * distributed time, and in that one for another, unless a draw returns it before; then outside. All
 * in hops, divided by those in the set, which is the mean time outside: `slow` and `fast` are the
 * rates at which a line leaves the nearer levels by these two stages together. */
struct behind {
    double slow, fast;
};

static struct behind behind_of(double first, double nearer)
{
    double to_second = first > FIRST_MIN ? (1 - first) / first : 1 / FIRST_MIN;
    double out = (1 - nearer) / (nearer - first), sum = to_second + out + 1;
    double root = real_sqrt(sum * sum - 4 * to_second * out);
    struct behind behind = {2 * to_second * out / (sum + root), (sum + root) / 2};

    /* A line outside is drawn at rate 1: where a rate is the same, the sums below are limits. */
    behind.slow += real_abs(behind.slow - 1) < SAME_RATE ? SAME_RATE : 0;
    behind.fast += real_abs(behind.fast - 1) < SAME_RATE ? SAME_RATE : 0;
    return behind;
}

/* What is left after T at a rate, if `left` is left at the rate `slow`. Sets of finite ways differ
 * in T, which is gamma distributed: a power of 16 instead of an exponential. */
static double decayed(const struct behind *b, double rate, double left)
{
    double root = real_sqrt(real_sqrt(real_sqrt(real_sqrt(left)))), power;

    power = root > 0 ? root / (root + rate / b->slow * (1 - root)) : 0;
    for (int square = 0; square < 4; square++)
        power *= power;
    return power;
}

/* Of the lines in the nearer levels, those that entered them longer ago than T. */
static double behind_lost(const struct behind *b, double left)
{
    double slow = b->slow * b->slow, fast = b->fast * b->fast;

    return (fast * left - slow * decayed(b, b->fast, left)) / (fast - slow);
}

/* Of the lines outside, those that were last asked for longer ago than T. */
static double behind_misses(const struct behind *b, double left)
{
    double drawn = decayed(b, 1, left), power = decayed(b, b->fast, left);

    return (b->fast * (b->slow * drawn - left) / (b->slow - 1) -
            b->slow * (b->fast * drawn - power) / (b->fast - 1)) /
           (b->fast - b->slow);
}

/* fits and inner as in hinge_lost. turns: how many times as often a line is replaced as by one line
 * a miss in any way of the set. */
struct set {
    enum hinge_law law;
    double turns, fits, inner;
    struct behind behind;
};

/* A line that enters the nearer levels is here at that moment, and can then be evicted by lines
 * from memory. With random replacement each of those may hit any line. In an adaptive cache they
 * replace each other in one way of each set, and lines that were hit here are not evicted. */
static double lost_at(const struct set *set, double misses)
{
    bool thin = hinge_is_thin(set->law);
    bool random = set->law == HINGE_BESIDE_RANDOM || set->law == HINGE_THIN_RANDOM;
    double nearer_misses = 1 - set->fits * set->inner, rate = set->turns * misses / set->fits;
    double lost = 1 - stays(random, nearer_misses, rate);

    return thin ? lost * misses / nearer_misses * (1 - 1.0 / THIN_KEPT) : lost;
}

/* The lines lost here add to what all levels hold together and so reduce the misses. Returns more
 * than 0 while `guess` is too small: of what is lost, or of exp(-slow T). */
static double excess(const struct set *set, double guess)
{
    bool behind = set->law == HINGE_BEHIND_RANDOM;
    double lost = behind ? behind_lost(&set->behind, guess) : guess;
    double misses = 1 - set->fits * (1 + set->inner * lost);

    if (behind)
        return misses / (1 - set->fits * set->inner) - behind_misses(&set->behind, guess);
    return lost_at(set, misses) - lost;
}

/* By false position (Illinois). */
static double solve(const struct set *set, double high)
{
    double low = 0, over = excess(set, low), under = excess(set, high);

    for (int step = 0; step < LOST_STEPS && over - under > LOST_ERROR; step++) {
        double guess = (low * under - high * over) / (under - over), off = excess(set, guess);
        if (off > 0) {
            low = guess;
            over = off;
            under /= 2;
        } else {
            high = guess;
            under = off;
            over /= 2;
        }
    }
    return low;
}

/* All that is lost if then the levels hold the set together; else all there is. */
static double most_lost(double fits, double inner)
{
    double most = (1 / fits - 1) / inner;

    return most < 1 ? most : 1;
}

static bool is_set(double fits, double inner)
{
    return fits < 1 && inner < 1 && inner > 0;
}

double hinge_lost(enum hinge_law law, unsigned ways, double fits, double inner, double before)
{
    struct set set = {law, hinge_is_thin(law) ? ways : 1, fits, inner, {0, 0}};

    if (!is_set(fits, inner))
        return 0;
    if (law != HINGE_BEHIND_RANDOM)
        return solve(&set, most_lost(fits, inner));
    set.behind = behind_of(fits * before, fits * inner);
    return behind_lost(&set.behind, solve(&set, 1));
}

double hinge_lost_to_brought(double brought, double fits, double inner)
{
    struct set set = {HINGE_BESIDE, 1 + brought, fits, inner, {0, 0}};

    return is_set(fits, inner) ? solve(&set, most_lost(fits, inner)) : 0;
}
