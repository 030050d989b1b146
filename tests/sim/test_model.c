/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated machine against what can be computed without it: who can be trusted with the truth
 * must be checked first. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#include "core/chain.h"
#include "tests/sim/machine_file.h"
#include "tests/sim/simulator.h"
#include "tests/sim/truth.h"

#define LOADS 400000

static void load(struct sim_config *config, const char *lines)
{
    char text[2048];
    struct sim_file_error error;

    snprintf(text, sizeof text, "machine name=test pages=4k,2m\nclock core=1G counter=1G\n%s\nend",
             lines);
    if (!sim_machine_parse(config, text, strlen(text), "test", &error))
        fail_msg("%s", error.text);
}

#define L1     "cache name=L1 bytes=4K ways=4 latency=4c\n"
#define MEMORY "memory base=100ns"

static bool near_to(double figure, double truth, double off)
{
    return fabs(figure - truth) <= off;
}

/* Every resident line is as likely as any other to be drawn next: hits are S / N, whatever the
 * policy. */
static void independent_draws_hit_by_capacity(void **state)
{
    (void)state;
    for (enum sim_policy policy = SIM_LRU; policy <= SIM_RANDOM; policy++) {
        for (uint32_t times = 2; times <= 8; times *= 2) {
            struct sim_cache cache;
            struct random random;
            sim_cache_start(&cache, 512, 8, policy, 1);
            random_start(&random, 2);
            for (int i = 0; i < LOADS; i++) {
                uint32_t key = (uint32_t)random_below(&random, 512 * times);
                if (i == LOADS / 4)
                    cache.hits = cache.misses = 0;
                if (!sim_cache_touch(&cache, key))
                    sim_cache_fill(&cache, key);
            }
            assert_true(near_to((double)cache.hits / (double)(cache.hits + cache.misses),
                                1.0 / times, 0.004));
            sim_cache_stop(&cache);
        }
    }
}

/* A cycle a little too large never hits with LRU; with random replacement the hits h solve
 * h = exp(-N/S (1 - h)). */
static void a_cycle_hits_as_the_policy_says(void **state)
{
    static const enum sim_policy policies[] = {SIM_LRU, SIM_RANDOM};

    (void)state;
    for (int p = 0; p < 2; p++) {
        struct sim_cache cache;
        double h = 0.4;
        sim_cache_start(&cache, 4096, 16, policies[p], 1);
        for (int lap = 0; lap < 40; lap++) {
            if (lap == 10)
                cache.hits = cache.misses = 0;
            for (uint32_t key = 0; key < 6144; key++)
                if (!sim_cache_touch(&cache, key))
                    sim_cache_fill(&cache, key);
        }
        for (int i = 0; i < 50; i++)
            h = exp(-1.5 * (1 - h));
        if (policies[p] == SIM_LRU)
            assert_int_equal(cache.hits, 0);
        else
            assert_true(near_to((double)cache.hits / (30 * 6144.0), h, 0.03));
        sim_cache_stop(&cache);
    }
}

/* A set's keys in the order of their use, the plain way. */
struct reference_set {
    uint32_t key[16];
    uint64_t used[16];
};

static bool reference_lru(struct reference_set *set, uint32_t ways, uint32_t key, uint64_t now)
{
    uint32_t oldest = 0;

    for (uint32_t way = 0; way < ways; way++) {
        if (set->used[way] != 0 && set->key[way] == key) {
            set->used[way] = now;
            return true;
        }
        if (set->used[way] < set->used[oldest])
            oldest = way;
    }
    set->key[oldest] = key;
    set->used[oldest] = now;
    return false;
}

/* Tree-PLRU by halves of a range: arrow[node] says which half is to go next. */
struct reference_tree {
    uint32_t key[16];
    bool full[16], arrow[16];
};

static void point_away(struct reference_tree *set, uint32_t ways, uint32_t way)
{
    uint32_t node = 1;

    for (uint32_t width = ways; width > 1; width /= 2) {
        bool upper = way % width >= width / 2;
        set->arrow[node] = !upper;
        node = 2 * node + upper;
    }
}

