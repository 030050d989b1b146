/* SPDX-License-Identifier: BSD-2-Clause */
/* TLBs from page curves, in which every line has a page of its own. Plotted over the bytes of its
 * lines, such a curve is another curve of the same caches with a page size of one line; a knee that
 * the curve of the largest pages does not have is a TLB's. */
#include "core/levels/state.h"

#include "core/lib/real.h"
#include "core/stats/figure.h"

/* Beyond this fraction of the first cache, page-table entries, lines and prefetched neighbours
 * evict each other. */
#define ALONE_PART 0.6
#define ONE_SHARE  0.68 /* of what misses cost: a TLB of two ways shows that much in one knee */

static unsigned largest_page(const struct levels_request *request)
{
    unsigned page = 0;

    for (size_t i = 0; i < request->count; i++)
        page = (unsigned)request->points[i].page > page ? (unsigned)request->points[i].page : page;
    return page;
}

/* Draws with strides that are not a power of two need a multiplication whose cost is not exactly
 * known. Shifts the page curve so that its smallest sets are as fast as the other curve's. */
static void shift_spread(struct levels_state *state)
{
    struct hinge_fit *fit = &state->fit;
    struct figure shift = figure_difference(levels_start_of(state, 1), levels_start_of(state, 0));

    for (size_t i = 0; i < fit->count; i++)
        if (fit->curve[i] == 0)
            fit->ns[i] += shift.value;
    /* No knee is visible below these sizes. */
    fit->covered[0] = fit->bytes[LEVELS_START_POINTS - 1];
}

/* Sets up the two curves; false: too few points in one of them. */
static bool take_curves(struct levels_state *state, const struct levels_request *request,
                        unsigned page)
{
    struct hinge_fit *fit = &state->fit;
    unsigned largest = largest_page(request);
    size_t count;

    levels_start(state, request);
    state->is_spread = true;
    fit->curves = 2;
    fit->page_bytes[0] = request->line_bytes;
    fit->page_bytes[1] = (double)(1ull << largest);
    for (size_t i = 0; i < request->spread_count; i++) {
        const struct level_spread *spread = &request->spread[i];
        struct level_point point = {.bytes = spread->pages * request->line_bytes,
                                    .ns = spread->ns,
                                    .rel_error = spread->rel_error,
                                    .doubt = spread->doubt};
        if ((unsigned)spread->page == page)
            levels_insert_point(state, &point, 0);
    }
    count = fit->count;
    for (size_t i = 0; i < request->count; i++)
        if ((unsigned)request->points[i].page == largest)
            levels_insert_point(state, &request->points[i], 1);
    if (count < LEVELS_POINTS_MIN || fit->count < count + LEVELS_POINTS_MIN)
        return false;
    shift_spread(state);
    return true;
}

static void give_declared(struct levels_state *state, unsigned page)
{
    const struct levels_request *request = state->request;
    struct hinge_fit *fit = &state->fit;

    for (size_t i = 0; i < request->tlb_count && fit->hints < HINGE_FIT_HINTS; i++)
        if (request->tlbs[i].page_log2 == page)
            fit->hint[fit->hints++] = (struct hinge){
                .kind = HINGE_TLB, .pos = (double)request->tlbs[i].entries * request->line_bytes};
}

static double first_cache(const struct hinge_fit *fit)
{
    double first = __builtin_inf();

    for (size_t j = 0; j < fit->hinges; j++)
        if (fit->hinge[j].kind == HINGE_CACHE && fit->hinge[j].pos < first)
            first = fit->hinge[j].pos;
    return first;
}

static bool is_alone(const struct levels_state *state, double line_bytes)
{
    return line_bytes * (1 + state->request->brought_lines) < ALONE_PART * first_cache(&state->fit);
}

/* True if what the page curve says the TLB costs is its cost: not where prefetchers fill the caches
 * meanwhile, nor where it has as many entries as the first cache has lines, which begin to miss
 * together. */
static bool is_cost_known(const struct levels_state *state, double line_bytes)
{
    return is_alone(state, line_bytes) ||
           (!(state->request->brought_lines > 0) &&
            !levels_are_near(line_bytes, first_cache(&state->fit), HINGE_SAME));
}

/* True if registers declare two TLBs there; or if another knee moves it, where no cache interferes
 * and no register says a TLB of that reach. */
static bool is_of_two(const struct levels_state *state, const struct level_group *group, bool alone,
                      double page_bytes)
{
    double reach_bytes = group->bytes * page_bytes / state->request->line_bytes;

    return levels_declares_two(&state->fit, group->bytes, group->bytes) ||
           (alone && levels_is_moved(state, group, ONE_SHARE) &&
            !levels_is_tlb_declared(state->request, page_bytes, reach_bytes, HINGE_SAME));
}

