/* SPDX-License-Identifier: BSD-2-Clause */
/* Interpretations that adding or removing single hinges does not reach: a TLB that is a walk or
 * vice versa, effects of the frame order, open DRAM rows. Each is kept if the model then costs
 * less. */
#include "core/levels/hinge_settle.h"

#include "core/lib/real.h"

#define SWAP_SWEEPS  4
#define LAW_SWEEPS   3
#define ANYWHERE     1e300
#define FAST_LINES   8.0 /* brought at a miss add 1 to hinge.fast, which is at most FASTEST */
#define FASTEST      2.0
#define VICTIM_REACH 2.5 /* maximum ratio of two knees that belong to one victim cache */

static size_t tlbs_below(const struct hinge_fit *fit, size_t j)
{
    size_t count = 0;

    for (size_t k = 0; k < fit->hinges; k++)
        count += fit->hinge[k].kind == HINGE_TLB && fit->hinge[k].curve == fit->hinge[j].curve &&
                 fit->hinge[k].pos < fit->hinge[j].pos;
    return count;
}

/* Tries hinge j as another kind at another place. Keeps it if the model then costs less than `max`
 * and the hinge stays within a factor `near` of that place. */
static bool try_kind(struct hinge_fit *fit, size_t j, struct hinge as, double max, double near)
{
    struct hinge *hinge = &fit->hinge[j];
    size_t hinges = fit->hinges;

    hinge_fit_save(fit);
    *hinge = as;
    if (as.pos >= hinge_fit_min(fit, hinge) && as.pos <= hinge_fit_max(fit, hinge)) {
        hinge_fit_steps(fit);
        hinge_fit_refine(fit, SWAP_SWEEPS);
        if (hinge_fit_cost(fit) < max && hinge->step > 0 && hinge->pos < near * as.pos &&
            as.pos < near * hinge->pos)
            return true;
    }
    hinge_fit_restore(fit, hinges);
    return false;
}

/* Far from its knee a hinge at s looks like a walk at 2 s if page-table entries are replaced LRU
 * (random 0), or at s if at random (random 1). */
static bool swap_kind(struct hinge_fit *fit, size_t j, double random, double favour)
{
    struct hinge as = fit->hinge[j];

    as.pos *= as.kind == HINGE_TLB ? 2 - random : 0.5;
    as.kind = as.kind == HINGE_TLB ? HINGE_WALK : HINGE_TLB;
    as.soft[as.curve] = random;
    return try_kind(fit, j, as, hinge_fit_cost(fit) - favour, ANYWHERE);
}

bool hinge_fit_try_tlb(struct hinge_fit *fit, size_t j, const struct hinge *tlb, double near)
{
    struct hinge as = *tlb;

    as.fixed = fit->hinge[j].kind == HINGE_TLB;
    return try_kind(fit, j, as, hinge_fit_cost(fit), near);
}

/* A cache's knee that only one page size shows may be a TLB's if one is declared nearby; the other
 * curves may show walks there. */
static void as_tlb(struct hinge_fit *fit, size_t j)
{
    for (size_t k = 0; k < fit->hints && fit->hinge[j].kind == HINGE_CACHE; k++) {
        struct hinge as = fit->hint[k];
        double away = real_abs(real_log(as.pos / fit->hinge[j].pos));
        as.fixed = as.pos > hinge_fit_max(fit, &as);
        if (away < HINGE_REACH_LOG)
            try_kind(fit, j, as, hinge_fit_cost(fit), ANYWHERE);
    }
}

/* Reverts to the saved model unless the trial was better; returns `better`. */
static bool is_kept(struct hinge_fit *fit, size_t hinges, bool better)
{
    if (!better) {
        hinge_fit_restore(fit, hinges);
        hinge_fit_weigh(fit);
    }
    return better;
}

/* A knee that takes up more than what the known TLB at its place costs, and one of another page
 * size there, may be one cache's. */
