/* SPDX-License-Identifier: BSD-2-Clause */
/* Which points are to be measured. */
#include "core/plan/check.h"

#define MEMORY_LAST_LEVELS  32
#define UNKNOWN_CACHE_BYTES (1ull << 30) /* the set when no cache is declared */
#define PAGED_GROUP_BYTES   (4ull << 10) /* what a prefetcher does not cross */
#define GROUPED_GROUP_BYTES (256ull << 10)

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

/* Whole lines: a part of one is for the patterns that know what to do with it. */
static uint64_t stride_of(const struct engine *engine)
{
    uint64_t stride = engine->options->stride_bytes;
    uint32_t line_bytes = engine->machine->description->line_bytes;

    return stride == 0 || stride % line_bytes != 0 ? line_bytes : stride;
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

static enum order_kind order_asked(enum option_pattern pattern)
{
    switch (pattern) {
    case PATTERN_FORWARD:
        return ORDER_FORWARD;
    case PATTERN_REVERSE:
        return ORDER_REVERSE;
    case PATTERN_SEQUENTIAL:
        return ORDER_SEQUENTIAL;
    case PATTERN_SHUFFLED_PAGES:
        return ORDER_SEQUENTIAL_PAGES;
    case PATTERN_PAGED:
        return ORDER_PAGED;
    case PATTERN_GROUPED:
        return ORDER_GROUPED;
    case PATTERN_HOP_PAGE:
        return ORDER_HOP_PAGE;
    case PATTERN_AUTO:
    case PATTERN_CYCLE:
    case PATTERN_IID:
        break;
    }
    return ORDER_RANDOM;
}

uint64_t plan_group_bytes(const struct options *options, enum order_kind order)
{
    if (!order_by_groups(order))
        return 0;
    if (options->group_bytes != 0)
        return options->group_bytes;
    return order == ORDER_GROUPED ? GROUPED_GROUP_BYTES : PAGED_GROUP_BYTES;
}

struct point plan_asked(const struct engine *engine, uint32_t experiment, enum page_size page,
                        bool prefetch_off, uint64_t bytes)
{
    const struct options *options = engine->options;
    struct point point = plan_point(engine, experiment, page, prefetch_off, bytes);

    if (options->pattern == PATTERN_IID)
        point.kernel = KERNEL_IID;
    if (options->stride_bytes != 0)
        point.stride_bytes = options->stride_bytes;
    point.order = order_asked(options->pattern);
    point.group_bytes = plan_group_bytes(options, point.order);
    point.chains = options->chains;
    point.load = options->load;
    point.hint = options->hint;
    point.work = options->work;
    point.word = options->word;
    point.cold = !options->warmup;
    return point;
}

/* A reason is told once, not for each of a curve's sets. */
static void leave_out(struct engine *engine, const struct point *point, const char *why)
{
    char what[80];
    struct text text;

    text_start(&text, engine->refused, sizeof engine->refused);
    text_add(&text, why);
    text_start(&text, what, sizeof what);
    text_add(&text, experiment_table[point->experiment].name);
    text_add(&text, ": points left out");
    journal_note(engine->journal, SEVERITY_WARNING, what, why);
}

/* What says how the headline is to be read comes behind it. */
static enum point_pass pass_of(const struct point *point)
{
    switch (point->role) {
    case ROLE_RANDOM:
    case ROLE_SPARSE:
    case ROLE_SEQUENTIAL:
    case ROLE_PAIRED:
    case ROLE_HALVED:
    case ROLE_DRAW:
    case ROLE_SMALL_PAGES:
    case ROLE_DRAW_SMALL_PAGES:
    case ROLE_APART:
    case ROLE_TOGETHER:
    case ROLE_FOOTPRINT:
        return PASS_PROOF;
    default:
        return point->pass;
    }
}

void plan_add(struct engine *engine, const struct point *point)
{
    char why[PLAN_WHY_MAX];
    struct point added = *point;
    struct text text;

    if (added.kernel == KERNEL_CYCLE && added.group_bytes == 0)
        added.group_bytes = plan_group_bytes(engine->options, added.order);
    added.pass = pass_of(point);
    text_start(&text, why, sizeof why);
    if (!plan_possible(engine->machine->description, &added, &text)) {
        if (!text_equal(why, engine->refused))
            leave_out(engine, point, why);
        return;
    }
    if (engine->point_count < ENGINE_POINTS_MAX) {
        engine->point[engine->point_count++] = added;
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

uint32_t plan_usable_sizes(struct engine *engine, const char *what)
{
    uint32_t sizes = plan_page_sizes(engine);

    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        if (!(sizes & 1u << bit) || plan_limit(engine, (enum page_size)bit) != 0)
            continue;
        engine_note_size(engine, SEVERITY_INFO, what,
                         "no free, aligned, write-back memory for pages of", 1ull << bit, "");
        sizes &= ~(1u << bit);
    }
    return sizes;
}

uint64_t plan_memory_bytes(const struct engine *engine)
{
    uint64_t last_level = plan_last_level_bytes(engine);

    return last_level == 0 ? UNKNOWN_CACHE_BYTES : last_level * MEMORY_LAST_LEVELS;
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
    return a->page == b->page && a->map == b->map && a->frames == b->frames;
}

const char *plan_load_name(enum chase_load load)
{
    static const char *const names[] = {
        [LOAD_PLAIN] = "plain", [LOAD_NT] = "nt", [LOAD_FLUSH] = "flush", [LOAD_DIRTY] = "dirty"};

    return names[load];
}

const char *plan_hint_name(enum chase_hint hint)
{
    static const char *const names[] = {[HINT_NONE] = "none",
                                        [HINT_NTA] = "nta",
                                        [HINT_T0] = "t0",
                                        [HINT_T1] = "t1",
                                        [HINT_T2] = "t2"};

    return names[hint];
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
    if (point->role == ROLE_FOOTPRINT)
        return "footprint";
    if (point->kernel == KERNEL_IID)
        return "iid";
    if (point->kernel == KERNEL_STREAM)
        return "stream";
    return order_name(point->order);
}

const char *plan_purpose_name(const struct point *point)
{
    switch (point->role) {
    case ROLE_FIT:
        return "levels";
    case ROLE_HEADLINE:
    case ROLE_SMALL_PAGES:
    case ROLE_DRAW:
    case ROLE_DRAW_SMALL_PAGES:
        return "headline";
    case ROLE_REACH:
    case ROLE_APART:
    case ROLE_TOGETHER:
        return "translation";
    case ROLE_RANDOM:
    case ROLE_SPARSE:
    case ROLE_SEQUENTIAL:
    case ROLE_PAIRED:
    case ROLE_HALVED:
        return "proof";
    default:
        return NULL;
    }
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
