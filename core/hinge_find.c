/* SPDX-License-Identifier: BSD-2-Clause */
/* Which hinges: the one that explains most is added and all are placed anew, until none explains
 * enough; then those that others can stand in for are taken away. */
#include "core/hinge_fit.h"

#include "core/real.h"

/* A hinge has a place and a step: what BIC, sharpened by the search over places, asks of a gain in
 * the sum of squares, per ln of the number of points. */
#define GAIN_PER_LOG  3.0
#define LONE_MOST     100.0
#define SOFT_COST     6.0
#define ROWS_COST     25.0
#define SWAP_FAVOUR   8.0
#define SWAP_SWEEPS   4
#define ADD_SWEEPS    3
#define REMOVE_SWEEPS 2
#define LAST_SWEEPS   12

static double gain_least(const struct hinge_fit *fit)
{
    return GAIN_PER_LOG * real_log((double)fit->count) * fit->noise * fit->noise;
}

static void save(struct hinge_fit *fit)
{
    for (size_t j = 0; j < fit->hinges; j++)
        fit->saved[j] = fit->hinge[j];
}

static void restore(struct hinge_fit *fit, size_t hinges)
{
    fit->hinges = hinges;
    for (size_t j = 0; j < hinges; j++)
        fit->hinge[j] = fit->saved[j];
    hinge_fit_steps(fit);
}

static void take_away(struct hinge_fit *fit, size_t j)
{
    fit->hinges--;
    for (; j < fit->hinges; j++)
        fit->hinge[j] = fit->hinge[j + 1];
}

static void drop_unused(struct hinge_fit *fit)
{
    for (size_t j = fit->hinges; j-- > 0;)
        if (!(fit->hinge[j].step > 0))
            take_away(fit, j);
}

/* How much the sum of squares would fall with this hinge beside the others, those used now keeping
 * steps of any sign: a bound that is exact where they stay positive. */
static double promise(struct hinge_fit *fit, const struct hinge *hinge)
{
    double *column = fit->column[HINGE_FIT_HINGES + 1];
    struct nnls *nnls = &fit->nnls;
    double size = 0, gradient = 0, left;

    hinge_fit_shares(fit, hinge, column);
    for (size_t i = 0; i < fit->count; i++) {
        size += fit->weight[i] * column[i] * column[i];
        gradient += fit->weight[i] * column[i] * fit->residual[i];
    }
    if (!(gradient > 0))
        return 0;
    left = size;
    for (size_t a = 0; a < nnls->passive_count; a++) {
        const double *used = fit->column[nnls->passive[a]];
        double sum = 0;
        for (size_t i = 0; i < fit->count; i++)
            sum += fit->weight[i] * used[i] * column[i];
        for (size_t k = 0; k < a; k++)
            sum -= nnls->factor[a][k] * nnls->trial[k];
        nnls->trial[a] = sum / nnls->factor[a][a];
        left -= nnls->trial[a] * nnls->trial[a];
    }
    return left > 1e-6 * size ? gradient * gradient / left : 0;
}

/* Walks are looked for only where a TLB's knee says that there are walks. */
static bool is_possible(const struct hinge_fit *fit, const struct hinge *hinge)
{
    bool is_missed = hinge->kind != HINGE_WALK;

    for (size_t j = 0; j < fit->hinges; j++)
        is_missed |= fit->hinge[j].kind == HINGE_TLB && fit->hinge[j].curve == hinge->curve;
    return is_missed && hinge->at >= hinge_fit_least(fit, hinge) &&
           hinge->at <= hinge_fit_most(fit, hinge);
}

/* The best of each sort: caches, TLBs and walks of each curve. */
#define SORTS (1 + 2 * HINGE_CURVES)

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

/* Every kind of hinge at every point's size and half-way to the next. */
static void find_candidates(struct hinge_fit *fit, struct candidates *best)
{
    *best = (struct candidates){.gain = {0}};
    for (size_t i = 0; i < 2 * fit->count; i++) {
        double at = fit->bytes[i / 2] * (i % 2 ? 1.09 : 1);
        size_t curve = fit->curve[i / 2];
        struct hinge candidate = {.kind = HINGE_CACHE, .curve = curve, .at = at};
        consider(fit, &candidate, best);
        if (fit->curves < 2 || fit->staged)
            continue;
        candidate.kind = HINGE_TLB;
        consider(fit, &candidate, best);
        candidate.kind = HINGE_WALK;
        for (int far = 0; far < 4 && curve == 0; far++) {
            candidate.at = at * (1 << 2 * far);
            candidate.soft[curve] = far % 2;
            consider(fit, &candidate, best);
        }
    }
}