static bool reference_plru(struct reference_tree *set, uint32_t ways, uint32_t key)
{
    uint32_t way = 0, node = 1;

    while (way < ways && !(set->full[way] && set->key[way] == key))
        way++;
    if (way < ways) {
        point_away(set, ways, way);
        return true;
    }
    way = 0;
    while (way < ways && set->full[way])
        way++;
    if (way == ways) {
        way = 0;
        for (uint32_t width = ways; width > 1; width /= 2) {
            way += set->arrow[node] ? width / 2 : 0;
            node = 2 * node + set->arrow[node];
        }
    }
    set->key[way] = key;
    set->full[way] = true;
    point_away(set, ways, way);
    return false;
}

static void policies_are_those_of_a_plain_reference(void **state)
{
    static const uint32_t sizes[][2] = {{32, 4}, {64, 8}, {96, 12}, {60, 5}, {256, 16}, {7, 7}};

    (void)state;
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint32_t ways = sizes[s][1], sets = sizes[s][0] / ways;
        bool power = (ways & (ways - 1)) == 0;
        struct sim_cache lru, plru;
        struct reference_set *reference = calloc(sets, sizeof *reference);
        struct reference_tree *tree = calloc(sets, sizeof *tree);
        struct random random;
        random_start(&random, s);
        sim_cache_start(&lru, sizes[s][0], ways, SIM_LRU, 1);
        sim_cache_start(&plru, sizes[s][0], ways, power ? SIM_TREE_PLRU : SIM_LRU, 1);
        /* Stamps overflow on the way. */
        lru.now = SIM_CACHE_LATEST - 20000;
        for (uint64_t i = 1; i < 50000; i++) {
            /* Half of the draws from a small set, so that there is something to keep. */
            uint32_t key =
                (uint32_t)random_below(&random, i % 2 ? sizes[s][0] / 2 : 3 * sizes[s][0]);
            bool hit = sim_cache_touch(&lru, key);
            if (!hit)
                sim_cache_fill(&lru, key);
            assert_int_equal(hit, reference_lru(&reference[key % sets], ways, key, i));
            hit = sim_cache_touch(&plru, key);
            if (!hit)
                sim_cache_fill(&plru, key);
            if (power)
                assert_int_equal(hit, reference_plru(&tree[key % sets], ways, key));
        }
        sim_cache_stop(&lru);
        sim_cache_stop(&plru);
        free(reference);
        free(tree);
    }
}

/* What fits 4 ways of LRU fits 8 of the same sets. */
static void more_ways_never_hit_less(void **state)
{
    struct sim_cache few, many;
    struct random random;

    (void)state;
    random_start(&random, 3);
    sim_cache_start(&few, 64, 4, SIM_LRU, 1);
    sim_cache_start(&many, 128, 8, SIM_LRU, 1);
    for (int i = 0; i < LOADS; i++) {
        uint32_t key = (uint32_t)random_below(&random, 160);
        bool hit_few = sim_cache_touch(&few, key), hit_many = sim_cache_touch(&many, key);
        assert_true(!hit_few || hit_many);
        if (!hit_few)
            sim_cache_fill(&few, key);
        if (!hit_many)
            sim_cache_fill(&many, key);
    }
    sim_cache_stop(&few);
    sim_cache_stop(&many);
}

static void run_draws(struct sim_hierarchy *h, uint32_t lines, uint32_t count)
{
    struct random random;

    random_start(&random, 4);
    for (uint32_t i = 0; i < count; i++)
        sim_hierarchy_access(h, (uint32_t)random_below(&random, lines), 0);
}

/* 128 bytes in a second cache: it has the other half of what the first one asked for, it holds as
 * many bytes as it would of shorter lines, and where it is inclusive both halves go together. */
