/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiment_dram.h"

#include "core/engine_state.h"
#include "core/real.h"

#define LAST_LEVELS         32
#define LAST_LEVELS_PROOF   4
#define UNKNOWN_CACHE_BYTES (1ull << 30) /* the set when no cache is declared */
#define PROOF_LEAST_BYTES   (16ull << 20)
#define PAGE_BYTES          4096

static uint64_t set_bytes(const struct engine *engine)
{
    uint64_t last_level = plan_last_level_bytes(engine);

    return last_level == 0 ? UNKNOWN_CACHE_BYTES : last_level * LAST_LEVELS;
}

/* The largest page size that reaches the whole set; failing that, the one that reaches furthest. */
static enum page_size headline_page(const struct engine *engine, uint32_t sizes, uint64_t wanted,
                                    uint64_t *limit)
{
    enum page_size best = PAGE_4K;

    *limit = 0;
    for (unsigned bit = PAGE_4K; bit <= PAGE_1G; bit++) {
        uint64_t reach = sizes & 1u << bit ? plan_limit(engine, (enum page_size)bit) : 0;
        if (reach != 0 && (reach >= wanted || reach >= *limit)) {
            best = (enum page_size)bit;
            *limit = reach;
        }
    }
    return best;
}

static void plan_proof(struct engine *engine, const struct point *headline)
{
    static const struct {
        enum order_kind order;
        enum point_role role;
    } chases[] = {{ORDER_RANDOM, ROLE_RANDOM},
                  {ORDER_SEQUENTIAL_PAGES, ROLE_SEQUENTIAL},
                  {ORDER_PAIRED_PAGES, ROLE_PAIRED}};
    struct point point = *headline;
    uint64_t bytes = plan_last_level_bytes(engine) * LAST_LEVELS_PROOF;

    bytes = bytes > PROOF_LEAST_BYTES ? bytes : PROOF_LEAST_BYTES;
    bytes = bytes < headline->bytes ? bytes : headline->bytes;
    point.bytes = bytes / PAGE_BYTES * PAGE_BYTES;
    /* A proof needs lines that are neighbours, and pages that hold some. */
    if (point.bytes < 4 * PAGE_BYTES ||
        point.stride_bytes != engine->machine->description->line_bytes) {
        journal_note(engine->journal, SEVERITY_INFO, "dram: prefetchers not proven by behaviour",
                     "it needs a set of at least four pages and a stride of one line");
        return;
    }
    for (size_t i = 0; i < sizeof chases / sizeof chases[0]; i++) {
        point.order = chases[i].order;
        point.role = chases[i].role;
        plan_add(engine, &point);
    }
}

static uint64_t whole_lines(const struct engine *engine, uint64_t bytes)
{
    struct point point = plan_point(engine, 0, PAGE_4K, false, 0);

    return bytes - bytes % point.stride_bytes;
}

enum status dram_plan(struct engine *engine, uint32_t experiment)
{
    uint32_t sizes = plan_page_sizes(engine);
    uint64_t wanted = set_bytes(engine);
    bool off[2];
    uint32_t states = plan_prefetch_states(engine, off);
    uint64_t limit;
    enum page_size page;

    if (engine->options->max_bytes != 0 && engine->options->max_bytes < wanted) {
        wanted = engine->options->max_bytes;
        engine_note_size(engine, SEVERITY_INFO, "dram: the set is smaller than 32 last levels",
                         "max= asks for", wanted, "");
    }
    page = headline_page(engine, sizes, wanted, &limit);
    if (limit == 0)
        return STATUS_OK;
    plan_clamp(engine, "dram: the working set", limit, &wanted);
    wanted = whole_lines(engine, wanted);
    for (uint32_t i = 0; i < states; i++) {
        struct point point = plan_point(engine, experiment, page, off[i], wanted);
        point.role = ROLE_HEADLINE;
        plan_add(engine, &point);
        plan_proof(engine, &point);
    }
    limit = sizes & 1u << PAGE_4K && page != PAGE_4K ? plan_limit(engine, PAGE_4K) : 0;
    for (uint32_t i = 0; i < states && limit != 0; i++) {
        struct point point = plan_point(engine, experiment, PAGE_4K, off[i], wanted);
        point.role = ROLE_SMALL_PAGES;
        plan_clamp(engine, "dram: the working set in 4K pages", limit, &point.bytes);
        plan_add(engine, &point);
    }
    return STATUS_OK;
}

