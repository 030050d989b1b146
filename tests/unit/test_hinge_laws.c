/* SPDX-License-Identifier: BSD-2-Clause */
/* The laws of what a cache holds, against chains of states and counts of simulated caches. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/levels/hinge.h"
#include "core/levels/hinge_fit.h"

#define KIB 1024.0

/* ---- the law of victim caches, against the chain of a set's states */

#define LINES_MAX 64
#define WAYS      8

/* State: `away` of the set's lines are not in the nearer caches, `held` of those are in the set. */
static double chain[LINES_MAX + 1][WAYS + 1], stepped[LINES_MAX + 1][WAYS + 1];

static void step_chain(size_t lines, double victims)
{
    double max = (double)lines * (victims + 1);

    memset(stepped, 0, sizeof stepped);
    for (size_t away = 0; away <= lines; away++)
        for (size_t held = 0; held <= WAYS && held <= away; held++) {
            double here = chain[away][held], up = (double)(lines - away) * victims / max;
            double hit = (double)held / max, miss = (double)(away - held) / max;
            if (away < lines)
                stepped[away + 1][held < WAYS ? held + 1 : WAYS] += here * up;
            if (held > 0)
                stepped[away - 1][held - 1] += here * hit;
            if (away > held)
                stepped[away - 1][held] += here * miss;
            stepped[away][held] += here * (1 - up - hit - miss);
        }
    memcpy(chain, stepped, sizeof chain);
}

static double chain_occupied(size_t lines, double inner)
{
    double sum = 0;

    memset(chain, 0, sizeof chain);
    chain[lines][WAYS] = 1;
    for (int step = 0; step < 20000; step++)
        step_chain(lines, ((double)lines - inner) / inner);
    for (size_t away = 0; away <= lines; away++)
        for (size_t held = 0; held <= WAYS; held++)
            sum += chain[away][held] * (double)held;
    return sum / WAYS;
}

static void a_victim_cache_holds_what_its_chain_says(void **state)
{
    static const double inner[] = {1, 2, 8};
    static const size_t behind[] = {8, 10, 16, 32};

    (void)state;
    for (size_t a = 0; a < sizeof inner / sizeof *inner; a++)
        for (size_t b = 0; b < sizeof behind / sizeof *behind; b++)
            assert_true(fabs(hinge_occupied(WAYS, (double)behind[b], inner[a]) -
                             chain_occupied(behind[b] + (size_t)inner[a], inner[a])) < 0.005);
    /* Nothing is evicted from a set that all lines fit into. */
    assert_true(fabs(hinge_occupied(16, 8, 2) - 0.5) < 1e-3);
    for (double lines = 4; lines <= 7.5; lines += 0.25)
        assert_true(fabs(hinge_occupied(8, lines, 0.5) - lines / 8) < 1e-9);
}

/* As counted in pairs of simulated caches of 8 and 16 ways: the nearer least recently used first,
 * sets of twice and eight times what the other one has room for. */
