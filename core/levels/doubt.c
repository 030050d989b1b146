/* SPDX-License-Identifier: BSD-2-Clause */
/* Doubts about levels, from the measurement of the points that show them and from the fit. */
#include "core/levels/state.h"

#include "core/lib/text.h"

#define DOUBT_SHARE (1.0 / 3) /* fraction of the points that show it */
#define MISFIT_MAX  1.5       /* of the points that show it, against their noise */

/* The doubts shared by more than a third of the points near a knee. */
static doubt_set doubt_of_points(const struct levels_state *state, double bytes, size_t curve)
{
    size_t count = 0, said[DOUBT_REASONS] = {0};
    doubt_set doubt = 0;

    for (size_t i = 0; i < state->fit.count; i++) {
        if (!levels_shows(state, i, bytes, curve))
            continue;
        count++;
        for (unsigned reason = 0; reason < DOUBT_REASONS; reason++)
            said[reason] += state->doubt[i] >> reason & 1;
    }
    for (unsigned reason = 0; reason < DOUBT_REASONS; reason++)
        if ((double)said[reason] > DOUBT_SHARE * (double)count)
            doubt |= doubt_of((enum doubt_reason)reason);
    return doubt;
}

/* True if points are by so much further off the model than their errors that it is not theirs. */
static bool is_too_far(const struct levels_state *state, double misfit)
{
    return misfit > MISFIT_MAX * state->fit.noise;
}

bool levels_is_unfit(const struct levels_state *state, double bytes, size_t curve)
{
    return is_too_far(state, levels_misfit(state, bytes, curve));
}

/* Memory is what all curves say. */
static bool is_contradicted(const struct levels_state *state, const struct level *level,
                            double bytes, size_t curve)
{
    return is_too_far(state, level->kind == LEVEL_MEMORY || curve != HINGE_CURVES
                                 ? levels_misfit(state, bytes, curve)
                                 : levels_misfit_of_cache(state, bytes));
}

void levels_doubt_cost(struct level *level)
{
    if (!(level->ns_low > 0))
        level->doubt |= doubt_of(DOUBT_TRANSLATION);
}

void levels_doubt(const struct levels_state *state, size_t curve, struct level *level)
{
    bool is_memory = level->kind == LEVEL_MEMORY;
    double bytes = is_memory ? levels_largest_set(state) : level->bytes;

    level->doubt |= doubt_of_points(state, bytes, curve);
    if (curve == HINGE_CURVES && bytes > levels_clear_bytes(state))
        level->doubt |= doubt_of(DOUBT_TRANSLATION);
    if (curve != HINGE_CURVES)
        levels_doubt_cost(level);
    if (!state->is_spread && is_contradicted(state, level, bytes, curve))
        level->doubt |= doubt_of(DOUBT_CONTRADICTED);
    if (level->extrapolated)
        level->doubt |= doubt_of(DOUBT_EXTRAPOLATED);
    if (levels_is_merged(level))
        level->doubt |= doubt_of(DOUBT_MERGED);
    if (!is_memory && !levels_is_seen(state, bytes, curve))
        level->doubt |= doubt_of(DOUBT_BUDGET);
}

/* ---- overlapping levels */

/* Bounds that meet, or figures so near that one knee of another shape may be all there is. Memory
 * has no capacity and is near nothing. */
static bool may_be_one(const struct level *a, const struct level *b)
{
    return levels_is_of_caches(a) && levels_is_of_caches(b) &&
           ((a->bytes_low <= b->bytes_high && b->bytes_low <= a->bytes_high) ||
            levels_are_near(a->bytes, b->bytes, LEVELS_CLOSE));
}

/* Two that the same register names, or two of which one no register names and that may be one. */
static doubt_set doubt_of_pair(const struct level *a, const struct level *b)
{
    bool undeclared = a->kind == LEVEL_UNEXPLAINED || b->kind == LEVEL_UNEXPLAINED;

    if (a->kind == LEVEL_TLB && text_equal(a->name, b->name))
        return doubt_of(DOUBT_MERGED);
    return undeclared && may_be_one(a, b) ? doubt_of(DOUBT_UNDECLARED_CACHE) : 0;
}

void levels_doubt_overlaps(struct level *levels, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            doubt_set doubt = doubt_of_pair(&levels[i], &levels[j]);
            levels[i].doubt |= doubt;
            levels[j].doubt |= doubt;
        }
}

/* More than its register says with all that nearer caches hold. */
static bool is_larger(const struct level *level, double inner)
{
    return level->bytes > LEVELS_SAME_BYTES * ((double)level->declared_bytes + inner);
}

static bool may_hold(const struct level *level, double bytes)
{
    return (bytes >= level->bytes_low && bytes <= level->bytes_high) ||
           levels_are_near(bytes, level->bytes, LEVELS_SAME_BYTES);
}

/* Neither its register's capacity, nor that with all that nearer caches hold, may be what it is. */
static bool is_elsewhere(const struct level *level, double inner)
{
    double declared = (double)level->declared_bytes;

    return !may_hold(level, declared) && !may_hold(level, declared + inner);
}

void levels_doubt_declared(struct level *levels, size_t count, bool prefetched)
{
    double inner = 0;
    bool larger = false;

    for (size_t i = 0; i < count; i++) {
        bool behind = larger, known, elsewhere;
        if (!levels_is_of_caches(&levels[i]) || levels[i].kind == LEVEL_MEMORY)
            continue;
        known = levels[i].kind == LEVEL_CACHE && levels[i].declared_bytes > 0;
        larger = known && is_larger(&levels[i], inner);
        elsewhere = known && prefetched && is_elsewhere(&levels[i], inner);
        levels[i].doubt |= larger || behind || elsewhere ? doubt_of(DOUBT_CONTRADICTED) : 0;
        inner = levels[i].bytes;
    }
}