static void farther_lines_may_be_longer(void **state)
{
    struct sim_config config;
    struct sim_hierarchy *h = malloc(sizeof *h);

    (void)state;
    load(&config, "cache name=L1 bytes=32K ways=8 latency=4c\n"
                  "cache name=L2 bytes=256K ways=8 line=128 latency=14c holds=inclusive\n" MEMORY);
    sim_hierarchy_start(h, &config);
    assert_int_equal(sim_hierarchy_access(h, 10, 0), 2);
    assert_int_equal(sim_hierarchy_access(h, 10, 0), 0);
    assert_int_equal(sim_hierarchy_access(h, 11, 0), 1);
    assert_int_equal(sim_hierarchy_access(h, 12, 0), 2);
    /* Eight lines of the second cache's set that 10 and 11 are in: a set a 128 bytes, 256 sets. */
    for (uint32_t i = 1; i <= 8; i++)
        sim_hierarchy_access(h, 10 + i * 512, 0);
    assert_int_equal(sim_hierarchy_find(h, 10), 2);
    assert_int_equal(sim_hierarchy_find(h, 11), 2);
    assert_int_equal(sim_hierarchy_find(h, 12), 0);
    sim_hierarchy_stop(h);
    free(h);
    assert_true(near_to(sim_truth_capacity_bytes(&config, 1), 256 << 10, 1));
    assert_true(near_to(sim_truth_capacity_bytes(&config, 0), 32 << 10, 1));
}

static void inclusion_is_kept(void **state)
{
    static const char *const holds[] = {"neither", "inclusive", "exclusive"};
    static const double resident[] = {128, 128, 192};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct sim_hierarchy h;
        struct sim_config config;
        char text[300];
        size_t alone = 0, both = 0;
        snprintf(text, sizeof text,
                 L1 "cache name=L2 bytes=8K ways=8 latency=12c holds=%s\n" MEMORY, holds[i]);
        load(&config, text);
        sim_hierarchy_start(&h, &config);
        run_draws(&h, 256, 100000);
        for (uint32_t line = 0; line < 256; line++) {
            bool first = sim_cache_holds(&h.cache[0], line);
            bool second = sim_cache_holds(&h.cache[1], line);
            alone += first && !second;
            both += first && second;
        }
        if (i == SIM_INCLUSIVE)
            assert_int_equal(alone, 0);
        if (i == SIM_EXCLUSIVE)
            assert_int_equal(both, 0);
        if (i == SIM_NEITHER)
            assert_true(alone > 0 && both > 0);
        /* Back-invalidation leaves holes in L1, never in L2. */
        assert_true((double)sim_hierarchy_resident(&h, 1) >= resident[i]);
        assert_true(i == SIM_NEITHER || (double)sim_hierarchy_resident(&h, 1) == resident[i]);
        sim_hierarchy_stop(&h);
    }
}

static void rows_open_and_close(void **state)
{
    struct sim_config config;
    struct sim_dram dram;
    struct sim_dram_cost cost;
    double now = 0;

    (void)state;
    load(&config, L1 "memory base=50ns tcl=10ns trcd=11ns trp=12ns banks=4 row=1K rows=open");
    sim_dram_start(&dram, &config.memory, 64);
    for (uint32_t line = 0; line < 16 * 8; line++) {
        now = sim_dram_access(&dram, line, now, &cost);
        /* 16 lines to a row, 4 banks: the fifth row meets an open one. */
        assert_true(cost.memory_ns == 60 && cost.refresh_ns == 0 && cost.queue_ns == 0);
        assert_true(cost.row_ns == (line % 16 != 0 ? 0 : line < 64 ? 11 : 23));
    }
    assert_true(dram.row_hits == 120 && dram.row_empty == 4 && dram.row_conflicts == 4);
    sim_dram_stop(&dram);
}

static void refresh_makes_its_share_wait(void **state)
{
    struct sim_config config;
    struct sim_dram dram;
    struct sim_dram_cost cost;
    struct random random;
    double waited = 0;

    (void)state;
    load(&config, L1 "memory base=50ns trefi=7.8us trfc=390ns ranks=2 banks=16");
    sim_dram_start(&dram, &config.memory, 64);
    random_start(&random, 5);
    for (int i = 0; i < LOADS; i++) {
        /* So far apart that none waits for another, at any phase. */
        double at = i * 100000.0 + (double)random_below(&random, 7800);
        sim_dram_access(&dram, (uint32_t)random_below(&random, 1 << 20), at, &cost);
        waited += cost.refresh_ns;
    }
    assert_true(near_to((double)dram.refresh_waits / LOADS, 390.0 / 7800, 0.002));
    assert_true(near_to(waited / LOADS, 390.0 * 390 / (2 * 7800), 0.4));
    sim_dram_stop(&dram);
}

