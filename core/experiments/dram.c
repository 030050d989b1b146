/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/dram.h"

#include "core/experiments/dram_parts.h"
#include "core/experiments/prefetch_proof.h"
#include "core/plan/sets.h"

/* Of the error target: slope and TLB share are differences, and each of their parts has to be known
 * better than they. */
#define EXACT_SHARE 0.2
#define SLOPE_SHARE 0.14
/* However much registers say: larger sets are for timing to ask for. */
#define START_MOST_BYTES (1ull << 30)
/* The first set, and three doublings below it, so that two octaves' slopes can be compared twice.
 */
#define OCTAVES 3
/* Of what is left of the budget: what the first set may take, and what a larger one. */
#define START_SHARE  0.0625
#define GROWTH_SHARE 0.25

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* So that it can be halved into whole lines. */
static uint64_t whole_eighths(const struct engine *engine, uint64_t bytes)
{
    uint64_t line = plan_point(engine, 0, PAGE_4K, false, 0).stride_bytes;

    return bytes >= line << OCTAVES ? bytes - bytes % (line << OCTAVES) : bytes - bytes % line;
}

static void plan_chase(struct engine *engine, struct point point)
{
    if (engine->options->pattern == PATTERN_IID)
        return;
    point.role = ROLE_HEADLINE;
    point.error_share = EXACT_SHARE;
    plan_add(engine, &point);
}

/* A chase that only shows how the set's size matters. */
static void plan_coarse(struct engine *engine, struct point point, enum point_pass pass)
{
    point.role = ROLE_HEADLINE;
    point.pass = pass;
    if (engine->options->pattern != PATTERN_IID)
        plan_add(engine, &point);
}

/* Draws over the set, and what is asked for in their place. */
static void plan_draw(struct engine *engine, struct point point)
{
    dram_plan_pages(engine, &point);
    if (engine->options->pattern == PATTERN_CYCLE)
        return;
    point.kernel = KERNEL_IID;
    point.error_share = SLOPE_SHARE;
    point.role = ROLE_DRAW;
    plan_add(engine, &point);
}

static uint64_t halved(const struct point *point, unsigned times)
{
    uint64_t lines = point->bytes / point->stride_bytes;

    return (lines >> times) * point->stride_bytes;
}

/* What a headline cannot do without. The smallest set comes first, and teaches what one costs: a
 * budget that does not hold the largest is not used up by trying. */
static void plan_least(struct engine *engine, struct point point)
{
    struct point least = point, half = point;

    least.bytes = halved(&point, OCTAVES);
    half.bytes = halved(&point, 1);
    if (least.bytes != 0)
        plan_coarse(engine, least, PASS_LEAST);
    plan_chase(engine, point);
    if (half.bytes != 0)
        plan_chase(engine, half);
}

/* The set in the largest pages and the smaller ones below it, both ways of being random as asked,
 * and the prefetcher proof. */
static void plan_headline(struct engine *engine, struct point point)
{
    struct point below = point;

    plan_least(engine, point);
    point.role = engine->options->pattern != PATTERN_IID ? ROLE_HEADLINE : ROLE_PLAIN;
    prefetch_proof_plan(engine, &point);
    if (!dram_pages_told(engine, &point))
        journal_note(engine->journal, SEVERITY_INFO, "dram: TLB misses are in the figure",
                     "only in large pages can their cost be told from memory's");
    dram_plan_pieces(engine, &point);
    for (unsigned i = 0; i <= OCTAVES; i++) {
        below.bytes = halved(&point, i);
        if (below.bytes == 0)
            break;
        plan_draw(engine, below);
        if (i > 1 && i < OCTAVES)
            plan_coarse(engine, below, PASS_PROOF);
    }
}

/* The same set in scattered 4K pages, by the pattern that the TLB's share is taken from. */
static void plan_small_pages(struct engine *engine, struct point point)
{
    uint64_t limit = plan_limit(engine, PAGE_4K);

    if (!(plan_page_sizes(engine) & 1u << PAGE_4K) || limit == 0)
        return;
    point.page = PAGE_4K;
    point.frames = plan_point(engine, point.experiment, PAGE_4K, point.prefetch_off, 0).frames;
    point.role = ROLE_SMALL_PAGES;
    point.error_share = EXACT_SHARE;
    if (engine->options->pattern != PATTERN_CYCLE) {
        point.kernel = KERNEL_IID;
        point.error_share = SLOPE_SHARE;
        point.role = ROLE_DRAW_SMALL_PAGES;
    }
    plan_clamp(engine, "dram: the working set in 4K pages", limit, &point.bytes);
    plan_add(engine, &point);
}

/* The TLB's share of the set, and the set once more: later, when curves are known to an octave, and
 * in other memory where the machine chooses it. */
static void plan_beside(struct engine *engine, struct point point)
{
    struct point again = point;

    again.pass = PASS_HALVES;
    point.kernel = KERNEL_CYCLE;
    if (point.page != PAGE_4K)
        plan_small_pages(engine, point);
    plan_add(engine, &again);
}

/* The pair is what every run has, and it leaves time for the rest. */
static uint64_t affordable_bytes(const struct engine *engine, enum page_size page, uint64_t bytes)
{
    double most_s = START_SHARE * estimate_budget_left_s(engine);
    struct point point = plan_point(engine, 0, page, false, bytes);

    while (point.bytes / 2 >= DRAM_LEAST_BYTES && estimate_point_s(engine, &point) > most_s)
        point.bytes /= 2;
    return point.bytes;
}

