/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects the hinges: adds the one that explains most and refits all places, until no hinge
 * explains enough; then removes those whose effect others can take over. */
#include "core/levels/hinge_settle.h"

#include "core/lib/real.h"

#define ADD_SWEEPS    3
#define REMOVE_SWEEPS 2
#define LAST_SWEEPS   12
#define CHEAPER_MIN   1.0 /* squared standard errors */
#define SORTS         (1 + 2 * HINGE_CURVES)

static void drop_unused(struct hinge_fit *fit)
{
    for (size_t j = fit->hinges; j-- > 0;)
        if (!(fit->hinge[j].step > 0) && !fit->hinge[j].kept)
            hinge_fit_take_away(fit, j);
}

/* Upper bound of the reduction of the sum of squares by adding this hinge, with steps of any sign
 * for the hinges in use; exact if they stay positive. */
static double promise(struct hinge_fit *fit, const struct hinge *hinge)
{
    double *column = fit->column[HINGE_FIT_HINGES + 1];
    struct nnls *nnls = &fit->nnls;
    double size = 0, gradient = 0, left, products[NNLS_MAX];

    if (!hinge_fit_goes_on(fit))
        return 0;
    hinge_fit_shares(fit, hinge, HINGE_FIT_HINGES, column);
    for (size_t i = 0; i < fit->count; i++) {
        fit->weighed[i] = fit->weight[i] * column[i];
        size += fit->weighed[i] * column[i];
        gradient += fit->weighed[i] * fit->residual[i];
    }
    if (!(gradient > 0))
        return 0;
    for (size_t a = 0; a < nnls->passive_count; a++) {
        const double *used = fit->column[nnls->passive[a]];
        products[a] = 0;
        for (size_t i = 0; i < fit->count; i++)
            products[a] += fit->weighed[i] * used[i];
    }
    left = nnls_left(nnls, products, size);
    return left > 1e-6 * size ? gradient * gradient / left : 0;
}

/* A walk is a candidate only if a TLB's knee shows that there are walks. */
static bool is_possible(const struct hinge_fit *fit, const struct hinge *hinge)
{
    bool is_missed = hinge->kind != HINGE_WALK;

    for (size_t j = 0; j < fit->hinges; j++)
        is_missed |= fit->hinge[j].kind == HINGE_TLB && fit->hinge[j].curve == hinge->curve;
    return is_missed && hinge->pos >= hinge_fit_min(fit, hinge) &&
           hinge->pos <= hinge_fit_max(fit, hinge);
}

/* The best candidate of each sort: caches, and TLBs and walks of each curve. */

struct candidates {
    double gain[SORTS];
    struct hinge hinge[SORTS];
};

static void consider(struct hinge_fit *fit, const struct hinge *candidate, struct candidates *best)
{
    double gain = is_possible(fit, candidate) ? promise(fit, candidate) : 0;
    size_t sort = candidate->kind == HINGE_CACHE ? 0
                  : candidate->kind == HINGE_TLB ? 1 + candidate->curve
                                                 : 1 + HINGE_CURVES + candidate->curve;

    if (gain > best->gain[sort]) {
        best->gain[sort] = gain;
        best->hinge[sort] = *candidate;
    }
}

/* Candidates: every kind of hinge at each point's size and halfway to the next, and the hints. */
static void find_candidates(struct hinge_fit *fit, struct candidates *best)
{
    *best = (struct candidates){.gain = {0}};
    for (size_t k = 0; k < fit->hints && !fit->staged; k++)
        if (fit->hint[k].known)
            consider(fit, &fit->hint[k], best);
    for (size_t i = 0; i < 2 * fit->count; i++) {
        double pos = fit->bytes[i / 2] * (i % 2 ? 1.09 : 1);
        size_t curve = fit->curve[i / 2];
        struct hinge candidate = {.kind = HINGE_CACHE, .curve = curve, .pos = pos};
        consider(fit, &candidate, best);
        if (fit->curves < 2 || fit->staged)
            continue;
        candidate.kind = HINGE_TLB;
        consider(fit, &candidate, best);
        candidate.kind = HINGE_WALK;
        for (int far = 0; far < 4 && (curve == 0 || fit->pieces); far++) {
            candidate.pos = pos * (1 << 2 * far);
            candidate.soft[curve] = far % 2;
            consider(fit, &candidate, best);
        }
    }
}

