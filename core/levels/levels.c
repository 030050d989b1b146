/* SPDX-License-Identifier: BSD-2-Clause */
/* From points to levels: the points are taken in, the knees found (core/levels/hinge_find.c),
 * gathered (core/levels/group.c), bounded (core/levels/bounds.c), named (core/levels/name.c) and
 * held against other readings (core/levels/others.c). */
#include "core/levels/levels.h"

#include "core/levels/state.h"
#include "core/lib/memory.h"
#include "core/lib/real.h"
#include "core/lib/text.h"

#define BEYOND_RATIO 8     /* largest set over the last capacity, or memory is extrapolated */
#define MODEL_FLOOR  0.002 /* no curve follows the model more closely than this */

size_t levels_workspace_bytes(void)
{
    return sizeof(struct levels_state);
}

const char *level_kind_name(enum level_kind kind)
{
    static const char *const names[] = {"cache", "tlb", "walk", "memory", "merged", "unexplained"};

    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unexplained";
}

/* ---- points */

static bool is_usable(const struct level_point *point)
{
    return real_is_finite(point->bytes) && real_is_finite(point->ns) && point->bytes > 0 &&
           point->ns > 0;
}

static size_t count_of_page(const struct levels_request *request, unsigned page)
{
    size_t count = 0;

    for (size_t i = 0; i < request->count; i++)
        count += (unsigned)request->points[i].page == page && is_usable(&request->points[i]);
    return count;
}

static double relative_error(const struct level_point *point)
{
    double error = point->rel_error;

    if (!(error > 0))
        return 0;
    return error < 1 ? error : 1;
}

void levels_start(struct levels_state *state, const struct levels_request *request)
{
    memory_fill(state, 0, sizeof *state);
    state->request = request;
    state->common_error_ns = request->common_error_ns > 0 ? request->common_error_ns : 0;
}

/* Keeps the points of a curve in ascending order. */
void levels_insert_point(struct levels_state *state, const struct level_point *point, size_t curve)
{
    struct hinge_fit *fit = &state->fit;
    double error = relative_error(point);
    size_t k = fit->count;

    if (k == HINGE_FIT_POINTS || !is_usable(point))
        return;
    fit->count++;
    for (; k > 0 && fit->curve[k - 1] == curve && fit->bytes[k - 1] > point->bytes; k--) {
        fit->bytes[k] = fit->bytes[k - 1];
        fit->ns[k] = fit->ns[k - 1];
        fit->error[k] = fit->error[k - 1];
        fit->curve[k] = fit->curve[k - 1];
        state->own_error[k] = state->own_error[k - 1];
        state->doubt[k] = state->doubt[k - 1];
    }
    fit->bytes[k] = point->bytes;
    fit->ns[k] = point->ns;
    fit->error[k] = point->ns * real_hypotenuse(error, MODEL_FLOOR);
    fit->curve[k] = curve;
    state->own_error[k] = point->ns * error;
    state->doubt[k] = point->doubt;
}

bool levels_take_points(struct levels_state *state, const struct levels_request *request)
{
    struct hinge_fit *fit = &state->fit;

    levels_start(state, request);
    for (unsigned page = PAGE_4K; page <= PAGE_1G && fit->curves < HINGE_CURVES; page++) {
        if (count_of_page(request, page) < LEVELS_POINTS_LEAST)
            continue;
        fit->page_bytes[fit->curves] = (double)(1ull << page);
        for (size_t i = 0; i < request->count; i++)
            if ((unsigned)request->points[i].page == page)
                levels_insert_point(state, &request->points[i], fit->curves);
        fit->curves++;
    }
    return fit->count >= LEVELS_POINTS_LEAST;
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
                                   .at = request->tlbs[i].entries * fit->page_bytes[curve]};
}

