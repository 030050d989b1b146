/* SPDX-License-Identifier: BSD-2-Clause */
/* Gathers hinges into levels. Real knees deviate from the model's shape, and the deviation appears
 * as a small hinge next to the large one, with a step smaller than any cache's. Far beyond them the
 * curve depends only on the sum of their steps and on the mean of their places, weighted by step;
 * these become the level's step and place. A much smaller step may be anything, as memory that is
 * slower the more often it is accessed, and moves no place. */
#include "core/levels/state.h"

#include "core/lib/real.h"

#define PLACE_SHARE  0.05 /* of the largest step: less is no part of the capacity */
#define SPREAD_RATIO 1.5  /* knees of a page curve within this factor are one level */
#define WAYS_RATIO   1.6  /* the second knee of a TLB of two ways is within this factor */
#define TAIL_RATIO   5.5  /* a small hinge within this factor beyond a large one is its tail */
#define SLIGHT_STEP  0.12 /* of the latency before the knee */
#define CLOSE_STEP   0.3  /* minimum step between close caches */
#define STEP_MIN     0.02 /* of the latency at the knee */
#define STEP_ERRORS  3.0  /* standard errors */

void levels_sum_up(const struct hinge_fit *fit, struct level_group *group)
{
    double moment = 0, weight = 0, max = 0;

    for (size_t j = 0; j < fit->hinges; j++)
        if ((group->members >> j & 1) && fit->hinge[j].step > max)
            max = fit->hinge[j].step;
    group->step = 0;
    for (size_t j = 0; j < fit->hinges; j++) {
        if (!(group->members >> j & 1))
            continue;
        group->step += fit->hinge[j].step;
        if (fit->hinge[j].step < PLACE_SHARE * max)
            continue;
        weight += fit->hinge[j].step;
        moment += fit->hinge[j].step * fit->hinge[j].pos;
    }
    group->bytes = moment / weight;
}

static bool goes_before(const struct level_group *a, const struct level_group *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->curve != b->curve ? a->curve < b->curve : a->bytes < b->bytes;
}

void levels_insert_group(struct levels_state *state, const struct level_group *group)
{
    size_t k = state->groups++;

    for (; k > 0 && goes_before(group, &state->group[k - 1]); k--)
        state->group[k] = state->group[k - 1];
    state->group[k] = *group;
}

static void each_alone(struct levels_state *state)
{
    state->groups = 0;
    for (size_t j = 0; j < state->fit.hinges; j++) {
        const struct hinge *hinge = &state->fit.hinge[j];
        struct level_group group = {.kind = hinge->kind,
                                    .curve = hinge->kind == HINGE_CACHE ? 0 : hinge->curve,
                                    .members = 1u << j,
                                    .bytes = hinge->pos,
                                    .step = hinge->step};
        levels_insert_group(state, &group);
    }
}

/* Number of points strictly between two groups, in the curve with the most of them. */
static size_t points_between(const struct hinge_fit *fit, const struct level_group *a,
                             const struct level_group *b)
{
    size_t max = 0;

    for (size_t curve = 0; curve < fit->curves; curve++) {
        size_t count = hinge_fit_between(fit, curve, a->bytes, b->bytes);
        if ((a->kind == HINGE_CACHE || a->curve == curve) && count > max)
            max = count;
    }
    return max;
}

/* The latency before a level's knee, without TLB misses. */
static double latency_before(const struct levels_state *state, size_t g)
{
    double ns = state->fit.base;

    for (size_t k = 0; k < g; k++)
        ns += state->group[k].kind == HINGE_CACHE ? state->group[k].step : 0;
    return ns;
}

/* True if a register declares a cache of about `bytes`, alone or beyond `inner` bytes, and within
 * those limits. */
static bool is_declared(const struct levels_state *state, double bytes, double inner, double low,
                        double high)
{
    for (size_t i = 0; i < state->request->cache_count; i++) {
        double alone = (double)state->request->caches[i].bytes, both = alone + inner;
        if ((levels_are_near(alone, bytes, HINGE_SAME) && alone > low && alone < high) ||
            (levels_are_near(both, bytes, HINGE_SAME) && both > low && both < high))
            return true;
    }
    return false;
}

/* True if a cache of group g's size is declared, alone or beyond the group before it, and it is not
 * rather of the next group's; and, for the second, if one of the next group's is. */
static bool is_first_declared(const struct levels_state *state, size_t g)
{
    const struct level_group *a = &state->group[g], *b = a + 1;
    double inner = g > 0 && a[-1].kind == HINGE_CACHE ? a[-1].bytes : 0;

    return is_declared(state, a->bytes, inner, 0, real_sqrt(a->bytes * b->bytes));
}

static bool is_second_declared(const struct levels_state *state, size_t g)
{
    const struct level_group *a = &state->group[g], *b = a + 1;

    return is_declared(state, b->bytes, 0, real_sqrt(a->bytes * b->bytes), __builtin_inf());
}

bool levels_declares_two(const struct hinge_fit *fit, double low_bytes, double high_bytes)
{
    double middle = real_sqrt(low_bytes * high_bytes);
    bool low = false, high = false;

    for (size_t i = 0; i < fit->hints; i++) {
        double pos = fit->hint[i].pos;
        low |= pos <= middle && levels_are_near(pos, low_bytes, LEVELS_NEAR);
        high |= pos > middle && levels_are_near(pos, high_bytes, LEVELS_NEAR);
    }
    return low && high;
}

