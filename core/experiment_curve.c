/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiment_curve.h"

#include "core/engine_state.h"

#define MIN_BYTES (8ull << 10)

/* How far a curve reaches beyond the last-level cache, and how densely. */
struct curve_span {
    uint32_t points, last_levels;
    uint64_t least_max_bytes;
};
static const struct curve_span spans[] = {
    [PLAN_QUICK] = {.points = 2, .last_levels = 4, .least_max_bytes = 8ull << 20},
    [PLAN_FULL] = {.points = 4, .last_levels = 32, .least_max_bytes = 256ull << 20},
};

uint64_t curve_size(uint64_t min_bytes, uint32_t points, uint32_t line_bytes, uint32_t i)
{
    uint64_t octave = min_bytes << (i / points);
    uint64_t exact = octave + octave / points * (i % points);
    uint64_t unit = exact < 65536 ? line_bytes : 4096;

    return exact < unit ? unit : exact - exact % unit;
}

static uint64_t default_max_bytes(const struct engine *engine)
{
    const struct curve_span *span = &spans[engine->options->plan];
    uint64_t bytes = plan_last_level_bytes(engine) * span->last_levels;

    return bytes > span->least_max_bytes ? bytes : span->least_max_bytes;
}

static void plan_page(struct engine *engine, uint32_t experiment, enum page_size page,
                      uint64_t min_bytes, uint64_t max_bytes)
{
    const struct options *options = engine->options;
    uint32_t points = options->points != 0 ? options->points : spans[options->plan].points;
    struct point point = plan_point(engine, experiment, page, false, min_bytes);
    uint64_t unit = point.stride_bytes;
    uint32_t states;
    bool off[2];

    states = plan_prefetch_states(engine, off);
    for (uint32_t state = 0; state < states; state++) {
        uint64_t last = 0;
        point.prefetch_off = off[state];
        for (uint32_t i = 0; last < max_bytes && !engine->plan_full; i++) {
            uint64_t bytes =
                curve_size(min_bytes, points, (uint32_t)(unit < 65536 ? unit : 4096), i);
            bytes = bytes < max_bytes ? bytes : max_bytes;
            bytes -= bytes % unit;
            if (bytes <= last || bytes < unit)
                break;
            point.bytes = bytes;
            plan_add(engine, &point);
            last = bytes;
        }
    }
}

enum status curve_plan(struct engine *engine, uint32_t experiment)
{
    const struct options *options = engine->options;
    uint32_t sizes = plan_page_sizes(engine);
    uint64_t min_bytes = options->min_bytes != 0 ? options->min_bytes : MIN_BYTES;
    uint64_t wanted = options->max_bytes != 0 ? options->max_bytes : default_max_bytes(engine);

    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        uint64_t limit, max_bytes = wanted;
        if (!(sizes & 1u << bit))
            continue;
        limit = plan_limit(engine, (enum page_size)bit);
        if (limit == 0) {
            engine_note_size(engine, SEVERITY_INFO, "curve: a page size left out",
                             "no free, aligned, write-back memory for pages of", 1ull << bit, "");
            continue;
        }
        plan_clamp(engine, "curve: the largest working set", limit, &max_bytes);
        plan_page(engine, experiment, (enum page_size)bit, min_bytes, max_bytes);
    }
    return STATUS_OK;
}

enum status curve_conclude(struct engine *engine, uint32_t experiment)
{
    (void)engine;
    (void)experiment;
    return STATUS_OK;
}