static void give_caches(struct levels_state *state, const struct levels_request *request)
{
    struct hinge_fit *fit = &state->fit;
    uint64_t bytes[CACHE_LEVELS_MAX];
    unsigned number[CACHE_LEVELS_MAX];
    size_t declared = levels_declared(request, bytes, number);

    for (size_t d = 0; d < declared && fit->hints < HINGE_FIT_HINTS; d++)
        fit->hint[fit->hints++] = (struct hinge){.kind = HINGE_CACHE, .at = (double)bytes[d]};
}

static unsigned page_of_curve(const struct levels_state *state, size_t curve)
{
    unsigned page = 0;

    while ((double)(1ull << page) < state->fit.page_bytes[curve])
        page++;
    return page;
}

/* With one page size timing alone cannot tell a TLB from a cache: what is declared must. */
static void tell_tlbs_of_one_curve(struct levels_state *state, const struct levels_request *request)
{
    for (size_t g = 0; g < state->groups && state->fit.curves == 1; g++) {
        struct level_group *group = &state->group[g];
        struct level found = {.kind = LEVEL_CACHE, .bytes = group->bytes};
        struct level cache = found;
        levels_name_tlb(request, page_of_curve(state, 0), 0, &found);
        levels_name_caches(request, &cache, 1);
        if (found.declared_bytes == 0)
            continue;
        if (!levels_are_near(group->bytes, (double)cache.declared_bytes, LEVELS_SAME))
            group->kind = HINGE_TLB;
    }
}

static bool is_tlb_near(const struct hinge *hinge, const struct hinge *hint)
{
    return hinge->kind == HINGE_TLB && hinge->curve == hint->curve &&
           levels_are_near(hinge->at, hint->at, LEVELS_NEAR);
}

static bool has_tlb_near(const struct hinge_fit *fit, const struct hinge *hint)
{
    for (size_t j = 0; j < fit->hinges; j++)
        if (is_tlb_near(&fit->hinge[j], hint))
            return true;
    return false;
}

/* A TLB's sharp knee amid a curve that rises anyway looks much like the soft one of walks, and its
 * place is hard to tell. Where it fits better at a declared reach that has no knee yet, it is that
 * TLB's; and a TLB's near a declared reach stands there, unless it fits better beside. */
static void tell_tlbs_by_declared(struct hinge_fit *fit)
{
    for (size_t j = 0; j < fit->hinges; j++)
        for (size_t k = 0; k < fit->hints; k++) {
            const struct hinge *hint = &fit->hint[k];
            bool walk = fit->hinge[j].kind == HINGE_WALK && fit->hinge[j].curve == hint->curve;
            if ((walk && !has_tlb_near(fit, hint)) || is_tlb_near(&fit->hinge[j], hint))
                hinge_fit_try_tlb(fit, j, hint->at, LEVELS_NEAR);
        }
}

/* What a level keeps filled in a set four times as large: a victim cache has holes there, and one
 * beside nearer levels is not all that is held. */
static double held_of(const struct levels_state *state, const struct level_group *group)
{
    double held = group->bytes;

    for (size_t j = 0; j < state->fit.hinges; j++) {
        struct hinge hinge = state->fit.hinge[j];
        if (!(group->members >> j & 1) || hinge.law == HINGE_SHARP)
            continue;
        hinge.soft[0] = hinge.rows[0] = 0;
        held -=
            hinge.step / group->step * 4 * hinge.at * (hinge_share(&hinge, 4 * hinge.at, 0) - 0.75);
    }
    return held;
}

void levels_bound_place(const struct levels_state *state, const struct level_group *group,
                        struct level *level)
{
    double factor[LEVELS_PARAMETERS], held = held_of(state, group), half, spread;

    levels_factors_place(state, group, factor);
    half = levels_half_width(state, factor,
                             group->kind == HINGE_CACHE ? LEVELS_CAPACITY : LEVELS_REACH);
    /* Where the place was given the fit has no error of it. */
    spread = real_exp(real_hypotenuse(half, LEVELS_MODEL_ERROR));
    level->bytes = held;
    level->bytes_low = held / spread;
    level->bytes_high = held * spread;
}