static double mean_walks(struct sim_memory_system *system, uint32_t pages)
{
    struct random random;
    double now = 0, before = 0;

    random_start(&random, 6);
    sim_memory_open(system, SIM_PAGE_4K, NULL, pages);
    for (int i = 0; i < LOADS; i++) {
        struct sim_reference to = {.page = (uint32_t)random_below(&random, pages)};
        to.line = to.page * 64;
        if (i == LOADS / 4)
            before = system->ledger.walks;
        now = sim_memory_access(system, &to, now);
    }
    return (system->ledger.walks - before) / (0.75 * LOADS);
}

static void tlbs_reach_as_far_as_their_entries(void **state)
{
    struct sim_config config;
    struct sim_memory_system *system = malloc(sizeof *system);

    (void)state;
    load(&config, L1 "tlb 4k=16/4\ntlb 4k=128/8 penalty=7c\nwalk kind=constant cost=30c\n" MEMORY);
    sim_memory_start(system, &config);
    assert_true(mean_walks(system, 128) == 0);
    assert_true(near_to(mean_walks(system, 256), 0.5, 0.005));
    assert_true(near_to(mean_walks(system, 512), 0.75, 0.005));
    assert_true(system->ledger.cause_ns[SIM_BY_WALK] == 30 * system->ledger.walks);
    sim_memory_stop(system);
    free(system);
}

static void walks_load_what_structure_caches_do_not_hold(void **state)
{
    struct sim_config config;
    struct sim_tlb tlb;
    uint32_t lines[SIM_WALK_LOADS_MAX];

    (void)state;
    load(&config, L1 "tlb 4k=16/4\nwalk kind=loads entries-2m=2 entries-1g=1\n" MEMORY);
    sim_tlb_start(&tlb, &config);
    sim_tlb_open(&tlb, SIM_PAGE_4K);
    assert_int_equal(sim_tlb_walk(&tlb, 0, lines), 4);
    assert_int_equal(sim_tlb_walk(&tlb, 1, lines), 1);
    assert_int_equal(sim_tlb_walk(&tlb, 512, lines), 2);       /* another 2 MiB */
    assert_int_equal(sim_tlb_walk(&tlb, 512 * 512, lines), 4); /* another 1 GiB */
    assert_int_equal(sim_tlb_walk(&tlb, 513, lines), 1);
    sim_tlb_open(&tlb, SIM_PAGE_2M);
    assert_int_equal(sim_tlb_walk(&tlb, 0, lines), 3);
    assert_int_equal(sim_tlb_walk(&tlb, 1, lines), 1);
    sim_tlb_stop(&tlb);
}

static size_t distinct_keys(struct simulator *sim, enum frame_order order)
{
    struct window_request request = {.bytes = 64 << 12, .page = PAGE_4K, .order = order, .seed = 1};
    struct window window;
    size_t distinct = 0;

    assert_int_equal(sim_window_open(sim, &request, &window), STATUS_OK);
    for (size_t i = 0; i < 64; i++)
        distinct += i == 0 || sim->window.page_key[i] != sim->window.page_key[i - 1];
    sim_window_close(sim, &window);
    return distinct;
}

static void contiguous_frames_share_an_entry(void **state)
{
    struct sim_config config;
    struct simulator *sim = malloc(sizeof *sim);

    (void)state;
    load(&config, L1 "tlb 4k=16/4\nwalk kind=constant cost=30c coalesce=8\n" MEMORY);
    simulator_start(sim, &config, false);
    assert_int_equal(distinct_keys(sim, FRAMES_CONTIGUOUS), 8);
    assert_int_equal(distinct_keys(sim, FRAMES_SCATTERED), 64);
    simulator_stop(sim);
    free(sim);
}

