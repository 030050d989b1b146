/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/levels/wide.h"

#include <math.h>
#include <stdio.h>

#include "core/lib/random.h"
#include "tests/sim/chance.h"
#include "tests/sim/generator.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/truth.h"

static double spread(struct random *random, double low, double high)
{
    return exp(chance_between(random, log(low), log(high)));
}

static void draw_cache(struct random *random, struct sim_config *config, double kib,
                       double latency_cycles)
{
    size_t i = config->cache_count++;
    struct sim_cache_config *cache = &config->cache[i];
    uint32_t ways = i == 0 ? ONE_OF(random, 4, 8, 12, 16) : ONE_OF(random, 8, 11, 12, 16, 20);
    /* Sets are a power of two, or three times one, as with slices. */
    double sets = kib * 16 / ways, power = exp2(floor(log2(sets)));
    double rounded = sets < 1.25 * power ? power : sets < 1.75 * power ? 1.5 * power : 2 * power;

    *cache = (struct sim_cache_config){.line_bytes = 64, .ways = ways};
    cache->bytes = (uint64_t)rounded * ways * 64;
    snprintf(cache->name, sizeof cache->name, "L%zu", i + 1);
    cache->latency = (struct sim_time){(double)(int)(latency_cycles + 0.5), true};
    cache->policy = chance(random, i == 0 ? 0.1 : 0.3)                ? SIM_RANDOM
                    : chance(random, 0.4) && (ways & (ways - 1)) == 0 ? SIM_TREE_PLRU
                                                                      : SIM_LRU;
    if (i != 0)
        cache->inclusion = chance(random, 0.25)  ? SIM_INCLUSIVE
                           : chance(random, 0.4) ? SIM_EXCLUSIVE
                                                 : SIM_NEITHER;
}

static void draw_caches(struct random *random, struct sim_config *config)
{
    double latency = chance_between(random, 3, 5.4), kib = spread(random, 16, 128);
    unsigned caches = chance(random, 0.75) ? 3 : 2;

    if (chance(random, 0.15))
        caches = 4;
    draw_cache(random, config, kib, latency);
    for (unsigned i = 1; i < caches; i++) {
        double held = (double)sim_truth_nominal_bytes(config, i - 1) / 1024;
        kib = held * spread(random, 1.5, i == 1 ? 16 : 8);
        latency *= spread(random, i == 1 ? 1.8 : 1.2, 4);
        draw_cache(random, config, kib, latency);
    }
    if (caches > 2 && chance(random, 0.15)) {
        config->cache[caches - 1].inclusion = SIM_NEITHER;
        config->cache[caches - 1].memory_side = true;
    }
}

static void draw_tlbs(struct random *random, struct sim_config *config)
{
    struct sim_tlb_config *tlb = config->tlb;

    config->tlb_count = chance(random, 0.8) ? 2 : 1;
    tlb[0].entries[0] = ONE_OF(random, 16, 32, 40, 48, 64, 96, 128);
    tlb[0].ways[0] =
        chance(random, 0.5) && tlb[0].entries[0] <= SIM_WAYS_MAX ? tlb[0].entries[0] : 4;
    for (unsigned page = 1; page < SIM_PAGES; page++)
        tlb[0].entries[page] = tlb[0].ways[page] = ONE_OF(random, 8, 16, 32, 48, 64);
    if (config->tlb_count == 2) {
        tlb[1].entries[0] = ONE_OF(random, 256, 512, 1024, 1536, 2048);
        tlb[1].ways[0] = ONE_OF(random, 4, 8);
        tlb[1].penalty = (struct sim_time){(double)(int)chance_between(random, 4, 10), true};
        if (chance(random, 0.6))
            for (unsigned page = 1; page < SIM_PAGES; page++) {
                uint32_t entries = ONE_OF(random, 64, 128, 1024, 1536);
                /* One as small as the level before it would be no level. */
                entries = entries < 2 * tlb[0].entries[page] ? 1024 : entries;
                tlb[1].entries[page] = entries;
                tlb[1].ways[page] = 8;
            }
    }
    sim_draw_walks(random, config, 0.3);
}

static bool is_wanted(const struct sim_config *config)
{
    double before_ns = 0, before = 0, memory_ns = config->memory.base_ns + config->memory.tcl_ns;

    for (size_t i = 0; i < config->cache_count; i++) {
        double ns = sim_time_ns(&config->cache[i].latency, config->core_hz);
        double bytes = (double)sim_truth_nominal_bytes(config, i);
        if (ns < 1.2 * before_ns || bytes < 1.5 * before)
            return false;
        before_ns = ns;
        before = bytes;
    }
    return before <= 8 << 20 && memory_ns > 1.2 * before_ns;
}

unsigned wide_generate(struct sim_config *config, uint64_t seed)
{
    struct sim_problem problem;
    struct random random;
    unsigned rejected = 0;

    random_start(&random, seed ^ 0x77696465);
    for (;; rejected++) {
        sim_config_start(config);
        config->page_sizes = 1u << 12 | 1u << (chance(&random, 0.75) ? 21 : 30);
        config->core_hz = chance_between(&random, 1.5e9, 5e9);
        config->counter_hz = ONE_OF(&random, 3000000000u, 2400000000u, 1000000000u, 100000000u);
        draw_caches(&random, config);
        draw_tlbs(&random, config);
        sim_draw_memory(&random, config);
        snprintf(config->name, sizeof config->name, "wide-%llu", (unsigned long long)seed);
        config->seed = seed;
        if (sim_config_check(config, &problem) && is_wanted(config))
            return rejected;
    }
}