void levels_bound_ns(const struct levels_state *state, const double *factor, double ns,
                     enum levels_figure figure, struct level *level)
{
    double half = levels_half_width(state, factor, figure);

    level->ns = ns;
    level->ns_low = ns - half > 0 ? ns - half : 0;
    level->ns_high = ns + half;
}

size_t levels_make_caches(const struct levels_state *state, struct level *levels, size_t most)
{
    double factor[LEVELS_PARAMETERS] = {1}, ns = state->fit.base;
    size_t count = 0;

    for (size_t g = 0; g < state->groups && count + 1 < most; g++) {
        const struct level_group *group = &state->group[g];
        if (group->kind != HINGE_CACHE)
            continue;
        levels[count] = (struct level){.kind = LEVEL_CACHE};
        levels_bound_place(state, group, &levels[count]);
        levels_bound_ns(state, factor, ns, LEVELS_LATENCY, &levels[count]);
        count++;
        levels_factors_step(group, factor);
        ns += group->step;
    }
    levels[count] = (struct level){.kind = LEVEL_MEMORY,
                                   .name = "memory",
                                   .bytes = real_nan(),
                                   .bytes_low = real_nan(),
                                   .bytes_high = real_nan()};
    levels_bound_ns(state, factor, ns, LEVELS_MEMORY, &levels[count]);
    return count + 1;
}

static bool is_extrapolated(const struct levels_state *state, double last_bytes)
{
    const struct hinge_fit *fit = &state->fit;
    size_t most = 0;

    for (size_t curve = 0; curve < fit->curves; curve++) {
        size_t beyond = hinge_fit_between(fit, curve, last_bytes, __builtin_inf());
        most = beyond > most ? beyond : most;
    }
    return most < HINGE_BEYOND || levels_largest_set(state) < BEYOND_RATIO * last_bytes;
}

static double largest_of_curve(const struct hinge_fit *fit, size_t curve)
{
    double largest = 0;

    for (size_t i = 0; i < fit->count; i++)
        if (fit->curve[i] == curve && fit->bytes[i] > largest)
            largest = fit->bytes[i];
    return largest;
}

/* What walks cost more at the largest set that was measured: they may go on missing beyond it. */
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
    levels_bound_ns(state, factor, ns, LEVELS_COST, level);
    level->extrapolated = group->bytes > largest / 2;
    levels_name_walk(page_of_curve(state, group->curve), level);
}

static void make_tlb(const struct levels_state *state, const struct levels_request *request,
                     const struct level_group *group, size_t index, struct level *level)
{
    double factor[LEVELS_PARAMETERS] = {0};

    levels_factors_step(group, factor);
    levels_bound_ns(state, factor, group->step, LEVELS_COST, level);
    level->kind = LEVEL_TLB;
    levels_name_tlb(request, page_of_curve(state, group->curve), index, level);
}

/* A cache's knee so near to a TLB's that neither's place can be trusted alone: one level of both
 * names. Its figures are the cache's. */
static bool merge_into_cache(const struct level *tlb, struct level *caches, size_t count)
{
    for (size_t i = 0; i + 1 < count; i++) {
        size_t used = text_length(caches[i].name);
        if (!levels_are_near(tlb->bytes, caches[i].bytes, LEVELS_NEAR))
            continue;
        text_print(caches[i].name + used, sizeof caches[i].name - used, " + %s", tlb->name);
        caches[i].kind = LEVEL_MERGED;
        return true;
    }
    return false;
}

/* Whether a curve of pages shows that TLB, and tells it from any cache. */
static bool is_seen_alone(const struct levels_state *state, const struct level *tlb)
{
    for (size_t k = 0; k < state->reaches; k++)
        if (state->reach[k].alone &&
            levels_are_near(tlb->bytes, state->reach[k].level.bytes, LEVELS_SAME))
            return true;
    return false;
}

static size_t make_others(const struct levels_state *state, const struct levels_request *request,
                          struct level *levels, size_t caches, size_t most)
{
    size_t count = caches, others = 0, curve = HINGE_CURVES;