/* ns a load when `chains` chains load random lines of a window at the same time. */
static double parallel_ns(const char *memory, uint32_t chains)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct window_request request = {
        .bytes = 64 << 20, .page = PAGE_2M, .order = FRAMES_CONTIGUOUS, .seed = 1};
    struct sim_config config;
    struct window window;
    struct random random;
    double ns;

    load(&config, memory);
    simulator_start(sim, &config, false);
    sim->chains = chains;
    random_start(&random, 7);
    assert_int_equal(sim_window_open(sim, &request, &window), STATUS_OK);
    for (uint32_t i = 0; i < 40000; i++) {
        uint32_t first = 0;
        for (uint32_t chain = 1; chain < chains; chain++)
            if (sim->ready_ns[chain] < sim->ready_ns[first])
                first = chain;
        simulator_load(sim, first, window.base + random_below(&random, 1 << 20) * 64);
    }
    ns = simulator_now_ns(sim) / 40000;
    sim_window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
    return ns;
}

static void parallel_chains_meet_the_limits(void **state)
{
    (void)state;
    assert_true(near_to(parallel_ns(L1 "memory base=100ns misses=16", 1), 100, 0.5));
    assert_true(near_to(parallel_ns(L1 "memory base=100ns misses=16", 8), 12.5, 0.1));
    assert_true(near_to(parallel_ns(L1 "memory base=100ns misses=4", 8), 25, 0.2));
    /* 64 bytes at 2 GB/s are 32 ns, on each of 2 channels. */
    assert_true(near_to(parallel_ns(L1 "memory base=100ns misses=16 bandwidth=2G", 8), 32, 0.2));
    assert_true(parallel_ns(L1 "memory base=100ns misses=16 bandwidth=2G channels=2", 8) < 24);
}

static double chase(struct simulator *sim, const struct window *window, enum order_kind kind,
                    uint64_t hops, struct chase_result *result)
{
    static struct line_order order;
    static uint64_t ticks[64];
    struct chain chain = {.order = &order, .stride_bytes = 64, .line_bytes = 64};
    struct fault_info fault;
    struct chase_plan plan = {
        .chains = 1, .warm_hops = hops, .hops = hops, .samples = 20, .ticks = ticks};
    double sum = 0;

    line_order_start(&order, kind, window->bytes / 64, 64, 3);
    sim->machine.work_run(sim, window, 0, sim->machine.chain_build, &chain, 0, order.lines, &fault);
    plan.start.at[0] = chain_node(&chain, window, 0);
    plan.limit_ns = UINT64_MAX / 2;
    assert_int_equal(sim->machine.chase_run(sim, window, &plan, result), STATUS_OK);
    for (uint32_t i = 0; i < result->samples; i++)
        sum += (double)ticks[i];
    return sum / sim->config->counter_hz * 1e9 / (double)(result->samples * hops);
}

#define PREFETCH_MACHINE                              \
    L1 "cache name=L2 bytes=64K ways=8 latency=12c\n" \
       "memory base=80ns tcl=10ns channels=2 banks=16 bandwidth=20G\n"

static double sequential_over_random(const char *prefetch, bool off, enum prefetch_state *found)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct window_request request = {.bytes = 8 << 20, .page = PAGE_2M, .seed = 1};
    struct prefetch_report report;
    struct chase_result result;
    struct sim_config config;
    struct window window;
    char text[600];
    double random, sequential;

    snprintf(text, sizeof text, PREFETCH_MACHINE "prefetch %s", prefetch);
    load(&config, text);
    simulator_start(sim, &config, false);
    sim->machine.prefetch_set(sim, 0, off, &report);
    *found = report.state;
    assert_int_equal(sim_window_open(sim, &request, &window), STATUS_OK);
    random = chase(sim, &window, ORDER_RANDOM, 4000, &result);
    sequential = chase(sim, &window, ORDER_SEQUENTIAL_PAGES, 4000, &result);
    sim_window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
    return sequential / random;
}

