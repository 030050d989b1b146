/* SPDX-License-Identifier: BSD-2-Clause */
/* Makes levels of the fit's groups: kind, figures and bounds. */
#include "core/levels/state.h"

#include "core/lib/real.h"
#include "core/lib/text.h"

#define BEYOND_RATIO 8 /* least ratio of largest set to last capacity; below: extrapolated */

unsigned levels_page_of_curve(const struct levels_state *state, size_t curve)
{
    unsigned page = 0;

    while ((double)(1ull << page) < state->fit.page_bytes[curve])
        page++;
    return page;
}

/* Prefetchers may bring so many lines into the cache before that it holds less of those that are
 * nearer, and more in total: hits there that would be misses. Their part of the sets between the
 * two capacities hardly varies, so the points do not tell it from a lower latency here. */
static void hold_brought(const struct levels_state *state, const struct level *inner,
                         const struct level *before, struct level *level)
{
    double between = real_sqrt(before->bytes * level->bytes), fits = before->bytes / between;
    double lost = hinge_lost_to_brought(state->fit.brought, fits, inner->bytes / before->bytes);
    double missing = lost * inner->bytes / (between - before->bytes);

    if (missing < 1)
        level->ns_high += (level->ns - before->ns) * missing / (1 - missing);
}

size_t levels_make_caches(const struct levels_state *state, struct level *levels, size_t max)
{
    double factor[LEVELS_PARAMETERS] = {1}, ns = state->fit.base;
    size_t count = 0;

    for (size_t g = 0; g < state->groups && count + 1 < max; g++) {
        const struct level_group *group = &state->group[g];
        if (group->kind != HINGE_CACHE)
            continue;
        levels[count] = (struct level){.kind = LEVEL_CACHE};
        levels_bound_place(state, group, &levels[count]);
        if (count > 0 && levels_follows_inner(state, group))
            levels[count].doubt |= levels[count - 1].doubt & doubt_of(DOUBT_CONTRADICTED);
        levels_bound_ns(state, factor, ns, LEVELS_LATENCY, group, &levels[count]);
        if (count > 1 && state->fit.brought > 0)
            hold_brought(state, &levels[count - 2], &levels[count - 1], &levels[count]);
        count++;
        levels_factors_step(group, factor);
        ns += group->step;
    }
    levels[count] = (struct level){.kind = LEVEL_MEMORY,
                                   .name = "memory",
                                   .bytes = real_nan(),
                                   .bytes_low = real_nan(),
                                   .bytes_high = real_nan()};
    levels_bound_ns(state, factor, ns, LEVELS_MEMORY, NULL, &levels[count]);
    return count + 1;
}

bool levels_is_extrapolated(const struct levels_state *state, double last_bytes)
{
    const struct hinge_fit *fit = &state->fit;
    size_t max = 0;

    for (size_t curve = 0; curve < fit->curves; curve++) {
        size_t beyond = hinge_fit_between(fit, curve, last_bytes, __builtin_inf());
        max = beyond > max ? beyond : max;
    }
    return max < HINGE_BEYOND || levels_largest_set(state) < BEYOND_RATIO * last_bytes;
}

static double largest_of_curve(const struct hinge_fit *fit, size_t curve)
{
    double largest = 0;

    for (size_t i = 0; i < fit->count; i++)
        if (fit->curve[i] == curve && fit->bytes[i] > largest)
            largest = fit->bytes[i];
    return largest;
}

/* The cost of walks at the largest measured set: it may keep rising beyond. */
static void make_walk(const struct levels_state *state, const struct level_group *group,
                      struct level *level)
{
    double largest = largest_of_curve(&state->fit, group->curve), ns = 0;
    double factor[LEVELS_PARAMETERS] = {0};

    for (size_t j = 0; j < state->fit.hinges; j++) {
        double share;
        if (!(group->members >> j & 1))
            continue;
        share = hinge_share(&state->fit.hinge[j], largest, group->curve);
        factor[1 + 2 * j] = share;
        ns += share * state->fit.hinge[j].step;
    }
    levels_bound_ns(state, factor, ns, LEVELS_COST, NULL, level);
    level->extrapolated |= group->bytes > largest / 2;
    levels_name_walk(levels_page_of_curve(state, group->curve), level);
}