double dram_prefetch_ratio(const struct prefetch_proof *proof)
{
    /* In the paired chase every second hop stays in its page, so one hop that does gains twice the
     * chase's mean gain; in the sequential one all but one hop of a page stay. A gain below zero is
     * noise. */
    double gain_ns = 2 * (proof->random_ns - proof->paired_ns);
    double stays = 1 - 1.0 / proof->lines_per_page;

    if (gain_ns < 0)
        gain_ns = 0;
    return (proof->sequential_ns + gain_ns * stays) / proof->random_ns;
}

const char *dram_prefetch_verdict(double ratio)
{
    if (ratio >= 0.8 && ratio <= 1.25)
        return "off";
    return ratio < 0.6 ? "on" : "undecided";
}

static const struct point *find_role(const struct engine *engine, uint32_t experiment,
                                     enum point_role role, bool prefetch_off)
{
    for (uint32_t i = 0; i < engine->point_count; i++) {
        const struct point *p = &engine->point[i];
        if (p->experiment == experiment && p->role == role && p->prefetch_off == prefetch_off &&
            p->result.known)
            return p;
    }
    return NULL;
}

static void conclude_proof(struct engine *engine, uint32_t experiment, bool prefetch_off)
{
    const struct point *random = find_role(engine, experiment, ROLE_RANDOM, prefetch_off);
    const struct point *sequential = find_role(engine, experiment, ROLE_SEQUENTIAL, prefetch_off);
    const struct point *paired = find_role(engine, experiment, ROLE_PAIRED, prefetch_off);
    struct prefetch_proof proof;
    double ratio;

    if (!random || !sequential || !paired)
        return;
    proof = (struct prefetch_proof){.random_ns = random->result.ns,
                                    .sequential_ns = sequential->result.ns,
                                    .paired_ns = paired->result.ns,
                                    .lines_per_page = PAGE_BYTES / (uint32_t)random->stride_bytes};
    ratio = dram_prefetch_ratio(&proof);
    describe_prefetch(engine, prefetch_off, ratio, dram_prefetch_verdict(ratio));
}

/* Two standard errors: what a 95 % interval of the median is for normal scatter. */
static double half_width(const struct point *p)
{
    return 2 * p->result.rel_error * p->result.ns;
}

static void conclude_headline(struct engine *engine, uint32_t experiment, bool prefetch_off)
{
    const struct point *headline = find_role(engine, experiment, ROLE_HEADLINE, prefetch_off);
    const struct point *small = find_role(engine, experiment, ROLE_SMALL_PAGES, prefetch_off);
    struct record record = {.kind = RECORD_DRAM};
    struct record_dram *dram = &record.u.dram;

    if (!headline)
        return;
    *dram = (struct record_dram){.pages_bytes = plan_pages_bytes(headline),
                                 .pattern = plan_pattern_name(headline),
                                 .frames = headline->frames == FRAMES_SCATTERED ? "scattered"
                                                                                : "contiguous",
                                 .map = plan_map_name(headline),
                                 .prefetch = headline->prefetch,
                                 .bytes = headline->bytes,
                                 .ns = headline->result.ns,
                                 .ns_low = headline->result.ns - half_width(headline),
                                 .ns_high = headline->result.ns + half_width(headline),
                                 .cycles = headline->result.cycles,
                                 .slope_ns = real_nan(),
                                 .slope_low_ns = real_nan(),
                                 .slope_high_ns = real_nan(),
                                 .tlb_cost_ns = real_nan(),
                                 .tlb_cost_low_ns = real_nan(),
                                 .tlb_cost_high_ns = real_nan()};
    if (small && small->bytes == headline->bytes) {
        double error = real_sqrt(half_width(headline) * half_width(headline) +
                                 half_width(small) * half_width(small));
        dram->tlb_cost_ns = small->result.ns - headline->result.ns;
        dram->tlb_cost_low_ns = dram->tlb_cost_ns - error;
        dram->tlb_cost_high_ns = dram->tlb_cost_ns + error;
    }
    journal_emit(engine->journal, &record);
}

enum status dram_conclude(struct engine *engine, uint32_t experiment)
{
    bool off[2];
    uint32_t states = plan_prefetch_states(engine, off);

    for (uint32_t i = 0; i < states; i++) {
        conclude_proof(engine, experiment, off[i]);
        conclude_headline(engine, experiment, off[i]);
    }
    return STATUS_OK;
}
