/* SPDX-License-Identifier: BSD-2-Clause */
/* Which hinges make one level. Real caches are not perfectly sharp: exclusive levels have holes
 * that fill as the set grows, random replacement keeps what nobody wants for long, and both show as
 * small hinges beside the large one. Far beyond all of them the curve depends only on the sum of
 * their steps and on their mean place, weighted by step: these are the level's. */
#include "core/levels_state.h"

#include "core/real.h"

#define PLATEAU_POINTS 3   /* that must lie between two levels */
#define PLATEAU_RATIO  2.0 /* and so far apart, however dense the points */
#define TAIL_RATIO     5.5 /* a small hinge so near beyond the last large one is its tail */
#define LEAD_RATIO     2.5 /* before a large one, or between two */
#define TAIL_STEP      0.2 /* small: this part of the large one */
#define SHIFT_RATIO    1.4
#define SHIFT_STEP     0.015 /* of the cache's */
#define STEP_LEAST     0.02  /* of the latency at the knee */
#define STEP_ERRORS    3.0   /* standard errors */

static void sum_up(const struct hinge_fit *fit, struct level_group *group)
{
    double moment = 0;

    group->step = 0;
    for (size_t j = 0; j < fit->hinges; j++) {
        if (!(group->members >> j & 1))
            continue;
        group->step += fit->hinge[j].step;
        moment += fit->hinge[j].step * fit->hinge[j].at;
    }
    group->bytes = moment / group->step;
}

static bool goes_before(const struct level_group *a, const struct level_group *b)
{
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->curve != b->curve ? a->curve < b->curve : a->bytes < b->bytes;
}

static void each_alone(struct levels_state *state)
{
    state->groups = state->fit.hinges;
    for (size_t j = 0; j < state->fit.hinges; j++) {
        const struct hinge *hinge = &state->fit.hinge[j];
        struct level_group group = {.kind = hinge->kind,
                                    .curve = hinge->kind == HINGE_CACHE ? 0 : hinge->curve,
                                    .members = 1u << j,
                                    .bytes = hinge->at,
                                    .step = hinge->step};
        size_t k = j;
        for (; k > 0 && goes_before(&group, &state->group[k - 1]); k--)
            state->group[k] = state->group[k - 1];
        state->group[k] = group;
    }
}

/* Points of the curve that shows them best, strictly between. */
static size_t points_between(const struct hinge_fit *fit, const struct level_group *a,
                             const struct level_group *b)
{
    size_t most = 0;

    for (size_t curve = 0; curve < fit->curves; curve++) {
        size_t count = hinge_fit_between(fit, curve, a->bytes, b->bytes);
        if ((a->kind == HINGE_CACHE || a->curve == curve) && count > most)
            most = count;
    }
    return most;
}

static bool is_one_level(const struct hinge_fit *fit, const struct level_group *a,
                         const struct level_group *b, bool is_last)
{
    if (a->kind != b->kind || (a->kind != HINGE_CACHE && a->curve != b->curve))
        return false;
    if (b->bytes < a->bytes * PLATEAU_RATIO || points_between(fit, a, b) < PLATEAU_POINTS)
        return true;
    if (a->kind != HINGE_CACHE)
        return false;
    /* A level that answers after 1.4 times the latency of the one before adds more than that. */
    if (b->step < TAIL_STEP * a->step)
        return b->bytes < a->bytes * (is_last ? TAIL_RATIO : LEAD_RATIO);
    return a->step < TAIL_STEP * b->step && b->bytes < a->bytes * LEAD_RATIO;
}

static void join_neighbours(struct levels_state *state)
{
    for (size_t g = 0; g + 1 < state->groups;) {
        struct level_group *group = &state->group[g];
        bool is_last = g + 2 == state->groups || group[2].kind != HINGE_CACHE;
        if (!is_one_level(&state->fit, group, group + 1, is_last)) {
            g++;
            continue;
        }
        group->members |= group[1].members;
        sum_up(&state->fit, group);
        state->groups--;
        for (size_t k = g + 1; k < state->groups; k++)
            state->group[k] = state->group[k + 1];
        g = g > 0 ? g - 1 : 0;
    }
}

static bool is_declared_tlb(const struct levels_state *state, const struct level_group *group)
{
    const struct levels_request *request = state->request;

    for (size_t i = 0; i < request->tlb_count; i++) {
        double page_bytes = (double)(1ull << (request->tlbs[i].page_log2 & 63));
        double ratio = group->bytes / ((double)request->tlbs[i].entries * page_bytes);
        if (page_bytes == state->fit.page_bytes[group->curve] && ratio > 1 / SHIFT_RATIO &&
            ratio < SHIFT_RATIO)
            return true;
    }
    return false;
}

/* Page-table entries take a little room from the data, more with small pages: the knee of the cache
 * stands a little earlier in their curve, which looks like a small TLB beside it: unless one of
 * that reach is declared. */
static bool is_shift_of_knee(const struct levels_state *state, const struct level_group *group)
{
    for (size_t g = 0; g < state->groups && group->kind == HINGE_TLB; g++) {
        const struct level_group *cache = &state->group[g];
        double ratio = group->bytes / cache->bytes;
        if (cache->kind == HINGE_CACHE && ratio > 1 / SHIFT_RATIO && ratio < SHIFT_RATIO &&
            group->step < SHIFT_STEP * cache->step && !is_declared_tlb(state, group))
            return true;
    }
    return false;
}

static bool is_no_step(const struct levels_state *state, const struct level_group *group)
{
    double factor[LEVELS_PARAMETERS] = {0};
    double before = hinge_fit_value(&state->fit, group->bytes, group->curve);
    double error;

    if (is_shift_of_knee(state, group))
        return true;
    levels_factors_step(group, factor);
    error = levels_half_width(state, factor) / 1.96;
    return group->step < STEP_LEAST * before || group->step < STEP_ERRORS * error;
}

static void remove_members(struct levels_state *state, uint32_t members)
{
    size_t kept = 0;

    for (size_t j = 0; j < state->fit.hinges; j++)
        if (!(members >> j & 1))
            state->fit.hinge[kept++] = state->fit.hinge[j];
    state->fit.hinges = kept;
}

void levels_gather(struct levels_state *state)
{
    bool again = true;

    while (again) {
        size_t smallest = 0;
        again = false;
        levels_covariance(state);
        each_alone(state);
        join_neighbours(state);
        for (size_t g = 0; g < state->groups; g++) {
            if (!is_no_step(state, &state->group[g]))
                continue;
            if (!again || state->group[g].step < state->group[smallest].step)
                smallest = g;
            again = true;
        }
        if (again) {
            remove_members(state, state->group[smallest].members);
            hinge_fit_refine(&state->fit, 3);
        }
    }
}