static void prefetchers_do_what_their_control_says(void **state)
{
    static const struct {
        const char *control;
        enum prefetch_state on, off;
        bool works_on, works_off;
    } cases[] = {{"on", PREFETCH_UNSUPPORTED, PREFETCH_UNSUPPORTED, true, true},
                 {"off", PREFETCH_OFF, PREFETCH_OFF, false, false},
                 {"controllable", PREFETCH_ON, PREFETCH_OFF, true, false},
                 {"pretending", PREFETCH_ON, PREFETCH_OFF, true, true},
                 {"locked", PREFETCH_ON, PREFETCH_REFUSED, true, true},
                 {"ignoring", PREFETCH_ON, PREFETCH_NOT_HONOURED, true, true}};
    static const char *const kinds[] = {"stream degree=8", "next-line degree=4",
                                        "region region=512", "adjacent-line"};

    (void)state;
    for (size_t k = 0; k < 4; k++) {
        for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
            char text[200];
            enum prefetch_state found;
            double ratio;
            snprintf(text, sizeof text, "kind=%s control=%s into=2", kinds[k], cases[c].control);
            ratio = sequential_over_random(text, false, &found);
            assert_int_equal(found, cases[c].on);
            if (!(cases[c].works_on ? ratio < 0.7 : near_to(ratio, 1, 0.02)))
                fail_msg("%s, left on: %.3f", text, ratio);
            ratio = sequential_over_random(text, true, &found);
            assert_int_equal(found, cases[c].off);
            if (!(cases[c].works_off ? ratio < 0.7 : near_to(ratio, 1, 0.02)))
                fail_msg("%s, switched off: %.3f", text, ratio);
        }
    }
}

/* Half of the hops are seen 20 ns sooner. */
static void pointers_are_followed(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct window_request request = {.bytes = 8 << 20, .page = PAGE_2M, .seed = 1};
    struct chase_result result;
    struct sim_config config;
    struct window window;

    (void)state;
    load(&config, PREFETCH_MACHINE
         "prefetch kind=pointer control=on degree=1 accuracy=50% into=2 lead=20ns");
    simulator_start(sim, &config, false);
    assert_int_equal(sim_window_open(sim, &request, &window), STATUS_OK);
    assert_true(near_to(chase(sim, &window, ORDER_RANDOM, 4000, &result), 90 - 10, 0.6));
    sim_window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
}

/* Every ns of the clock is in the ledger, under noise too; and the noise is as it was asked for. */
static void the_ledger_balances(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct window_request request = {
        .bytes = 8 << 20, .page = PAGE_4K, .order = FRAMES_SCATTERED, .seed = 1};
    struct chase_result result;
    struct sim_config config;
    struct sim_ledger ledger;
    struct window window;
    double ns;

    (void)state;
    load(&config,
         L1 "cache name=L2 bytes=64K ways=8 latency=12c\ntlb 4k=16\nwalk kind=loads\n"
            "memory base=80ns tcl=10ns trcd=10ns trp=10ns trefi=7.8us trfc=350ns channels=2 "
            "banks=16 rows=open\nprefetch kind=stream control=on into=2 degree=4\n"
            "noise jitter=2% spike-every=5 spike-factor=3 smi-rate=1000 smi-us=50 "
            "smi-counted=yes");
    simulator_start(sim, &config, false);
    assert_int_equal(sim_window_open(sim, &request, &window), STATUS_OK);
    ns = chase(sim, &window, ORDER_SEQUENTIAL_PAGES, 4000, &result);
    assert_true(sim_truth_samples(sim, 4000, result.samples, &ledger));
    assert_true(ledger.accesses == 4000.0 * result.samples);
    assert_true(near_to(sim_ledger_ns(&ledger) / ledger.accesses, ns, 0.01));
    for (unsigned cause = 0; cause < SIM_CAUSES; cause++)
        if (cause != SIM_BY_DRAW && cause != SIM_BY_QUEUE && cause != SIM_BY_TLB &&
            cause != SIM_BY_WRITE && cause != SIM_BY_CORE && cause != SIM_BY_TIMER)
            assert_true(ledger.cause_ns[cause] > 0);
    assert_true(result.delta.smi > 0 && result.delta.smi < 60);
    assert_false(sim_truth_samples(sim, 4001, result.samples, &ledger));
    sim_window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
}

