/* SPDX-License-Identifier: BSD-2-Clause */
/* Applies the TLBs found in page curves to the fit of the ordinary curves, and checks which of them
 * the latter confirm. */
#include "core/levels/state.h"

static bool is_of_curve(const struct levels_state *state, const struct levels_reach *reach,
                        size_t curve)
{
    return state->fit.page_bytes[curve] == levels_page_bytes(reach) || reach->of_pieces;
}

static bool is_last_of_page(const struct levels_state *state, size_t k)
{
    for (size_t i = 0; i < state->reaches; i++)
        if (state->reach[i].page_log2 == state->reach[k].page_log2 &&
            state->reach[i].level.bytes > state->reach[k].level.bytes)
            return false;
    return true;
}

/* True if the TLB's cost from its page curve is subtracted from a curve's points: the cost is at
 * least as high there. Walks for large pages have fewer steps, so those for their pieces may cost
 * less than the last TLB of small pages. */
static bool is_taken_off(const struct levels_state *state, size_t k, size_t curve)
{
    const struct levels_reach *reach = &state->reach[k];

    return reach->alone && is_of_curve(state, reach, curve) &&
           (state->fit.page_bytes[curve] == levels_page_bytes(reach) || !is_last_of_page(state, k));
}

/* If all curves have its misses, a TLB's step cannot be separated from a cache's at the same place,
 * so nothing remains for the TLB. Exception: the last TLB, whose walks may cost more than in the
 * page curve, which touches few lines. */
static bool is_all_taken_off(const struct levels_state *state, size_t k, size_t curve)
{
    return is_taken_off(state, k, curve) && (state->fit.curves == 1 || state->reach[k].of_pieces) &&
           !is_last_of_page(state, k);
}

/* How many TLBs that is. */
static size_t tlbs_of(const struct levels_reach *reach)
{
    return reach->level.kind == LEVEL_MERGED_TLBS ? 2 : 1;
}

size_t levels_known_below(const struct levels_state *state, size_t curve, double bytes)
{
    size_t count = 0;

    for (size_t k = 0; k < state->reaches; k++)
        if (is_taken_off(state, k, curve) && state->reach[k].level.bytes < bytes)
            count += tlbs_of(&state->reach[k]);
    return count;
}

/* Subtracts the certain cost of TLBs; a knee at that place may take up the rest. */
static void take_off_reaches(struct levels_state *state)
{
    struct hinge_fit *fit = &state->fit;

    for (size_t k = 0; k < state->reaches; k++) {
        const struct level *level = &state->reach[k].level;
        for (size_t i = 0; i < fit->count; i++) {
            double over = 1 - level->bytes / fit->bytes[i], share = over > 0 ? over : 0;
            bool all = is_all_taken_off(state, k, fit->curve[i]);
            double half = all ? (level->ns_high - level->ns_low) / 2 : 0;
            if (!is_taken_off(state, k, fit->curve[i]))
                continue;
            fit->ns[i] -= share * (all ? level->ns : level->ns_low);
            fit->error[i] += share * half;
            state->own_error[i] += share * half;
        }
    }
}

/* TLBs are known up to half of a page curve's maximum number of pages. */
static void give_known(struct levels_state *state)
{
    const struct levels_request *request = state->request;
    struct hinge_fit *fit = &state->fit;

    for (size_t curve = 0; curve < fit->curves; curve++) {
        double page_bytes = fit->page_bytes[curve];
        for (size_t i = 0; i < request->spread_count; i++) {
            double covered = request->spread[i].pages * page_bytes / 2;
            if ((double)(1ull << request->spread[i].page) == page_bytes &&
                covered > fit->covered[curve])
                fit->covered[curve] = covered;
        }
        for (size_t k = 0; k < state->reaches; k++) {
            const struct levels_reach *reach = &state->reach[k];
            struct hinge tlb = {.kind = HINGE_TLB,
                                .curve = curve,
                                .pos = reach->level.bytes,
                                .fixed = reach->placed,
                                .known = true,
                                .kept = reach->placed,
                                .most = reach->alone ? reach->level.ns_high : 0};
            if (!is_of_curve(state, reach, curve) || is_all_taken_off(state, k, curve))
                continue;
            if (tlb.fixed && fit->knowns < HINGE_FIT_KNOWNS)
                fit->known[fit->knowns++] = tlb;
            else if (!tlb.fixed && fit->hints < HINGE_FIT_HINTS &&
                     !levels_is_tlb_undeclared(request, page_bytes, reach->level.bytes))
                fit->hint[fit->hints++] = tlb;
        }
    }
}

