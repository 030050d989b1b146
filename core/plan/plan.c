/* SPDX-License-Identifier: BSD-2-Clause */
/* Which points are to be measured. */
#include "core/plan/plan.h"

#include "core/options/experiments.h"
#include "core/plan/check.h"

#define UNKNOWN_CACHE_BYTES (1ull << 30) /* plan_memory_bytes when no cache is declared */
#define PAGED_GROUP_BYTES   (4ull << 10) /* most prefetchers do not cross it */
#define GROUPED_GROUP_BYTES (256ull << 10)

uint64_t plan_last_level_bytes(const struct plan *plan)
{
    const struct machine_description *d = plan->machine;
    uint64_t largest = 0;

    for (size_t i = 0; i < d->cache_count; i++)
        if (d->caches[i].bytes > largest)
            largest = d->caches[i].bytes;
    return largest;
}

uint32_t plan_page_sizes(const struct plan *plan)
{
    uint32_t requested = plan->options->pages;
    uint32_t available = plan->machine->page_sizes;

    if (plan->machine->firmware_mapping)
        return available;
    return requested == 0 ? available : requested & available;
}

enum page_size plan_largest_page(uint32_t page_sizes)
{
    if (page_sizes & 1u << PAGE_1G)
        return PAGE_1G;
    return page_sizes & 1u << PAGE_2M ? PAGE_2M : PAGE_4K;
}

/* 4K pages use scattered frames where the map allows it: the TLB may coalesce contiguous ones into
 * larger entries, and the figure would not be one of 4K pages. */
static enum frame_order frames_for(enum page_size page, enum map_mode map)
{
    if (map == MAP_PROCESS)
        return FRAMES_AS_ALLOCATED;
    return page == PAGE_4K && map == MAP_WINDOW ? FRAMES_SCATTERED : FRAMES_CONTIGUOUS;
}

/* Whole lines: only some patterns can use a stride that is not. */
static uint64_t stride_of(const struct plan *plan)
{
    uint64_t stride = plan->options->stride_bytes;
    uint32_t line_bytes = plan->machine->line_bytes;

    return stride == 0 || stride % line_bytes != 0 ? line_bytes : stride;
}

static enum map_mode map_of(const struct plan *plan)
{
    const struct machine_description *d = plan->machine;

    if (d->process_mapping)
        return MAP_PROCESS;
    return d->firmware_mapping ? MAP_FIRMWARE : plan->options->map;
}

struct point plan_point(const struct plan *plan, uint32_t experiment, enum page_size page,
                        bool prefetch_off, uint64_t bytes)
{
    return (struct point){
        .experiment = experiment,
        .kernel = KERNEL_CYCLE,
        .order = ORDER_RANDOM,
        .page = page,
        .map = map_of(plan),
        .frames = frames_for(page, map_of(plan)),
        .prefetch_off = prefetch_off,
        .bytes = bytes,
        .stride_bytes = stride_of(plan),
        .chains = 1,
        .node = NODE_ANY,
        .prefetch = PREFETCH_NOT_MEASURED,
    };
}

static enum order_kind order_of_pattern(enum option_pattern pattern)
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

/* Bytes of a group of this order: the options' value, or the order's default; 0 if it has no
 * groups. */
static uint64_t group_bytes(const struct options *options, enum order_kind order)
{
    if (!order_by_groups(order))
        return 0;
    if (options->group_bytes != 0)
        return options->group_bytes;
    return order == ORDER_GROUPED ? GROUPED_GROUP_BYTES : PAGED_GROUP_BYTES;
}

struct point plan_option_point(const struct plan *plan, uint32_t experiment, enum page_size page,
                               bool prefetch_off, uint64_t bytes)
{
    const struct options *options = plan->options;
    struct point point = plan_point(plan, experiment, page, prefetch_off, bytes);

    if (options->pattern == PATTERN_IID)
        point.kernel = KERNEL_IID;
    if (options->stride_bytes != 0)
        point.stride_bytes = options->stride_bytes;
    point.order = order_of_pattern(options->pattern);
    point.chains = options->chains;
    point.load = options->load;
    point.hint = options->hint;
    point.work = options->work;
    point.word = options->word;
    point.cold = !options->warmup;
    return point;
}

