/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/dram.h"

#include "core/experiments/dram_conclude.h"
#include "core/experiments/dram_gather.h"
#include "core/experiments/dram_sampler.h"
#include "core/experiments/dram_sets.h"
#include "core/experiments/flushed.h"
#include "core/experiments/prefetch_proof.h"
#include "core/experiments/translation.h"
#include "core/lib/u64.h"
#include "core/options/experiments.h"
#include "core/plan/estimate.h"
#include "core/plan/sets.h"

/* factors on the error target: slope and TLB share are differences, so each of their parts must be
 * known better */
#define EXACT_SHARE 0.2
#define SLOPE_SHARE 0.14
/* The first set is not larger than this, whatever caches are declared: timing decides about more.
 */
#define START_MAX_BYTES (1ull << 30)
/* The first set and three halvings of it, so that slopes of two octaves can be compared twice. */
#define OCTAVES 3
/* Shares of the remaining budget: for the first set, and for a larger one. */
#define START_SHARE  0.0625
#define GROWTH_SHARE 0.25

/* Rounded down so that it can be halved OCTAVES times into whole lines. */
static uint64_t whole_eighths(const struct plan *plan, uint64_t bytes)
{
    uint64_t line = plan_point(plan, 0, PAGE_4K, false, 0).stride_bytes;

    return bytes >= line << OCTAVES ? bytes - bytes % (line << OCTAVES) : bytes - bytes % line;
}

/* Marks a point as the headline's. Everything but a chase of the headline itself comes in
 * PASS_PROOF; that chase is due at once, and only its memory accesses matter. */
static void mark_headline(struct point *point, uint32_t tag)
{
    point->tag = tag;
    point->purpose = PURPOSE_HEADLINE;
    point->stays_cached = true;
    point->beyond_caches = tag == DRAM_HEADLINE;
    if (tag != DRAM_HEADLINE)
        point->pass = PASS_PROOF;
}

static void plan_chase(struct plan *plan, struct point point)
{
    if (plan->options->pattern == PATTERN_IID)
        return;
    mark_headline(&point, DRAM_HEADLINE);
    point.error_scale = EXACT_SHARE;
    plan_add(plan, &point);
}

/* Draws over the set, and the probes of its translation. */
static void plan_draw(struct plan *plan, struct point point)
{
    translation_plan(plan, &point);
    if (plan->options->pattern == PATTERN_CYCLE)
        return;
    point.kernel = KERNEL_IID;
    point.error_scale = SLOPE_SHARE;
    mark_headline(&point, DRAM_DRAW);
    plan_add(plan, &point);
}

static uint64_t halved(const struct point *point, unsigned times)
{
    uint64_t lines = point->bytes / point->stride_bytes;

    return (lines >> times) * point->stride_bytes;
}

/* The minimum for a headline. The smallest set comes first and shows what one costs, so that a
 * budget too short for the largest is not spent on trying it. */
static void plan_min(struct plan *plan, struct point point)
{
    struct point min = point, half = point;

    min.bytes = halved(&point, OCTAVES);
    half.bytes = halved(&point, 1);
    if (min.bytes != 0)
        plan_chase(plan, min);
    plan_chase(plan, point);
    if (half.bytes != 0)
        plan_chase(plan, half);
}

/* The set in the largest pages and the smaller ones, by chase and draws as requested, and the
 * prefetcher proof. */
static void plan_headline(struct plan *plan, const struct point *point)
{
    struct point below = *point;

    plan_min(plan, *point);
    prefetch_proof_plan(plan, point);
    flushed_plan(plan, point);
    if (!translation_measurable(plan, point))
        journal_note(plan->journal, SEVERITY_INFO, "dram: TLB misses are in the figure",
                     "their cost can be told from memory's only in large pages");
    translation_plan_pieces(plan, point);
    translation_plan_one_page(plan, point);
    for (unsigned i = 0; i <= OCTAVES; i++) {
        below.bytes = halved(point, i);
        if (below.bytes == 0)
            break;
        plan_draw(plan, below);
        if (i > 1 && i < OCTAVES) {
            struct point chase = below;
            chase.pass = PASS_PROOF;
            plan_chase(plan, chase);
        }
    }
}

