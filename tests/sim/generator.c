/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/sim/generator.h"

#include <string.h>

#include "core/random.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/truth.h"

#define CAPACITY_APART 4.0
#define LATENCY_APART  1.4
#define REACH_APART    4.0
#define TLB_STEP_LEAST 0.03

static double between(struct random *random, double low, double high)
{
    return low + (high - low) * (double)(random_next(random) >> 11) * 0x1p-53;
}

static bool chance(struct random *random, double share)
{
    return between(random, 0, 1) < share;
}

static uint32_t one_of(struct random *random, const uint32_t *values, size_t count)
{
    return values[random_below(random, count)];
}
#define ONE_OF(random, ...) \
    one_of((random), (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

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
    double latency = between(random, 3, 5.4);

    draw_cache(random, config, ONE_OF(random, 16, 32, 48, 64), latency);
    latency *= between(random, 1.5, 4.5);
    draw_cache(random, config, ONE_OF(random, 128, 192, 256, 384, 512, 768), latency);
    latency *= between(random, 1.3, 4.5);
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
    double penalty = (double)(int)between(random, 5, 10);

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
    config->walk.cost = (struct sim_time){(double)(int)between(random, 20, 60), true};
    if (chance(random, 0.2)) {
        config->walk.loads = true;
        config->walk.cost.value = (double)(int)between(random, 5, 15);
        config->walk.first_cache = chance(random, 0.7) ? 1 : 2;
        config->walk.entries[0] = ONE_OF(random, 16, 32, 64);
        config->walk.entries[1] = 4;
        config->walk.entries[2] = 2;
    }
}

static void draw_memory(struct random *random, struct sim_config *config)
{
    struct sim_memory_config *memory = &config->memory;

    memory->bytes = 1ull << 30;
    memory->base_ns = between(random, 30, 110);
    memory->tcl_ns = memory->trcd_ns = memory->trp_ns = between(random, 13, 18);
    memory->channels = ONE_OF(random, 1, 2, 4, 8);
    memory->ranks = ONE_OF(random, 1, 2);
    memory->banks = ONE_OF(random, 8, 16, 32);
    memory->row_bytes = ONE_OF(random, 2048, 8192);
    memory->open_pages = chance(random, 0.3);
    memory->bytes_per_s = between(random, 5e9, 30e9);
    memory->misses_most = ONE_OF(random, 6, 12, 16, 24);
    if (chance(random, 0.85)) {
        memory->trefi_ns = ONE_OF(random, 3900, 7800);
        memory->trfc_ns = between(random, 160, 350);
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
                                     .within_bytes = 4096,
                                     .accuracy = 1};
}

static void draw(struct random *random, struct sim_config *config)
{
    sim_config_start(config);
    config->page_sizes = 1u << 12 | 1u << (chance(random, 0.5) ? 21 : 30);
    config->core_hz = between(random, 1.5e9, 5e9);
    config->counter_hz = ONE_OF(random, 3000000000u, 2400000000u, 2100000000u, 1000000000u,
                                1000000000u, 100000000u, 100000000u, 25000000u);
    if (config->counter_hz > 1e9 && chance(random, 0.3))
        config->counter_step = 26;
    draw_caches(random, config);
    draw_tlbs(random, config);
    draw_memory(random, config);
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
        if (tlb.share < TLB_STEP_LEAST)
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

static const char *const page_names[SIM_PAGES] = {"4k", "2m", "1g"};

static const char *time_text(const struct sim_time *time, char text[40])
{
    snprintf(text, 40, "%.9g%s", time->value, time->cycles ? "c" : "ns");
    return text;
}

static void print_caches(const struct sim_config *config, FILE *file)
{
    static const char *const policies[] = {"lru", "tree-plru", "random"};
    static const char *const holds[] = {"neither", "inclusive", "exclusive"};
    char text[40];

    for (size_t i = 0; i < config->cache_count; i++) {
        const struct sim_cache_config *c = &config->cache[i];
        fprintf(file, "cache name=%s bytes=%llu ways=%u line=%u latency=%s policy=%s holds=%s%s\n",
                c->name, (unsigned long long)c->bytes, c->ways, c->line_bytes,
                time_text(&c->latency, text), policies[c->policy], holds[c->inclusion],
                c->memory_side ? " memory-side=yes" : "");
    }
    for (size_t i = 0; i < config->tlb_count; i++) {
        const struct sim_tlb_config *t = &config->tlb[i];
        fprintf(file, "tlb penalty=%s policy=%s", time_text(&t->penalty, text),
                policies[t->policy]);
        for (unsigned page = 0; page < SIM_PAGES; page++)
            if (t->entries[page] != 0)
                fprintf(file, " %s=%u/%u", page_names[page], t->entries[page], t->ways[page]);
        fputc('\n', file);
    }
}

static void print_core(const struct sim_config *config, FILE *file)
{
    const struct sim_core_config *c = &config->core;
    char text[40];

    fprintf(file, "core window=%u loads=%u non-temporal=%s timer=%s", c->window, c->loads,
            c->nt_fills_all ? "all" : "first", time_text(&c->timer, text));
    fprintf(file, " flush=%s\n", time_text(&c->flush, text));
}

static void print_memory(const struct sim_config *config, FILE *file)
{
    const struct sim_memory_config *m = &config->memory;

    fprintf(file,
            "memory bytes=%llu base=%.9fns tcl=%.9fns trcd=%.9fns trp=%.9fns trefi=%.9fns "
            "trfc=%.9fns twtr=%.9fns channels=%u ranks=%u banks=%u row=%llu rows=%s misses=%u",
            (unsigned long long)m->bytes, m->base_ns, m->tcl_ns, m->trcd_ns, m->trp_ns, m->trefi_ns,
            m->trfc_ns, m->twtr_ns, m->channels, m->ranks, m->banks,
            (unsigned long long)m->row_bytes, m->open_pages ? "open" : "closed", m->misses_most);
    if (m->bytes_per_s > 0)
        fprintf(file, " bandwidth=%.0f", m->bytes_per_s);
    fputc('\n', file);
}

static void print_prefetchers(const struct sim_config *config, FILE *file)
{
    static const char *const kinds[] = {"next-line", "adjacent-line", "stream",
                                        "region",    "next-page",     "pointer"};
    static const char *const controls[] = {"on",         "off",    "controllable",
                                           "pretending", "locked", "ignoring"};
    char text[40];

    for (size_t i = 0; i < config->prefetch_count; i++) {
        const struct sim_prefetch_config *p = &config->prefetch[i];
        fprintf(
            file,
            "prefetch kind=%s control=%s degree=%u into=%u region=%llu within=%llu accuracy=%.9g%% "
            "lead=%s\n",
            kinds[p->kind], controls[p->control], p->degree, p->into,
            (unsigned long long)p->region_bytes, (unsigned long long)p->within_bytes,
            p->accuracy * 100, time_text(&p->lead, text));
    }
}

static const char *const turbo_controls[] = {"controllable", "none", "pretending", "locked",
                                             "ignoring"};

void sim_config_print(const struct sim_config *config, FILE *file)
{
    const struct sim_walk_config *w = &config->walk;
    const struct sim_noise_config *n = &config->noise;
    char text[40];
    const char *comma = "";

    fprintf(file, "machine name=%s seed=%llu pages=", config->name,
            (unsigned long long)config->seed);
    for (unsigned page = 0; page < SIM_PAGES; page++)
        if (config->page_sizes & 1u << sim_page_log2((enum sim_page)page)) {
            fprintf(file, "%s%s", comma, page_names[page]);
            comma = ",";
        }
    fprintf(file, " draw=%s declares=%s\n", time_text(&config->draw, text),
            config->declares ? "yes" : "no");
    fprintf(file, "clock core=%.6f counter=%.6f step=%llu", config->core_hz, config->counter_hz,
            (unsigned long long)config->counter_step);
    if (config->turbo_hz > 0)
        fprintf(file, " turbo=%.6f turbo-seconds=%.9f turbo-control=%s", config->turbo_hz,
                config->turbo_s, turbo_controls[config->turbo_control]);
    fputc('\n', file);
    print_caches(config, file);
    fprintf(file,
            "walk kind=%s cost=%s first-cache=%u entries-2m=%u entries-1g=%u entries-512g=%u "
            "coalesce=%u\n",
            w->loads ? "loads" : "constant", time_text(&w->cost, text), w->first_cache,
            w->entries[0], w->entries[1], w->entries[2], w->coalesce);
    print_core(config, file);
    print_memory(config, file);
    print_prefetchers(config, file);
    if (n->jitter > 0 || n->spike_every > 0)
        fprintf(file, "noise jitter=%.9g%% spike-every=%.9g spike-factor=%.9g\n", n->jitter * 100,
                n->spike_every, n->spike_factor);
    fprintf(file, "end\n");
}