/* One note per reason, not one for each set of a curve. */
static void leave_out(struct plan *plan, const struct point *point, const char *why)
{
    text_print(plan->refused, sizeof plan->refused, "%s", why);
    journal_note_about(plan->journal, SEVERITY_WARNING, experiment_list[point->experiment].name,
                       "points left out", "%s", why);
}

void plan_add(struct plan *plan, const struct point *point)
{
    char why[PLAN_WHY_MAX];
    struct point added = *point;
    struct text text;

    if (added.kernel == KERNEL_CYCLE && (added.group_bytes == 0 || !order_by_groups(added.order)))
        added.group_bytes = group_bytes(plan->options, added.order);
    text_start(&text, why, sizeof why);
    if (!plan_possible(plan->machine, &added, &text)) {
        if (!text_equal(why, plan->refused))
            leave_out(plan, point, why);
        return;
    }
    if (plan->point_count < PLAN_POINTS_MAX) {
        plan->point[plan->point_count++] = added;
        return;
    }
    if (!plan->full)
        journal_note_about(plan->journal, SEVERITY_WARNING, experiment_list[point->experiment].name,
                           "points left out",
                           "from a set of %s in pages of %s on: a plan has room for %u",
                           TEXT_SIZE(point->bytes), page_name(point->page), PLAN_POINTS_MAX);
    plan->full = true;
}

struct window_request plan_window(const struct plan *plan, const struct point *point,
                                  uint64_t bytes)
{
    const struct options *options = plan->options;
    bool anywhere = options->range_from.value == options->range_below.value;
    bool all = anywhere && point->everywhere;
    uint32_t home = anywhere && !all ? plan->machine->home_node : NODE_ANY;

    return (struct window_request){
        .bytes = bytes,
        .page = point->page,
        .map = point->map,
        .order = point->frames,
        .node = point->node != NODE_ANY ? point->node : home,
        .from = options->range_from,
        .below = all ? phys_make(PHYS_ALL) : options->range_below,
        .seed = options->seed,
    };
}

uint64_t plan_limit(const struct plan *plan, enum page_size page)
{
    return plan->outlook.limit_bytes[point_page_index(page)][frames_for(page, map_of(plan))];
}

uint64_t plan_point_limit(const struct plan *plan, const struct point *point)
{
    if (point->everywhere)
        return plan->outlook.all_bytes[point_page_index(point->page)];
    return plan->outlook.limit_bytes[point_page_index(point->page)][point->frames];
}

uint32_t plan_usable_sizes(const struct plan *plan, const char *what)
{
    uint32_t sizes = plan_page_sizes(plan);

    for (unsigned page = PAGE_4K; page <= PAGE_1G; page++) {
        if (!(sizes & 1u << page) || plan_limit(plan, (enum page_size)page) != 0)
            continue;
        journal_note_format(plan->journal, SEVERITY_INFO, what,
                            "no free, aligned, write-back memory for pages of %s",
                            TEXT_SIZE(1ull << page));
        sizes &= ~(1u << page);
    }
    return sizes;
}

uint64_t plan_memory_bytes(const struct plan *plan)
{
    uint64_t last_level = plan_last_level_bytes(plan);

    return last_level == 0 ? UNKNOWN_CACHE_BYTES : last_level * PLAN_LAST_LEVELS;
}

void plan_clamp(const struct plan *plan, const char *what, uint64_t limit, uint64_t *bytes)
{
    if (*bytes <= limit)
        return;
    *bytes = limit;
    journal_note_format(plan->journal, SEVERITY_WARNING, what,
                        "clamped to the memory that can be mapped this way: %s", TEXT_SIZE(*bytes));
}

uint32_t plan_prefetch_states(const struct plan *plan, bool off[2])
{
    switch (plan->options->prefetch) {
    case PREFETCH_REQUEST_ON:
        off[0] = false;
        return 1;
    case PREFETCH_REQUEST_BOTH:
        off[0] = true;
        off[1] = false;
        return 2;
    case PREFETCH_REQUEST_OFF:
        break;
    }
    off[0] = true;
    return 1;
}

bool plan_same_window(const struct point *a, const struct point *b)
{
    return a->page == b->page && a->map == b->map && a->frames == b->frames &&
           a->everywhere == b->everywhere && a->node == b->node;
}
