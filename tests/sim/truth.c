/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/truth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/names.h"

/* A little beyond 1.5: at the border an estimate falls on either side. */
#define NEAR          1.55
#define VISIBLE       0.03
#define ADDS_MIN      1.03 /* minimum step from the cache before it: the tolerance of a capacity */
#define CAPACITY_LAPS 6
/* Until an adaptive cache has surely decided, however small it is. */
#define DECIDED_DRAWS  (2u << 20)
#define MEMORY_SAMPLES 800000

uint64_t sim_truth_nominal_bytes(const struct sim_config *config, size_t cache)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i <= cache; i++) {
        const struct sim_cache_config *c = &config->cache[i];
        if (c->inclusion == SIM_EXCLUSIVE)
            bytes += c->bytes;
        else
            bytes = c->bytes > bytes ? c->bytes : bytes;
    }
    return bytes;
}

/* Draws until all caches up to this one are in steady state. */
static uint64_t settled_draws(const struct sim_config *config, size_t cache, uint64_t lines)
{
    uint64_t draws = CAPACITY_LAPS * lines;

    for (size_t i = 0; i <= cache; i++)
        if (config->cache[i].policy == SIM_QLRU && draws < DECIDED_DRAWS)
            draws = DECIDED_DRAWS;
    return draws;
}

double sim_truth_capacity_bytes(const struct sim_config *config, size_t cache)
{
    uint64_t lines = 4 * sim_truth_nominal_bytes(config, cache) / config->cache[0].line_bytes;
    uint64_t draws = settled_draws(config, cache, lines);
    struct sim_hierarchy *h = malloc(sizeof *h);
    struct random random;
    uint64_t resident;

    if (!h)
        abort();
    sim_hierarchy_start(h, config);
    random_start(&random, config->seed + 500);
    for (uint64_t i = 0; i < draws; i++)
        sim_hierarchy_access(h, random_below(&random, lines), 0);
    resident = sim_hierarchy_resident(h, cache);
    sim_hierarchy_stop(h);
    free(h);
    return (double)resident * config->cache[0].line_bytes;
}

static double starting_hz(const struct sim_config *config)
{
    return config->turbo_hz > 0 ? config->turbo_hz : config->core_hz;
}

double sim_truth_cache_ns(const struct sim_config *config, size_t cache)
{
    return sim_time_ns(&config->cache[cache].latency, starting_hz(config));
}

/* A miss without an open row or a refresh: used to tell how visible a step is. */
static double plain_memory_ns(const struct sim_config *config)
{
    return config->memory.base_ns + config->memory.tcl_ns + config->memory.trcd_ns;
}

/* A hop over that many bytes without TLB misses, from the caches' capacities. */
static double plain_hop_ns(const struct sim_config *config, double bytes)
{
    double ns = 0, held = 0;

    for (size_t i = 0; i < config->cache_count; i++) {
        double share = (double)sim_truth_nominal_bytes(config, i) / bytes;
        share = share > 1 ? 1 : share;
        ns += (share - held) * sim_truth_cache_ns(config, i);
        held = share;
    }
    return ns + (1 - held) * plain_memory_ns(config);
}

static double miss_ns(const struct sim_config *config, size_t level)
{
    double hz = starting_hz(config);

    if (level < config->tlb_count)
        return sim_time_ns(&config->tlb[level].penalty, hz);
    return sim_time_ns(&config->walk.cost, hz);
}

bool sim_truth_tlb(const struct sim_config *config, size_t level, enum sim_page page,
                   struct sim_truth_tlb *tlb)
{
    bool walks;
    size_t next = level + 1;

    page = sim_config_piece(config, page);
    if (sim_tlb_entries(&config->tlb[level], page, NULL) == 0)
        return false;
    while (next < config->tlb_count && sim_tlb_entries(&config->tlb[next], page, NULL) == 0)
        next++;
    walks = next == config->tlb_count;
    tlb->reach_bytes = (double)sim_tlb_entries(&config->tlb[level], page, NULL) *
                       (double)(1ull << sim_page_log2(page));
    tlb->step_ns = miss_ns(config, next) - miss_ns(config, level);
    tlb->share = tlb->step_ns / plain_hop_ns(config, tlb->reach_bytes);
    if (walks && config->walk.loads) {
        /* At least one entry comes from a cache. */
        tlb->share += sim_truth_cache_ns(config, config->walk.first_cache - 1) /
                      plain_hop_ns(config, tlb->reach_bytes);
        tlb->step_ns = (double)NAN;
    }
    return true;
}