static void a_level_beside_others_loses_what_it_says(void **state)
{
    (void)state;
    assert_true(fabs(hinge_lost(HINGE_BESIDE, 0, 1 / 2.0, 1 / 2.0, 0) - 0.148) < 0.02);
    assert_true(fabs(hinge_lost(HINGE_BESIDE, 0, 1 / 8.0, 1 / 2.0, 0) - 0.200) < 0.02);
    assert_true(fabs(hinge_lost(HINGE_BESIDE, 0, 1 / 4.0, 1 / 3.0, 0) - 0.120) < 0.02);
    /* The nearer one at random too: 640K of 20 ways before 1408K of 11. */
    assert_true(fabs(hinge_lost(HINGE_BESIDE_RANDOM, 0, 1 / 1.1, 1 / 2.2, 0) - 0.049) < 0.01);
    assert_true(fabs(hinge_lost(HINGE_BESIDE_RANDOM, 0, 1 / 4.0, 1 / 2.2, 0) - 0.262) < 0.01);
    /* Adaptive ones: 960K of 20 ways behind 288K, 1536K of 16 behind 1M. */
    assert_true(fabs(hinge_lost(HINGE_THIN, 20, 1 / 1.2, 0.3, 0) - 0.07) < 0.02);
    assert_true(fabs(hinge_lost(HINGE_THIN, 20, 1 / 4.0, 0.3, 0) - 0.575) < 0.02);
    assert_true(fabs(hinge_lost(HINGE_THIN, 20, 1 / 12.0, 0.3, 0) - 0.72) < 0.02);
    assert_true(fabs(hinge_lost(HINGE_THIN, 16, 1 / 1.1, 2 / 3.0, 0) - 0.066) < 0.01);
    assert_true(fabs(hinge_lost(HINGE_THIN, 16, 1 / 2.0, 2 / 3.0, 0) - 0.430) < 0.01);
    /* Behind random ones: 1056K of 11 ways behind 320K, 1152K of 12 behind 384K. */
    assert_true(fabs(hinge_lost(HINGE_THIN_RANDOM, 11, 1 / 4.0, 320 / 1056.0, 0) - 0.522) < 0.02);
    assert_true(fabs(hinge_lost(HINGE_THIN_RANDOM, 12, 1 / 4.0, 384 / 1152.0, 0) - 0.548) < 0.02);
    /* All of the set fits; or nothing is nearer. */
    assert_true(hinge_lost(HINGE_BESIDE, 0, 1, 0.5, 0) == 0);
    assert_true(hinge_lost(HINGE_BESIDE, 0, 0.5, 0, 0) < 1e-9);
}

/* Also where all levels together could hold the set. */
static void what_is_lost_grows_steadily_with_the_set(void **state)
{
    (void)state;
    for (double inner = 0.1; inner < 0.95; inner += 0.05)
        for (double fits = 0.5, before = 1; fits < 1; fits += 1e-3) {
            double lost = hinge_lost(HINGE_BESIDE, 0, fits, inner, 0);
            assert_true(lost > 0 && lost < before);
            before = lost;
        }
}

/* The fraction of the nearer level's lines that a level of 96K behind 48K lost in a set. */
static double brought_lost(enum hinge_law law, double lost, double fast, double bytes)
{
    struct hinge hinge = {.kind = HINGE_CACHE,
                          .pos = 96 * KIB,
                          .inner = 48 * KIB,
                          .law = law,
                          .lost = lost,
                          .fast = fast};

    return (bytes * (1 - hinge_share(&hinge, bytes, 0)) - 96 * KIB) / (48 * KIB);
}

/* As counted in simulated machines of such caches, where a prefetcher brings the next 4 or 16
 * lines. */
static void what_prefetchers_bring_evicts_what_it_says(void **state)
{
    static const double bytes[] = {112 * KIB, 160 * KIB, 224 * KIB, 384 * KIB, 768 * KIB};
    static const double lru[] = {0.05, 0.22, 0.34, 0.46, 0.54};
    static const double random[] = {0.14, 0.35, 0.46, 0.54, 0.59};
    static const double many[] = {0.21, 0.56, 0.68, 0.78, 0.80};
    static const double inclusive[] = {-0.01, -0.08, -0.15, -0.17, -0.18};

    (void)state;
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        assert_true(fabs(brought_lost(HINGE_BROUGHT_LATE, 0.55, 1.5, bytes[i]) - lru[i]) < 0.05);
        assert_true(fabs(brought_lost(HINGE_BROUGHT, 0.6, 1.5, bytes[i]) - random[i]) < 0.05);
        assert_true(fabs(brought_lost(HINGE_BROUGHT, 0.82, 2, bytes[i]) - many[i]) < 0.05);
        assert_true(fabs(brought_lost(HINGE_BROUGHT_LATE, -0.2, 1.5, bytes[i]) - inclusive[i]) <
                    0.05);
    }
    /* All of the set fits. */
    assert_true(fabs(brought_lost(HINGE_BROUGHT, 0.6, 1.5, 96 * KIB)) < 1e-9);
    /* Without a fitted limit. */
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        double some = hinge_lost_to_brought(4, 96 * KIB / bytes[i], 0.5);
        double more = hinge_lost_to_brought(16, 96 * KIB / bytes[i], 0.5);
        assert_true(fabs(some - random[i]) < 0.05);
        assert_true(more > many[i] && more < many[i] + 0.1);
    }
    assert_true(hinge_lost_to_brought(4, 1, 0.5) == 0);
    assert_true(hinge_lost_to_brought(4, 0.5, 1) == 0);
}