static bool as_cache(struct hinge_fit *fit, size_t j)
{
    const struct hinge tlb = fit->hinge[j];
    double before = hinge_fit_cost(fit);
    size_t hinges = fit->hinges, k = 0;

    while (k < hinges && (fit->hinge[k].kind == HINGE_CACHE || fit->hinge[k].known ||
                          fit->hinge[k].curve == tlb.curve ||
                          real_abs(real_log(fit->hinge[k].pos / tlb.pos)) > HINGE_REACH_LOG))
        k++;
    if (k == hinges)
        return false;
    hinge_fit_save(fit);
    fit->hinge[k] = (struct hinge){.kind = HINGE_CACHE, .pos = tlb.pos};
    hinge_fit_steps(fit);
    hinge_fit_weigh(fit);
    hinge_fit_refine(fit, SWAP_SWEEPS);
    return is_kept(fit, hinges, hinge_fit_cost(fit) < before);
}

/* Prior: the first two TLB-like knees of a page size are TLBs, further ones are walks, as in real
 * processors. The fit decides where it can. */
bool hinge_settle_kinds(struct hinge_fit *fit)
{
    bool any = false;

    for (size_t j = 0; j < fit->hinges; j++) {
        size_t below = tlbs_below(fit, j);
        double favour = below < 2 ? HINGE_FAVOUR : -HINGE_FAVOUR;
        if (fit->hinge[j].known) {
            any |= hinge_fit_is_shared(&fit->hinge[j]) && as_cache(fit, j);
            continue;
        }
        if (fit->hinge[j].kind == HINGE_CACHE)
            as_tlb(fit, j);
        else if (fit->hinge[j].kind == HINGE_WALK)
            swap_kind(fit, j, 0, -favour);
        else if (fit->hinge[j].kind == HINGE_TLB && below > 0 && !swap_kind(fit, j, 0, favour))
            swap_kind(fit, j, 1, favour);
    }
    return any;
}

/* Tries the opposite assumption on whether the random order of frames affects the points near a
 * knee, and keeps it if the model then costs less. */
static bool flip_scattered(struct hinge_fit *fit, size_t j, size_t curve)
{
    double before = hinge_fit_cost(fit);
    size_t hinges = fit->hinges;

    hinge_fit_save(fit);
    fit->hinge[j].scattered[curve] = !fit->hinge[j].scattered[curve];
    hinge_fit_weigh(fit);
    hinge_fit_refine(fit, SWAP_SWEEPS);
    return is_kept(fit, hinges, hinge_fit_cost(fit) < before);
}

bool hinge_settle_scattered(struct hinge_fit *fit)
{
    bool any = false;

    for (size_t j = 0; j < fit->hinges; j++)
        for (size_t curve = 0; curve < fit->curves; curve++)
            if (fit->hinge[j].kind == HINGE_CACHE && hinge_fit_scatters(fit, curve))
                any |= flip_scattered(fit, j, curve);
    return any;
}

/* Tries open DRAM rows as a replacement for the last `in_place` knees. Open rows save less than
 * half of the memory latency, so larger steps cannot be explained by them. */
static bool try_rows(struct hinge_fit *fit, unsigned in_place)
{
    double before = hinge_fit_cost(fit), step = 0;
    size_t hinges = fit->hinges, last = hinge_fit_last_cache(fit, __builtin_inf());
    bool better = false;

    hinge_fit_save(fit);
    for (unsigned k = 0; k < in_place && last < fit->hinges; k++) {
        double pos = fit->hinge[last].pos;
        step += fit->hinge[last].step;
        hinge_fit_take_away(fit, last);
        last = hinge_fit_last_cache(fit, pos);
    }
    if (last < fit->hinges && fit->hinge[last].step > step && !(fit->hinge[last].open > 0)) {
        hinge_fit_steps(fit);
        if (hinge_fit_guess_rows(fit, last)) {
            hinge_fit_refine(fit, SWAP_SWEEPS);
            hinge_fit_weigh(fit);
            hinge_fit_refine(fit, SWAP_SWEEPS);
            better = hinge_fit_cost(fit) < before;
        }
    }
    return is_kept(fit, hinges, better);
}