static void noise_is_as_asked(void **state)
{
    struct sim_config config;
    struct sim_noise noise;
    double sum = 0, squares = 0;
    int spikes = 0;

    (void)state;
    load(&config, L1 "noise jitter=2% spike-every=200 spike-factor=3\n" MEMORY);
    sim_noise_start(&noise, &config);
    for (int i = 0; i < LOADS; i++) {
        double extra;
        sim_noise_begin(&noise);
        extra = sim_noise_of_part(&noise, 0, 1000) / 1000;
        if (extra > 1) {
            spikes++;
            continue;
        }
        sum += extra;
        squares += extra * extra;
    }
    assert_true(near_to(spikes, LOADS / 200.0, 4 * sqrt(LOADS / 200.0)));
    assert_true(near_to(sum / LOADS, 0, 2e-4) && near_to(sqrt(squares / LOADS), 0.02, 2e-4));
}

static void the_counter_steps_and_the_core_turbos(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct window_request request = {.bytes = 2 << 20, .page = PAGE_2M, .seed = 1};
    struct chase_result result;
    struct sim_config config;
    struct window window;

    (void)state;
    load(&config, "cache name=L1 bytes=2M ways=8 latency=4c\n" MEMORY);
    config.counter_hz = 100e6;
    config.counter_step = 26;
    config.turbo_hz = 2e9;
    config.turbo_s = 1;
    simulator_start(sim, &config, false);
    assert_int_equal(sim_window_open(sim, &request, &window), STATUS_OK);
    assert_true(near_to(chase(sim, &window, ORDER_RANDOM, 40000, &result), 2, 0.01));
    assert_true(result.core_hz_before == 2e9);
    sim->ready_ns[0] = 2e9;
    assert_true(near_to(chase(sim, &window, ORDER_RANDOM, 40000, &result), 4, 0.01));
    assert_true(result.core_hz_after == 1e9);
    sim_window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
}

static void turbo_obeys_as_its_control_says(void **state)
{
    static const struct {
        enum sim_turbo_control control;
        enum turbo_state off;
        double hz_off;
    } cases[] = {{SIM_TURBO_CONTROLLABLE, TURBO_STATE_OFF, 1e9},
                 {SIM_TURBO_NONE, TURBO_UNSUPPORTED, 2e9},
                 {SIM_TURBO_PRETENDING, TURBO_STATE_OFF, 2e9},
                 {SIM_TURBO_LOCKED, TURBO_REFUSED, 2e9},
                 {SIM_TURBO_IGNORING, TURBO_NOT_HONOURED, 2e9}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct simulator *sim = malloc(sizeof *sim);
        struct window_request request = {.bytes = 2 << 20, .page = PAGE_2M, .seed = 1};
        struct turbo_report report;
        struct chase_result result;
        struct sim_config config;
        struct window window;
        load(&config, L1 MEMORY);
        config.turbo_hz = 2e9;
        config.turbo_control = cases[i].control;
        simulator_start(sim, &config, false);
        assert_int_equal(sim_window_open(sim, &request, &window), STATUS_OK);
        assert_int_equal(sim->machine.turbo_set(sim, 0, TURBO_OFF, &report), STATUS_OK);
        assert_int_equal(report.state, cases[i].off);
        chase(sim, &window, ORDER_RANDOM, 1000, &result);
        assert_true(result.core_hz_before == cases[i].hz_off);
        assert_int_equal(sim->machine.turbo_set(sim, 0, TURBO_ON, &report), STATUS_OK);
        chase(sim, &window, ORDER_RANDOM, 1000, &result);
        assert_true(result.core_hz_after == 2e9);
        sim_window_close(sim, &window);
        simulator_stop(sim);
        free(sim);
    }
}