/* Frames in random order fill some sets sooner than others: of 24 groups of sets, each with a
 * Poisson distributed number of pages, each shows the sharp law. */
static void a_soft_victim_cache_is_a_mean_of_sharp_ones(void **state)
{
    struct hinge sharp = {
        .kind = HINGE_CACHE, .pos = 864 * KIB, .law = HINGE_VICTIMS, .inner = 96 * KIB, .ways = 8};
    struct hinge soft = sharp;

    (void)state;
    soft.soft[0] = 0.4;
    for (double pages = 6; pages <= 16; pages++) {
        double chance = exp(-pages), sum = 0;
        for (unsigned n = 1; n < 64; n++) {
            chance *= pages / n;
            sum += chance * n * hinge_share(&sharp, n * 96 * KIB, 0);
        }
        assert_true(fabs(hinge_share(&soft, pages * 96 * KIB, 0) - sum / pages) < 0.015);
    }
}

/* In a set of just what the nearer levels hold nothing is behind them, whatever its size is rounded
 * to. */
static void a_set_of_the_nearer_levels_costs_nothing(void **state)
{
    (void)state;
    for (double inner = 1.1; inner < 64 * 1024; inner *= 1.01) {
        struct hinge hinge = {.kind = HINGE_CACHE,
                              .pos = 640 * inner,
                              .law = HINGE_VICTIMS,
                              .inner = inner,
                              .ways = 12};
        assert_true(hinge_share(&hinge, inner, 0) == 0);
    }
}

/* Misses per hop as counted in simulated caches: an LRU level of 11 ways and 1056K behind 512K with
 * random replacement that may hold the same lines. */
static void a_level_behind_random_replacement_keeps_what_it_says(void **state)
{
    struct hinge hinge = {
        .kind = HINGE_CACHE, .pos = 1056 * KIB, .law = HINGE_BEHIND_RANDOM, .inner = 512 * KIB};

    (void)state;
    assert_true(fabs(hinge_share(&hinge, 1168 * KIB, 0) - 0.0847) < 0.002);
    assert_true(fabs(hinge_share(&hinge, 1408 * KIB, 0) - 0.2293) < 0.002);
    assert_true(fabs(hinge_share(&hinge, 2816 * KIB, 0) - 0.6058) < 0.002);
    assert_true(hinge_share(&hinge, 1056 * KIB, 0) == 0);
}

/* The same behind victim caches of 8 to 16 ways: sets of 1.1, 1.8 and 4 times the level. */
static void a_level_behind_a_random_victim_cache_keeps_what_it_says(void **state)
{
    static const struct {
        double first, victims, own;
        unsigned ways;
        double misses[3];
    } counted[] = {
        {96, 768, 1408, 8, {0.0671, 0.4009, 0.7256}},
        {64, 352, 704, 11, {0.0717, 0.4101, 0.7308}},
        {256, 512, 1408, 8, {0.0796, 0.4238, 0.7388}},
        {32, 1024, 1280, 16, {0.0323, 0.3417, 0.6961}},
    };
    static const double sets[] = {1.1, 1.8, 4};

    (void)state;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++)
        for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
            struct hinge hinge = {.kind = HINGE_CACHE,
                                  .pos = counted[i].own * KIB,
                                  .law = HINGE_BEHIND_RANDOM,
                                  .inner = (counted[i].first + counted[i].victims) * KIB,
                                  .inner_ways = counted[i].ways,
                                  .inner_inner = counted[i].first * KIB};
            double bytes = floor(sets[k] * counted[i].own) * KIB;
            assert_true(fabs(hinge_share(&hinge, bytes, 0) - counted[i].misses[k]) < 0.005);
        }
}

