/* SPDX-License-Identifier: BSD-2-Clause */
/* Confidence bounds of the fit: White's heteroscedasticity-consistent covariance of base, steps and
 * places, propagated to any figure of the model. Each point contributes its own scatter, so a knee
 * that fits badly has wide bounds and a plateau that fits well has narrow ones. */
#include "core/levels/state.h"

#include "core/lib/real.h"

/* Added to the diagonal: hinges of one level may be nearly collinear. The inverse is then up to 1e6
 * and wrong by 1e6 times that times the precision of a double, which has to stay far below 1, or
 * what other hinges say is lost too. */
#define RIDGE      1e-6
#define QUANTILE   1.96 /* 95 % of the normal distribution */
#define FREE_MIN   0.2
#define PLACE_STEP 1e-4 /* for numerical derivatives by ln bytes */

/* Factors on the fit's own bounds, per kind of figure, so that they contain the truth in 95 of 100
 * simulated machines: real knees deviate from the model (docs/levels.md). */
static const double calibration[LEVELS_FIGURES] = {[LEVELS_LATENCY] = 1.5,
                                                   [LEVELS_CAPACITY] = 3.0,
                                                   [LEVELS_REACH] = 4.0,
                                                   [LEVELS_COST] = 2.6,
                                                   [LEVELS_MEMORY] = 3.6};

void levels_factors_value(const struct levels_state *state, double bytes, size_t curve,
                          double *factor)
{
    const struct hinge_fit *fit = &state->fit;

    for (size_t k = 0; k < LEVELS_PARAMETERS; k++)
        factor[k] = 0;
    factor[0] = 1;
    for (size_t j = 0; j < fit->hinges; j++) {
        struct hinge hinge = fit->hinge[j];
        double share = hinge_share(&hinge, bytes, curve);
        factor[1 + 2 * j] = share;
        if (state->places_fixed)
            continue;
        hinge.pos *= 1 + PLACE_STEP;
        factor[2 + 2 * j] = hinge.step * (hinge_share(&hinge, bytes, curve) - share) / PLACE_STEP;
    }
}

void levels_factors_step(const struct level_group *group, double *factor)
{
    for (size_t j = 0; j < HINGE_FIT_HINGES; j++)
        if (group->members >> j & 1)
            factor[1 + 2 * j] += 1;
}

void levels_factors_place(const struct levels_state *state, const struct level_group *group,
                          double *factor)
{
    for (size_t k = 0; k < LEVELS_PARAMETERS; k++)
        factor[k] = 0;
    for (size_t j = 0; j < state->fit.hinges; j++) {
        const struct hinge *hinge = &state->fit.hinge[j];
        if (!(group->members >> j & 1))
            continue;
        factor[1 + 2 * j] = (hinge->pos / group->bytes - 1) / group->step;
        factor[2 + 2 * j] = hinge->step * hinge->pos / (group->step * group->bytes);
    }
}

static double variance(const struct levels_state *state, const double *factor)
{
    double sum = 0;

    for (size_t i = 0; i < state->parameters; i++)
        for (size_t k = 0; k < state->parameters; k++)
            sum += factor[i] * state->covariance[i][k] * factor[k];
    return sum;
}

/* An error in what was subtracted from every point shifts only the base. */
static double common_variance(const struct levels_state *state, const double *factor)
{
    return factor[0] * factor[0] * state->common_error_ns * state->common_error_ns;
}

double levels_standard_error(const struct levels_state *state, const double *factor)
{
    return real_sqrt(variance(state, factor) + common_variance(state, factor));
}

/* Half the width of the 95 % interval of a linear combination of the parameters. */
static double half_width(const struct levels_state *state, const double *factor,
                         enum levels_figure figure, double misfit)
{
    double share = calibration[figure] * misfit;

    return QUANTILE *
           real_sqrt(share * share * variance(state, factor) + common_variance(state, factor));
}

