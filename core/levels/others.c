/* SPDX-License-Identifier: BSD-2-Clause */
/* Alternative interpretations of the curves: inclusion and replacement policy are unknown, and each
 * law gives another capacity and latency for the same points. */
#include "core/levels/state.h"

#define LIKELY 60.0 /* greatest excess cost of an alternative, in squared standard errors */

static void hold_both(struct level *level, const struct level *other)
{
    level->ns_low = other->ns < level->ns_low ? other->ns : level->ns_low;
    level->ns_high = other->ns > level->ns_high ? other->ns : level->ns_high;
    if (level->kind == LEVEL_MEMORY)
        return;
    level->bytes_low = other->bytes < level->bytes_low ? other->bytes : level->bytes_low;
    level->bytes_high = other->bytes > level->bytes_high ? other->bytes : level->bytes_high;
}

static bool is_among(const struct level *others, size_t count, double bytes)
{
    for (size_t i = 0; i + 1 < count; i++)
        if (levels_are_near(others[i].bytes, bytes, LEVELS_NEAR))
            return true;
    return false;
}

static size_t count_caches(const struct level *levels, size_t count)
{
    size_t caches = 0;

    for (size_t i = 0; i < count; i++)
        caches += levels_is_of_caches(&levels[i]);
    return caches;
}

static void hold_other(struct levels_state *state, struct level *levels, size_t count)
{
    struct level others[LEVELS_MAX];
    size_t made, next = 0;
    bool same;

    levels_gather(state);
    made = levels_make_caches(state, others, LEVELS_MAX);
    same = made == count_caches(levels, count);
    for (size_t i = 0; i < count; i++) {
        if (levels_is_of_caches(&levels[i]) && same)
            hold_both(&levels[i], &others[next++]);
        else if (levels[i].kind == LEVEL_UNEXPLAINED && !is_among(others, made, levels[i].bytes))
            levels[i].doubt |= doubt_of(DOUBT_UNDECLARED_CACHE);
    }
}

bool levels_is_likely(const struct levels_state *state, double more)
{
    return more < LIKELY * state->fit.noise * state->fit.noise;
}

void levels_hold_others(struct levels_state *state, struct level *levels, size_t count)
{
    struct level_group group[HINGE_FIT_HINGES];
    size_t groups = 0;

    for (size_t g = 0; g < state->groups; g++)
        if (state->group[g].kind == HINGE_CACHE)
            group[groups++] = state->group[g];
    hinge_fit_keep(&state->fit);
    if (levels_is_likely(state, hinge_fit_other_rows(&state->fit)))
        hold_other(state, levels, count);
    hinge_fit_kept(&state->fit);
    for (size_t g = 0; g < groups; g++)
        for (enum hinge_law law = g > 0 ? HINGE_SHARP : HINGE_LAWS;
             law <= HINGE_LAWS && !state->fit.poll.stopped; law++) {
            if (levels_is_likely(
                    state, hinge_fit_as_one(&state->fit, group[g].members, group[g].bytes, law)))
                hold_other(state, levels, count);
            hinge_fit_kept(&state->fit);
        }
}