/* The same set in scattered 4K pages, by the pattern that the TLB's share is computed from. */
static void plan_small_pages(struct plan *plan, struct point point)
{
    uint64_t limit = plan_limit(plan, PAGE_4K);

    if (!(plan_page_sizes(plan) & 1u << PAGE_4K) || limit == 0)
        return;
    point.page = PAGE_4K;
    point.frames = plan_point(plan, point.experiment, PAGE_4K, point.prefetch_off, 0).frames;
    mark_headline(&point, DRAM_SMALL_PAGES);
    point.error_scale = EXACT_SHARE;
    if (plan->options->pattern != PATTERN_CYCLE) {
        point.kernel = KERNEL_IID;
        point.error_scale = SLOPE_SHARE;
        mark_headline(&point, DRAM_DRAW_SMALL_PAGES);
    }
    plan_clamp(plan, "dram: the working set in 4K pages", limit, &point.bytes);
    plan_add(plan, &point);
}

/* The TLB's share, and the set once more: later, when curves have their octaves, and in other
 * memory if the machine chooses it anew. */
static void plan_beside(struct plan *plan, const struct point *like)
{
    struct point again = *like, point = *like;

    again.pass = again.tag == DRAM_DRAW ? PASS_PROOF : PASS_HALVES;
    point.kernel = KERNEL_CYCLE;
    if (point.page != PAGE_4K)
        plan_small_pages(plan, point);
    plan_add(plan, &again);
}

/* Halved until the first set leaves enough time for the rest of the run. */
static uint64_t affordable_bytes(const struct plan *plan, enum page_size page, uint64_t bytes)
{
    double max_s = START_SHARE * budget_left_s(&plan->budget, plan->outlook.now_ns);
    struct point point = plan_point(plan, 0, page, false, bytes);

    while (point.bytes / 2 >= PLAN_MEMORY_MIN_BYTES &&
           estimate_point_s(plan, &point, plan->outlook.now_ns) > max_s)
        point.bytes /= 2;
    return point.bytes;
}

/* Far larger than every cache that anything declares, also tables of the firmware alone. */
static uint64_t wanted_bytes(const struct plan *plan)
{
    uint64_t side = plan->machine->side_cache_bytes;

    side = side < START_MAX_BYTES ? side * PLAN_LAST_LEVELS : START_MAX_BYTES;
    return u64_min(u64_max(plan_memory_bytes(plan), side), START_MAX_BYTES);
}

/* The first set's size: from declared caches, within bounds. */
static uint64_t start_bytes(struct plan *plan, uint32_t sizes, enum page_size *page)
{
    uint64_t wanted = wanted_bytes(plan), limit;
    uint64_t max = plan->options->max_bytes;

    *page = plan_reaching_page(plan, sizes, u64_max(wanted, PLAN_MEMORY_MIN_BYTES), &limit);
    wanted = u64_max(wanted, u64_min(PLAN_MEMORY_MIN_BYTES, limit));
    wanted = affordable_bytes(plan, *page, wanted);
    if (max != 0 && max < wanted) {
        wanted = max;
        journal_note_format(plan->journal, SEVERITY_INFO, "dram: the set is smaller than by itself",
                            "max= limits it to %s", TEXT_SIZE(plan->options->max_bytes));
        *page = plan_reaching_page(plan, sizes, wanted, &limit);
    }
    if (limit == 0)
        return 0;
    plan_clamp(plan, "dram: the working set", limit, &wanted);
    return whole_eighths(plan, wanted);
}

/* The point that gives the headline if the first set is large enough. */
static void make_first_set(const struct plan *plan, struct point *point)
{
    bool draws = plan->options->pattern == PATTERN_IID;

    mark_headline(point, draws ? DRAM_DRAW : DRAM_HEADLINE);
    point->kernel = draws ? KERNEL_IID : KERNEL_CYCLE;
    point->error_scale = draws ? SLOPE_SHARE : EXACT_SHARE;
}

enum status dram_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    uint32_t sizes = plan_page_sizes(plan);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);
    enum page_size page;
    struct point set;
    uint64_t wanted;

    (void)bench;
    wanted = start_bytes(plan, sizes, &page);
    if (wanted == 0)
        return STATUS_OK;
    plan_note_cached(plan, experiment_list[experiment].name, wanted);
    for (uint32_t i = 0; i < states; i++) {
        set = plan_point(plan, experiment, page, off[i], wanted);
        plan_headline(plan, &set);
    }
    set = plan_point(plan, experiment, page, off[0], wanted);
    dram_sampler_plan(plan, &set);
    for (uint32_t i = 0; i < states; i++) {
        set = plan_point(plan, experiment, page, off[i], wanted);
        make_first_set(plan, &set);
        plan_beside(plan, &set);
    }
    return STATUS_OK;
}

