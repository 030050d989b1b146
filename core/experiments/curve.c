/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/curve.h"

#include "core/experiments/curve_levels.h"
#include "core/experiments/footprint_points.h"
#include "core/experiments/prefetch_proof.h"
#include "core/experiments/translation.h"
#include "core/experiments/workbench.h"
#include "core/lib/u64.h"
#include "core/options/followed.h"
#include "core/plan/plan.h"

#define MIN_BYTES (8ull << 10)
/* factor on the error target: knees are small differences between points */
#define FIT_ERROR_SHARE      0.2
#define FIT_RELAX_AFTER_HOPS 200000
#define FIT_POINTS_MIN       6 /* levels_find needs as many */
/* Limits of the curves with one line per page: TLBs hold up to some 4000 4K pages, and their last
 * knee needs a slope beyond it; of larger pages, memory does not hold more than these. Rounded
 * down, the smallest set of large pages is one. */
#define SPREAD_PAGES_MIN 2
#define SPREAD_PAGES_MAX 16384
#define SPREAD_BYTES     (512ull << 20)
/* The rest of a plan is for other experiments, and for what timing shows to be needed. */
#define CURVE_POINTS_MAX (PLAN_POINTS_MAX / 4 * 3)

/* How far a curve reaches beyond the last-level cache, and how densely. Levels need more of both: a
 * knee lies between points, and the last one needs a slope beyond it. */
struct curve_span {
    uint32_t points, last_levels, fit_points, fit_last_levels;
    uint64_t min_max_bytes, fit_min_max_bytes; /* TLBs reach far beyond small caches */
};
static const struct curve_span spans[] = {
    [PLAN_QUICK] = {.points = 2,
                    .last_levels = 4,
                    .fit_points = 4,
                    .fit_last_levels = 12,
                    .min_max_bytes = 8ull << 20,
                    .fit_min_max_bytes = 24ull << 20},
    [PLAN_FULL] = {.points = 4,
                   .last_levels = PLAN_LAST_LEVELS,
                   .fit_points = 6,
                   .fit_last_levels = 16,
                   .min_max_bytes = 256ull << 20,
                   .fit_min_max_bytes = 256ull << 20},
};

uint64_t curve_size(uint64_t min_bytes, uint32_t points, uint32_t line_bytes, uint32_t i)
{
    uint64_t octave = min_bytes << (i / points);
    uint64_t exact = octave + octave / points * (i % points);
    uint64_t unit = exact < 65536 ? line_bytes : 4096;

    return exact < unit ? unit : exact - exact % unit;
}

static uint64_t default_max_bytes(const struct plan *plan, uint32_t last_levels, uint64_t min)
{
    uint64_t bytes = plan_last_level_bytes(plan) * last_levels;

    return bytes > min ? bytes : min;
}

/* The ends of a curve come first, then whole octaves, then each pass halves the gaps. */
static enum point_pass pass_of(uint32_t i, uint32_t points, bool is_end)
{
    uint32_t part = i % points;

    if (is_end)
        return PASS_ENDS;
    if (part == 0)
        return PASS_OCTAVES;
    if (2 * part % points == 0)
        return PASS_HALVES;
    return 4 * part % points == 0 ? PASS_QUARTERS : PASS_FINE;
}

static bool is_of_curve(const struct point *p, const struct point *like)
{
    return p->experiment == like->experiment && p->work_kind == like->work_kind &&
           p->tag == like->tag && p->kernel == like->kernel && p->page == like->page &&
           p->prefetch_off == like->prefetch_off;
}

/* The largest set planned for the curve that contains *like. */
static uint64_t largest_planned(const struct plan *plan, const struct point *like)
{
    uint64_t max = 0;

    for (uint32_t i = 0; i < plan->point_count; i++) {
        const struct point *p = &plan->point[i];
        if (is_of_curve(p, like) && p->bytes > max)
            max = p->bytes;
    }
    return max;
}

/* Caches that adapt to sets that do not fit give that up for sets that fit (core/measure/warm.c).
 * With the largest first, draws ask that of them once in each pass. */
static void largest_first(struct plan *plan, uint32_t from)
{
    for (uint32_t i = from, last = plan->point_count; i + 1 < last; i++) {
        struct point point = plan->point[i];
        plan->point[i] = plan->point[--last];
        plan->point[last] = point;
    }
}

