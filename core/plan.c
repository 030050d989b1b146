/* SPDX-License-Identifier: BSD-2-Clause */
/* Which points are to be measured. */
#include "core/engine_state.h"

uint64_t plan_last_level_bytes(const struct engine *engine)
{
    const struct machine_description *d = engine->machine->description;
    uint64_t largest = 0;

    for (size_t i = 0; i < d->cache_count; i++)
        if (d->caches[i].bytes > largest)
            largest = d->caches[i].bytes;
    return largest;
}

uint32_t plan_page_sizes(const struct engine *engine)
{
    uint32_t asked = engine->options->pages;
    uint32_t had = engine->machine->description->page_sizes;

    if (engine->machine->description->firmware_mapping)
        return had;
    return asked == 0 ? had : asked & had;
}

enum page_size plan_largest_page(uint32_t page_sizes)
{
    if (page_sizes & 1u << PAGE_1G)
        return PAGE_1G;
    return page_sizes & 1u << PAGE_2M ? PAGE_2M : PAGE_4K;
}

/* 4K pages stand on scattered frames where the map allows it: contiguous ones may be coalesced by
 * the TLB into larger entries, and a 4K figure would not be one. */
static enum frame_order frames_for(enum page_size page, enum map_mode map)
{
    if (map == MAP_PROCESS)
        return FRAMES_FOUND;
    return page == PAGE_4K && map == MAP_WINDOW ? FRAMES_SCATTERED : FRAMES_CONTIGUOUS;
}

static uint64_t stride_of(const struct engine *engine)
{
    uint64_t stride = engine->options->stride_bytes;

    return stride == 0 ? engine->machine->description->line_bytes : stride;
}

static enum map_mode map_of(const struct engine *engine)
{
    const struct machine_description *d = engine->machine->description;

    if (d->process_mapping)
        return MAP_PROCESS;
    return d->firmware_mapping ? MAP_FIRMWARE : engine->options->map;
}

struct point plan_point(const struct engine *engine, uint32_t experiment, enum page_size page,
                        bool prefetch_off, uint64_t bytes)
{
    return (struct point){
        .experiment = experiment,
        .role = ROLE_PLAIN,
        .kernel = KERNEL_CYCLE,
        .order = ORDER_RANDOM,
        .page = page,
        .map = map_of(engine),
        .frames = frames_for(page, map_of(engine)),
        .prefetch_off = prefetch_off,
        .bytes = bytes,
        .stride_bytes = stride_of(engine),
        .chains = 1,
    };
}

void plan_add(struct engine *engine, const struct point *point)
{
    if (engine->point_count < ENGINE_POINTS_MAX) {
        engine->point[engine->point_count++] = *point;
        return;
    }
    if (!engine->plan_full)
        engine_note_size(engine, SEVERITY_WARNING, "the plan is cut",
                         "there is room for this many points:", ENGINE_POINTS_MAX, "");
    engine->plan_full = true;
}

struct window_request plan_window(const struct engine *engine, const struct point *point,
                                  uint64_t bytes)
{
    return (struct window_request){
        .bytes = bytes,
        .page = point->page,
        .map = point->map,
        .order = point->frames,
        .node = NODE_ANY,
        .from = engine->options->range_from,
        .below = engine->options->range_below,
        .seed = engine->options->seed,
    };
}

uint64_t plan_limit(const struct engine *engine, enum page_size page)
{
    struct point point = plan_point(engine, 0, page, false, 0);
    struct window_request request = plan_window(engine, &point, 0);

    return engine->machine->window_limit(engine->machine->self, &request);
}

void plan_clamp(struct engine *engine, const char *what, uint64_t limit, uint64_t *bytes)
{
    if (*bytes <= limit)
        return;
    engine_note_size(engine, SEVERITY_WARNING, what,
                     "clamped to the memory that can be mapped this way:", limit, "");
    *bytes = limit;
}

uint32_t plan_prefetch_states(const struct engine *engine, bool off[2])
{
    switch (engine->options->prefetch) {
    case PREFETCH_WISH_ON:
        off[0] = false;
        return 1;
    case PREFETCH_WISH_BOTH:
        off[0] = true;
        off[1] = false;
        return 2;
    case PREFETCH_WISH_OFF:
        break;
    }
    off[0] = true;
    return 1;
}

bool plan_same_window(const struct point *a, const struct point *b)
{
    return a->experiment == b->experiment && a->page == b->page && a->map == b->map &&
           a->frames == b->frames;
}

const char *plan_map_name(const struct point *point)
{
    switch (point->map) {
    case MAP_IDENTITY:
        return "identity";
    case MAP_FIRMWARE:
        return "firmware";
    case MAP_PROCESS:
        return "process";
    case MAP_WINDOW:
        break;
    }
    return "window";
}

const char *plan_frames_name(const struct point *point)
{
    switch (point->frames) {
    case FRAMES_SCATTERED:
        return "scattered";
    case FRAMES_FOUND:
        return "as-found";
    case FRAMES_CONTIGUOUS:
        break;
    }
    return "contiguous";
}

uint64_t plan_pages_bytes(const struct point *point)
{
    return point->map == MAP_FIRMWARE ? 0 : 1ull << point->page;
}

const char *plan_pattern_name(const struct point *point)
{
    if (point->kernel == KERNEL_IID)
        return "iid";
    if (point->kernel == KERNEL_STREAM)
        return "stream";
    return order_name(point->order);
}

const char *plan_page_name(enum page_size page)
{
    switch (page) {
    case PAGE_1G:
        return "1g";
    case PAGE_2M:
        return "2m";
    case PAGE_4K:
        break;
    }
    return "4k";
}
