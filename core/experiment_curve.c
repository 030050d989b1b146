/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiment_curve.h"

#include "core/curve_levels.h"
#include "core/engine_state.h"

#define MIN_BYTES     (8ull << 10)
#define FIT_MIN_BYTES (4ull << 10)

/* How far a curve reaches beyond the last-level cache, and how densely. Levels need more of both: a
 * knee stands between points, and the last one needs a slope behind it. */
struct curve_span {
    uint32_t points, last_levels, fit_points, fit_last_levels;
    uint64_t least_max_bytes;
};
static const struct curve_span spans[] = {
    [PLAN_QUICK] = {.points = 2,
                    .last_levels = 4,
                    .fit_points = 4,
                    .fit_last_levels = 12,
                    .least_max_bytes = 8ull << 20},
    [PLAN_FULL] = {.points = 4,
                   .last_levels = 32,
                   .fit_points = 6,
                   .fit_last_levels = 16,
                   .least_max_bytes = 256ull << 20},
};

uint64_t curve_size(uint64_t min_bytes, uint32_t points, uint32_t line_bytes, uint32_t i)
{
    uint64_t octave = min_bytes << (i / points);
    uint64_t exact = octave + octave / points * (i % points);
    uint64_t unit = exact < 65536 ? line_bytes : 4096;

    return exact < unit ? unit : exact - exact % unit;
}

static uint64_t default_max_bytes(const struct engine *engine, uint32_t last_levels)
{
    uint64_t least = spans[engine->options->plan].least_max_bytes;
    uint64_t bytes = plan_last_level_bytes(engine) * last_levels;

    return bytes > least ? bytes : least;
}

/* One curve: every size from min_bytes to max_bytes for a point like this one. */
static void plan_sizes(struct engine *engine, struct point point, uint64_t min_bytes,
                       uint64_t max_bytes, uint32_t points)
{
    uint64_t unit = point.stride_bytes;
    uint32_t line_bytes = (uint32_t)(unit < 65536 ? unit : 4096);
    uint64_t last = 0;

    for (uint32_t i = 0; last < max_bytes && !engine->plan_full; i++) {
        uint64_t bytes = curve_size(min_bytes, points, line_bytes, i);
        bytes = bytes < max_bytes ? bytes : max_bytes;
        bytes -= bytes % unit;
        if (bytes <= last || bytes < unit)
            break;
        point.bytes = bytes;
        plan_add(engine, &point);
        last = bytes;
    }
}

/* The largest set of one curve: as asked or as the plan has it, and no more than can be mapped. */
static uint64_t max_bytes_of(struct engine *engine, enum page_size page, uint32_t last_levels)
{
    uint64_t asked = engine->options->max_bytes;
    uint64_t bytes = asked != 0 ? asked : default_max_bytes(engine, last_levels);

    plan_clamp(engine, "curve: the largest working set", plan_limit(engine, page), &bytes);
    return bytes;
}

static void plan_page(struct engine *engine, uint32_t experiment, enum page_size page, bool fit)
{
    const struct options *options = engine->options;
    const struct curve_span *span = &spans[options->plan];
    struct point point = plan_point(engine, experiment, page, false, 0);
    bool off[2];
    uint32_t states = plan_prefetch_states(engine, off);
    uint32_t points = options->points != 0 ? options->points : span->points;
    uint64_t max_bytes = max_bytes_of(engine, page, span->last_levels);
    uint64_t min_bytes = options->min_bytes != 0 ? options->min_bytes : MIN_BYTES;

    for (uint32_t i = 0; i < states && options->pattern != PATTERN_IID; i++) {
        point.prefetch_off = off[i];
        plan_sizes(engine, point, min_bytes, max_bytes, points);
    }
    if (options->pattern == PATTERN_CYCLE || !fit)
        return;
    point.kernel = KERNEL_IID;
    point.role = ROLE_FIT;
    point.prefetch_off = off[0];
    points = options->points != 0 ? options->points : span->fit_points;
    max_bytes = max_bytes_of(engine, page, span->fit_last_levels);
    plan_sizes(engine, point, options->min_bytes != 0 ? min_bytes : FIT_MIN_BYTES, max_bytes,
               points);
}

/* Bit n: pages of 2^n bytes that a window can be made of now. */
static uint32_t usable_sizes(struct engine *engine)
{
    uint32_t sizes = plan_page_sizes(engine);

    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        if (!(sizes & 1u << bit) || plan_limit(engine, (enum page_size)bit) != 0)
            continue;
        engine_note_size(engine, SEVERITY_INFO, "curve: a page size left out",
                         "no free, aligned, write-back memory for pages of", 1ull << bit, "");
        sizes &= ~(1u << bit);
    }
    return sizes;
}

enum status curve_plan(struct engine *engine, uint32_t experiment)
{
    uint32_t sizes = usable_sizes(engine);
    enum page_size largest = plan_largest_page(sizes);

    /* Two page sizes tell caches from TLBs: the smallest, whose TLB knees are inside the curve, and
     * the largest, whose are not. With iid asked for alone, every size is wanted. */
    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        bool fit = bit == PAGE_4K || bit == largest || engine->options->pattern == PATTERN_IID;
        if (sizes & 1u << bit)
            plan_page(engine, experiment, (enum page_size)bit, fit);
    }
    return STATUS_OK;
}

enum status curve_conclude(struct engine *engine, uint32_t experiment)
{
    curve_levels_emit(engine, experiment);
    return STATUS_OK;
}
