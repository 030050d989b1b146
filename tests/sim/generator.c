/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/generator.h"

#include <stdio.h>
#include <string.h>

#include "core/lib/random.h"
#include "tests/sim/chance.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/truth.h"

#define CAPACITY_APART 4.0
#define LATENCY_APART  1.4
#define REACH_APART    4.0
#define TLB_STEP_MIN   0.03

static enum sim_policy draw_policy(struct random *random, uint32_t ways)
{
    if (chance(random, 0.2))
        return SIM_RANDOM;
    return chance(random, 0.4) && (ways & (ways - 1)) == 0 ? SIM_TREE_PLRU : SIM_LRU;
}

static void draw_cache(struct random *random, struct sim_config *config, uint32_t kib,
                       double latency_cycles)
{
    size_t i = config->cache_count++;
    struct sim_cache_config *cache = &config->cache[i];
    uint32_t lines = kib * 16;

    *cache = (struct sim_cache_config){.bytes = (uint64_t)kib << 10, .line_bytes = 64};
    snprintf(cache->name, sizeof cache->name, "L%zu", i + 1);
    do
        cache->ways = i == 0 ? ONE_OF(random, 4, 8, 12, 16) : ONE_OF(random, 8, 12, 16);
    while (lines % cache->ways != 0);
    cache->latency = (struct sim_time){(double)(int)(latency_cycles + 0.5), true};
    cache->policy = draw_policy(random, cache->ways);
    if (i != 0)
        cache->inclusion = chance(random, 0.3)   ? SIM_INCLUSIVE
                           : chance(random, 0.3) ? SIM_EXCLUSIVE
                                                 : SIM_NEITHER;
}

static void draw_caches(struct random *random, struct sim_config *config)
{
    double latency = chance_between(random, 3, 5.4);

    draw_cache(random, config, ONE_OF(random, 16, 32, 48, 64), latency);
    latency *= chance_between(random, 1.5, 4.5);
    draw_cache(random, config, ONE_OF(random, 128, 192, 256, 384, 512, 768), latency);
    latency *= chance_between(random, 1.3, 4.5);
    if (chance(random, 0.7))
        draw_cache(random, config, ONE_OF(random, 512, 1024, 1536, 2048, 3072), latency);
    else if (chance(random, 0.3)) {
        draw_cache(random, config, 2048, latency);
        snprintf(config->cache[2].name, SIM_NAME_MAX, "SLC");
        config->cache[2].inclusion = SIM_NEITHER;
        config->cache[2].memory_side = true;
    }
}

static void draw_tlbs(struct random *random, struct sim_config *config)
{
    struct sim_tlb_config *tlb = config->tlb;
    double penalty = (double)(int)chance_between(random, 5, 10);

    config->tlb_count = chance(random, 0.85) ? 2 : 1;
    tlb[0].entries[0] = ONE_OF(random, 32, 48, 64, 96, 128);
    tlb[0].ways[0] = chance(random, 0.5) && tlb[0].entries[0] <= SIM_WAYS_MAX
                         ? tlb[0].entries[0]
                         : ONE_OF(random, 4, 8);
    for (unsigned page = 1; page < SIM_PAGES; page++)
        tlb[0].entries[page] = tlb[0].ways[page] = 64;
    if (config->tlb_count == 2) {
        tlb[1].entries[0] = ONE_OF(random, 512, 1024, 1536, 2048);
        tlb[1].ways[0] = ONE_OF(random, 4, 8);
        tlb[1].entries[1] = 1024;
        tlb[1].ways[1] = 8;
        tlb[1].penalty = (struct sim_time){penalty, true};
    }
    sim_draw_walks(random, config, 0.2);
}

void sim_draw_walks(struct random *random, struct sim_config *config, double load_share)
{
    config->walk.cost = (struct sim_time){(double)(int)chance_between(random, 20, 60), true};
    if (chance(random, load_share)) {
        config->walk.loads = true;
        config->walk.cost.value = (double)(int)chance_between(random, 5, 15);
        config->walk.first_cache = chance(random, 0.7) ? 1 : 2;
        config->walk.entries[0] = ONE_OF(random, 16, 32, 64);
        config->walk.entries[1] = 4;
        config->walk.entries[2] = 2;
    }
}