static void make_tlb(const struct levels_state *state, const struct levels_request *request,
                     const struct level_group *group, size_t index, struct level *level)
{
    double factor[LEVELS_PARAMETERS] = {0};

    levels_factors_step(group, factor);
    levels_bound_ns(state, factor, group->step, LEVELS_COST, NULL, level);
    level->kind = LEVEL_TLB;
    levels_name_tlb(request, levels_page_of_curve(state, group->curve), index, level);
}

/* If a cache's knee is so near to a TLB's that neither place is reliable, they become one level
 * with both names and the cache's figures. */
static bool merge_into_cache(const struct level *tlb, struct level *caches, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        size_t used = text_length(caches[i].name);
        if (!levels_are_near(tlb->bytes, caches[i].bytes, LEVELS_NEAR))
            continue;
        text_print(caches[i].name + used, sizeof caches[i].name - used, " + %s", tlb->name);
        caches[i].kind = LEVEL_MERGED;
        caches[i].tlb_pages |= tlb->tlb_pages;
        return true;
    }
    return false;
}

/* True if a page curve shows that TLB separately from any cache. */
static bool is_seen_alone(const struct levels_state *state, const struct level *tlb)
{
    for (size_t k = 0; k < state->reaches; k++)
        if (state->reach[k].alone &&
            levels_are_near(tlb->bytes, state->reach[k].level.bytes, HINGE_SAME))
            return true;
    return false;
}

static size_t make_others(const struct levels_state *state, const struct levels_request *request,
                          struct level *levels, size_t caches, size_t max)
{
    size_t count = caches, others = 0, curve = HINGE_CURVES;

    for (size_t g = 0; g < state->groups && count < max; g++) {
        const struct level_group *group = &state->group[g];
        struct level level = {.kind = LEVEL_TLB};
        size_t index;
        if (group->kind == HINGE_CACHE || levels_is_known(state, group))
            continue;
        others = group->curve == curve ? others + 1 : 0;
        curve = group->curve;
        index = others + levels_known_below(state, curve, group->bytes);
        levels_bound_place(state, group, &level);
        if (group->kind == HINGE_WALK ||
            (index > 0 &&
             levels_is_tlb_undeclared(request, state->fit.page_bytes[group->curve], group->bytes)))
            make_walk(state, group, &level);
        else
            make_tlb(state, request, group, index, &level);
        levels_doubt(state, curve, &level);
        if (level.kind == LEVEL_TLB && is_seen_alone(state, &level))
            continue; /* levels_make_reaches tells it */
        if (level.kind == LEVEL_WALK || !merge_into_cache(&level, levels, caches))
            levels[count++] = level;
    }
    return count;
}

/* A TLB's knee that holds another one too: what is slower from there on may be a cache that was not
 * found, so figures of caches beyond do not agree with what the TLB costs. */
static void doubt_shared(const struct levels_state *state, struct level *caches, size_t count)
{
    for (size_t j = 0; j < state->fit.hinges; j++)
        for (size_t i = 0; i < count && hinge_fit_is_shared(&state->fit.hinge[j]); i++)
            if (caches[i].kind == LEVEL_MEMORY || caches[i].bytes >= state->fit.hinge[j].pos)
                caches[i].doubt |= doubt_of(DOUBT_CONTRADICTED);
}

/* Ascending by bytes; memory, which has no capacity, is last. */
static void sort_levels(struct level *levels, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct level level = levels[i];
        size_t k = i;
        for (; k > 0 && level.kind != LEVEL_MEMORY &&
               (levels[k - 1].kind == LEVEL_MEMORY || levels[k - 1].bytes > level.bytes);
             k--)
            levels[k] = levels[k - 1];
        levels[k] = level;
    }
}

size_t levels_make(struct levels_state *state, const struct levels_request *request,
                   struct level *levels, size_t max)
{
    size_t caches, count;
    double last;

    levels_tell_common(state);
    caches = levels_make_caches(state, levels, max);
    last = caches > 1 ? levels[caches - 2].bytes : state->fit.bytes[0];
    levels[caches - 1].extrapolated = caches == 1 || levels_is_extrapolated(state, last);
    levels_name_caches(request, levels, caches - 1);
    count = make_others(state, request, levels, caches, max);
    count = levels_make_reaches(state, levels, count, max);
    for (size_t i = 0; i < caches; i++)
        levels_doubt(state, HINGE_CURVES, &levels[i]);
    doubt_shared(state, levels, caches);
    sort_levels(levels, count);
    return count;
}