    for (size_t g = 0; g < state->groups && count < most; g++) {
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
        if (level.kind == LEVEL_WALK || is_seen_alone(state, &level) ||
            !merge_into_cache(&level, levels, caches))
            levels[count++] = level;
    }
    return count;
}

/* Ascending by bytes; memory, which has none, last. */
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

static size_t make_levels(struct levels_state *state, const struct levels_request *request,
                          struct level *levels, size_t most)
{
    size_t caches = levels_make_caches(state, levels, most), count;
    double last = caches > 1 ? levels[caches - 2].bytes : state->fit.bytes[0];

    levels[caches - 1].extrapolated = caches == 1 || is_extrapolated(state, last);
    levels_name_caches(request, levels, caches - 1);
    count = make_others(state, request, levels, caches, most);
    count = levels_make_reaches(state, levels, count, most);
    for (size_t i = 0; i < caches; i++)
        levels_doubt(state, HINGE_CURVES, &levels[i]);
    sort_levels(levels, count);
    return count;
}

size_t levels_find(const struct levels_request *request, void *workspace, struct level *levels,
                   size_t most)
{
    struct levels_state *state = workspace;
    struct levels_reach reach[LEVELS_REACHES];
    size_t reaches = levels_find_reaches(state, request, reach), count;

    if (!levels_take_points(state, request) || most == 0)
        return 0;
    levels_take_reaches(state, reach, reaches);
    give_hints(state, request);
    give_caches(state, request);
    hinge_fit_find(&state->fit);
    tell_tlbs_by_declared(&state->fit);
    levels_gather(state);
    tell_tlbs_of_one_curve(state, request);
    count = make_levels(state, request, levels, most < LEVELS_MOST ? most : LEVELS_MOST);
    levels_hold_others(state, levels, count);
    levels_doubt_overlaps(levels, count);
    return count;
}

/* ---- declared sizes */

/* Leaves the curve of the largest page size alone. */
static void keep_last_curve(struct levels_state *state)
{
    struct hinge_fit *fit = &state->fit;
    size_t last = fit->curves - 1, kept = 0;

    for (size_t i = 0; i < fit->count; i++) {
        if (fit->curve[i] != last)
            continue;
        fit->bytes[kept] = fit->bytes[i];
        fit->ns[kept] = fit->ns[i];
        /* Relative residuals, each the same weight: the fit is to be comparable with others'. */
        fit->error[kept] = fit->ns[i] * MODEL_FLOOR;
        state->own_error[kept] = state->own_error[i];
        state->doubt[kept] = state->doubt[i];
        fit->curve[kept++] = 0;
    }
    fit->count = kept;
    fit->curves = 1;
    fit->page_bytes[0] = fit->page_bytes[last];
}

size_t levels_fit_declared(const struct levels_request *request, void *workspace,
                           struct level *levels, size_t most)
{
    struct levels_state *state = workspace;
    uint64_t bytes[CACHE_LEVELS_MAX];
    unsigned number[CACHE_LEVELS_MAX];
    size_t declared = levels_declared(request, bytes, number), count;

    if (!levels_take_points(state, request) || declared == 0 || most <= declared)
        return 0;
    keep_last_curve(state);
    hinge_fit_start(&state->fit);
    state->places_fixed = true;
    state->fit.hinges = declared;
    state->groups = declared;
    for (size_t d = 0; d < declared; d++)
        state->fit.hinge[d] = (struct hinge){.kind = HINGE_CACHE, .at = (double)bytes[d]};
    hinge_fit_steps(&state->fit);
    for (size_t d = 0; d < declared; d++)
        state->group[d] = (struct level_group){.kind = HINGE_CACHE,
                                               .members = 1u << d,
                                               .bytes = (double)bytes[d],
                                               .step = state->fit.hinge[d].step};
    levels_covariance(state);
    count = levels_make_caches(state, levels, most);
    levels[count - 1].extrapolated = is_extrapolated(state, (double)bytes[declared - 1]);
    levels_name_caches(request, levels, count - 1);
    return count;
}