static double price_of(enum hinge_law law, double bytes)
{
    static struct hinge_fit fit = {
        .count = 100,
        .noise = 1,
        .base = 1,
        .hints = 2,
        .hint = {{.kind = HINGE_CACHE, .pos = 16 * KIB}, {.kind = HINGE_CACHE, .pos = 128 * KIB}}};

    fit.hinges = 1;
    fit.hinge[0] = (struct hinge){
        .kind = HINGE_CACHE, .pos = bytes, .law = law, .inner = 16 * KIB, .step = 1, .ways = 16};
    return hinge_fit_price(&fit, 0);
}

/* 16K and 128K are declared. A knee at neither's capacity alone nor at their sum has a lower price
 * as one of a law that places it at either. */
static void a_law_that_places_a_knee_at_a_declared_capacity_is_cheaper(void **state)
{
    double at_declared = price_of(HINGE_SHARP, 128 * KIB);

    (void)state;
    assert_true(price_of(HINGE_SHARP, 144 * KIB) - at_declared < 0.01);
    assert_true(price_of(HINGE_VICTIMS, 144 * KIB) - at_declared < 0.01);
    assert_true(price_of(HINGE_BESIDE, 128 * KIB) - at_declared < 0.01);
    assert_true(price_of(HINGE_SHARP, 136 * KIB) - at_declared > HINGE_FAVOUR / 2);
    assert_true(price_of(HINGE_VICTIMS, 128 * KIB) - at_declared > HINGE_FAVOUR / 2);
    assert_true(price_of(HINGE_BESIDE, 144 * KIB) - at_declared > HINGE_FAVOUR / 2);
    /* However far: no more than something undeclared. */
    assert_true(price_of(HINGE_SHARP, 1024 * KIB) - at_declared < HINGE_FAVOUR);
}

/* Counted behind 32K of 8 ways, least recently used first, in a set of 4 times a level of 80K of 20
 * ways and of 32 at random: 0.134 and 0.160 of the nearer lines were lost; the law says 0.151. */
static void few_ways_are_within_the_error_of_the_law(void **state)
{
    static struct hinge_fit fit;
    double bytes = 320 * KIB, lost = hinge_lost(HINGE_BESIDE, 0, 0.25, 0.4, 0);

    (void)state;
    fit.count = 1;
    fit.bytes[0] = bytes;
    fit.hinges = 1;
    fit.hinge[0] = (struct hinge){
        .kind = HINGE_CACHE, .pos = 80 * KIB, .inner = 32 * KIB, .law = HINGE_BESIDE, .step = 145};
    assert_true(sqrt(hinge_fit_law(&fit, 0)) > 145 * 32 * KIB / bytes * (0.160 - lost));
    assert_true(sqrt(hinge_fit_law(&fit, 0)) > 0.8 * 145 * 32 * KIB / bytes * (lost - 0.134));
    assert_true(sqrt(hinge_fit_law(&fit, 0)) < 145 * 32 * KIB / bytes * 0.02);
    fit.hinge[0].law = HINGE_SHARP;
    assert_true(hinge_fit_law(&fit, 0) == 0);
    fit.hinge[0].law = HINGE_BESIDE;
    fit.bytes[0] = 64 * KIB;
    assert_true(hinge_fit_law(&fit, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_victim_cache_holds_what_its_chain_says),
        cmocka_unit_test(a_level_beside_others_loses_what_it_says),
        cmocka_unit_test(a_law_that_places_a_knee_at_a_declared_capacity_is_cheaper),
        cmocka_unit_test(what_is_lost_grows_steadily_with_the_set),
        cmocka_unit_test(what_prefetchers_bring_evicts_what_it_says),
        cmocka_unit_test(a_soft_victim_cache_is_a_mean_of_sharp_ones),
        cmocka_unit_test(a_set_of_the_nearer_levels_costs_nothing),
        cmocka_unit_test(a_level_behind_random_replacement_keeps_what_it_says),
        cmocka_unit_test(a_level_behind_a_random_victim_cache_keeps_what_it_says),
        cmocka_unit_test(few_ways_are_within_the_error_of_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