/* Removes and returns the best remaining candidate; false: none is worth trying. */
static bool take_candidate(const struct hinge_fit *fit, struct candidates *best,
                           struct hinge *hinge)
{
    size_t sort = 0;

    for (size_t k = 1; k < SORTS; k++)
        sort = best->gain[k] > best->gain[sort] ? k : sort;
    if (!(best->gain[sort] > hinge_fit_gain(fit) / 2))
        return false;
    *hinge = best->hinge[sort];
    best->gain[sort] = 0;
    return true;
}

/* The sum of squares of the saved model under the current weights. */
static double square_of_saved(struct hinge_fit *fit, size_t hinges)
{
    double square;

    fit->kept_hinges = hinge_fit_copy(fit->kept, fit->hinge, fit->hinges);
    hinge_fit_restore(fit, hinges);
    square = fit->square;
    fit->hinges = hinge_fit_copy(fit->hinge, fit->kept, fit->kept_hinges);
    hinge_fit_steps(fit);
    return square;
}

static bool add_this(struct hinge_fit *fit, const struct hinge *hinge)
{
    size_t hinges = fit->hinges;
    double gain = hinge_fit_gain(fit);

    hinge_fit_save(fit);
    fit->hinge[fit->hinges++] = *hinge;
    hinge_fit_steps(fit);
    hinge_fit_refine(fit, ADD_SWEEPS);
    drop_unused(fit);
    hinge_fit_weigh(fit);
    hinge_fit_refine(fit, 1);
    if (square_of_saved(fit, hinges) - fit->square > gain)
        return true;
    hinge_fit_restore(fit, hinges);
    hinge_fit_weigh(fit);
    return false;
}

/* The best candidate may require negative steps of others; then the next sort is tried. */
static bool add_one(struct hinge_fit *fit)
{
    struct candidates best;
    struct hinge hinge;

    if (fit->hinges == HINGE_FIT_HINGES)
        return false;
    find_candidates(fit, &best);
    while (take_candidate(fit, &best, &hinge))
        if (add_this(fit, &hinge))
            return true;
    return false;
}

/* Removes the most dispensable hinge, if there is one. Keeps the weights of the full model: what
 * that model explains must not become a spike. */
static bool remove_one(struct hinge_fit *fit)
{
    double before = fit->square, max = 0;
    size_t hinges = fit->hinges, worst = hinges;

    hinge_fit_save(fit);
    for (size_t j = 0; j < hinges; j++) {
        double saved = hinge_fit_price(fit, j);
        if (fit->hinge[j].kept)
            continue;
        hinge_fit_take_away(fit, j);
        hinge_fit_refine(fit, REMOVE_SWEEPS);
        saved -= fit->square - before;
        if (saved > max) {
            max = saved;
            worst = j;
        }
        hinge_fit_restore(fit, hinges);
    }
    if (worst == hinges)
        return false;
    hinge_fit_take_away(fit, worst);
    hinge_fit_refine(fit, ADD_SWEEPS);
    hinge_fit_weigh(fit);
    return true;
}

/* Bounded, because adding one hinge may make another redundant, in a cycle. */
static void add_all(struct hinge_fit *fit)
{
    for (size_t added = 0; added < 2 * HINGE_FIT_HINGES && add_one(fit); added++)
        ;
}

static void add_and_remove(struct hinge_fit *fit)
{
    add_all(fit);
    while (fit->hinges > 1 && remove_one(fit))
        ;
}