/* The most promising that is left, which is then left no more; false: none that is worth a try. */
static bool take_candidate(const struct hinge_fit *fit, struct candidates *best,
                           struct hinge *hinge)
{
    size_t sort = 0;

    for (size_t k = 1; k < SORTS; k++)
        sort = best->gain[k] > best->gain[sort] ? k : sort;
    if (!(best->gain[sort] > gain_least(fit) / 2))
        return false;
    *hinge = best->hinge[sort];
    best->gain[sort] = 0;
    return true;
}

/* The sum of squares of the saved model under the weights of the present one. */
static double square_of_saved(struct hinge_fit *fit, size_t hinges)
{
    double square;

    for (size_t j = 0; j < fit->hinges; j++)
        fit->kept[j] = fit->hinge[j];
    fit->kept_hinges = fit->hinges;
    restore(fit, hinges);
    square = fit->square;
    fit->hinges = fit->kept_hinges;
    for (size_t j = 0; j < fit->hinges; j++)
        fit->hinge[j] = fit->kept[j];
    hinge_fit_steps(fit);
    return square;
}

static bool add_this(struct hinge_fit *fit, const struct hinge *hinge)
{
    size_t hinges = fit->hinges;

    save(fit);
    fit->hinge[fit->hinges++] = *hinge;
    hinge_fit_steps(fit);
    hinge_fit_refine(fit, ADD_SWEEPS);
    drop_unused(fit);
    hinge_fit_weigh(fit, false);
    hinge_fit_refine(fit, 1);
    if (square_of_saved(fit, hinges) - fit->square > gain_least(fit))
        return true;
    restore(fit, hinges);
    hinge_fit_weigh(fit, false);
    return false;
}

/* What promises most may need steps that are negative; then the next sort is tried. */
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

/* Takes away the hinge that is missed least, if it is not missed at all. The weights stay those of
 * the whole model: what it explains are no spikes. */
static bool remove_one(struct hinge_fit *fit)
{
    double before = fit->square, least = gain_least(fit);
    size_t hinges = fit->hinges, worst = hinges;

    save(fit);
    for (size_t j = 0; j < hinges; j++) {
        take_away(fit, j);
        hinge_fit_refine(fit, REMOVE_SWEEPS);
        if (fit->square - before < least) {
            least = fit->square - before;
            worst = j;
        }
        restore(fit, hinges);
    }
    if (worst == hinges)
        return false;
    take_away(fit, worst);
    hinge_fit_refine(fit, ADD_SWEEPS);
    hinge_fit_weigh(fit, false);
    return true;
}

/* What a model costs: misfit, in a measure that does not depend on its own weights, and hinges. */
static double cost(const struct hinge_fit *fit)
{
    double sum = gain_least(fit) * (double)fit->hinges;

    for (size_t i = 0; i < fit->count; i++) {
        double size = fit->residual[i] / fit->error[i];
        double square = fit->trust[i] * size * size;
        sum += square < LONE_MOST ? square : LONE_MOST;
    }
    for (size_t j = 0; j < fit->hinges; j++) {
        sum += fit->hinge[j].holes > 0 ? SOFT_COST : 0;
        for (size_t curve = 0; curve < fit->curves; curve++) {
            sum += fit->hinge[j].soft[curve] > 0 ? SOFT_COST : 0;
            sum += fit->hinge[j].rows[curve] > 0 ? ROWS_COST : 0;
        }
    }
    return sum;
}

static size_t tlbs_below(const struct hinge_fit *fit, size_t j)
{
    size_t count = 0;

    for (size_t k = 0; k < fit->hinges; k++)
        count += fit->hinge[k].kind == HINGE_TLB && fit->hinge[k].curve == fit->hinge[j].curve &&
                 fit->hinge[k].at < fit->hinge[j].at;
    return count;
}

/* Hinge j as the other of TLB and walk, as random (0: least recently used first) entries would be
 * replaced: kept if the model then costs less, by more than `favour`. */