bool hinge_settle_rows(struct hinge_fit *fit)
{
    return try_rows(fit, 2) || try_rows(fit, 1) || try_rows(fit, 0);
}

/* The next cache's knee after hinge j; fit->hinges if there is none. */
static size_t next_cache(const struct hinge_fit *fit, size_t j)
{
    size_t next = fit->hinges;

    for (size_t k = 0; k < fit->hinges; k++)
        if (fit->hinge[k].kind == HINGE_CACHE && fit->hinge[k].pos > fit->hinge[j].pos &&
            (next == fit->hinges || fit->hinge[k].pos < fit->hinge[next].pos))
            next = k;
    return next;
}

/* Merges hinge j and the next one into a knee at their mean place, weighted by step; returns its
 * index. */
static size_t join(struct hinge_fit *fit, size_t j, size_t next)
{
    const struct hinge *far = &fit->hinge[next];
    struct hinge *hinge = &fit->hinge[j];

    hinge->pos = (hinge->pos * hinge->step + far->pos * far->step) / (hinge->step + far->step);
    hinge_fit_take_away(fit, next);
    return next < j ? j - 1 : j;
}

bool hinge_fit_may_follow(const struct hinge_fit *fit, enum hinge_law law)
{
    return !hinge_has_lost(law) || fit->brought > 0;
}

static void fit_ways(struct hinge_fit *fit, size_t j, enum hinge_law law)
{
    fit->hinge[j].law = law;
    fit->hinge[j].ways = 0;
    hinge_fit_ways(fit, j);
}

/* The law of a trial's own hinge. */
static enum hinge_law law_of(enum hinge_law trial)
{
    return trial == HINGE_BEHIND_VICTIMS ? HINGE_BEHIND_RANDOM
           : trial == HINGE_THIN_ROWS    ? HINGE_THIN
                                         : trial;
}

static void fit_law(struct hinge_fit *fit, size_t j, enum hinge_law trial)
{
    struct hinge *hinge = &fit->hinge[j];
    size_t before = hinge_fit_last_cache(fit, hinge->pos);
    enum hinge_law law = law_of(trial);

    hinge->law = hinge_has_ways(law) ? HINGE_SHARP : law;
    hinge->lost = 0;
    hinge->fast = 1 + fit->brought / FAST_LINES;
    hinge->fast = hinge->fast < FASTEST ? hinge->fast : FASTEST;
    if (hinge_is_thin(law)) {
        for (size_t curve = 0; curve < fit->curves; curve++)
            hinge->soft[curve] = hinge->rows[curve] = 0;
        hinge->open = 0;
        hinge->fades = false;
    }
    hinge_fit_steps(fit);
    if (hinge_has_ways(law))
        fit_ways(fit, j, law);
    if (trial == HINGE_BEHIND_VICTIMS && before < fit->hinges)
        fit_ways(fit, before, HINGE_VICTIMS);
    if (trial == HINGE_THIN_ROWS && hinge_fit_guess_rows(fit, j))
        fit_ways(fit, j, law);
    hinge_fit_weigh(fit);
    hinge_fit_refine(fit, SWAP_SWEEPS);
    hinge_fit_weigh(fit);
}

/* What random replacement in the level before changes fades with the ratio of the two; of levels of
 * about one size, that law would describe any soft knee. */
static bool is_in_reach(const struct hinge_fit *fit, size_t j, enum hinge_law law)
{
    const struct hinge *hinge = &fit->hinge[j];

    return (law != HINGE_BEHIND_RANDOM && law != HINGE_BEHIND_VICTIMS) ||
           (hinge->pos > HINGE_SAME * hinge->inner && hinge->pos < VICTIM_REACH * hinge->inner);
}

/* Tries another law for hinge j, alone or merged with the next hinge. Only the last level adapts.
 */
