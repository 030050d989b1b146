/* SPDX-License-Identifier: BSD-2-Clause */
/* The simulated machine against what can be computed without it: what serves as the truth must be
 * checked first. */
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

#include "core/chase/chain.h"
#include "tests/sim/age.h"
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

static double share_of_hits(enum sim_policy policy, uint32_t ways, uint32_t keys)
{
    struct sim_cache cache;
    struct random random;
    double share;

    sim_cache_start(&cache, 512, ways, policy, 1);
    random_start(&random, 2);
    for (int i = 0; i < LOADS; i++) {
        uint32_t key = (uint32_t)random_below(&random, keys);
        if (i == LOADS / 4)
            cache.hits = cache.misses = 0;
        if (!sim_cache_touch(&cache, key))
            sim_cache_fill(&cache, key);
    }
    share = (double)cache.hits / (double)(cache.hits + cache.misses);
    sim_cache_stop(&cache);
    return share;
}

/* Every resident line is as likely as any other to be drawn next: hits are S / N, whatever the
 * policy; and fully associative, where trees and ages do not have so many ways. */
static void independent_draws_hit_by_capacity(void **state)
{
    (void)state;
    for (uint32_t times = 2; times <= 8; times *= 2)
        for (enum sim_policy policy = SIM_LRU; policy < SIM_POLICIES; policy++) {
            assert_true(near_to(share_of_hits(policy, 8, 512 * times), 1.0 / times, 0.004));
            if (policy != SIM_TREE_PLRU && policy != SIM_QLRU)
                assert_true(near_to(share_of_hits(policy, 512, 512 * times), 1.0 / times, 0.004));
        }
}

/* A cycle a little too large never hits with LRU; with random replacement the hits h solve
 * h = exp(-N/S (1 - h)). */
