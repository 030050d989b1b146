/* SPDX-License-Identifier: BSD-2-Clause */
/* What the TLBs that curves of pages show mean for the fit of whole pages, and which of them it
 * bears out. */
#include "core/levels_state.h"

static double page_bytes_of(const struct levels_reach *reach)
{
    return (double)(1ull << reach->page_log2);
}

/* One curve alone can not tell a TLB's step from a cache's at the same place: it is taken off, but
 * for the last one's, whose walks may cost more here than where few lines were in their way. */
static bool is_taken_off(const struct levels_state *state, size_t k)
{
    return state->fit.curves == 1 && state->reach[k].alone && k + 1 < state->reaches;
}

size_t levels_taken_off(const struct levels_state *state, double bytes)
{
    size_t count = 0;

    for (size_t k = 0; k < state->reaches; k++)
        count += is_taken_off(state, k) && state->reach[k].level.bytes < bytes;
    return count;
}

static void take_off_reaches(struct levels_state *state)
{
    struct hinge_fit *fit = &state->fit;

    for (size_t k = 0; k < state->reaches; k++) {
        const struct level *level = &state->reach[k].level;
        double half = (level->ns_high - level->ns_low) / 2;
        for (size_t i = 0; i < fit->count && is_taken_off(state, k); i++) {
            double over = 1 - level->bytes / fit->bytes[i], share = over > 0 ? over : 0;
            fit->ns[i] -= share * level->ns;
            fit->error[i] += share * half;
            state->own_error[i] += share * half;
        }
    }
}

/* Up to half of the most pages of a curve of pages its TLBs are known. */
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
                                .at = reach->level.bytes,
                                .fixed = reach->alone,
                                .known = true,
                                .kept = reach->alone};
            if (page_bytes_of(reach) != page_bytes || is_taken_off(state, k))
                continue;
            if (reach->alone)
                fit->known[fit->knowns++] = tlb;
            else if (fit->hints < HINGE_FIT_HINTS &&
                     !levels_is_tlb_undeclared(request, page_bytes, reach->level.bytes))
                fit->hint[fit->hints++] = tlb;
        }
    }
}

void levels_take_reaches(struct levels_state *state, const struct levels_reach *reach, size_t count)
{
    for (; state->reaches < count; state->reaches++) {
        struct levels_reach *kept = &state->reach[state->reaches];
        *kept = reach[state->reaches];
        kept->alone |= levels_is_tlb_declared(state->request, page_bytes_of(kept),
                                              kept->level.bytes, LEVELS_SAME);
    }
    take_off_reaches(state);
    give_known(state);
}

/* What the curve of small pages lacks of a TLB's step, though its curve of pages shows it, because
 * a knee of every curve stands there and is of that size: then large pages meet that TLB too, and
 * the host of a guest keeps them in small pieces. */
static bool is_tlb_of_pieces(const struct levels_state *state, const struct level_group *group,
                             const struct levels_reach *reach)
{
    if (!reach->alone || !levels_are_near(group->bytes, reach->level.bytes, LEVELS_SAME) ||
        !levels_are_near(group->step, reach->level.ns, LEVELS_NEAR))
        return false;
    for (size_t j = 0; j < state->fit.hinges; j++)
        if (state->fit.hinge[j].known && state->fit.hinge[j].at == reach->level.bytes &&
            state->fit.hinge[j].step > reach->level.ns / 2)
            return false;
    return true;
}

void levels_tell_pieces(struct levels_state *state)
{
    for (size_t g = 0; g < state->groups; g++)
        for (size_t k = 0; k < state->reaches; k++) {
            struct level_group *group = &state->group[g];
            if (group->kind != HINGE_CACHE || !is_tlb_of_pieces(state, group, &state->reach[k]))
                continue;
            group->kind = HINGE_TLB;
            group->curve = state->fit.curves - 1;
        }
}

bool levels_is_known(const struct levels_state *state, const struct level_group *group)
{
    for (size_t j = 0; j < state->fit.hinges; j++)
        if ((group->members >> j & 1) && state->fit.hinge[j].known && state->fit.hinge[j].fixed)
            return true;
    return false;
}

size_t levels_make_reaches(const struct levels_state *state, struct level *levels, size_t count,
                           size_t most)
{
    size_t index = 0;
    unsigned page = 0;

    for (size_t k = 0; k < state->reaches && count < most; k++) {
        const struct levels_reach *reach = &state->reach[k];
        if (!reach->alone)
            continue;
        index = reach->page_log2 == page ? index + 1 : 0;
        page = reach->page_log2;
        levels[count] = reach->level;
        if (index > 0 &&
            levels_is_tlb_undeclared(state->request, page_bytes_of(reach), reach->level.bytes))
            levels_name_walk(page, &levels[count]);
        else
            levels_name_tlb(state->request, page, index, &levels[count]);
        count++;
    }
    return count;
}