static bool try_law(struct hinge_fit *fit, size_t j, enum hinge_law law, bool with_next)
{
    double before = hinge_fit_cost(fit);
    size_t hinges = fit->hinges, next = next_cache(fit, j),
           last = hinge_fit_last_cache(fit, ANYWHERE);

    if (with_next && (next == hinges || fit->hinge[next].pos > VICTIM_REACH * fit->hinge[j].pos))
        return false;
    if (hinge_is_thin(law_of(law)) && last != (with_next ? next : j))
        return false;
    if (!hinge_fit_may_follow(fit, law) || !is_in_reach(fit, j, law))
        return false;
    hinge_fit_save(fit);
    if (with_next) {
        double pos = fit->hinge[j].pos;
        j = join(fit, j, next);
        fit->hinge[j].pos = hinge_is_thin(law_of(law)) ? pos : fit->hinge[j].pos;
    }
    fit_law(fit, j, law);
    return is_kept(fit, hinges, hinge_fit_cost(fit) < before && is_in_reach(fit, j, law));
}

/* All laws, for hinge j. */
static bool try_laws(struct hinge_fit *fit, size_t j)
{
    bool any = false;

    for (enum hinge_law law = HINGE_SHARP; law < HINGE_TRIALS && j < fit->hinges; law++)
        if (fit->hinge[j].kind == HINGE_CACHE && law != fit->hinge[j].law &&
            hinge_fit_last_cache(fit, fit->hinge[j].pos) < fit->hinges)
            any |=
                try_law(fit, j, law, false) || (law != HINGE_SHARP && try_law(fit, j, law, true));
    return any;
}

/* What law fits a level depends on those of the others: until all were tried since the last change.
 */
bool hinge_settle_laws(struct hinge_fit *fit)
{
    size_t since = 0, j = 0;
    bool any = false;

    for (size_t tries = LAW_SWEEPS * fit->hinges; tries > 0 && since < fit->hinges && !fit->sharp;
         tries--) {
        bool changed = try_laws(fit, j);
        any |= changed;
        since = changed ? 0 : since + 1;
        j = j + 1 < fit->hinges ? j + 1 : 0;
    }
    return any;
}

double hinge_fit_as_one(struct hinge_fit *fit, uint32_t members, double pos, enum hinge_law law)
{
    struct hinge hinge = {.kind = HINGE_CACHE, .pos = pos};
    double before = hinge_fit_cost(fit);

    for (size_t j = fit->hinges; j-- > 0;)
        if (members >> j & 1) {
            if (fit->hinge[j].step >= hinge.step)
                hinge = fit->hinge[j];
            hinge_fit_take_away(fit, j);
        }
    if (law == HINGE_TRIALS) {
        hinge_fit_weigh(fit);
        hinge_fit_refine(fit, SWAP_SWEEPS);
        hinge_settle_rows(fit);
        hinge_settle_laws(fit);
    } else {
        hinge.pos = pos;
        fit->hinge[fit->hinges++] = hinge;
        fit_law(fit, fit->hinges - 1, law);
    }
    return hinge_fit_cost(fit) - before;
}

double hinge_fit_other_rows(struct hinge_fit *fit)
{
    size_t last = hinge_fit_last_cache(fit, __builtin_inf());
    double before = hinge_fit_cost(fit);
    struct hinge *hinge = &fit->hinge[last];

    if (last == fit->hinges)
        return __builtin_inf();
    if (hinge->rows[fit->curves - 1] > 0) {
        for (size_t curve = 0; curve < fit->curves; curve++)
            hinge->rows[curve] = 0;
        hinge->open = 0;
        hinge->fades = false;
        fit->sharp = true;
    } else {
        /* Cheaper misses in small sets (open rows) and fewer misses there (adaptive) look alike. */
        if (hinge_is_thin(hinge->law))
            hinge->law = HINGE_SHARP;
        if (!hinge_fit_guess_rows(fit, last))
            return __builtin_inf();
    }
    hinge_fit_steps(fit);
    hinge_fit_weigh(fit);
    hinge_fit_refine(fit, SWAP_SWEEPS);
    hinge_fit_weigh(fit);
    fit->sharp = false;
    return hinge_fit_cost(fit) - before;
}