/* What registers say, between bounds. */
static uint64_t start_bytes(struct engine *engine, uint32_t sizes, enum page_size *page)
{
    uint64_t wanted = smaller(plan_memory_bytes(engine), START_MOST_BYTES), limit;
    uint64_t most = engine->options->max_bytes;

    *page = plan_reaching_page(engine, sizes, larger(wanted, DRAM_LEAST_BYTES), &limit);
    wanted = larger(wanted, smaller(DRAM_LEAST_BYTES, limit));
    wanted = affordable_bytes(engine, *page, wanted);
    if (most != 0 && most < wanted) {
        wanted = most;
        engine_note_size(engine, SEVERITY_INFO, "dram: the set is smaller than by itself",
                         "max= asks for", wanted, "");
        *page = plan_reaching_page(engine, sizes, wanted, &limit);
    }
    if (limit == 0)
        return 0;
    plan_clamp(engine, "dram: the working set", limit, &wanted);
    return whole_eighths(engine, wanted);
}

/* The point that the headline is read from, were the first set large enough. */
static struct point first_set(const struct engine *engine, struct point point)
{
    bool draws = engine->options->pattern == PATTERN_IID;

    point.role = draws ? ROLE_DRAW : ROLE_HEADLINE;
    point.kernel = draws ? KERNEL_IID : KERNEL_CYCLE;
    point.error_share = draws ? SLOPE_SHARE : EXACT_SHARE;
    return point;
}

enum status dram_plan(struct engine *engine, uint32_t experiment)
{
    uint32_t sizes = plan_page_sizes(engine);
    bool off[2];
    uint32_t states = plan_prefetch_states(engine, off);
    enum page_size page;
    uint64_t wanted;

    wanted = start_bytes(engine, sizes, &page);
    if (wanted == 0)
        return STATUS_OK;
    if (wanted <= plan_last_level_bytes(engine))
        engine_note_size(engine, SEVERITY_WARNING, "dram: the set fits in a cache",
                         "the last level is declared to hold", plan_last_level_bytes(engine),
                         "; what is called DRAM latency here is not memory's");
    for (uint32_t i = 0; i < states; i++)
        plan_headline(engine, plan_point(engine, experiment, page, off[i], wanted));
    for (uint32_t i = 0; i < states; i++)
        plan_beside(engine,
                    first_set(engine, plan_point(engine, experiment, page, off[i], wanted)));
    return STATUS_OK;
}

/* Whether memory, max= and the budget hold a set like this one. */
static bool can_grow(const struct engine *engine, const struct point *point)
{
    uint64_t most = engine->options->max_bytes, limit = plan_limit(engine, point->page);
    double s = 2 * estimate_point_s(engine, point);

    return point->bytes <= limit && (most == 0 || point->bytes <= most) &&
           s <= GROWTH_SHARE * estimate_budget_left_s(engine);
}

/* A larger set where the last one is not large enough; else what stands beside the last one, where
 * the first was not. Not before curves have their octaves: on a slow machine one more doubling
 * takes as long as all of those. */
static bool extend_state(struct engine *engine, uint32_t experiment, bool prefetch_off)
{
    uint32_t before = engine->point_count;
    struct dram_found found;
    struct point next;

    if (engine->pass < PASS_OCTAVES || !dram_gather(engine, experiment, prefetch_off, &found))
        return false;
    next = *found.largest;
    next.over = false;
    next.result = (struct point_result){.known = false};
    next.bytes *= 2;
    if (!found.search.ends && dram_planned(engine, &next) == 0 && can_grow(engine, &next)) {
        next.kernel = KERNEL_CYCLE;
        next.pass = PASS_OCTAVES;
        plan_chase(engine, next);
        plan_draw(engine, next);
        dram_plan_pieces(engine, &next);
    } else if (dram_planned(engine, found.largest) == 1) {
        next.bytes /= 2;
        plan_beside(engine, next);
    }
    return engine->point_count != before;
}

static bool is_headline(const struct point *p, uint32_t experiment, bool prefetch_off)
{
    return p->experiment == experiment && p->prefetch_off == prefetch_off &&
           (p->role == ROLE_HEADLINE || p->role == ROLE_DRAW);
}

/* The largest set of the headline, where all of them are lost because there were no such pages for
 * them; NULL: something was measured, or may be. */
static const struct point *lost_set(const struct engine *engine, uint32_t experiment,
                                    bool prefetch_off)
{
    const struct point *largest = NULL;

    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        bool lost = p->over && (p->left_out == LEFT_UNMAPPED || p->left_out == LEFT_NO_MEMORY);
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

/* What a machine says that it has, it may not have for long: then the next smaller pages do. */
static bool fall_back(struct engine *engine, uint32_t experiment, bool prefetch_off)
{
    const struct point *lost = lost_set(engine, experiment, prefetch_off);
    uint32_t before = engine->point_count, sizes;
    enum page_size page;
    uint64_t bytes;

    if (lost == NULL)
        return false;
    sizes = plan_page_sizes(engine) & ((1u << lost->page) - 1);
    page = plan_largest_page(sizes);
    if (sizes == 0 || plan_limit(engine, page) == 0)
        return false;
    engine_note_size(engine, SEVERITY_WARNING, "dram: smaller pages than planned",
                     "none of the planned could be had; now they are of", 1ull << page, "");
    bytes = smaller(lost->bytes, plan_limit(engine, page));
    plan_headline(engine,
                  plan_point(engine, experiment, page, prefetch_off, whole_eighths(engine, bytes)));
    return engine->point_count != before;
}

bool dram_extend(struct engine *engine, uint32_t experiment)
{
    bool off[2], more = false;
    uint32_t states = plan_prefetch_states(engine, off);

    dram_look_for_caches(engine);
    for (uint32_t i = 0; i < states; i++)
        more |= fall_back(engine, experiment, off[i]) || extend_state(engine, experiment, off[i]);
    return more;
}