void levels_take_reaches(struct levels_state *state, const struct levels_reach *reach, size_t count)
{
    for (; state->reaches < count; state->reaches++)
        state->reach[state->reaches] = reach[state->reaches];
    levels_tell_pieces(state);
    take_off_reaches(state);
    give_known(state);
}

bool levels_is_known(const struct levels_state *state, const struct level_group *group)
{
    for (size_t j = 0; j < state->fit.hinges; j++)
        if ((group->members >> j & 1) && state->fit.hinge[j].kept)
            return true;
    return false;
}

/* The group of the knee that the fit has at that reach; NULL: none. */
static const struct level_group *group_at(const struct levels_state *state,
                                          const struct levels_reach *reach)
{
    for (size_t g = 0; g < state->groups; g++) {
        const struct level_group *group = &state->group[g];
        if (group->kind == HINGE_TLB && levels_is_known(state, group) &&
            state->fit.page_bytes[group->curve] == levels_page_bytes(reach) &&
            levels_are_near(group->bytes, reach->level.bytes, HINGE_SAME))
            return group;
    }
    return NULL;
}

/* What prefetchers bring makes misses of either curve cheaper or dearer. Includes in the bounds of
 * the cost what the page curve says, unless its knee is not the model's. */
static void hold_page_curve(const struct levels_reach *reach, struct level *level)
{
    if (reach->unfit)
        return;
    if (reach->level.ns_low < level->ns_low)
        level->ns_low = reach->level.ns_low;
    if (reach->level.ns_high > level->ns_high)
        level->ns_high = reach->level.ns_high;
}

/* Registers name no TLBs of its page size, and its knee is the model's. */
static bool may_be_another(const struct levels_state *state, const struct levels_reach *reach)
{
    return reach->level.ns > 0 && !reach->unfit &&
           !levels_is_tlb_undeclared(state->request, levels_page_bytes(reach), reach->level.bytes);
}

/* What it costs is what ordinary curves show. Of one that lies beyond all of them it is what the
 * page curve shows, where a cache's knee may be part of it; of one that they do not show at all,
 * likewise, and the two disagree. False: it may be no TLB. */
static bool make_reach(const struct levels_state *state, const struct levels_reach *reach,
                       struct level *level)
{
    const struct level_group *group = group_at(state, reach);
    double factor[LEVELS_PARAMETERS] = {0};

    *level = reach->level;
    if (reach->level.bytes > levels_largest_set(state)) {
        level->doubt |= doubt_of(DOUBT_MERGED);
        return reach->placed || may_be_another(state, reach);
    }
    if (group == NULL || !(group->step > 0)) {
        level->doubt |= doubt_of(DOUBT_CONTRADICTED);
        return reach->placed;
    }
    if (!reach->placed)
        return false;
    levels_factors_step(group, factor);
    levels_bound_ns(state, factor, group->step, LEVELS_COST, NULL, level);
    hold_page_curve(reach, level);
    levels_doubt_cost(level);
    return true;
}

/* Registers declare a TLB of its page size that reaches further: before its end nothing walks. */
static bool has_tlb_beyond(const struct levels_state *state, const struct levels_reach *reach)
{
    const struct levels_request *request = state->request;

    for (size_t i = 0; i < request->tlb_count; i++)
        if (request->tlbs[i].page_log2 == reach->page_log2 &&
            request->tlbs[i].entries * levels_page_bytes(reach) > LEVELS_NEAR * reach->level.bytes)
            return true;
    return false;
}

size_t levels_make_reaches(const struct levels_state *state, struct level *levels, size_t count,
                           size_t max)
{
    size_t index = 0;
    unsigned page = 0;

    for (size_t k = 0; k < state->reaches && count < max; k++) {
        const struct levels_reach *reach = &state->reach[k];
        levels[count] = reach->level;
        if (!reach->alone && !make_reach(state, reach, &levels[count]))
            continue;
        index = reach->page_log2 == page ? index : 0;
        page = reach->page_log2;
        if (index > 0 && levels_is_tlb_undeclared(state->request, levels_page_bytes(reach),
                                                  reach->level.bytes)) {
            levels_name_walk(page, &levels[count]);
            if (reach->unfit || has_tlb_beyond(state, reach))
                levels[count].doubt |= doubt_of(DOUBT_CONTRADICTED);
        } else {
            levels_name_tlb(state->request, page, index, &levels[count]);
        }
        index += tlbs_of(reach);
        count++;
    }
    return count;
}