static bool is_near(double a, double b)
{
    return a < NEAR * b && b < NEAR * a;
}

static int by_bytes(const void *a, const void *b)
{
    double x = ((const struct sim_truth_level *)a)->bytes;
    double y = ((const struct sim_truth_level *)b)->bytes;

    return (x > y) - (x < y);
}

static size_t add_caches(const struct sim_config *config, double largest_bytes,
                         struct sim_truth_level *truth)
{
    bool exclusive = false;

    for (size_t i = 0; i < config->cache_count; i++) {
        exclusive |= config->cache[i].inclusion == SIM_EXCLUSIVE;
        truth[i] = (struct sim_truth_level){.kind = LEVEL_CACHE,
                                            .bytes = sim_truth_capacity_bytes(config, i),
                                            .ns = sim_truth_cache_ns(config, i),
                                            .exclusive = exclusive,
                                            .undeclared = sim_config_declared(config, i) !=
                                                          config->cache[i].bytes};
        truth[i].optional = truth[i].bytes * 2 > largest_bytes ||
                            (i > 0 && truth[i].bytes < ADDS_MIN * truth[i - 1].bytes);
        snprintf(truth[i].name, sizeof truth[i].name, "%s", config->cache[i].name);
    }
    return config->cache_count;
}

static size_t add_tlbs(const struct sim_config *config, enum sim_page page, double largest_bytes,
                       struct sim_truth_level *truth)
{
    size_t count = 0;

    for (size_t i = 0; i < config->tlb_count; i++) {
        struct sim_truth_tlb tlb;
        if (!sim_truth_tlb(config, i, page, &tlb))
            continue;
        truth[count] = (struct sim_truth_level){.kind = LEVEL_TLB,
                                                .bytes = tlb.reach_bytes,
                                                .ns = tlb.step_ns,
                                                .loaded = isnan(tlb.step_ns),
                                                .optional = tlb.share < VISIBLE ||
                                                            tlb.reach_bytes * 2 > largest_bytes};
        snprintf(truth[count].name, sizeof truth[count].name, "TLB %s L%zu",
                 page_name(sim_page_log2(page)), i + 1);
        count++;
    }
    return count;
}

/* Rows that stay open are a level of their own where the last cache is smaller than all of them: a
 * set that they hold meets no row conflict. No register declares it. */
static size_t add_rows(const struct sim_config *config, struct sim_truth_level *truth)
{
    const struct sim_memory_config *m = &config->memory;
    double bytes = (double)m->channels * m->ranks * m->banks * (double)m->row_bytes;

    if (!m->open_pages || bytes < (double)sim_truth_nominal_bytes(config, config->cache_count - 1))
        return 0;
    *truth = (struct sim_truth_level){.kind = LEVEL_UNEXPLAINED,
                                      .name = "open rows",
                                      .bytes = bytes,
                                      .ns = (double)NAN,
                                      .optional = true};
    return 1;
}

static enum sim_page largest_page(const struct sim_config *config)
{
    enum sim_page page = SIM_PAGE_1G;

    while (page > SIM_PAGE_4K && !(config->page_sizes & 1u << sim_page_log2(page)))
        page--;
    return page;
}

double sim_truth_curve_bytes(const struct record_point *point)
{
    bool translation = point->purpose && strcmp(point->purpose, "translation") == 0;

    return strcmp(point->experiment, "curve") == 0 && !translation ? (double)point->bytes : 0;
}

size_t sim_truth_levels(const struct sim_config *config, enum sim_page page, double memory_ns,
                        double largest_bytes, struct sim_truth_level truth[SIM_TRUTHS_MAX])
{
    size_t caches = add_caches(config, largest_bytes, truth);
    size_t count = caches + add_tlbs(config, page, largest_bytes, truth + caches);
    enum sim_page largest = largest_page(config);
    size_t rows;

    /* A host's smaller pages make both sizes the same pieces, which are in the TLBs once. */
    if (sim_config_piece(config, largest) != sim_config_piece(config, page))
        count += add_tlbs(config, largest, largest_bytes, truth + count);
    rows = add_rows(config, truth + count);
    for (size_t i = 0; i < caches; i++)
        for (size_t j = caches; j < count + rows; j++)
            if (is_near(truth[i].bytes, truth[j].bytes))
                truth[i].near = truth[j].near = true;
    qsort(truth, count, sizeof *truth, by_bytes);
    /* After all levels: they explain only what none of these does. */
    count += rows;
    truth[count] = (struct sim_truth_level){
        .kind = LEVEL_MEMORY, .name = "memory", .bytes = (double)NAN, .ns = memory_ns};
    return count + 1;
}