/* The group's reach and cost. In the fit's bytes, a page counts as one line. */
static struct levels_reach reach_of(const struct levels_state *state,
                                    const struct level_group *group, unsigned page)
{
    double factor[LEVELS_PARAMETERS] = {0};
    double scale = (double)(1ull << page) / state->request->line_bytes;
    struct levels_reach reach = {
        .page_log2 = page, .alone = is_alone(state, group->bytes), .level = {.kind = LEVEL_TLB}};
    struct level *level = &reach.level;

    levels_bound_place(state, group, level);
    levels_factors_step(group, factor);
    levels_bound_ns(state, factor, group->step, LEVELS_COST, NULL, level);
    /* Where no cache interferes, a second knee that moves the first is another TLB's. */
    if (reach.alone && levels_has_near_tlb(state, group))
        level->doubt |= doubt_of(DOUBT_MERGED);
    else if (is_of_two(state, group, reach.alone, (double)(1ull << page)))
        level->kind = LEVEL_MERGED_TLBS;
    levels_doubt(state, 0, level);
    reach.unfit = levels_is_unfit(state, level->bytes, 0);
    level->bytes *= scale;
    level->bytes_low *= scale;
    level->bytes_high *= scale;
    reach.placed =
        reach.alone || levels_is_tlb_declared(state->request, scale * state->request->line_bytes,
                                              level->bytes, HINGE_SAME);
    reach.alone = reach.placed && is_cost_known(state, group->bytes);
    return reach;
}

/* True if no other curve can confirm it and no register declares it. */
static bool is_only_seen_here(const struct levels_state *state, const struct level_group *group,
                              unsigned page)
{
    double page_bytes = (double)(1ull << page);

    return group->kind == HINGE_TLB && group->curve == 0 && is_alone(state, group->bytes) &&
           !levels_is_tlb_declared(state->request, page_bytes,
                                   group->bytes * page_bytes / state->request->line_bytes,
                                   HINGE_SAME);
}

/* A small step may be a deviation of the first cache's knee from the model. If only this curve
 * shows it and the fit is about as good without it, it is dropped. */
static void drop_unsure(struct levels_state *state, unsigned page)
{
    double min;

    do {
        size_t unsure = state->groups;
        min = __builtin_inf();
        hinge_fit_keep(&state->fit);
        for (size_t g = 0; g < state->groups; g++) {
            const struct level_group *group = &state->group[g];
            double more;
            if (!is_only_seen_here(state, group, page))
                continue;
            more = hinge_fit_as_one(&state->fit, group->members, group->bytes, HINGE_TRIALS);
            hinge_fit_kept(&state->fit);
            unsure = more < min ? g : unsure;
            min = more < min ? more : min;
        }
        if (levels_is_likely(state, min)) {
            hinge_fit_as_one(&state->fit, state->group[unsure].members, 0, HINGE_TRIALS);
            levels_gather(state);
        }
    } while (levels_is_likely(state, min) && !state->fit.poll.stopped);
}

/* A place that others than TLBs may have moved stands for none that is declared. */
static bool has_reach(const struct levels_reach *reach, size_t count, unsigned page, double bytes)
{
    for (size_t k = 0; k < count; k++)
        if (reach[k].page_log2 == page && reach[k].placed &&
            levels_are_near(reach[k].level.bytes, bytes, LEVELS_NEAR))
            return true;
    return false;
}

/* A page curve cannot show a TLB with more entries than the first cache has lines. Adds such a TLB
 * as possible if a register declares it. */
static size_t add_declared(const struct levels_state *state, unsigned page,
                           struct levels_reach *reach, size_t count)
{
    const struct levels_request *request = state->request;

    for (size_t i = 0; i < request->tlb_count && count < LEVELS_REACHES; i++) {
        const struct tlb_level *tlb = &request->tlbs[i];
        double bytes = (double)tlb->entries * (double)(1ull << page);
        if (tlb->page_log2 == page && !has_reach(reach, count, page, bytes) &&
            !is_alone(state, (double)tlb->entries * request->line_bytes))
            reach[count++] = (struct levels_reach){.page_log2 = page,
                                                   .level = {.kind = LEVEL_TLB, .bytes = bytes}};
    }
    return count;
}

size_t levels_find_reaches(struct levels_state *state, const struct levels_request *request,
                           struct levels_reach reach[LEVELS_REACHES])
{
    size_t count = 0;

    for (unsigned page = PAGE_4K; page <= PAGE_1G; page++) {
        if (!take_curves(state, request, page))
            continue;
        give_declared(state, page);
        hinge_fit_find(&state->fit);
        if (state->fit.poll.stopped)
            return 0;
        levels_gather(state);
        drop_unsure(state, page);
        for (size_t g = 0; g < state->groups && count < LEVELS_REACHES; g++)
            if (state->group[g].kind == HINGE_TLB && state->group[g].curve == 0)
                reach[count++] = reach_of(state, &state->group[g], page);
        count = add_declared(state, page, reach, count);
    }
    return count;
}
