/* SPDX-License-Identifier: BSD-2-Clause */
/* Which points show a knee, and how well the fit describes them. */
#include "core/levels/state.h"

#include "core/lib/real.h"

#define SEEN_RATIO 2.0  /* points within this factor show a knee */
#define LIKELY     60.0 /* greatest excess cost of an alternative, in squared standard errors */
#define SEEN_MIN   2    /* points of one curve on each side */

bool levels_shows(const struct levels_state *state, size_t i, double bytes, size_t curve)
{
    return (curve == HINGE_CURVES || state->fit.curve[i] == curve) &&
           state->fit.bytes[i] * SEEN_RATIO >= bytes && state->fit.bytes[i] <= bytes * SEEN_RATIO;
}

bool levels_is_seen(const struct levels_state *state, double bytes, size_t curve)
{
    for (size_t k = 0; k < state->fit.curves; k++)
        if ((curve == HINGE_CURVES || curve == k) &&
            hinge_fit_between(&state->fit, k, bytes / SEEN_RATIO, bytes) >= SEEN_MIN &&
            hinge_fit_between(&state->fit, k, bytes, bytes * SEEN_RATIO) >= SEEN_MIN)
            return true;
    return false;
}

double levels_smallest_set(const struct levels_state *state)
{
    double smallest = __builtin_inf();

    for (size_t i = 0; i < state->fit.count; i++)
        smallest = state->fit.bytes[i] < smallest ? state->fit.bytes[i] : smallest;
    return smallest;
}

double levels_largest_set(const struct levels_state *state)
{
    double largest = 0;

    for (size_t i = 0; i < state->fit.count; i++)
        largest = state->fit.bytes[i] > largest ? state->fit.bytes[i] : largest;
    return largest;
}

/* A knee whose law is another one than the model's has points on one side of the model together,
 * and the covariance takes each by itself. */
double levels_misfit(const struct levels_state *state, double bytes, size_t curve)
{
    const struct hinge_fit *fit = &state->fit;
    double sum = 0, count = 0;

    for (size_t i = 0; i < fit->count; i++) {
        if (!levels_shows(state, i, bytes, curve))
            continue;
        sum += fit->weight[i] * fit->residual[i] * fit->residual[i];
        count++;
    }
    return sum > count ? real_sqrt(sum / count) : 1;
}

/* Scattered frames move a cache's knee in curves of small pages as no model knows. A curve that
 * shows the knee on both sides vouches for it as far as it lies on the model. */
double levels_misfit_of_cache(const struct levels_state *state, double bytes)
{
    double least = levels_misfit(state, bytes, HINGE_CURVES);

    for (size_t curve = 0; curve < state->fit.curves; curve++) {
        double misfit = levels_misfit(state, bytes, curve);
        if (misfit < least && levels_is_seen(state, bytes, curve))
            least = misfit;
    }
    return least;
}

bool levels_is_likely(const struct levels_state *state, double more)
{
    return more < LIKELY * state->fit.noise * state->fit.noise;
}

bool levels_is_as_good(const struct levels_state *state, double more)
{
    return more < HINGE_FAVOUR * state->fit.noise * state->fit.noise;
}