static void a_cycle_hits_as_the_policy_says(void **state)
{
    static const enum sim_policy policies[] = {SIM_LRU, SIM_RANDOM, SIM_RANDOM_ANY};

    (void)state;
    for (int p = 0; p < 3; p++) {
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

/* After k fills, empty ways first leave none of k <= W behind; where any way is taken, a set of W
 * holds W (1 - (1 - 1/W)^k) of them. */
static void check_random_fills(uint32_t sets, uint32_t ways, enum sim_policy policy)
{
    struct sim_cache cache;
    uint32_t entries = sets * ways, gone = 0, held = 0;
    double expected = policy == SIM_RANDOM ? 1 : 1 - pow(1 - 1.0 / ways, ways);

    sim_cache_start(&cache, entries, ways, policy, 1);
    for (uint32_t key = 0; key < entries; key++)
        gone += sim_cache_fill(&cache, key) != SIM_NO_KEY;
    for (uint32_t key = 0; key < entries; key++)
        held += sim_cache_holds(&cache, key);
    assert_int_equal(held + gone, entries);
    assert_true(near_to((double)held / entries, expected, policy == SIM_RANDOM ? 0 : 0.01));
    /* A hole is filled again, or left to chance. */
    held = gone = 0;
    for (uint32_t key = 0; key < entries / 10; key++)
        held += sim_cache_drop(&cache, key);
    for (uint32_t key = 0; key < held; key++)
        gone += sim_cache_fill(&cache, entries + key) != SIM_NO_KEY;
    assert_true(policy == SIM_RANDOM ? gone == 0 : gone > held / 4);
    for (uint32_t key = held; policy == SIM_RANDOM && key < 2 * held; key++)
        assert_int_not_equal(sim_cache_fill(&cache, entries + key), SIM_NO_KEY);
    sim_cache_stop(&cache);
}

static void random_replacement_fills_empty_ways_first(void **state)
{
    (void)state;
    for (enum sim_policy policy = SIM_RANDOM; policy <= SIM_RANDOM_ANY; policy++) {
        check_random_fills(4096, 12, policy);
        check_random_fills(1, 20000, policy);
    }
}

/* Ages as tests/sim/age.h defines them, a way at a time. */
struct reference_ages {
    uint32_t key[16], age[16], duel, thin;
    bool full[16];
};

static bool reference_qlru(struct reference_ages *all, uint32_t sets, uint32_t ways, uint32_t key)
{
    struct reference_ages *set = &all[key % sets];
    uint32_t way = 0, role = key % sets % 64;
    bool thin = all->duel > 511;

    for (way = 0; way < ways; way++)
        if (set->full[way] && set->key[way] == key) {
            set->age[way] = 0;
            return true;
        }
    if (role == 0 || role == 32) {
        thin = role == 32;
        all->duel += role == 0 && all->duel < 1023 ? 1 : 0;
        all->duel -= role == 32 && all->duel > 0 ? 1 : 0;
    }
    for (way = 0; way < ways && set->full[way];)
        way++;
    while (way == ways) {
        for (way = 0; way < ways && set->age[way] != 3;)
            way++;
        for (uint32_t i = 0; way == ways && i < ways; i++)
            set->age[i]++;
    }
    set->key[way] = key;
    set->full[way] = true;
    set->age[way] = thin && all->thin++ % 32 != 31 ? 3 : 2;
    return false;
}

static void adaptive_replacement_is_that_of_a_plain_reference(void **state)
{
    static const uint32_t ways_of[] = {8, 12, 16};

    (void)state;
    for (size_t w = 0; w < 3; w++) {
        uint32_t ways = ways_of[w], sets = 192;
        struct reference_ages *reference = calloc(sets, sizeof *reference);
        struct sim_cache cache;
        struct random random;
        reference->duel = 511;
        random_start(&random, w);
        sim_cache_start(&cache, sets * ways, ways, SIM_QLRU, 1);
        for (uint32_t i = 0; i < 200000; i++) {
            /* Draws, and cycles that are too large, in turn. */
            uint32_t key = i / 50000 % 2 ? i % (sets * ways * 5 / 4)
                                         : (uint32_t)random_below(&random, 2 * sets * ways);
            bool hit = sim_cache_touch(&cache, key);
            if (!hit)
                sim_cache_fill(&cache, key);
            assert_int_equal(hit, reference_qlru(reference, sets, ways, key));
        }
        sim_cache_stop(&cache);
        free(reference);
    }
}

/* Of a cycle of 1.5 times its size an adaptive cache keeps a part, once the counter has moved: all
 * ways but one, nearly, in all sets but those that lead the other way. */
static void an_adaptive_cache_keeps_a_part_of_a_large_cycle(void **state)
{
    enum { SETS = 512, WAYS = 16 };
    struct sim_cache cache;
    uint32_t decided;
    double share;

    (void)state;
    sim_cache_start(&cache, SETS * WAYS, WAYS, SIM_QLRU, 1);
    for (int lap = 0; lap < 200; lap++) {
        if (lap == 150)
            cache.hits = cache.misses = 0;
        for (uint32_t key = 0; key < SETS * WAYS * 3 / 2; key++)
            if (!sim_cache_touch(&cache, key))
                sim_cache_fill(&cache, key);
    }
    share = (double)cache.hits / (double)(cache.hits + cache.misses);
    assert_true(share > 0.5 && share < (WAYS - 1.0) / (1.5 * WAYS));
    /* Its lines may be dropped, also all at once: that does not count. */
    assert_true(cache.duel > SIM_AGE_DUEL_MAX / 2);
    decided = cache.duel;
    sim_cache_clear(&cache);
    assert_int_equal(cache.duel, decided);
    sim_cache_stop(&cache);
}

static void large_stores_without_sets_are_those_of_a_plain_reference(void **state)
{
    enum { ENTRIES = 150 };
    uint32_t key_of[ENTRIES] = {0}, drops = 0;
    uint64_t used[ENTRIES] = {0};
    struct sim_cache cache;
    struct random random;

    (void)state;
    random_start(&random, 10);
    sim_cache_start(&cache, ENTRIES, ENTRIES, SIM_LRU, 1);
    for (uint64_t now = 1; now < 100000; now++) {
        uint32_t key = (uint32_t)random_below(&random, now % 2 ? 100 : 400), oldest = 0, found;
        bool hit;
        for (found = 0; found < ENTRIES && (used[found] == 0 || key_of[found] != key); found++)
            oldest = used[found] < used[oldest] ? found : oldest;
        assert_int_equal(sim_cache_holds(&cache, key), found < ENTRIES);
        if (now % 7 == 0) {
            assert_int_equal(sim_cache_drop(&cache, key), found < ENTRIES);
            drops += found < ENTRIES;
            if (found < ENTRIES)
                used[found] = 0;
            continue;
        }
        hit = sim_cache_touch(&cache, key);
        assert_int_equal(hit, found < ENTRIES);
        if (!hit) {
            uint64_t gone = used[oldest] == 0 ? SIM_NO_KEY : key_of[oldest];
            assert_int_equal(sim_cache_fill(&cache, key), gone);
            found = oldest;
        }
        key_of[found] = key;
        used[found] = now;
    }
    assert_true(drops > 1000);
    sim_cache_clear(&cache);
    for (uint32_t key = 0; key < 400; key++)
        assert_false(sim_cache_touch(&cache, key));
    sim_cache_stop(&cache);
}

/* A run of lines fills every set alike, from wherever it starts; and lines that are as far apart as
 * all sets together, which would share one, are spread over a set of each slice. */
static void slices_are_chosen_by_a_hash(void **state)
{
    enum { WAYS = 4 };
    static const uint32_t shapes[][2] = {{256, 4}, {192, 3}, {640, 10}, {112, 28}, {1024, 64}};

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        uint32_t sets = shapes[i][0], slices = shapes[i][1], held = 0, gone = 0;
        struct sim_cache cache;
        sim_cache_start(&cache, sets * WAYS, WAYS, SIM_LRU, 1);
        sim_cache_slice(&cache, slices);
        for (uint32_t run = 0; run < WAYS; run++)
            for (uint32_t key = 0; key < sets; key++)
                gone += sim_cache_fill(&cache, run * 77777 * sets + key) != SIM_NO_KEY;
        assert_int_equal(gone, 0);
        sim_cache_clear(&cache);
        for (uint32_t j = 0; j < 64 * sets; j++)
            sim_cache_fill(&cache, j * sets);
        for (uint32_t j = 0; j < 64 * sets; j++)
            held += sim_cache_holds(&cache, j * sets);
        assert_int_equal(held, slices * WAYS);
        sim_cache_stop(&cache);
    }
}

/* 4 KiB of 4 ways have 16 sets: of lines 1 KiB apart one set holds 4, and those of 8 slices 32. */
static void a_machine_file_slices_its_caches(void **state)
{
    (void)state;
    for (uint32_t slices = 1; slices <= 8; slices *= 2) {
        struct sim_hierarchy *h = malloc(sizeof *h);
        struct sim_config config;
        char text[200];
        snprintf(text, sizeof text, "cache name=L1 bytes=4K ways=4 slices=%u latency=4c\n" MEMORY,
                 slices);
        load(&config, text);
        sim_hierarchy_start(h, &config);
        for (uint32_t i = 0; i < 1000; i++)
            sim_hierarchy_access(h, 16 * i, 0);
        assert_int_equal(sim_hierarchy_resident(h, 0), 4 * slices);
        sim_hierarchy_stop(h);
        free(h);
    }
}

/* Each page of 64 GiB has lines of its own, below those of the page tables, and a contiguous window
 * ends where the memory does. */
static void memory_may_have_64_gib(void **state)
{
    static const uint64_t bytes = 64ull << 30;
    struct simulator *sim = malloc(sizeof *sim);
    struct window_request request = {
        .bytes = bytes, .page = PAGE_2M, .order = FRAMES_CONTIGUOUS, .seed = 1};
    struct sim_config config;
    struct window window;
    uint64_t sum = 0, pages = bytes >> 21;

    (void)state;
    load(&config, L1 "tlb 4k=64\nwalk kind=loads nested=4k\nmemory base=100ns bytes=64G");
    simulator_start(sim, &config, false);
    assert_int_equal(sim_window_open(sim, &request, &window), STATUS_OK);
    for (uint64_t page = 0; page < pages; page++) {
        uint64_t pos = sim_window_phys(sim, &window, page << 21).value;
        assert_true(pos >= SIM_MEMORY_BASE && pos < SIM_MEMORY_BASE + bytes);
        sum += (pos - SIM_MEMORY_BASE) >> 21;
    }
    assert_true(sum == pages * (pages - 1) / 2);
    simulator_load(sim, 0, window.base + bytes - 64);
    assert_true(sim_memory_ledger(sim->system)->walks == 1);
    sim_window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
}

static void caches_may_be_declared_wrongly_or_not_at_all(void **state)
{
    static const struct {
        const char *lines;
        size_t count;
        uint32_t level[3];
        uint64_t kib[3];
    } cases[] = {
        {"cache name=L2 bytes=1M ways=8 latency=12c\n"
         "cache name=M bytes=32M ways=16 latency=30c memory-side=yes\n",
         2,
         {1, 2},
         {4, 1024}},
        {"cache name=L2 bytes=1M ways=8 latency=12c declared=no\n"
         "cache name=L3 bytes=2M ways=8 latency=30c declared=480M\n",
         2,
         {1, 3},
         {4, 480 << 10}},
        {"cache name=L2 bytes=1M ways=8 latency=12c\n"
         "cache name=M bytes=512K ways=8 latency=30c memory-side=yes declared=512K\n",
         3,
         {1, 2, 3},
         {4, 1024, 512}},
        {"cache name=M bytes=1M ways=8 latency=12c memory-side=yes declared=no\n", 1, {1}, {4}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct simulator *sim = malloc(sizeof *sim);
        struct sim_config config;
        char text[400];
        snprintf(text, sizeof text, L1 "%s" MEMORY, cases[i].lines);
        load(&config, text);
        simulator_start(sim, &config, false);
        assert_int_equal(sim->description.cache_count, cases[i].count);
        for (size_t j = 0; j < cases[i].count; j++) {
            assert_int_equal(sim->description.caches[j].level, cases[i].level[j]);
            assert_int_equal(sim->description.caches[j].bytes, cases[i].kib[j] << 10);
        }
        simulator_stop(sim);
        free(sim);
    }
}

/* Filled by every miss, one that is no larger than the cache before it holds little that is not in
 * that too; taking victims only, it adds its size. */
static void a_memory_side_cache_may_be_of_any_size(void **state)
{
    static const struct {
        const char *words;
        double kib;
    } cases[] = {{"bytes=32K", 64},
                 {"bytes=64K", 70},
                 {"bytes=32K holds=exclusive", 96},
                 {"bytes=256K holds=exclusive", 320}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim_config config;
        char text[300];
        snprintf(text, sizeof text,
                 L1 "cache name=L2 bytes=64K ways=16 latency=12c holds=inclusive\n"
                    "cache name=M %s ways=16 latency=30c memory-side=yes\n" MEMORY,
                 cases[i].words);
        load(&config, text);
        assert_true(near_to(sim_truth_capacity_bytes(&config, 2), cases[i].kib * 1024, 3072));
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

static bool reference_lru_drop(struct reference_set *set, uint32_t ways, uint32_t key)
{
    for (uint32_t way = 0; way < ways; way++)
        if (set->used[way] != 0 && set->key[way] == key) {
            set->used[way] = 0;
            return true;
        }
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
        for (uint64_t i = 1; i < 50000; i++) {
            /* Half of the draws from a small set, so that there is something to keep. */
            uint32_t key =
                (uint32_t)random_below(&random, i % 2 ? sizes[s][0] / 2 : 3 * sizes[s][0]);
            bool hit = sim_cache_touch(&lru, key);
            if (!hit)
                sim_cache_fill(&lru, key);
            assert_int_equal(hit, reference_lru(&reference[key % sets], ways, key, i));
            if (i % 5 == 0) {
                uint32_t gone = (uint32_t)random_below(&random, sizes[s][0]);
                assert_int_equal(sim_cache_drop(&lru, gone),
                                 reference_lru_drop(&reference[gone % sets], ways, gone));
            }
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

/* Lines of 128 bytes in a second cache: it has the other half of what the first one requested, it
 * holds as many bytes as with shorter lines, and where it is inclusive both halves are evicted
 * together. */
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
    /* Eight lines of the second cache's set that 10 and 11 are in: 128 bytes per line and way, 256
     * sets. */
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
            bool first = sim_cache_holds(h.cache[0], line);
            bool second = sim_cache_holds(h.cache[1], line);
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
    sim_dram_start(&dram, &config.memory, NULL, 64);
    for (uint32_t line = 0; line < 16 * 8; line++) {
        now = sim_dram_access(&dram, line, now, &cost);
        /* 16 lines to a row, 4 banks: the fifth row meets an open one. */
        assert_true(cost.memory_ns == 60 && cost.refresh_ns == 0 && cost.queue_ns == 0);
        assert_true(cost.row_ns == (line % 16 != 0 ? 0 : line < 64 ? 11 : 23));
    }
    assert_true(dram.row_hits == 120 && dram.row_empty == 4 && dram.row_conflicts == 4);
    sim_dram_stop(&dram);
}

/* Whatever their number: every row of every bank has as many lines as fit, from the first address
 * on, and every channel as many as any other. */
static void lines_are_spread_over_all_banks(void **state)
{
    static const char *const words[] = {"channels=3 ranks=3 banks=12", "channels=6 banks=16",
                                        "channels=12 ranks=2 banks=32", "channels=8 banks=8"};
    enum { ROWS = 8, LINES = 16 };

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        struct sim_config config;
        struct sim_dram dram;
        char text[200];
        uint32_t *count, banks;
        snprintf(text, sizeof text, L1 "memory base=50ns row=1K rows=open %s", words[i]);
        load(&config, text);
        sim_dram_start(&dram, &config.memory, NULL, 64);
        banks = config.memory.channels * config.memory.ranks * config.memory.banks;
        count = calloc((size_t)banks * ROWS, sizeof *count);
        for (uint32_t line = 0; line < banks * ROWS * LINES; line++) {
            struct sim_dram_cost cost;
            uint32_t bank = 0;
            sim_dram_access(&dram, line, line * 1000.0, &cost);
            while (dram.bank[bank].row < 0)
                bank++;
            assert_true(bank < banks && dram.bank[bank].row < ROWS);
            count[bank * ROWS + dram.bank[bank].row]++;
            dram.bank[bank].row = -1;
        }
        for (uint32_t j = 0; j < banks * ROWS; j++)
            assert_int_equal(count[j], LINES);
        free(count);
        sim_dram_stop(&dram);
    }
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
    sim_dram_start(&dram, &config.memory, NULL, 64);
    random_start(&random, 5);
    for (int i = 0; i < LOADS; i++) {
        /* So far apart that none waits for another, at any phase. */
        double pos = i * 100000.0 + (double)random_below(&random, 7800);
        sim_dram_access(&dram, (uint32_t)random_below(&random, 1 << 20), pos, &cost);
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
    uint64_t lines[SIM_WALK_LOADS_MAX];

    (void)state;
    load(&config, L1 "tlb 4k=16/4\nwalk kind=loads entries-2m=2 entries-1g=1\n" MEMORY);
    sim_tlb_start(&tlb, &config);
    sim_tlb_open(&tlb, SIM_PAGE_4K);
    assert_int_equal(sim_tlb_walk(&tlb, 0, 0, lines), 4);
    assert_int_equal(sim_tlb_walk(&tlb, 1, 0, lines), 1);
    assert_int_equal(sim_tlb_walk(&tlb, 512, 0, lines), 2);       /* another 2 MiB */
    assert_int_equal(sim_tlb_walk(&tlb, 512 * 512, 0, lines), 4); /* another 1 GiB */
    assert_int_equal(sim_tlb_walk(&tlb, 513, 0, lines), 1);
    sim_tlb_open(&tlb, SIM_PAGE_2M);
    assert_int_equal(sim_tlb_walk(&tlb, 0, 0, lines), 3);
    assert_int_equal(sim_tlb_walk(&tlb, 1, 0, lines), 1);
    sim_tlb_stop(&tlb);
}

/* A guest's own entries come first, then those of the host's tables for the data's address, which
 * stand elsewhere and have structure caches of their own. */
static void a_hosts_tables_are_walked_too(void **state)
{
    struct sim_config config;
    struct sim_tlb tlb;
    uint64_t lines[SIM_WALK_LOADS_MAX];

    (void)state;
    load(&config, L1 "tlb 4k=16/4\nwalk kind=loads nested=4k nested-entries-2m=2\n" MEMORY);
    sim_tlb_start(&tlb, &config);
    sim_tlb_open(&tlb, SIM_PAGE_2M);
    assert_int_equal(sim_tlb_walk(&tlb, 0, 0, lines), 3 + 4);
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < i; j++)
            assert_true(lines[i] != lines[j] && lines[i] >= SIM_LINES_MAX);
    assert_int_equal(sim_tlb_walk(&tlb, 0, 511 * 64, lines), 3 + 1);  /* of the same 2 MiB */
    assert_int_equal(sim_tlb_walk(&tlb, 0, 1024 * 64, lines), 3 + 4); /* of others */
    assert_int_equal(sim_tlb_walk(&tlb, 1, 1024 * 64, lines), 3 + 1);
    assert_int_equal(sim_tlb_walk(&tlb, 1, 4096 * 64, lines), 3 + 4);
    assert_int_equal(sim_tlb_walk(&tlb, 1, 0, lines), 3 + 4); /* two are cached */
    sim_tlb_open(&tlb, SIM_PAGE_1G);
    assert_int_equal(sim_tlb_walk(&tlb, 0, 0, lines), 2 + 4);
    sim_tlb_stop(&tlb);
}

/* Over that many bytes, in pages of that size. */
static double mean_hop_ns(struct sim_memory_system *system, enum sim_page page, uint64_t bytes,
                          double *walks)
{
    uint64_t lines = bytes / 64, page_lines = (1ull << sim_page_log2(page)) / 64;
    double now = 0, begun = 0, before = 0;
    struct random random;

    random_start(&random, 9);
    sim_memory_open(system, page, NULL, (uint32_t)(lines / page_lines) + 1);
    for (int i = 0; i < 3 * LOADS; i++) {
        struct sim_reference to = {.line = (uint32_t)random_below(&random, lines)};
        to.page = (uint32_t)(to.line / page_lines);
        if (i == 2 * LOADS) {
            begun = now;
            before = system->ledger.walks;
        }
        now = sim_memory_access(system, &to, now);
    }
    *walks = (system->ledger.walks - before) / LOADS;
    return (now - begun) / LOADS;
}

/* However large the guest's pages are, an entry holds no more than a page of the host's; and a host
 * whose pages are larger changes nothing of that. */
static void tlbs_hold_the_smaller_page_of_guest_and_host(void **state)
{
    static const struct {
        const char *nested;
        enum sim_page page;
        double walks; /* of a hop in 512 KiB: 128 pages of 4 KiB */
    } cases[] = {{"no", SIM_PAGE_2M, 0},    {"4k", SIM_PAGE_2M, 0.75}, {"4k", SIM_PAGE_4K, 0.75},
                 {"2m", SIM_PAGE_4K, 0.75}, {"2m", SIM_PAGE_2M, 0},    {"2m", SIM_PAGE_1G, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim_memory_system *system = malloc(sizeof *system);
        struct sim_config config;
        char text[300];
        double walks;
        snprintf(text, sizeof text, L1 "tlb 4k=32 2m=16 1g=4\nwalk kind=loads nested=%s\n" MEMORY,
                 cases[i].nested);
        load(&config, text);
        sim_memory_start(system, &config);
        mean_hop_ns(system, cases[i].page, 512 << 10, &walks);
        assert_true(near_to(walks, cases[i].walks, 0.005));
        sim_memory_stop(system);
        free(system);
    }
}

/* Sizes that have no entries of their own share; each window has all of them. */
static void tlb_entries_may_be_shared_by_page_sizes(void **state)
{
    static const struct {
        const char *words;
        uint32_t entries[SIM_PAGES];
    } cases[] = {{"shared=96/6", {96, 96, 96}},
                 {"shared=96/6 1g=4", {96, 96, 4}},
                 {"shared=96/6 shared-by=4k,2m", {96, 96, 0}},
                 {"shared=1536 shared-by=2m,1g 4k=64/4", {64, 1536, 1536}}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sim_config config;
        struct sim_tlb tlb;
        char text[200];
        snprintf(text, sizeof text, L1 "tlb %s\nwalk kind=constant cost=30c\n" MEMORY,
                 cases[i].words);
        load(&config, text);
        sim_tlb_start(&tlb, &config);
        for (unsigned page = 0; page < SIM_PAGES; page++) {
            uint32_t hits = 0;
            assert_int_equal(sim_tlb_entries(&config.tlb[0], (enum sim_page)page, NULL),
                             cases[i].entries[page]);
            sim_tlb_open(&tlb, (enum sim_page)page);
            for (uint32_t key = 0; key < 2 * cases[i].entries[page]; key++)
                sim_tlb_access(&tlb, key);
            for (uint32_t key = 2 * cases[i].entries[page]; key-- > 0;)
                hits += sim_tlb_access(&tlb, key) == 0;
            assert_int_equal(hits, cases[i].entries[page]);
        }
        sim_tlb_stop(&tlb);
    }
}

/* Memory as a cloud guest saw it with large pages: 150 ns at 128 MiB, 214 at 1 GiB, 340 at 15 GiB;
 * and the same machine without a host rises by what its TLBs for large pages miss. */
static void a_guests_memory_rises_with_the_set(void **state)
{
    static const struct {
        uint64_t mib;
        double ns;
    } seen[] = {{128, 150}, {1024, 214}, {15360, 340}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct sim_memory_system *system = malloc(sizeof *system);
        struct sim_file_error error;
        struct sim_config config;
        double walks, nested;
        assert_true(
            sim_machine_load(&config, "tests/sim/machines/regress/nested-guest.machine", &error));
        config.memory.bytes = 16ull << 30;
        sim_memory_start(system, &config);
        nested = mean_hop_ns(system, SIM_PAGE_2M, seen[i].mib << 20, &walks);
        sim_memory_stop(system);
        config.walk.nested = SIM_NOT_NESTED;
        sim_memory_start(system, &config);
        printf("%5llu MiB: %.1f ns, without a host %.1f\n", (unsigned long long)seen[i].mib, nested,
               mean_hop_ns(system, SIM_PAGE_2M, seen[i].mib << 20, &walks));
        assert_true(near_to(nested / seen[i].ns, 1, 0.1));
        sim_memory_stop(system);
        free(system);
    }
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

/* Scattered frames are taken of whole blocks of 2M: of three and a half, two pages never share one,
 * and of half a block there are none. */
static void scattered_frames_of_a_range_are_inside_it(void **state)
{
    struct window_request request = {
        .page = PAGE_4K, .order = FRAMES_SCATTERED, .seed = 1, .from = {4ull << 30}};
    struct sim_config config;
    struct simulator *sim = malloc(sizeof *sim);
    static bool taken[4 * 512];
    struct window window;

    (void)state;
    load(&config, L1 MEMORY);
    simulator_start(sim, &config, false);
    request.below = phys_make(request.from.value + (1 << 20));
    assert_int_equal(sim_window_limit(sim, &request), 0);
    request.below = phys_make(request.from.value + (7 << 20));
    request.bytes = sim_window_limit(sim, &request);
    assert_int_equal(request.bytes, 6 << 20);
    assert_int_equal(sim_window_open(sim, &request, &window), STATUS_OK);
    for (uint64_t offset = 0; offset < window.bytes; offset += 4096) {
        uint64_t place = sim_window_phys(sim, &window, offset).value - request.from.value;
        assert_true(place < 6 << 20 && !taken[place >> 12]);
        taken[place >> 12] = true;
    }
    sim_window_close(sim, &window);
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
    sim->run->chains = chains;
    random_start(&random, 7);
    assert_int_equal(sim_window_open(sim, &request, &window), STATUS_OK);
    for (uint32_t i = 0; i < 40000; i++) {
        uint32_t first = 0;
        for (uint32_t chain = 1; chain < chains; chain++)
            if (sim->run->ready_ns[chain] < sim->run->ready_ns[first])
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
    plan.start.next[0] = chain_node(&chain, window, 0);
    plan.limit_ns = UINT64_MAX / 2;
    assert_int_equal(sim->machine.chase_run(sim, window, &plan, result), STATUS_OK);
    for (uint32_t i = 0; i < result->samples; i++)
        sum += (double)ticks[i];
    return sum / sim->config->counter_hz * 1e9 / (double)(result->samples * hops);
}

/* What is read of a chain that was never stored is what its order says, and a node that is written
 * to keeps that until it is written back. */
static void a_chain_that_is_not_stored_reads_as_one_that_is(void **state)
{
    static const enum order_kind kinds[] = {ORDER_RANDOM, ORDER_PAIRED_PAGES, ORDER_HOP_PAGE};
    struct simulator *sim = malloc(sizeof *sim);
    struct sim_config *config = malloc(sizeof *config);
    struct line_order *order = malloc(sizeof *order);
    struct window_request request = {.bytes = 16 << 20, .page = 12};
    struct window window;
    struct fault_info fault;
    uint64_t positions;

    (void)state;
    *config = sim_config_default;
    for (uint32_t i = 0; i < 6; i++) {
        struct chain chain = {.order = order,
                              .stride_bytes = 64,
                              .line_bytes = 64,
                              .chains = i % 2 == 0 ? 1 : 3,
                              .word = 2};
        uintptr_t node, next;
        simulator_start(sim, config, false);
        assert_int_equal(sim->machine.window_open(sim, &request, &window), STATUS_OK);
        line_order_start(order, kinds[i / 2], window.bytes / 64, 64, 3);
        positions = chain_positions(&chain);
        sim->machine.work_run(sim, &window, 0, sim->machine.chain_build, &chain, 0, positions,
                              &fault);
        assert_true(sim->path.known && !sim->path.stored);
        for (uint64_t pos = 0; pos < positions; pos++)
            assert_true(sim_path_word(sim, chain_node(&chain, &window, pos)) ==
                        chain_node(&chain, &window, chain_next(&chain, pos)));
        node = chain_node(&chain, &window, 7);
        next = sim_path_word(sim, node);
        sim_path_write(sim, node, node);
        assert_true(sim_path_word(sim, node) == node);
        sim_path_write(sim, node + 8, 1);
        assert_true(sim_path_word(sim, node) == node);
        sim_path_write(sim, node, next);
        assert_true(sim_path_word(sim, node) == next);
        sim_path_store(sim);
        assert_true(*(const uintptr_t *)node == next && sim_path_word(sim, node) == next);
        sim->machine.window_close(sim, &window);
        simulator_stop(sim);
    }
    free(order);
    free(config);
    free(sim);
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

/* Every ns of the clock is in the ledger, also under noise; and the noise has the configured size.
 */
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
            cause != SIM_BY_WRITE && cause != SIM_BY_CORE && cause != SIM_BY_TIMER &&
            cause != SIM_BY_OTHER)
            assert_true(ledger.cause_ns[cause] > 0);
    assert_true(result.delta.smi > 0 && result.delta.smi < 60);
    assert_false(sim_truth_samples(sim, 4001, result.samples, &ledger));
    sim_window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
}

static void noise_is_as_configured(void **state)
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
    sim->run->ready_ns[0] = 2e9;
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

/* A stuck bit keeps its value whatever is written; a flipping one does not. */
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
        sim->run->ready_ns[0] += 1e6;
        sim_faults_decay(sim);
        for (uint64_t offset = 0; offset < window.bytes; offset++) {
            phys_addr pos;
            if (((uint8_t *)window.base)[offset] == 0)
                continue;
            pos = sim_window_phys(sim, &window, offset);
            assert_true(pos.value == 0x100003008 || pos.value == 0x100004001);
            hits += pos.value == 0x100004001;
        }
        assert_int_equal(((uint8_t *)window.base)[sim->faults.offset[0]], 8);
    }
    /* One flip is to be expected in each millisecond: in (1 - exp(-2)) / 2 of them it is an odd
     * number.
     */
    assert_true(hits > 28 && hits < 58);
    sim_window_close(sim, &window);
    simulator_stop(sim);
    free(sim);
}

/* The goal is 10 million a second of processor time; a tenth of that means another order of work
 * per access, not a busy machine. */
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
    assert_true(8 / seconds > 1);
    sim_memory_stop(system);
    free(system);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(independent_draws_hit_by_capacity),
        cmocka_unit_test(a_cycle_hits_as_the_policy_says),
        cmocka_unit_test(random_replacement_fills_empty_ways_first),
        cmocka_unit_test(policies_are_those_of_a_plain_reference),
        cmocka_unit_test(adaptive_replacement_is_that_of_a_plain_reference),
        cmocka_unit_test(an_adaptive_cache_keeps_a_part_of_a_large_cycle),
        cmocka_unit_test(large_stores_without_sets_are_those_of_a_plain_reference),
        cmocka_unit_test(slices_are_chosen_by_a_hash),
        cmocka_unit_test(a_machine_file_slices_its_caches),
        cmocka_unit_test(memory_may_have_64_gib),
        cmocka_unit_test(caches_may_be_declared_wrongly_or_not_at_all),
        cmocka_unit_test(a_memory_side_cache_may_be_of_any_size),
        cmocka_unit_test(more_ways_never_hit_less),
        cmocka_unit_test(farther_lines_may_be_longer),
        cmocka_unit_test(inclusion_is_kept),
        cmocka_unit_test(rows_open_and_close),
        cmocka_unit_test(lines_are_spread_over_all_banks),
        cmocka_unit_test(refresh_makes_its_share_wait),
        cmocka_unit_test(tlbs_reach_as_far_as_their_entries),
        cmocka_unit_test(walks_load_what_structure_caches_do_not_hold),
        cmocka_unit_test(a_hosts_tables_are_walked_too),
        cmocka_unit_test(tlbs_hold_the_smaller_page_of_guest_and_host),
        cmocka_unit_test(tlb_entries_may_be_shared_by_page_sizes),
        cmocka_unit_test(a_guests_memory_rises_with_the_set),
        cmocka_unit_test(contiguous_frames_share_an_entry),
        cmocka_unit_test(scattered_frames_of_a_range_are_inside_it),
        cmocka_unit_test(parallel_chains_meet_the_limits),
        cmocka_unit_test(prefetchers_do_what_their_control_says),
        cmocka_unit_test(pointers_are_followed),
        cmocka_unit_test(the_ledger_balances),
        cmocka_unit_test(noise_is_as_configured),
        cmocka_unit_test(the_counter_steps_and_the_core_turbos),
        cmocka_unit_test(turbo_obeys_as_its_control_says),
        cmocka_unit_test(memory_faults_are_where_they_were_put),
        cmocka_unit_test(a_chain_that_is_not_stored_reads_as_one_that_is),
        cmocka_unit_test(it_is_fast_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