void sim_draw_memory(struct random *random, struct sim_config *config)
{
    struct sim_memory_config *memory = &config->memory;

    memory->bytes = 1ull << 30;
    memory->base_ns = chance_between(random, 30, 110);
    memory->tcl_ns = memory->trcd_ns = memory->trp_ns = chance_between(random, 13, 18);
    memory->channels = ONE_OF(random, 1, 2, 4, 8);
    memory->ranks = ONE_OF(random, 1, 2);
    memory->banks = ONE_OF(random, 8, 16, 32);
    memory->row_bytes = ONE_OF(random, 2048, 8192);
    memory->open_pages = chance(random, 0.3);
    memory->bytes_per_s = chance_between(random, 5e9, 30e9);
    memory->misses_max = ONE_OF(random, 6, 12, 16, 24);
    if (chance(random, 0.85)) {
        memory->trefi_ns = ONE_OF(random, 3900, 7800);
        memory->trfc_ns = chance_between(random, 160, 350);
    }
}

static void draw_prefetchers(struct random *random, struct sim_config *config)
{
    if (chance(random, 0.5))
        return;
    config->prefetch_count = 1;
    config->prefetch[0] =
        (struct sim_prefetch_config){.kind = SIM_STREAM,
                                     .control = (enum sim_prefetch_control)random_below(random, 6),
                                     .degree = ONE_OF(random, 4, 8, 16),
                                     .into = 2,
                                     .region_bytes = 1024,
                                     .after = 2,
                                     .within_bytes = 4096,
                                     .accuracy = 1};
}

static void draw(struct random *random, struct sim_config *config)
{
    sim_config_start(config);
    config->page_sizes = 1u << 12 | 1u << (chance(random, 0.5) ? 21 : 30);
    config->core_hz = chance_between(random, 1.5e9, 5e9);
    config->counter_hz = ONE_OF(random, 3000000000u, 2400000000u, 2100000000u, 1000000000u,
                                1000000000u, 100000000u, 100000000u, 25000000u);
    if (config->counter_hz > 1e9 && chance(random, 0.3))
        config->counter_step = 26;
    draw_caches(random, config);
    draw_tlbs(random, config);
    sim_draw_memory(random, config);
    draw_prefetchers(random, config);
}

static bool apart(double smaller, double larger, double factor)
{
    return larger >= smaller * factor;
}

static bool caches_apart(const struct sim_config *config)
{
    double memory_ns = config->memory.base_ns + config->memory.tcl_ns;

    for (size_t i = 0; i < config->cache_count; i++) {
        const struct sim_cache_config *cache = &config->cache[i];
        double ns = sim_time_ns(&cache->latency, config->core_hz);
        bool last = i + 1 == config->cache_count;
        double next_ns =
            last ? memory_ns : sim_time_ns(&config->cache[i + 1].latency, config->core_hz);
        if (!apart(ns, next_ns, LATENCY_APART))
            return false;
        if (!last && !apart((double)sim_truth_nominal_bytes(config, i),
                            (double)sim_truth_nominal_bytes(config, i + 1), CAPACITY_APART))
            return false;
    }
    return true;
}

static bool tlbs_visible(const struct sim_config *config)
{
    struct sim_truth_tlb before = {.reach_bytes = 0};

    for (size_t i = 0; i < config->tlb_count; i++) {
        struct sim_truth_tlb tlb;
        if (!sim_truth_tlb(config, i, SIM_PAGE_4K, &tlb))
            continue;
        if (tlb.share < TLB_STEP_MIN)
            return false;
        if (before.reach_bytes > 0 && !apart(before.reach_bytes, tlb.reach_bytes, REACH_APART))
            return false;
        before = tlb;
    }
    return true;
}

unsigned sim_generate(struct sim_config *config, uint64_t seed)
{
    struct sim_problem problem;
    struct random random;
    unsigned rejected = 0;

    random_start(&random, seed);
    for (;; rejected++) {
        draw(&random, config);
        snprintf(config->name, sizeof config->name, "seed-%llu", (unsigned long long)seed);
        config->seed = seed;
        if (sim_config_check(config, &problem) && caches_apart(config) && tlbs_visible(config))
            return rejected;
    }
}