static bool swap_kind(struct hinge_fit *fit, size_t j, double random, double favour)
{
    struct hinge *hinge = &fit->hinge[j];
    double before = cost(fit);
    size_t hinges = fit->hinges;

    save(fit);
    hinge->kind = hinge->kind == HINGE_TLB ? HINGE_WALK : HINGE_TLB;
    hinge->soft[hinge->curve] = random;
    /* Far from the knee a hinge at s looks like a walk at twice that, or at once where random. */
    if (hinge->kind == HINGE_WALK)
        hinge->at *= 2 - random;
    else
        hinge->at /= 2;
    if (hinge->at >= hinge_fit_least(fit, hinge) && hinge->at <= hinge_fit_most(fit, hinge)) {
        hinge_fit_steps(fit);
        hinge_fit_refine(fit, SWAP_SWEEPS);
        if (cost(fit) + favour < before)
            return true;
    }
    restore(fit, hinges);
    return false;
}

bool hinge_fit_try_tlb(struct hinge_fit *fit, size_t j, double reach, double near, double favour)
{
    struct hinge *hinge = &fit->hinge[j];
    double before = cost(fit) + favour * fit->noise * fit->noise;
    size_t hinges = fit->hinges;

    save(fit);
    hinge->kind = HINGE_TLB;
    hinge->soft[hinge->curve] = 0;
    hinge->at = reach;
    if (reach >= hinge_fit_least(fit, hinge) && reach <= hinge_fit_most(fit, hinge)) {
        hinge_fit_steps(fit);
        hinge_fit_refine(fit, SWAP_SWEEPS);
        if (cost(fit) < before && hinge->step > 0 && hinge->at < near * reach &&
            reach < near * hinge->at)
            return true;
    }
    restore(fit, hinges);
    return false;
}

/* The first two knees of a page size's curve are rather its TLBs, what follows rather walks: those
 * are what processors have; but the fit decides where it can. */
static void swap_all(struct hinge_fit *fit)
{
    for (size_t j = 0; j < fit->hinges; j++) {
        size_t below = tlbs_below(fit, j);
        double favour = below < 2 ? SWAP_FAVOUR : -SWAP_FAVOUR;
        if (fit->hinge[j].kind == HINGE_WALK)
            swap_kind(fit, j, 0, -favour);
        else if (fit->hinge[j].kind == HINGE_TLB && below > 0 && !swap_kind(fit, j, 0, favour))
            swap_kind(fit, j, 1, favour);
    }
}

/* One that is added may make another one needless, and so on in a circle. */
static void add_all(struct hinge_fit *fit)
{
    for (size_t added = 0; added < 2 * HINGE_FIT_HINGES && add_one(fit); added++)
        ;
}

static void find_from_here(struct hinge_fit *fit)
{
    add_all(fit);
    while (fit->hinges > 1 && remove_one(fit))
        ;
    swap_all(fit);
    hinge_fit_refine(fit, LAST_SWEEPS / 2);
    hinge_fit_weigh(fit, true);
    hinge_fit_refine(fit, LAST_SWEEPS / 2);
    drop_unused(fit);
}

static void keep_other(struct hinge_fit *fit)
{
    fit->other_hinges = fit->hinges;
    for (size_t j = 0; j < fit->hinges; j++)
        fit->other[j] = fit->hinge[j];
}

/* What large pages show first, where no TLB is in the way; then all of it. */
static void find_in_stages(struct hinge_fit *fit)
{
    fit->staged = fit->curves > 1;
    hinge_fit_start(fit);
    add_all(fit);
    fit->staged = false;
    hinge_fit_trust(fit);
    hinge_fit_weigh(fit, false);
    hinge_fit_refine(fit, LAST_SWEEPS / 2);
    find_from_here(fit);
}

/* More than once: knees that may be soft from the start can hide a TLB, and sharp ones can need a
 * false TLB; the best model is kept. */
void hinge_fit_find(struct hinge_fit *fit)
{
    double least;

    fit->sharp = false;
    find_in_stages(fit);
    least = cost(fit);
    keep_other(fit);
    hinge_fit_start(fit);
    find_from_here(fit);
    if (cost(fit) < least) {
        least = cost(fit);
        keep_other(fit);
    }
    hinge_fit_start(fit);
    fit->sharp = true;
    find_from_here(fit);
    fit->sharp = false;
    hinge_fit_weigh(fit, false);
    hinge_fit_refine(fit, LAST_SWEEPS / 2);
    find_from_here(fit);
    if (cost(fit) < least)
        return;
    fit->hinges = fit->other_hinges;
    for (size_t j = 0; j < fit->hinges; j++)
        fit->hinge[j] = fit->other[j];
    hinge_fit_steps(fit);
    hinge_fit_weigh(fit, true);
    hinge_fit_refine(fit, 2);
}
