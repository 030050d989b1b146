/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiment_dram.h"

#include "core/dram_parts.h"
#include "core/plan_sets.h"

#define LAST_LEVELS_PROOF 4
#define PROOF_LEAST_BYTES (16ull << 20)
/* Of the error target: slope and TLB share are differences, and each of their parts has to be known
 * better than they. */
#define EXACT_SHARE 0.2
/* However small the caches: rows that memory keeps open are a few hundred KiB, and a share of the
 * set that finds its row open would be in the figure. */
#define LEAST_BYTES (16ull << 20)
#define SLOPE_SHARE 0.14

/* At random over as many lines, one of each pair of neighbours: what prefetchers bring beside a
 * line is never asked for. */
static void plan_sparse(struct engine *engine, struct point point, uint64_t window_bytes)
{
    if (2 * point.bytes > window_bytes)
        return;
    point.bytes *= 2;
    point.stride_bytes *= 2;
    point.order = ORDER_GROUPED;
    point.group_bytes = SHUFFLE_MAX * point.stride_bytes;
    if (point.group_bytes > point.bytes)
        point.group_bytes = point.bytes;
    point.role = ROLE_SPARSE;
    plan_add(engine, &point);
}

static void plan_proof(struct engine *engine, const struct point *headline)
{
    static const struct {
        enum order_kind order;
        enum point_role role;
    } chases[] = {{ORDER_RANDOM, ROLE_RANDOM},
                  {ORDER_SEQUENTIAL_PAGES, ROLE_SEQUENTIAL},
                  {ORDER_PAIRED_PAGES, ROLE_PAIRED},
                  {ORDER_HALVED_PAGES, ROLE_HALVED}};
    struct point point = *headline;
    uint64_t bytes = plan_last_level_bytes(engine) * LAST_LEVELS_PROOF;

    bytes = bytes > PROOF_LEAST_BYTES ? bytes : PROOF_LEAST_BYTES;
    bytes = bytes < headline->bytes ? bytes : headline->bytes;
    point.bytes = bytes / DRAM_PROOF_PAGE_BYTES * DRAM_PROOF_PAGE_BYTES;
    /* A proof needs lines that are neighbours, and pages that hold some. */
    if (point.bytes < 4 * DRAM_PROOF_PAGE_BYTES ||
        point.stride_bytes != engine->machine->description->line_bytes) {
        journal_note(engine->journal, SEVERITY_INFO, "dram: prefetchers not proven by behaviour",
                     "it needs a set of at least four pages and a stride of one line");
        return;
    }
    for (size_t i = 0; i < sizeof chases / sizeof chases[0]; i++) {
        /* The headline is the random chase where it is as small. */
        if (chases[i].role == ROLE_RANDOM && headline->role == ROLE_HEADLINE &&
            point.bytes == headline->bytes)
            continue;
        point.order = chases[i].order;
        point.group_bytes = order_by_groups(point.order) ? DRAM_PROOF_PAGE_BYTES : 0;
        point.role = chases[i].role;
        plan_add(engine, &point);
    }
    plan_sparse(engine, point, headline->bytes);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t whole_lines(const struct engine *engine, uint64_t bytes)
{
    struct point point = plan_point(engine, 0, PAGE_4K, false, 0);

    return bytes - bytes % point.stride_bytes;
}

static void plan_half(struct engine *engine, struct point point, enum point_role role)
{
    point.bytes = whole_lines(engine, point.bytes / 2);
    point.role = role;
    if (point.bytes != 0)
        plan_add(engine, &point);
}

/* The set in the largest pages, both ways of being random as asked, and the prefetcher proof. */
static void plan_headline(struct engine *engine, struct point point)
{
    enum option_pattern pattern = engine->options->pattern;

    if (pattern != PATTERN_IID) {
        point.role = ROLE_HEADLINE;
        point.error_share = EXACT_SHARE;
        plan_add(engine, &point);
        if (pattern == PATTERN_AUTO)
            plan_half(engine, point, ROLE_HALF);
        point.error_share = 0;
    }
    plan_proof(engine, &point);
    if (!dram_pages_told(engine, &point))
        journal_note(engine->journal, SEVERITY_INFO, "dram: TLB misses are in the figure",
                     "only in large pages can their cost be told from memory's");
    dram_plan_pages(engine, &point);
    if (pattern == PATTERN_CYCLE)
        return;
    point.kernel = KERNEL_IID;
    point.error_share = SLOPE_SHARE;
    point.role = ROLE_DRAW;
    plan_add(engine, &point);
    plan_half(engine, point, ROLE_DRAW_HALF);
}

/* The same set in scattered 4K pages, by the pattern that the TLB's share is taken from. */
static void plan_small_pages(struct engine *engine, struct point point, uint64_t limit)
{
    point.role = ROLE_SMALL_PAGES;
    point.error_share = EXACT_SHARE;
    if (engine->options->pattern != PATTERN_CYCLE) {
        point.kernel = KERNEL_IID;
        point.role = ROLE_DRAW_SMALL_PAGES;
    }
    plan_clamp(engine, "dram: the working set in 4K pages", limit, &point.bytes);
    plan_add(engine, &point);
}

/* The headline stays what it is everywhere: which keys it does not follow is said. */
static void note_not_applied(struct engine *engine)
{
    const struct options *options = engine->options;
    enum option_pattern pattern = options->pattern;
    char why[160];
    struct text text;
    bool hop;

    text_start(&text, why, sizeof why);
    text_add(&text, "the headline is one plain, warm chain; not applied: ");
    hop = plan_hop_asked(options, &text);
    if (pattern != PATTERN_AUTO && pattern != PATTERN_CYCLE && pattern != PATTERN_IID) {
        text_add(&text, hop ? ", pattern=" : "pattern=");
        hop = true;
    }
    if (options->stride_bytes % engine->machine->description->line_bytes != 0) {
        text_add(&text, hop ? ", stride=" : "stride=");
        hop = true;
    }
    if (hop)
        journal_note(engine->journal, SEVERITY_INFO, "dram: some options do not apply", why);
}

enum status dram_plan(struct engine *engine, uint32_t experiment)
{
    uint32_t sizes = plan_page_sizes(engine);
    uint64_t wanted = larger(plan_memory_bytes(engine), LEAST_BYTES);
    bool off[2];
    uint32_t states = plan_prefetch_states(engine, off);
    uint64_t limit;
    enum page_size page;

    note_not_applied(engine);
    if (engine->options->max_bytes != 0 && engine->options->max_bytes < wanted) {
        wanted = engine->options->max_bytes;
        engine_note_size(engine, SEVERITY_INFO, "dram: the set is smaller than 32 last levels",
                         "max= asks for", wanted, "");
    }
    page = plan_reaching_page(engine, sizes, wanted, &limit);
    if (limit == 0)
        return STATUS_OK;
    plan_clamp(engine, "dram: the working set", limit, &wanted);
    wanted = whole_lines(engine, wanted);
    if (wanted <= plan_last_level_bytes(engine))
        engine_note_size(engine, SEVERITY_WARNING, "dram: the set fits in a cache",
                         "the last level is declared to hold", plan_last_level_bytes(engine),
                         "; what is called DRAM latency here is not memory's");
    for (uint32_t i = 0; i < states; i++)
        plan_headline(engine, plan_point(engine, experiment, page, off[i], wanted));
    limit = sizes & 1u << PAGE_4K && page != PAGE_4K ? plan_limit(engine, PAGE_4K) : 0;
    for (uint32_t i = 0; i < states && limit != 0; i++)
        plan_small_pages(engine, plan_point(engine, experiment, PAGE_4K, off[i], wanted), limit);
    return STATUS_OK;
}
