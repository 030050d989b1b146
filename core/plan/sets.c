/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/plan/sets.h"

#include "core/lib/u64.h"
#include "core/plan/plan.h"

/* Experiments measure many points, and building a set of gibibytes takes seconds. */
#define LAST_LEVELS_MIN 4
/* A nearer cache that replaces adaptively or at random keeps up to as much of a set as it holds. */
#define NEARER_SETS_MIN 8
#define ENOUGH_BYTES    (1ull << 30) /* also the set when no cache is declared */

static const char *const cache_names[] = {"L1", "L2", "L3", "L4", "L5", "L6", "L7"};
static const char *const declared_names[] = {"declared L1", "declared L2", "declared L3",
                                             "declared L4", "declared L5", "declared L6",
                                             "declared L7"};

uint64_t plan_declared_bytes(const struct plan *plan)
{
    return u64_max(plan_last_level_bytes(plan), plan->machine->side_cache_bytes);
}

uint64_t plan_wanted_bytes(const struct plan *plan)
{
    uint64_t last_level = plan_last_level_bytes(plan), declared = plan_declared_bytes(plan);
    uint64_t min = u64_max(last_level * LAST_LEVELS_MIN, PLAN_MEMORY_MIN_BYTES);

    if (plan->options->max_bytes != 0)
        return plan->options->max_bytes;
    if (last_level == 0 || declared > ENOUGH_BYTES / PLAN_LAST_LEVELS)
        return u64_max(min, ENOUGH_BYTES);
    return u64_max(min, declared * PLAN_LAST_LEVELS);
}

uint64_t plan_least_bytes(const struct plan *plan)
{
    uint64_t least = plan_last_level_bytes(plan) * LAST_LEVELS_MIN;
    uint64_t wanted = plan_wanted_bytes(plan);

    return least != 0 && least < wanted ? least : wanted;
}

static uint64_t whole_nodes(const struct plan *plan, uint64_t bytes)
{
    struct point point = plan_point(plan, 0, PAGE_4K, false, 0);

    return bytes - bytes % point.stride_bytes;
}

/* Where a set of this size lies: the smallest declared cache that holds it, else memory. */
static const char *home_of(const struct machine_description *d, uint64_t bytes)
{
    for (size_t i = 0; i < d->cache_count && i < PLAN_SETS_MAX - 1; i++)
        if (bytes <= d->caches[i].bytes)
            return cache_names[i];
    return "memory";
}

const char *plan_set_declared(const char *name)
{
    for (size_t i = 0; i < sizeof cache_names / sizeof cache_names[0]; i++)
        if (name == cache_names[i])
            return declared_names[i];
    return NULL;
}

size_t plan_sets(const struct plan *plan, uint64_t memory_bytes,
                 struct plan_set sets[PLAN_SETS_MAX])
{
    const struct machine_description *d = plan->machine;
    uint64_t last = 0;
    size_t count = 0;

    for (size_t i = 0; i < d->cache_count && i < PLAN_SETS_MAX - 1; i++) {
        uint64_t bytes = whole_nodes(plan, d->caches[i].bytes / 2);
        if (bytes <= last || bytes >= memory_bytes)
            continue;
        sets[count++] = (struct plan_set){cache_names[i], bytes};
        last = d->caches[i].bytes;
    }
    if (memory_bytes > last)
        sets[count++] = (struct plan_set){home_of(d, memory_bytes), memory_bytes};
    return count;
}

enum page_size plan_reaching_page(const struct plan *plan, uint32_t sizes, uint64_t bytes,
                                  uint64_t *limit)
{
    enum page_size best = PAGE_4K;

    *limit = 0;
    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        uint64_t reach = sizes & 1u << bit ? plan_limit(plan, (enum page_size)bit) : 0;
        if (reach != 0 && (reach >= bytes || reach >= *limit)) {
            best = (enum page_size)bit;
            *limit = reach;
        }
    }
    return best;
}

doubt_set plan_set_doubt(const struct plan *plan, uint64_t bytes)
{
    doubt_set doubt = 0;

    if (bytes / LAST_LEVELS_MIN < plan_declared_bytes(plan))
        doubt |= doubt_of(DOUBT_EXTRAPOLATED);
    if (bytes < PLAN_MEMORY_MIN_BYTES || bytes / LAST_LEVELS_MIN < plan->undeclared_bytes)
        doubt |= doubt_of(DOUBT_UNDECLARED_CACHE);
    return doubt;
}

doubt_set plan_cache_set_doubt(const struct plan *plan, uint64_t bytes)
{
    const struct machine_description *d = plan->machine;

    for (size_t i = 0; i < d->cache_count; i++)
        if (d->caches[i].level > 1 && d->caches[i].bytes <= bytes &&
            bytes / NEARER_SETS_MIN < d->caches[i].bytes)
            return doubt_of(DOUBT_MERGED);
    return 0;
}

doubt_set plan_pages_doubt(const struct plan *plan, enum page_size page, uint64_t bytes)
{
    const struct machine_description *d = plan->machine;

    for (size_t i = 0; i < d->tlb_count; i++)
        if (d->tlbs[i].page_log2 == (uint8_t)page && d->tlbs[i].entries >= bytes >> page)
            return 0;
    return d->tlb_count != 0 ? doubt_of(DOUBT_TRANSLATION) : 0;
}

void plan_note_cached(const struct plan *plan, const char *name, uint64_t bytes)
{
    uint64_t last_bytes = plan_last_level_bytes(plan);

    if (bytes <= last_bytes)
        journal_note_about(plan->journal, SEVERITY_WARNING, name, "the set fits in a cache",
                           "the last level is declared to hold %s: unless it holds less, the "
                           "latency of a set of %s is not memory's",
                           TEXT_SIZE(last_bytes), TEXT_SIZE(bytes));
    else if (bytes / LAST_LEVELS_MIN < last_bytes)
        journal_note_about(plan->journal, SEVERITY_WARNING, name,
                           "a cache may hold part of the set",
                           "the last level is declared to hold %s of its %s", TEXT_SIZE(last_bytes),
                           TEXT_SIZE(bytes));
}

uint64_t plan_memory_set(const struct plan *plan, const char *what, enum page_size *page)
{
    uint64_t bytes = plan_wanted_bytes(plan), limit;

    *page = plan_reaching_page(plan, plan_page_sizes(plan), bytes, &limit);
    if (limit == 0) {
        journal_note(plan->journal, SEVERITY_WARNING, what,
                     "left out: none of the requested page sizes can be mapped");
        return 0;
    }
    plan_clamp(plan, what, limit, &bytes);
    return whole_nodes(plan, bytes);
}

static void add_set(struct plan *plan, const struct point *like, uint32_t tag,
                    const struct plan_set *set)
{
    struct point point = *like;

    point.tag = tag;
    point.bytes = set->bytes;
    point.label = set->name;
    point.stays_cached = plan_set_declared(set->name) != NULL;
    plan_add(plan, &point);
}

void plan_add_outer_sets(struct plan *plan, const struct point *like, uint64_t bytes,
                         uint32_t memory_tag, uint32_t cache_tag)
{
    struct plan_set sets[PLAN_SETS_MAX];
    size_t count = plan_sets(plan, bytes, sets);

    if (count != 0 && plan_set_declared(sets[count - 1].name) == NULL)
        add_set(plan, like, memory_tag, &sets[--count]);
    if (count != 0)
        add_set(plan, like, cache_tag, &sets[count - 1]);
}