bool sim_truth_samples(const struct simulator *sim, uint64_t hops, uint64_t samples,
                       struct sim_ledger *ledger)
{
    uint64_t oldest = sim->entries > SIM_ENTRIES_MAX ? sim->entries - SIM_ENTRIES_MAX : 0;

    *ledger = (struct sim_ledger){.accesses = 0};
    for (uint64_t i = sim->entries; samples > 0; i--) {
        const struct sim_entry *entry;
        if (i == oldest)
            return false;
        entry = &sim->entry[(i - 1) % SIM_ENTRIES_MAX];
        if (entry->hops != hops || entry->samples > samples)
            return false;
        sim_ledger_add(ledger, &entry->timed, 1);
        samples -= entry->samples;
    }
    return true;
}

/* How many of the first cache's lines make one of the length that the engine sees, which is the
 * longest. */
static uint32_t first_lines(const struct sim_config *config)
{
    uint32_t longest = 0;

    for (size_t i = 0; i < config->cache_count; i++)
        if (config->cache[i].line_bytes > longest)
            longest = config->cache[i].line_bytes;
    return longest / config->cache[0].line_bytes;
}

/* Independent draws from a set of so many bytes, prefetchers requested off, all in one page or in
 * pages of that size, contiguous: what they cost once the caches are warm. */
static struct sim_ledger drawn(const struct sim_config *config, double bytes, bool one_page,
                               enum sim_page page)
{
    struct sim_memory_system *system = malloc(sizeof *system);
    uint32_t each = first_lines(config);
    uint64_t nodes = (uint64_t)(bytes / (each * config->cache[0].line_bytes));
    uint64_t warm = config->cache[config->cache_count - 1].bytes / config->cache[0].line_bytes * 4;
    struct sim_ledger before = {.accesses = 0}, all;
    struct prefetch_report ignored;
    struct random random;
    double now = 0;

    if (!system)
        abort();
    sim_memory_start(system, config);
    sim_memory_set_frequency(system, starting_hz(config));
    sim_memory_open(system, page, NULL, 1);
    sim_prefetchers_set(&system->prefetchers, config, true, &ignored);
    random_start(&random, config->seed + 600);
    for (uint64_t i = 0; i < warm + MEMORY_SAMPLES; i++) {
        struct sim_reference to = {.line = each * random_below(&random, nodes)};
        to.page = one_page ? 0 : (uint32_t)(to.line >> (sim_page_log2(page) - system->line_log2));
        if (i == warm)
            before = *sim_memory_ledger(system);
        now = sim_memory_access(system, &to, now);
    }
    all = *sim_memory_ledger(system);
    sim_ledger_add(&all, &before, -1);
    sim_memory_stop(system);
    free(system);
    return all;
}

double sim_truth_memory_ns(const struct sim_config *config, double bytes)
{
    struct sim_ledger all = drawn(config, bytes, true, SIM_PAGE_1G);

    return sim_ledger_memory_ns(&all);
}

double sim_truth_translated_ns(const struct sim_config *config, enum sim_page page, double bytes)
{
    struct sim_ledger all = drawn(config, bytes, false, page);

    return sim_ledger_memory_ns(&all) +
           (all.cause_ns[SIM_BY_TLB] + all.cause_ns[SIM_BY_WALK]) / all.accesses;
}

/* Whether it brings any line that a chase by the machine's longest lines loads. */
static bool brings_lines(const struct sim_prefetch_config *each, uint32_t first_lines)
{
    switch (each->kind) {
    case SIM_NEXT_LINE:
        return each->degree >= first_lines;
    case SIM_ADJACENT_LINE:
        return first_lines == 1;
    case SIM_STREAM:
    case SIM_REGION:
        return true;
    case SIM_NEXT_PAGE:
    case SIM_POINTER:
        break;
    }
    return false;
}

bool sim_truth_prefetches(const struct sim_config *config, bool off)
{
    bool any = false;

    for (size_t i = 0; i < config->prefetch_count; i++) {
        const struct sim_prefetch_config *each = &config->prefetch[i];
        bool stays = each->control != SIM_ALWAYS_OFF && (each->control != SIM_CONTROLLABLE || !off);
        any |= brings_lines(each, first_lines(config)) && stays;
    }
    return any;
}