/* bread = (J'WJ)^-1. */
static void fill_bread(struct levels_state *state)
{
    size_t n = state->parameters;

    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double sum = 0;
            for (size_t i = 0; i < state->fit.count; i++)
                sum += state->fit.weight[i] * state->jacobian[i][a] * state->jacobian[i][b];
            state->bread[a][b] = sum;
        }
    nnls_invert_scaled(&state->bread[0][0], n, LEVELS_PARAMETERS, RIDGE, state->unit);
}

static double leverage(const struct levels_state *state, size_t i)
{
    double sum = 0;

    for (size_t a = 0; a < state->parameters; a++)
        for (size_t b = 0; b < state->parameters; b++)
            sum += state->jacobian[i][a] * state->bread[a][b] * state->jacobian[i][b];
    return sum * state->fit.weight[i];
}

/* A point's variance: its residual, corrected for its leverage, but at least its measured error;
 * plus the model error. */
static double seen_variance(const struct levels_state *state, size_t i)
{
    double residual = state->fit.residual[i], own = state->own_error[i];
    double model = LEVELS_MODEL_ERROR * state->fit.ns[i];
    double free = 1 - leverage(state, i);
    double seen = residual * residual / (free > FREE_MIN ? free : FREE_MIN);

    return (seen > own * own ? seen : own * own) + model * model;
}

/* How the parameters move with point i. */
static void fill_moves(struct levels_state *state, size_t i)
{
    for (size_t a = 0; a < state->parameters; a++) {
        double sum = 0;
        for (size_t b = 0; b < state->parameters; b++)
            sum += state->bread[a][b] * state->jacobian[i][b];
        state->move[a] = state->fit.weight[i] * sum;
    }
}

/* The sum over points of their variances times the squares of how the parameters move with them.
 * Where two hinges are nearly collinear, a product of three matrices would lose the square of the
 * digits. */
void levels_covariance(struct levels_state *state)
{
    size_t n = 1 + 2 * state->fit.hinges;

    state->parameters = n;
    for (size_t i = 0; i < state->fit.count; i++)
        levels_factors_value(state, state->fit.bytes[i], state->fit.curve[i], state->jacobian[i]);
    fill_bread(state);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++)
            state->covariance[a][b] = 0;
    for (size_t i = 0; i < state->fit.count; i++) {
        double seen = seen_variance(state, i);
        fill_moves(state, i);
        for (size_t a = 0; a < n; a++)
            for (size_t b = 0; b < n; b++)
                state->covariance[a][b] += seen * state->move[a] * state->move[b];
    }
}

enum replacement { AS_FITTED, IF_LRU, IF_RANDOM };

/* What remains of a law if prefetchers bring no lines. A level that lost lines of the nearer ones
 * in sets hardly larger than itself replaces at random; one that made those lose them is inclusive.
 */
static enum hinge_law without_prefetchers(const struct hinge *hinge, enum replacement replacement)
{
    bool random =
        replacement == IF_RANDOM || (replacement == AS_FITTED && hinge->law == HINGE_BROUGHT);

    if (!hinge_has_lost(hinge->law))
        return hinge->law;
    return random && hinge->lost > 0 ? HINGE_BESIDE : HINGE_SHARP;
}

/* The capacity that a set four times as large keeps filled: a victim cache has free ways there, and
 * a non-inclusive level holds more in total. */
static double held_of(const struct levels_state *state, const struct level_group *group,
                      enum replacement replacement)
{
    double held = group->bytes;

    for (size_t j = 0; j < state->fit.hinges; j++) {
        struct hinge hinge = state->fit.hinge[j];
        if (!(group->members >> j & 1) || hinge.law == HINGE_SHARP)
            continue;
        hinge.law = without_prefetchers(&hinge, replacement);
        hinge.soft[0] = hinge.rows[0] = 0;
        held -= hinge.step / group->step * 4 * hinge.pos *
                (hinge_share(&hinge, 4 * hinge.pos, 0) - 0.75);
    }
    return held;
}

/* The capacity by which a set four times as large would be as cheap as it is if no row were open:
 * about a knee, misses that open rows make cheaper and hits of a larger cache look alike. */