/* All curves of a plan: first their octaves are counted, then their sets are planned. */
struct curves {
    bool counted;
    uint64_t octaves, sets;
    uint32_t points_max; /* an octave, so that a plan has room for all curves */
};

/* Adds every size from min_bytes to max_bytes that has a node for each chain and is larger than all
 * planned for this curve. */
static void plan_sizes(struct plan *plan, struct point point, uint64_t min_bytes,
                       uint64_t max_bytes, uint32_t points)
{
    uint32_t line_bytes = plan->machine->line_bytes;
    uint64_t stride = point.stride_bytes, unit = stride < line_bytes ? line_bytes : stride;
    uint64_t min = stride * point.chains, last = largest_planned(plan, &point);
    uint32_t planned = plan->point_count;
    bool end = false;

    unit = unit < 65536 ? unit : 4096;
    point.optional = true;
    for (uint32_t i = 0; !end && !plan->full; i++) {
        uint64_t bytes = curve_size(min_bytes, points, (uint32_t)unit, i);

        end = bytes >= max_bytes;
        bytes = end ? max_bytes : bytes;
        point.bytes = bytes < stride ? bytes : bytes - bytes % stride;
        point.pass = pass_of(i, points, last == 0 || end);
        /* A largest set with too few nodes is planned all the same: plan_add then notes why it
         * cannot be measured. */
        if (point.bytes <= last || (point.bytes < min && !end))
            continue;
        plan_add(plan, &point);
        last = point.bytes;
    }
    if (point.kernel == KERNEL_IID && stride == line_bytes)
        largest_first(plan, planned);
}

static void add_curve(struct plan *plan, struct curves *curves, const struct point *point,
                      uint64_t min_bytes, uint64_t max_bytes, uint32_t points)
{
    if (curves->counted) {
        points = points < curves->points_max ? points : curves->points_max;
        plan_sizes(plan, *point, min_bytes, max_bytes, points);
        return;
    }
    for (uint64_t bytes = min_bytes; bytes < max_bytes; bytes *= 2) {
        curves->octaves++;
        curves->sets += points;
    }
}

/* The largest set of a curve: max= or the plan's default, but not below min=, cut to what can be
 * mapped. */
static uint64_t max_bytes_of(struct plan *plan, const struct curves *curves, enum page_size page,
                             uint32_t last_levels, uint64_t min)
{
    uint64_t requested = plan->options->max_bytes, limit = plan_limit(plan, page);
    uint64_t bytes = requested != 0 ? requested : default_max_bytes(plan, last_levels, min);

    bytes = u64_max(bytes, plan->options->min_bytes);
    if (!curves->counted)
        return u64_min(bytes, limit);
    plan_clamp(plan, "curve: the largest working set", limit, &bytes);
    return bytes;
}

static uint64_t min_bytes_of(const struct options *options)
{
    return options->min_bytes != 0 ? options->min_bytes : MIN_BYTES;
}

/* Sizes per octave: points= or the plan's default. */
static uint32_t points_of(const struct options *options, uint32_t planned)
{
    return options->points != 0 ? options->points : planned;
}

/* Levels are found from plain draws on warm caches, and from nothing else. */
static void plan_fit(struct plan *plan, struct curves *curves, struct point point)
{
    const struct options *options = plan->options;
    const struct curve_span *span = &spans[options->plan];
    uint64_t max_bytes =
        max_bytes_of(plan, curves, point.page, span->fit_last_levels, span->fit_min_max_bytes);

    point.kernel = KERNEL_IID;
    if (!options_hop_requested(options, NULL)) {
        point.tag = CURVE_FIT;
        point.purpose = PURPOSE_LEVELS;
        point.error_scale = FIT_ERROR_SHARE;
        point.relax_after_hops = FIT_RELAX_AFTER_HOPS;
    }
    add_curve(plan, curves, &point, min_bytes_of(options), max_bytes,
              points_of(options, span->fit_points));
}

static bool has_small_divisor(uint64_t number)
{
    static const uint8_t divisors[] = {2, 3, 5, 7, 11, 13};

    for (size_t i = 0; i < sizeof divisors; i++)
        if (number % divisors[i] == 0)
            return true;
    return false;
}

