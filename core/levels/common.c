/* SPDX-License-Identifier: BSD-2-Clause */
/* Which knees that all curves have are no cache's: with large pages in pieces, no curve is without
 * TLB misses and walks. */
#include "core/levels/state.h"

/* Loads of a walk that may miss every cache: of the last level of the guest's tables, and of its
 * host's. The levels before have fewer entries by a factor of 512 and stay in the caches. */
#define WALK_LOADS_MAX 2

/* The reach of the last declared TLB of the pieces; 0: there are none. What lies between the first
 * one and that of a TLB that nobody declares may as well be a cache. */
static double last_bytes(const struct levels_state *state)
{
    const struct levels_request *request = state->request;
    double last = 0, page_bytes = (double)(1ull << PAGE_4K);

    for (size_t i = 0; i < request->tlb_count && state->fit.pieces; i++)
        if (request->tlbs[i].page_log2 == PAGE_4K && request->tlbs[i].entries * page_bytes > last)
            last = request->tlbs[i].entries * page_bytes;
    return last;
}

static bool is_cache_declared(const struct levels_state *state, double bytes)
{
    for (size_t i = 0; i < state->request->cache_count; i++)
        if (levels_are_near((double)state->request->caches[i].bytes, bytes, LEVELS_NEAR))
            return true;
    return false;
}

/* For a knee of all curves: no declared cache is near, and it is at `last`, where the TLBs end, or
 * farther. */
static bool may_be_walks(const struct levels_state *state, const struct level_group *group,
                         double last)
{
    return group->bytes * LEVELS_NEAR >= last && !is_cache_declared(state, group->bytes);
}

/* The first knee of all curves that is a TLB's or walks'. These never cost more than those loads
 * from memory, so if the knees from one on do, that one is a cache's. Caches come first, ascending;
 * returns the number of those before it. */
static size_t caches_before_walks(const struct levels_state *state, double last)
{
    double walk_ns = 0, memory_ns = state->fit.base;
    size_t caches = 0;

    for (; caches < state->groups && state->group[caches].kind == HINGE_CACHE; caches++)
        memory_ns += state->group[caches].step;
    for (; caches > 0; caches--) {
        const struct level_group *group = &state->group[caches - 1];
        walk_ns += group->step;
        memory_ns -= group->step;
        if (!may_be_walks(state, group, last) || walk_ns > WALK_LOADS_MAX * memory_ns)
            break;
    }
    return caches;
}

/* The group that another is a part of; NULL: none. */
static struct level_group *same_level(struct levels_state *state, const struct level_group *part)
{
    for (size_t g = 0; g < state->groups && part->kind != HINGE_CACHE; g++) {
        struct level_group *group = &state->group[g];
        if (group->kind == part->kind && group->curve == part->curve &&
            (part->kind == HINGE_WALK || levels_are_near(group->bytes, part->bytes, LEVELS_NEAR)))
            return group;
    }
    return NULL;
}

void levels_tell_common(struct levels_state *state)
{
    struct level_group before[HINGE_FIT_HINGES];
    size_t count = state->groups, caches;
    double last = last_bytes(state);

    if (!(last > 0))
        return;
    caches = caches_before_walks(state, last);
    for (size_t g = 0; g < count; g++)
        before[g] = state->group[g];
    state->groups = 0;
    for (size_t g = 0; g < count; g++) {
        struct level_group group = before[g], *same;
        if (g >= caches)
            group.kind = group.bytes > last * LEVELS_NEAR ? HINGE_WALK : HINGE_TLB;
        same = same_level(state, &group);
        if (same == NULL) {
            levels_insert_group(state, &group);
            continue;
        }
        same->members |= group.members;
        levels_sum_up(&state->fit, same);
    }
}
