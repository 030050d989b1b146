/* SPDX-License-Identifier: BSD-2-Clause */
/* From points to levels: takes in the points (core/levels/points.c), finds the knees
 * (core/levels/hinge_find.c), gathers them (core/levels/group.c), tells which of those that all
 * curves have are no caches (core/levels/common.c), makes levels of them (core/levels/make.c),
 * bounds them (core/levels/bounds.c), names them (core/levels/name.c) and compares alternative
 * interpretations (core/levels/others.c). */
#include "core/levels/levels.h"

#include "core/levels/state.h"
#include "core/names.h"

#define ROUNDS_MAX 3

size_t levels_workspace_bytes(void)
{
    return sizeof(struct levels_state);
}

const char *level_kind_name(enum level_kind kind)
{
    static const char *const names[] = {
        [LEVEL_CACHE] = LEVEL_NAME_CACHE,
        [LEVEL_TLB] = LEVEL_NAME_TLB,
        [LEVEL_WALK] = LEVEL_NAME_WALK,
        [LEVEL_MEMORY] = LEVEL_NAME_MEMORY,
        [LEVEL_MERGED] = LEVEL_NAME_MERGED,
        [LEVEL_MERGED_TLBS] = LEVEL_NAME_MERGED,
        [LEVEL_UNEXPLAINED] = LEVEL_NAME_UNEXPLAINED,
    };

    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : LEVEL_NAME_UNEXPLAINED;
}

/* ---- levels */

static void give_hints(struct levels_state *state, const struct levels_request *request)
{
    struct hinge_fit *fit = &state->fit;

    for (size_t i = 0; i < request->tlb_count && fit->curves > 1; i++)
        for (size_t curve = 0; curve < fit->curves && fit->hints < HINGE_FIT_HINTS; curve++)
            if (!(fit->covered[curve] > 0) &&
                fit->page_bytes[curve] == (double)(1ull << (request->tlbs[i].page_log2 & 63)))
                fit->hint[fit->hints++] =
                    (struct hinge){.kind = HINGE_TLB,
                                   .curve = curve,
                                   .pos = request->tlbs[i].entries * fit->page_bytes[curve]};
}

static void give_caches(struct levels_state *state, const struct levels_request *request)
{
    struct hinge_fit *fit = &state->fit;
    uint64_t bytes[CACHE_LEVELS_MAX];
    unsigned number[CACHE_LEVELS_MAX];
    size_t declared = levels_declared(request, bytes, number);

    for (size_t d = 0; d < declared && fit->hints < HINGE_FIT_HINTS; d++)
        fit->hint[fit->hints++] = (struct hinge){.kind = HINGE_CACHE, .pos = (double)bytes[d]};
}

/* With a single page size, timing alone cannot separate a TLB from a cache: use the declared
 * ones. */
static void tell_tlbs_of_one_curve(struct levels_state *state, const struct levels_request *request)
{
    for (size_t g = 0; g < state->groups && state->fit.curves == 1; g++) {
        struct level_group *group = &state->group[g];
        struct level found = {.kind = LEVEL_CACHE, .bytes = group->bytes};
        struct level cache = found;
        levels_name_tlb(request, levels_page_of_curve(state, 0), 0, &found);
        levels_name_caches(request, &cache, 1);
        if (found.declared_bytes == 0)
            continue;
        if (!levels_are_near(group->bytes, (double)cache.declared_bytes, HINGE_SAME))
            group->kind = HINGE_TLB;
    }
}

static bool is_tlb_near(const struct hinge *hinge, const struct hinge *hint)
{
    return hinge->kind == HINGE_TLB && hinge->curve == hint->curve &&
           levels_are_near(hinge->pos, hint->pos, LEVELS_NEAR);
}

static bool has_tlb_near(const struct hinge_fit *fit, const struct hinge *hint)
{
    for (size_t j = 0; j < fit->hinges; j++)
        if (is_tlb_near(&fit->hinge[j], hint))
            return true;
    return false;
}

/* A TLB's sharp knee in a rising curve resembles the soft knee of walks, and its place is
 * uncertain. If a walk fits better as a TLB at a declared reach that has no knee yet, it becomes
 * one. A TLB near a declared reach is moved there unless it fits better where it is, or is certain
 * there. */
static void tell_tlbs_by_declared(struct hinge_fit *fit)
{
    for (size_t j = 0; j < fit->hinges; j++)
        for (size_t k = 0; k < fit->hints; k++) {
            const struct hinge *hint = &fit->hint[k], *hinge = &fit->hinge[j];
            bool walk = hinge->kind == HINGE_WALK && !has_tlb_near(fit, hint);
            if (hint->kind == HINGE_TLB && hint->curve == hinge->curve && !hinge->kept &&
                (walk || is_tlb_near(hinge, hint)))
                hinge_fit_try_tlb(fit, j, hint, LEVELS_NEAR);
        }
}

size_t levels_find(const struct levels_request *request, void *workspace, struct level *levels,
                   size_t max)
{
    struct levels_state *state = workspace;
    struct levels_reach reach[LEVELS_REACHES];
    size_t reaches, count = 0;

    state->fit.poll = (struct hinge_poll){.go_on = request->go_on, .context = request->context};
    reaches = levels_find_reaches(state, request, reach);
    if (state->fit.poll.stopped || !levels_take_points(state, request) || max == 0)
        return 0;
    levels_take_reaches(state, reach, reaches);
    give_hints(state, request);
    give_caches(state, request);
    hinge_fit_find(&state->fit);
    if (state->fit.poll.stopped)
        return 0;
    for (unsigned round = 0;
         round < ROUNDS_MAX && (round == 0 || hinge_fit_find_from_noted(&state->fit)); round++) {
        tell_tlbs_by_declared(&state->fit);
        levels_gather(state);
        tell_tlbs_of_one_curve(state, request);
        count = levels_make(state, request, levels, max < LEVELS_MAX ? max : LEVELS_MAX);
        levels_hold_others(state, levels, count);
    }
    levels_doubt_overlaps(levels, count);
    levels_doubt_declared(levels, count, request->prefetched);
    return state->fit.poll.stopped ? 0 : count;
}

/* ---- declared sizes */

size_t levels_fit_declared(const struct levels_request *request, void *workspace,
                           struct level *levels, size_t max)
{
    struct levels_state *state = workspace;
    uint64_t bytes[CACHE_LEVELS_MAX];
    unsigned number[CACHE_LEVELS_MAX];
    size_t declared = levels_declared(request, bytes, number), count;

    state->fit.poll = (struct hinge_poll){.go_on = NULL}; /* one step, no search */
    if (!levels_take_points(state, request) || declared == 0 || max <= declared)
        return 0;
    levels_keep_last_curve(state);
    hinge_fit_start(&state->fit);
    state->places_fixed = true;
    state->fit.hinges = declared;
    state->groups = declared;
    for (size_t d = 0; d < declared; d++)
        state->fit.hinge[d] = (struct hinge){.kind = HINGE_CACHE, .pos = (double)bytes[d]};
    hinge_fit_steps(&state->fit);
    for (size_t d = 0; d < declared; d++)
        state->group[d] = (struct level_group){.kind = HINGE_CACHE,
                                               .members = 1u << d,
                                               .bytes = (double)bytes[d],
                                               .step = state->fit.hinge[d].step};
    levels_covariance(state);
    count = levels_make_caches(state, levels, max);
    levels[count - 1].extrapolated = levels_is_extrapolated(state, (double)bytes[declared - 1]);
    levels_name_caches(request, levels, count - 1);
    return count;
}