/* A few lines more than a page, so that no likely number of sets or slices divides it and the lines
 * fill all sets of a cache evenly. For large pages also a small page more: a host may back them by
 * small ones, which then fill the sets of a TLB evenly too. */
static uint64_t spread_stride_bytes(uint64_t page_bytes, uint32_t line_bytes)
{
    uint64_t piece_bytes = page_bytes > 1ull << PAGE_4K ? 1ull << PAGE_4K : 0;
    uint64_t lines = (page_bytes + piece_bytes) / line_bytes + 1;

    while (has_small_divisor(lines))
        lines++;
    return lines * line_bytes;
}

/* One line in each page: that few lines fit the first caches, so that only TLBs show. */
static void plan_spread(struct plan *plan, struct curves *curves, struct point point)
{
    const struct options *options = plan->options;
    uint64_t max_bytes = (uint64_t)SPREAD_PAGES_MAX << point.page;
    uint32_t points = points_of(options, spans[options->plan].fit_points);

    max_bytes = max_bytes > SPREAD_BYTES ? SPREAD_BYTES : max_bytes;
    if (options->max_bytes != 0 && max_bytes > options->max_bytes)
        max_bytes = options->max_bytes;
    if (max_bytes > plan_limit(plan, point.page))
        max_bytes = plan_limit(plan, point.page);
    point.stride_bytes = spread_stride_bytes(1ull << point.page, plan->machine->line_bytes);
    if (max_bytes < 2 * SPREAD_PAGES_MIN * point.stride_bytes)
        return;
    point.kernel = KERNEL_IID;
    point.tag = CURVE_REACH;
    point.purpose = PURPOSE_TRANSLATION;
    point.error_scale = FIT_ERROR_SHARE;
    point.relax_after_hops = FIT_RELAX_AFTER_HOPS;
    add_curve(plan, curves, &point, SPREAD_PAGES_MIN * point.stride_bytes, max_bytes, points);
}

static void plan_page(struct plan *plan, struct curves *curves, uint32_t experiment,
                      enum page_size page, bool fit)
{
    const struct options *options = plan->options;
    const struct curve_span *span = &spans[options->plan];
    struct point point = plan_option_point(plan, experiment, page, false, 0);
    bool off[2];
    uint32_t states = plan_prefetch_states(plan, off);
    uint32_t points = points_of(options, span->points);
    uint64_t min_bytes = min_bytes_of(options);

    if (options->pattern != PATTERN_IID) {
        uint64_t max_bytes =
            max_bytes_of(plan, curves, page, span->last_levels, span->min_max_bytes);
        for (uint32_t i = 0; i < states; i++) {
            point.prefetch_off = off[i];
            add_curve(plan, curves, &point, min_bytes, max_bytes, points);
        }
    }
    point.prefetch_off = off[0];
    if (!fit)
        return;
    plan_fit(plan, curves, point);
    if (!options_hop_requested(options, NULL) && point.page != PAGE_1G)
        plan_spread(plan, curves, point);
}

/* Whether draws are part of the plan. Levels are not looked for if an option changes what a hop
 * costs: they would not be the machine's. */
static bool plan_draws(struct plan *plan)
{
    enum option_pattern pattern = plan->options->pattern;
    char keys[80];
    struct text words;

    text_start(&words, keys, sizeof keys);
    if ((pattern != PATTERN_AUTO && pattern != PATTERN_IID) ||
        !options_hop_requested(plan->options, &words))
        return pattern == PATTERN_AUTO || pattern == PATTERN_IID;
    journal_note_format(plan->journal, SEVERITY_INFO, "curve: no levels",
                        "levels are found from plain draws on warm caches, which excludes %s",
                        keys);
    return pattern == PATTERN_IID;
}

/* Whether dram, which proves what prefetchers do, is part of the run. */
static bool is_proven_elsewhere(const struct options *options)
{
    return options->test_count == 0 || options_test(options, "dram");
}

static uint32_t count_fit(const struct plan *plan, uint32_t experiment)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < plan->point_count; i++)
        count += plan->point[i].experiment == experiment && plan->point[i].tag == CURVE_FIT;
    return count;
}

/* TLBs found from page curves depend on the lines that prefetchers bring beside each, and on the
 * size of the pieces that TLBs hold pages in. */