/* Of two groups of TLBs or of walks in one curve. What page curves placed one by one is not one. */
static bool is_one_tlb(const struct levels_state *state, const struct level_group *a,
                       const struct level_group *b)
{
    if (levels_is_known(state, a) && levels_is_known(state, b))
        return false;
    if (a->curve == 0 && state->is_spread)
        return b->bytes < a->bytes * SPREAD_RATIO &&
               !levels_declares_two(&state->fit, a->bytes, b->bytes);
    return b->bytes < a->bytes * LEVELS_CLOSE || points_between(&state->fit, a, b) < HINGE_BEYOND;
}

bool levels_has_near_tlb(const struct levels_state *state, const struct level_group *group)
{
    for (size_t g = 0; g < state->groups; g++) {
        const struct level_group *other = &state->group[g];
        if (other != group && other->kind == group->kind && other->curve == group->curve &&
            levels_are_near(other->bytes, group->bytes, WAYS_RATIO))
            return true;
    }
    return false;
}

/* True if groups g and g + 1 are one level. No real cache is only slightly slower or larger than
 * the one before it; such a step is a deviation from the neighbouring knee's model shape. */
static bool is_one_level(const struct levels_state *state, size_t g)
{
    const struct level_group *a = &state->group[g], *b = a + 1;
    double before = latency_before(state, g);
    bool slight;

    if (a->kind != b->kind || (a->kind != HINGE_CACHE && a->curve != b->curve))
        return false;
    if (a->kind != HINGE_CACHE)
        return is_one_tlb(state, a, b);
    slight = b->step < SLIGHT_STEP * (before + a->step) || a->step < SLIGHT_STEP * before;
    if ((slight && b->bytes < a->bytes * TAIL_RATIO) || b->bytes < a->bytes * LEVELS_SAME_BYTES)
        return true;
    if (b->bytes < a->bytes * LEVELS_NEAR && a->step < CLOSE_STEP * before &&
        !is_first_declared(state, g))
        return true;
    return b->bytes < a->bytes * LEVELS_CLOSE && b->step < CLOSE_STEP * (before + a->step) &&
           !(is_first_declared(state, g) && is_second_declared(state, g));
}

static void join_neighbours(struct levels_state *state)
{
    for (size_t g = 0; g + 1 < state->groups;) {
        struct level_group *group = &state->group[g];
        if (!is_one_level(state, g)) {
            g++;
            continue;
        }
        group->members |= group[1].members;
        levels_sum_up(&state->fit, group);
        state->groups--;
        for (size_t k = g + 1; k < state->groups; k++)
            state->group[k] = state->group[k + 1];
        g = g > 0 ? g - 1 : 0;
    }
}

/* The model's latency at a group's knee; a cache's is in all curves, and the one counts that has
 * least from TLBs and walks. */
static double latency_at(const struct levels_state *state, const struct level_group *group)
{
    double least = __builtin_inf();

    for (size_t curve = 0; curve < state->fit.curves; curve++) {
        double ns = hinge_fit_value(&state->fit, group->bytes, curve);
        if ((group->kind == HINGE_CACHE || group->curve == curve) && ns < least)
            least = ns;
    }
    return least;
}

static bool is_slight_step(const struct levels_state *state, const struct level_group *group)
{
    return group->step < STEP_MIN * latency_at(state, group);
}

static bool is_no_step(const struct levels_state *state, const struct level_group *group)
{
    double factor[LEVELS_PARAMETERS] = {0};

    levels_factors_step(group, factor);
    return is_slight_step(state, group) ||
           group->step < STEP_ERRORS * levels_standard_error(state, factor);
}

static void remove_members(struct levels_state *state, uint32_t members)
{
    size_t kept = 0;

    for (size_t j = 0; j < state->fit.hinges; j++)
        if (!(members >> j & 1))
            state->fit.hinge[kept++] = state->fit.hinge[j];
    state->fit.hinges = kept;
    hinge_fit_refine(&state->fit, 3);
}

/* Removes a group whose step is within its error. Where step and place can be had only together,
 * that error says little: without it the model must be as good, or it stays. */
static bool remove_unless_needed(struct levels_state *state, const struct level_group *group)
{
    struct hinge_fit *fit = &state->fit;
    double before = hinge_fit_cost(fit);
    size_t hinges = fit->hinges;

    if (is_slight_step(state, group)) {
        remove_members(state, group->members);
        return true;
    }
    hinge_fit_copy(state->before, fit->hinge, hinges);
    remove_members(state, group->members);
    if (levels_is_as_good(state, hinge_fit_cost(fit) - before))
        return true;
    fit->hinges = hinge_fit_copy(fit->hinge, state->before, hinges);
    hinge_fit_steps(fit);
    hinge_fit_weigh(fit);
    return false;
}

/* The group of the smallest step that is none, and is not one of those that the model needs;
 * state->groups: there is none. */
static size_t smallest_no_step(const struct levels_state *state, uint32_t needed)
{
    size_t smallest = state->groups;

    for (size_t g = 0; g < state->groups; g++) {
        const struct level_group *group = &state->group[g];
        if ((group->members & needed) != 0 || levels_is_known(state, group) ||
            !is_no_step(state, group))
            continue;
        if (smallest == state->groups || group->step < state->group[smallest].step)
            smallest = g;
    }
    return smallest;
}

void levels_gather(struct levels_state *state)
{
    uint32_t needed = 0; /* members of groups, which keep their places while none is removed */

    for (;;) {
        size_t smallest;
        levels_covariance(state);
        each_alone(state);
        join_neighbours(state);
        smallest = smallest_no_step(state, needed);
        if (smallest == state->groups)
            return;
        if (remove_unless_needed(state, &state->group[smallest]))
            needed = 0;
        else
            needed |= state->group[smallest].members;
    }
}
