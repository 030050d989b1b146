/* SPDX-License-Identifier: BSD-2-Clause */
/* Alternative interpretations of the curves: inclusion and replacement policy are unknown, and each
 * law gives another capacity and latency for the same points; each search may find other levels. */
#include "core/levels/state.h"

#include "core/lib/text.h"

/* Figures within these factors contradict nobody. */
#define SAME_NS 1.02

static void hold_both(struct level *level, const struct level *other)
{
    level->ns_low = other->ns < level->ns_low ? other->ns : level->ns_low;
    level->ns_high = other->ns > level->ns_high ? other->ns : level->ns_high;
    if (level->kind == LEVEL_MEMORY)
        return;
    levels_hold_bytes(level, other->bytes);
}

/* The level of that sort that is nearest to `bytes` and within a factor `near` of it; `count`:
 * none. */
static size_t nearest(const struct level *levels, size_t count, bool cache, double bytes,
                      double near)
{
    size_t best = count;
    double away = near;

    for (size_t i = 0; i < count; i++) {
        double ratio = levels[i].bytes > bytes ? levels[i].bytes / bytes : bytes / levels[i].bytes;
        if (levels[i].kind == LEVEL_WALK || levels[i].kind == LEVEL_MEMORY ||
            levels_is_of_caches(&levels[i]) != cache || !(ratio < away))
            continue;
        away = ratio;
        best = i;
    }
    return best;
}

static size_t count_caches(const struct level *levels, size_t count)
{
    size_t caches = 0;

    for (size_t i = 0; i < count; i++)
        caches += levels_is_of_caches(&levels[i]);
    return caches;
}

static bool is_apart(double low, double high, double other_low, double other_high)
{
    return other_low > high || low > other_high;
}

/* As good a model says that either figure is another one, by more than both errors and by so much
 * that it matters. */
static void doubt_contradicted(struct level *level, const struct level *own,
                               const struct level *other)
{
    bool same_ns = !is_apart(own->ns_low, own->ns_high, other->ns_low, other->ns_high) ||
                   levels_are_near(own->ns, other->ns, SAME_NS);
    bool same_bytes =
        level->kind == LEVEL_MEMORY ||
        !is_apart(own->bytes_low, own->bytes_high, other->bytes_low, other->bytes_high) ||
        levels_are_near(own->bytes, other->bytes, LEVELS_SAME_BYTES);

    if (!same_ns || !same_bytes)
        level->doubt |= doubt_of(DOUBT_CONTRADICTED);
}

/* The alternative has the same caches, in order. own: the levels by themselves. */
static void hold_caches(struct level *levels, const struct level *own, size_t count,
                        const struct level *others, bool as_good)
{
    for (size_t i = 0; i < count; i++)
        if (levels_is_of_caches(&levels[i])) {
            while (!levels_is_of_caches(others))
                others++;
            if (as_good)
                doubt_contradicted(&levels[i], &own[i], others);
            hold_both(&levels[i], others++);
        }
}

/* True if one of the levels has that name, or the second of a merged level's names. */
static bool is_named(const struct level *levels, size_t count, const char *name)
{
    size_t length = text_length(name);

    for (size_t i = 0; i < count; i++) {
        size_t before = length - text_length(levels[i].name);
        if (before <= length && text_equal(levels[i].name, name + before) &&
            (before == 0 || (before > 1 && name[before - 2] == '+')))
            return true;
    }
    return false;
}

/* The alternative has a level more, or takes a knee for that of two levels: ours may be both. */
static void hold_another(struct level *levels, size_t count, const struct level *other)
{
    bool cache = levels_is_of_caches(other) && other->kind != LEVEL_MERGED;
    size_t i = nearest(levels, count, true, other->bytes, cache ? LEVELS_CLOSE : LEVELS_NEAR);
    char *name;

    if (i == count || is_named(levels, count, other->name))
        return;
    levels[i].doubt |= doubt_of(DOUBT_MERGED);
    name = levels[i].name;
    if (levels[i].kind != LEVEL_CACHE || other->kind == LEVEL_UNEXPLAINED)
        return;
    levels[i].kind = LEVEL_MERGED;
    levels[i].tlb_pages |= other->tlb_pages;
    if (other->kind == LEVEL_MERGED)
        text_print(name, sizeof levels[i].name, "%s", other->name);
    else
        text_print(name + text_length(name), sizeof levels[i].name - text_length(name), " + %s",
                   other->name);
}

static bool is_another(const struct level *levels, size_t count, const struct level *other,
                       bool more_caches)
{
    bool cache = levels_is_of_caches(other);

    if (other->kind == LEVEL_WALK || other->kind == LEVEL_MEMORY)
        return false;
    return other->kind == LEVEL_MERGED ||
           ((more_caches || !cache) &&
            nearest(levels, count, cache, other->bytes, LEVELS_NEAR) == count);
}

/* Of a model whose cost is higher by `more`. If it is as good, another level is held, and other
 * figures contradict. */
static void hold_other(struct levels_state *state, double more, struct level *levels,
                       const struct level *own, size_t count)
{
    struct level others[LEVELS_MAX];
    size_t made, caches = count_caches(levels, count), other_caches;
    bool as_good = levels_is_as_good(state, more);

    hinge_fit_note(&state->fit, -more);
    if (!levels_is_likely(state, more))
        return;
    levels_gather(state);
    made = levels_make(state, state->request, others, LEVELS_MAX);
    other_caches = count_caches(others, made);
    if (caches == other_caches)
        hold_caches(levels, own, count, others, as_good);
    for (size_t i = 0; i < count; i++)
        if (levels[i].kind == LEVEL_UNEXPLAINED &&
            (other_caches < caches ||
             nearest(others, made, true, levels[i].bytes, LEVELS_NEAR) == made))
            levels[i].doubt |= doubt_of(DOUBT_UNDECLARED_CACHE);
    for (size_t k = 0; k < made && as_good; k++)
        if (is_another(levels, count, &others[k], other_caches > caches))
            hold_another(levels, count, &others[k]);
}

void levels_hold_others(struct levels_state *state, struct level *levels, size_t count)
{
    struct level_group group[HINGE_FIT_HINGES];
    struct level own[LEVELS_MAX];
    size_t groups = 0;

    for (size_t i = 0; i < count; i++)
        own[i] = levels[i];

    for (size_t g = 0; g < state->groups; g++)
        if (state->group[g].kind == HINGE_CACHE)
            group[groups++] = state->group[g];
    hinge_fit_keep(&state->fit);
    hold_other(state, hinge_fit_other_rows(&state->fit), levels, own, count);
    hinge_fit_kept(&state->fit);
    for (size_t g = 0; g < groups; g++)
        for (enum hinge_law law = g > 0 ? HINGE_SHARP : HINGE_TRIALS;
             law <= HINGE_TRIALS && !state->fit.poll.stopped; law++) {
            if (!hinge_fit_may_follow(&state->fit, law))
                continue;
            hold_other(state, hinge_fit_as_one(&state->fit, group[g].members, group[g].bytes, law),
                       levels, own, count);
            hinge_fit_kept(&state->fit);
        }
    for (size_t k = 0; k < state->fit.founds && !state->fit.poll.stopped; k++) {
        hold_other(state, hinge_fit_as_found(&state->fit, k), levels, own, count);
        hinge_fit_kept(&state->fit);
    }
}