static void plan_proofs(struct plan *plan, uint32_t experiment, enum page_size page)
{
    uint64_t limit = plan_limit(plan, page);
    struct point like = plan_point(plan, experiment, page, false,
                                   limit < FOOTPRINT_BYTES ? limit : FOOTPRINT_BYTES);
    bool off[2];

    (void)plan_prefetch_states(plan, off);
    like.prefetch_off = off[0];
    like.optional = true;
    like.pass = PASS_OCTAVES;
    footprint_plan(plan, &like, like.pass);
    translation_plan_pieces(plan, &like);
}

/* Two page sizes separate caches from TLBs: the smallest, whose TLB knees lie inside the curve, and
 * the largest, whose knees do not. With pattern=iid every size is measured. */
static void plan_pages(struct plan *plan, struct curves *curves, uint32_t experiment,
                       uint32_t sizes, bool draws)
{
    enum page_size largest = plan_largest_page(sizes);

    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        bool fit = bit == PAGE_4K || bit == largest || plan->options->pattern == PATTERN_IID;
        if (sizes & 1u << bit)
            plan_page(plan, curves, experiment, (enum page_size)bit, draws && fit);
    }
}

/* With more sets an octave than fit, later curves and experiments would have none. */
static void limit_points(struct plan *plan, struct curves *curves)
{
    uint64_t most = curves->octaves == 0 ? 0 : CURVE_POINTS_MAX / curves->octaves;

    curves->counted = true;
    curves->points_max = UINT32_MAX;
    if (curves->sets <= CURVE_POINTS_MAX)
        return;
    curves->points_max = most < 1 ? 1 : (uint32_t)most;
    journal_note_format(plan->journal, SEVERITY_WARNING, "curve: fewer points",
                        "%u sets an octave at most: a plan has room for %u points",
                        curves->points_max, PLAN_POINTS_MAX);
}

enum status curve_plan(struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    uint32_t sizes = plan_usable_sizes(plan, "curve: a page size left out");
    enum page_size largest = plan_largest_page(sizes);
    bool draws = plan_draws(plan);
    struct curves curves = {.counted = false};

    (void)bench;
    plan_pages(plan, &curves, experiment, sizes, draws);
    limit_points(plan, &curves);
    plan_pages(plan, &curves, experiment, sizes, draws);
    if (count_fit(plan, experiment) >= FIT_POINTS_MIN && !is_proven_elsewhere(plan->options))
        plan_proofs(plan, experiment, largest);
    return STATUS_OK;
}

/* Extends one curve to where it would end if that cache were declared. */
static void extend_one(struct plan *plan, struct point point)
{
    const struct options *options = plan->options;
    const struct curve_span *span = &spans[options->plan];
    bool draws = point.kernel == KERNEL_IID;
    uint32_t points = draws ? span->fit_points : span->points;
    uint64_t wanted = plan->undeclared_bytes * (draws ? span->fit_last_levels : span->last_levels);
    uint64_t limit = plan_limit(plan, point.page);

    wanted = wanted < limit ? wanted : limit;
    if (point.bytes >= wanted)
        return;
    point.over = point.again = false;
    point.left_out = LEFT_NOT;
    point.result = (struct point_result){.known = false};
    plan_sizes(plan, point, min_bytes_of(options), wanted, points_of(options, points));
}

/* If larger sets have shown an undeclared cache, curves are extended beyond it. */
bool curve_extend(struct plan *plan, const struct workbench *bench, uint32_t experiment)
{
    uint32_t before = plan->point_count;

    (void)bench;
    if (plan->pass < PASS_OCTAVES || plan->options->max_bytes != 0)
        return false;
    for (uint32_t i = 0; i < before; i++) {
        const struct point *p = &plan->point[i];
        if (p->experiment == experiment && p->work_kind != POINT_FOOTPRINT &&
            p->tag != CURVE_REACH && p->bytes == largest_planned(plan, p))
            extend_one(plan, *p);
    }
    return plan->point_count != before;
}

enum status curve_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment)
{
    bool off[2];

    (void)plan_prefetch_states(plan, off);
    prefetch_proof_conclude(plan, bench->controls, experiment, off[0], false);
    return curve_levels_emit(plan, bench, experiment);
}