static void find_from_here(struct hinge_fit *fit)
{
    add_and_remove(fit);
    if (hinge_settle_rows(fit))
        add_and_remove(fit);
    if (hinge_settle_laws(fit))
        add_and_remove(fit);
    if (hinge_settle_scattered(fit))
        add_and_remove(fit);
    if (hinge_settle_kinds(fit))
        hinge_settle_laws(fit);
    hinge_fit_refine(fit, LAST_SWEEPS / 2);
    hinge_fit_weigh(fit);
    hinge_fit_refine(fit, LAST_SWEEPS / 2);
    drop_unused(fit);
}

/* Adds hinges at the places of declared TLBs or caches, for the search to confirm or remove. */
static void add_hints(struct hinge_fit *fit, bool caches)
{
    for (size_t k = 0; k < fit->hints && fit->hinges < HINGE_FIT_HINGES; k++) {
        const struct hinge *hint = &fit->hint[k];
        if ((hint->kind == HINGE_CACHE) == caches && hint->pos >= hinge_fit_min(fit, hint) &&
            hint->pos <= hinge_fit_max(fit, hint))
            fit->hinge[fit->hinges++] = *hint;
    }
}

/* First the curve of the largest pages, without TLB misses; then all curves. */
static void find_in_stages(struct hinge_fit *fit, bool hinted)
{
    fit->staged = fit->curves > 1;
    hinge_fit_start(fit);
    if (hinted) {
        add_hints(fit, true);
        hinge_fit_refine(fit, LAST_SWEEPS);
        drop_unused(fit);
        hinge_fit_weigh(fit);
    }
    add_all(fit);
    if (hinge_settle_rows(fit))
        add_and_remove(fit);
    if (hinge_settle_laws(fit))
        add_and_remove(fit);
    fit->staged = false;
    for (size_t j = 0; j < fit->hinges; j++)
        for (size_t curve = 0; curve < fit->curves; curve++)
            fit->hinge[j].scattered[curve] = hinge_fit_scatters(fit, curve);
    if (hinted)
        add_hints(fit, false);
    hinge_fit_trust(fit);
    hinge_fit_weigh(fit);
    hinge_fit_refine(fit, LAST_SWEEPS / 2);
    drop_unused(fit);
    hinge_fit_weigh(fit);
    find_from_here(fit);
}

static double keep_better(struct hinge_fit *fit, double min)
{
    struct hinge_model *found = &fit->found[fit->founds++];
    double now = hinge_fit_cost(fit);

    found->hinges = hinge_fit_copy(found->hinge, fit->hinge, fit->hinges);
    if (!(now < min))
        return min;
    hinge_fit_keep(fit);
    return now;
}

bool hinge_fit_find_from_noted(struct hinge_fit *fit)
{
    if (!(fit->cheaper > CHEAPER_MIN * fit->noise * fit->noise))
        return false;
    hinge_fit_noted(fit);
    find_from_here(fit);
    hinge_fit_weigh(fit);
    return true;
}

/* Several searches, of which the best model is kept: soft knees from the start can hide a TLB,
 * sharp ones can require a false TLB, and declared TLBs are worth trying. */
void hinge_fit_find(struct hinge_fit *fit)
{
    double min = __builtin_inf();

    fit->founds = 0;
    fit->cheaper = 0;
    fit->sharp = false;
    find_in_stages(fit, false);
    min = keep_better(fit, min);
    if (fit->hints > 0) {
        find_in_stages(fit, true);
        min = keep_better(fit, min);
    }
    hinge_fit_start(fit);
    find_from_here(fit);
    min = keep_better(fit, min);
    hinge_fit_start(fit);
    fit->sharp = true;
    find_from_here(fit);
    fit->sharp = false;
    hinge_fit_weigh(fit);
    hinge_fit_refine(fit, LAST_SWEEPS / 2);
    find_from_here(fit);
    min = keep_better(fit, min);
    hinge_fit_kept(fit);
    hinge_fit_refine(fit, 2);
}