static double held_without_rows(const struct levels_state *state, const struct level_group *group,
                                double held)
{
    size_t curve = state->fit.curves - 1;

    for (size_t j = 0; j < state->fit.hinges; j++) {
        struct hinge hinge = state->fit.hinge[j];
        double share = hinge_share(&hinge, 4 * hinge.pos, curve);
        if (!(group->members >> j & 1) || !(hinge.rows[curve] > 0))
            continue;
        hinge.rows[curve] = 0;
        held += hinge.step / group->step * 4 * hinge.pos *
                (hinge_share(&hinge, 4 * hinge.pos, curve) - share);
    }
    return held;
}

bool levels_follows_inner(const struct levels_state *state, const struct level_group *group)
{
    for (size_t j = 0; j < state->fit.hinges; j++)
        if (group->members >> j & 1 && state->fit.hinge[j].law != HINGE_SHARP)
            return true;
    return false;
}

/* What a law of contents may be off, where one is used: an error that no point shows. */
static double law_error(const struct levels_state *state, const struct level_group *group)
{
    return levels_follows_inner(state, group) ? calibration[LEVELS_CAPACITY] * HINGE_LAW_ERROR : 0;
}

/* A knee that the sets show lies between the smallest and the largest of them, however uncertain
 * the fit is of its place. If it may lie at the end of the sets, the figures are the model's. */
static void keep_to_sets(const struct levels_state *state, struct level *level)
{
    double smallest = levels_smallest_set(state), largest = levels_largest_set(state);

    if (level->bytes >= smallest && level->bytes_low < smallest)
        level->bytes_low = smallest;
    if (level->bytes <= largest && level->bytes_high > largest) {
        level->bytes_high = largest;
        level->extrapolated = true;
    }
}

bool levels_is_moved(const struct levels_state *state, const struct level_group *group,
                     double share)
{
    struct level_group most = {.kind = group->kind};

    for (size_t j = 0; j < state->fit.hinges; j++) {
        const struct hinge *hinge = &state->fit.hinge[j];
        if (group->members >> j & 1 && hinge->step > most.step)
            most = (struct level_group){
                .kind = group->kind, .members = 1u << j, .bytes = hinge->pos, .step = hinge->step};
    }
    return most.step < share * group->step &&
           !levels_are_near(held_of(state, group, AS_FITTED), held_of(state, &most, AS_FITTED),
                            LEVELS_SAME_BYTES);
}

void levels_bound_place(const struct levels_state *state, const struct level_group *group,
                        struct level *level)
{
    double factor[LEVELS_PARAMETERS], held = held_of(state, group, AS_FITTED), half, spread;
    double most = held_of(state, group, IF_RANDOM), least = held_of(state, group, IF_LRU);
    double max = held_without_rows(state, group, most);

    levels_factors_place(state, group, factor);
    if (group->kind == HINGE_CACHE) {
        half =
            half_width(state, factor, LEVELS_CAPACITY, levels_misfit_of_cache(state, group->bytes));
        half = real_hypotenuse(half, law_error(state, group));
    } else {
        half = half_width(state, factor, LEVELS_REACH, 1);
    }
    /* If the place was given, the fit has no error for it. */
    spread = real_exp(real_hypotenuse(half, LEVELS_MODEL_ERROR));
    level->bytes = held;
    level->bytes_low = held / spread < least ? held / spread : least;
    if (!levels_are_near(least, most, LEVELS_SAME_BYTES) ||
        (group->kind == HINGE_CACHE && levels_is_moved(state, group, 1)))
        level->doubt |= doubt_of(DOUBT_CONTRADICTED);
    level->bytes_high = held * spread > max ? held * spread : max;
    keep_to_sets(state, level);
}

void levels_bound_ns(const struct levels_state *state, const double *factor, double ns,
                     enum levels_figure figure, const struct level_group *group,
                     struct level *level)
{
    double half, misfit = 1;

    if (group != NULL)
        misfit = levels_misfit_of_cache(state, group->bytes);
    else if (figure == LEVELS_MEMORY)
        misfit = levels_misfit(state, levels_largest_set(state), HINGE_CURVES);
    half = half_width(state, factor, figure, misfit);

    level->ns = ns;
    level->ns_low = ns - half > 0 ? ns - half : 0;
    level->ns_high = ns + half;
}
