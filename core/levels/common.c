/* SPDX-License-Identifier: BSD-2-Clause */
/* Which knees that all curves have are no cache's: with large pages in pieces, no curve is without
 * TLB misses and walks. */
#include "core/levels/state.h"

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

/* What a group is of pages whose TLBs end at `last`: no TLB has a farther reach, and none holds a
 * large page. */
static struct level_group told(const struct levels_state *state, struct level_group group,
                               double last)
{
    if (group.kind == HINGE_CACHE &&
        (group.bytes * LEVELS_NEAR < last || is_cache_declared(state, group.bytes)))
        return group;
    group.kind = group.bytes > last * LEVELS_NEAR ? HINGE_WALK : HINGE_TLB;
    return group;
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
    size_t count = state->groups;
    double last = last_bytes(state);

    if (!(last > 0))
        return;
    for (size_t g = 0; g < count; g++)
        before[g] = state->group[g];
    state->groups = 0;
    for (size_t g = 0; g < count; g++) {
        struct level_group group = told(state, before[g], last), *same = same_level(state, &group);
        if (same == NULL) {
            levels_insert_group(state, &group);
            continue;
        }
        same->members |= group.members;
        levels_sum_up(&state->fit, same);
    }
}
