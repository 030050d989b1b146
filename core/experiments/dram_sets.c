/* SPDX-License-Identifier: BSD-2-Clause */
/* Decides when a working set is large enough. What registers declare is no proof: only larger sets
 * show it. */
#include "core/experiments/dram_sets.h"

#include "core/experiments/dram_figures.h"
#include "core/lib/real.h"
#include "core/plan/sets.h"

/* Two slopes that differ by fewer standard errors agree. */
#define SAME_ERRORS 3
/* A set has to be this many times the size of any cache: a chase over twice a cache with random
 * replacement hits a fifth of its lines, over four times one in fifty. */
#define CACHES_MIN 4
#define RISE_LASTS 0.5
#define RISES_MIN  3

static double root_of_squares(double a, double b, double c)
{
    return real_sqrt(a * a + b * b + c * c);
}

/* Independent draws hit equally often whatever the replacement policy; without draws the chase is
 * used. */
static struct figure hop_of(const struct dram_set *set)
{
    return figure_is_known(set->draw) ? set->draw : set->chase;
}

static struct figure slope_at(const struct dram_set *sets, size_t i)
{
    if (i == 0)
        return figure_unknown();
    return dram_slope(hop_of(&sets[i]), sets[i].bytes, hop_of(&sets[i - 1]), sets[i - 1].bytes);
}

/* By how much a line of the last octave costs more than one of the octave before. In sets that
 * double, the middle one enters both slopes. */
static struct figure bend_at(const struct dram_set *sets, size_t i)
{
    struct figure a, b, c;

    if (i < 2)
        return figure_unknown();
    a = hop_of(&sets[i - 2]);
    b = hop_of(&sets[i - 1]);
    c = hop_of(&sets[i]);
    return (struct figure){2 * c.value - 3 * b.value + a.value,
                           root_of_squares(2 * c.error, 3 * b.error, a.error)};
}

static bool is_beyond(struct figure difference, double errors, double min_ns)
{
    return figure_is_known(difference) && difference.value > errors * difference.error &&
           difference.value > min_ns;
}

/* Of a chase: for draws, doubling any set lowers the share of hits. */
static struct figure rise_at(const struct dram_set *sets, size_t i)
{
    return i == 0 ? figure_unknown() : figure_difference(sets[i].chase, sets[i - 1].chase);
}

/* Whether the chase is below the slope because of cache hits. If it is below by as much in every
 * set, the reason is another, and larger sets do not help. */
static bool chase_is_cached(const struct dram_set *sets, size_t i, struct figure slope)
{
    struct figure missing = figure_difference(slope, sets[i].chase);
    struct figure rise = rise_at(sets, i);

    return is_beyond(missing, 2, DRAM_SAME_SHARE * slope.value) &&
           (!figure_is_known(rise) || rise.value > missing.value / 2);
}

static bool slopes_agree(const struct dram_set *sets, size_t i, struct figure slope)
{
    struct figure bend = bend_at(sets, i), other = bend;

    other.value = -bend.value;
    return figure_is_known(bend) && figure_is_known(slope) &&
           !is_beyond(bend, SAME_ERRORS, DRAM_SAME_SHARE * slope.value) &&
           !is_beyond(other, SAME_ERRORS, DRAM_SAME_SHARE * slope.value);
}

static bool is_enough(const struct dram_set *sets, size_t i)
{
    struct figure slope = slope_at(sets, i);

    return slopes_agree(sets, i, slope) && !chase_is_cached(sets, i, slope);
}

/* A cache stops helping a chase at once or, with random replacement, loses four fifths of its hits
 * in the first doubling and nine tenths of the rest in the next. So no cache makes three doublings
 * in a row slower, the last by half of the average of the two before: that is translation, level by
 * level of its tables. */
static bool goes_on_rising(const struct dram_set *sets, size_t i)
{
    struct figure rise = figure_unknown();
    double sum_ns = 0;

    if (i < RISES_MIN)
        return false;
    for (size_t k = i - RISES_MIN + 1; k <= i; k++) {
        rise = rise_at(sets, k);
        if (!is_beyond(rise, SAME_ERRORS, DRAM_SAME_SHARE * sets[k].chase.value))
            return false;
        sum_ns += rise.value;
    }
    return rise.value >= RISE_LASTS * (sum_ns - rise.value) / (RISES_MIN - 1);
}

/* What may affect the figure of a set that is not large enough. */
static doubt_set doubts_of(const struct dram_set *sets, size_t i, const struct dram_search *search,
                           double declared_bytes)
{
    struct figure bend = bend_at(sets, i), chase = rise_at(sets, i);
    double found_bytes = dram_share_cached(hop_of(&sets[i]), search->slope) * sets[i].bytes;
    doubt_set doubt = 0;

    if (search->rises)
        return doubt_of(DOUBT_TRANSLATION);
    if (found_bytes > 2 * declared_bytes)
        doubt |= doubt_of(DOUBT_UNDECLARED_CACHE);
    if (!search->agree && figure_is_known(bend) && bend.value < 0)
        doubt |= doubt_of(DOUBT_CONTRADICTED);
    if (!search->agree && is_beyond(chase, SAME_ERRORS, DRAM_SAME_SHARE * sets[i].chase.value))
        doubt |= doubt_of(DOUBT_TRANSLATION);
    return doubt != 0 ? doubt : doubt_of(DOUBT_EXTRAPOLATED);
}

/* What may affect the figure of a set that shows no cache: one larger than the set. */
static doubt_set doubts_of_size(double bytes, const struct dram_caches *caches)
{
    doubt_set doubt = 0;

    if (bytes < CACHES_MIN * caches->found_bytes)
        doubt |= doubt_of(DOUBT_EXTRAPOLATED);
    if (bytes < PLAN_MEMORY_MIN_BYTES)
        doubt |= doubt_of(DOUBT_UNDECLARED_CACHE);
    return doubt;
}

void dram_update_slope(const struct dram_set *sets, size_t count, struct dram_search *search)
{
    search->slope = slope_at(sets, count - 1);
    search->rise = rise_at(sets, count - 1);
}

struct dram_search dram_judge_sets(const struct dram_set *sets, size_t count,
                                   const struct dram_caches *caches)
{
    struct dram_search search = {.slope = figure_unknown(), .rise = figure_unknown()};
    size_t last = count - 1;

    if (count == 0)
        return search;
    dram_update_slope(sets, count, &search);
    search.agree = slopes_agree(sets, last, search.slope);
    search.enough = last > 0 && is_enough(sets, last) && is_enough(sets, last - 1);
    search.rises = !search.enough && goes_on_rising(sets, last);
    search.doubt = search.enough ? doubts_of_size(sets[last].bytes, caches)
                                 : doubts_of(sets, last, &search, caches->declared_bytes);
    search.ends = search.rises || (search.enough && search.doubt == 0);
    return search;
}