/* Whether memory, max= and the budget allow a set like this one. */
static bool can_grow(const struct plan *plan, const struct point *point)
{
    uint64_t max = plan->options->max_bytes, limit = plan_limit(plan, point->page);
    double s = 2 * estimate_point_s(plan, point, plan->outlook.now_ns);

    return point->bytes <= limit && (max == 0 || point->bytes <= max) &&
           s <= GROWTH_SHARE * budget_left_s(&plan->budget, plan->outlook.now_ns);
}

/* Plans a larger set if the last one is not large enough; otherwise the TLB's share of the last
 * one, if it is not the first. Not before curves have their octaves: on a slow machine one doubling
 * takes as long as all of those. */
static bool extend_state(struct plan *plan, const struct workbench *bench, uint32_t experiment,
                         bool prefetch_off)
{
    uint32_t before = plan->point_count;
    struct dram_found found;
    struct point next;

    if (plan->pass < PASS_OCTAVES || !dram_gather(plan, bench, experiment, prefetch_off, &found))
        return false;
    next = *found.largest;
    next.over = false;
    next.result = (struct point_result){.known = false};
    next.bytes *= 2;
    if (!found.search.ends && points_planned(plan, &next) == 0 && can_grow(plan, &next)) {
        next.kernel = KERNEL_CYCLE;
        next.pass = PASS_OCTAVES;
        plan_chase(plan, next);
        plan_draw(plan, next);
        translation_plan_pieces(plan, &next);
    } else if (points_planned(plan, found.largest) == 1) {
        next.bytes /= 2;
        plan_beside(plan, &next);
    }
    return plan->point_count != before;
}

static bool is_headline(const struct point *p, uint32_t experiment, bool prefetch_off)
{
    return p->experiment == experiment && p->prefetch_off == prefetch_off && dram_is_headline(p);
}

/* The largest set of the headline if all its sets were lost for lack of such pages; NULL: something
 * was measured, or still may be. */
static const struct point *lost_set(const struct plan *plan, uint32_t experiment, bool prefetch_off)
{
    const struct point *largest = NULL;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        bool lost =
            p->over && (p->left_out == LEFT_NOT_MAPPED || p->left_out == LEFT_NOT_ALLOCATED);
        if (!is_headline(p, experiment, prefetch_off))
            continue;
        if (!lost)
            return NULL;
        if (largest == NULL || p->page < largest->page ||
            (p->page == largest->page && p->bytes > largest->bytes))
            largest = p;
    }
    return largest;
}

/* Pages that a machine offered may be gone by now: falls back to the next smaller size. */
static bool fall_back(struct plan *plan, uint32_t experiment, bool prefetch_off)
{
    const struct point *lost = lost_set(plan, experiment, prefetch_off);
    uint32_t before = plan->point_count, sizes;
    struct point smaller_set;
    enum page_size page;
    uint64_t bytes;

    if (lost == NULL)
        return false;
    sizes = plan_page_sizes(plan) & ((1u << lost->page) - 1);
    page = plan_largest_page(sizes);
    if (sizes == 0 || plan_limit(plan, page) == 0)
        return false;
    journal_note_format(plan->journal, SEVERITY_WARNING, "dram: smaller pages than planned",
                        "no planned page could be allocated; pages of %s are used instead",
                        TEXT_SIZE(1ull << page));
    bytes = u64_min(lost->bytes, plan_limit(plan, page));
    smaller_set = plan_point(plan, experiment, page, prefetch_off, whole_eighths(plan, bytes));
    plan_headline(plan, &smaller_set);
    return plan->point_count != before;
}

bool dram_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment)
{
    bool off[2], more = false;
    uint32_t states = plan_prefetch_states(plan, off);

    dram_look_for_caches(plan, bench);
    for (uint32_t i = 0; i < states; i++)
        more |=
            fall_back(plan, experiment, off[i]) || extend_state(plan, bench, experiment, off[i]);
    return more;
}