/* A stuck bit stays as it is whatever is written; a flipping one does not stay. */
static void memory_faults_are_where_they_were_put(void **state)
{
    struct simulator *sim = malloc(sizeof *sim);
    struct window_request request = {
        .bytes = 1 << 20, .page = PAGE_4K, .order = FRAMES_CONTIGUOUS, .seed = 1};
    struct sim_config config;
    struct window window;
    size_t hits = 0;

    (void)state;
    load(&config, L1 MEMORY "\nfault address=0x100003008 bit=3 kind=stuck-1\n"
                            "fault address=0x100004001 bit=0 kind=flipping rate=1000");
    simulator_start(sim, &config, false);
    assert_int_equal(sim_window_open(sim, &request, &window), STATUS_OK);
    for (int i = 0; i < 100; i++) {
        memset((void *)window.base, 0, window.bytes);
        sim->ready_ns[0] += 1e6;
        sim_window_decay(sim);
        for (uint64_t offset = 0; offset < window.bytes; offset++) {
            phys_addr at;
            if (((uint8_t *)window.base)[offset] == 0)
                continue;
            at = sim_window_phys(sim, &window, offset);
            assert_true(at.value == 0x100003008 || at.value == 0x100004001);
            hits += at.value == 0x100004001;
        }
        assert_int_equal(((uint8_t *)window.base)[sim->window.fault_offset[0]], 8);
    }
    /* A share 1 - 1/e of the looks. */
    assert_true(hits > 45 && hits < 80);
    sim_window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
}

/* Wanted are 10 million a second; half of that fails even on a machine that is busy otherwise. */
static void it_is_fast_enough(void **state)
{
    struct sim_memory_system *system = malloc(sizeof *system);
    struct sim_config config;
    struct random random;
    double now = 0, seconds;
    clock_t begun;

    (void)state;
    load(&config, "cache name=L1 bytes=48K ways=12 latency=5c\n"
                  "cache name=L2 bytes=512K ways=8 latency=14c policy=tree-plru\n"
                  "cache name=L3 bytes=2M ways=16 latency=44c\n"
                  "tlb 4k=64/4\ntlb 4k=1536/12 penalty=7c\nwalk kind=constant cost=30c\n"
                  "memory base=60ns tcl=14ns trcd=14ns trefi=7.8us trfc=350ns channels=2 banks=16");
    sim_memory_start(system, &config);
    sim_memory_open(system, SIM_PAGE_4K, NULL, 4096);
    random_start(&random, 8);
    begun = clock();
    for (int i = 0; i < 8000000; i++) {
        uint32_t line = (uint32_t)random_below(&random, i % 2 ? 1 << 12 : 1 << 16);
        struct sim_reference to = {.line = line, .page = line / 64};
        now = sim_memory_access(system, &to, now);
    }
    seconds = (double)(clock() - begun) / CLOCKS_PER_SEC;
    printf("%.1f million accesses a second\n", 8 / seconds);
    assert_true(8 / seconds > 5);
    sim_memory_stop(system);
    free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_draws_hit_by_capacity),
        cmocka_unit_test(a_cycle_hits_as_the_policy_says),
        cmocka_unit_test(policies_are_those_of_a_plain_reference),
        cmocka_unit_test(more_ways_never_hit_less),
        cmocka_unit_test(farther_lines_may_be_longer),
        cmocka_unit_test(inclusion_is_kept),
        cmocka_unit_test(rows_open_and_close),
        cmocka_unit_test(refresh_makes_its_share_wait),
        cmocka_unit_test(tlbs_reach_as_far_as_their_entries),
        cmocka_unit_test(walks_load_what_structure_caches_do_not_hold),
        cmocka_unit_test(contiguous_frames_share_an_entry),
        cmocka_unit_test(parallel_chains_meet_the_limits),
        cmocka_unit_test(prefetchers_do_what_their_control_says),
        cmocka_unit_test(pointers_are_followed),
        cmocka_unit_test(the_ledger_balances),
        cmocka_unit_test(noise_is_as_asked),
        cmocka_unit_test(the_counter_steps_and_the_core_turbos),
        cmocka_unit_test(turbo_obeys_as_its_control_says),
        cmocka_unit_test(memory_faults_are_where_they_were_put),
        cmocka_unit_test(it_is_fast_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
