/* SPDX-License-Identifier: BSD-2-Clause */
/* Which blocks differ, from numbers whose truth is known; and that honest ones never do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/dram/regions.h"
#include "core/lib/random.h"

#define BLOCK     (64ull << 20)
#define HONEST    3000
#define AGAIN_MAX 64

static struct region_block block[REGIONS_BLOCKS_MAX];
static struct regions_room room;
static struct random source;

static double uniform(void)
{
    return (double)(random_next(&source) >> 11) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

/* Now and then far off, always to the slow side: interrupts are. */
static double scatter(double sigma, double tail)
{
    return sigma * (uniform() < tail ? fabs(normal()) * 12 : normal());
}

static void fill(uint32_t count, double ns, double sigma, double tail)
{
    for (uint32_t i = 0; i < count; i++)
        block[i] = (struct region_block){.first = phys_make((4ull << 30) + i * BLOCK),
                                         .offset = i * BLOCK,
                                         .bytes = BLOCK,
                                         .state = REGION_COMPARED,
                                         .ns = ns + scatter(sigma, tail),
                                         .error_ns = sigma};
}

static void find(uint32_t count, struct regions_base *base)
{
    regions_find(block, count, &room, base);
}

/* ---- what is slow is found */

static void slow_down(uint32_t first, uint32_t end, double ns)
{
    for (uint32_t i = first; i < end; i++)
        block[i].ns += ns;
}

static void expect_only(uint32_t count, uint32_t first, uint32_t end)
{
    for (uint32_t i = 0; i < count; i++)
        if (block[i].differs != (i >= first && i < end))
            fail_msg("block %u of %u, slow from %u to %u", i, count, first, end);
}

/* One block, some, a quarter, a half, and all but a quarter: by 3 % and 8 %. */
static void groups_of_any_size_are_found(void **state)
{
    static const uint32_t counts[] = {16, 64, 1024};
    static const double share[] = {0.03, 0.08};

    (void)state;
    random_start(&source, 5);
    for (size_t c = 0; c < 3; c++)
        for (size_t s = 0; s < 2; s++)
            for (unsigned turn = 0; turn < 8; turn++) {
                uint32_t n = counts[c], sizes[] = {1, 2, 5, n / 4, n / 2, n - n / 4};
                uint32_t size = sizes[turn % 6];
                uint32_t first = (uint32_t)random_below(&source, n - size + 1);
                struct regions_base base;
                fill(n, 90, 0.25, 0);
                slow_down(first, first + size, 90 * share[s]);
                find(n, &base);
                expect_only(n, first, first + size);
                assert_int_equal(base.differing, size);
                assert_true(fabs(base.ns - 90) < 0.3);
            }
}

/* Where every other block is slow, no two neighbours are alike. */
static void every_other_block_is_found(void **state)
{
    struct regions_base base;

    (void)state;
    random_start(&source, 6);
    fill(256, 90, 0.25, 0);
    for (uint32_t i = 0; i < 256; i += 2)
        slow_down(i, i + 1, 5);
    find(256, &base);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(block[i].differs, i % 2 == 0);
}

/* Less than a block scatters by, over many blocks: only as a stretch. */
static void a_stretch_is_found_that_no_block_shows(void **state)
{
    unsigned wrong = 0;
    struct regions_base base;

    (void)state;
    random_start(&source, 7);
    fill(1024, 90, 1.0, 0);
    slow_down(300, 500, 2);
    find(1024, &base);
    for (uint32_t i = 0; i < 1024; i++)
        wrong += block[i].differs != (i >= 300 && i < 500);
    assert_in_range(wrong, 0, 8);
}

/* A block that is faster is different too; but most of memory is the rule. */
static void a_fast_block_does_not_make_the_others_slow(void **state)
{
    struct regions_base base;

    (void)state;
    random_start(&source, 8);
    fill(128, 90, 0.25, 0);
    slow_down(40, 44, -30);
    find(128, &base);
    expect_only(128, 40, 44);
    assert_true(fabs(base.ns - 90) < 0.3);
}

static void blocks_that_are_not_compared_are_left_alone(void **state)
{
    struct regions_base base;

    (void)state;
    random_start(&source, 9);
    fill(64, 90, 0.25, 0);
    slow_down(10, 11, 40);
    block[10].state = REGION_SMALL;
    find(64, &base);
    assert_false(block[10].differs);
    assert_int_equal(base.compared, 63);
    assert_int_equal(base.differing, 0);
}

static void runs_end_at_holes_and_the_furthest_comes_first(void **state)
{
    struct region_run run[2];

    (void)state;
    fill(32, 90, 0, 0);
    slow_down(4, 8, 5);
    slow_down(20, 22, 9);
    slow_down(30, 31, 2);
    for (uint32_t i = 0; i < 32; i++)
        block[i].differs = block[i].ns > 91;
    for (uint32_t i = 6; i < 32; i++)
        block[i].first.value += 1ull << 30;
    assert_int_equal(regions_runs(block, 32, 90, run, 2), 4);
    assert_int_equal(run[0].first, 20);
    assert_int_equal(run[0].end, 22);
    assert_int_equal(run[1].end - run[1].first, 2);
}

/* ---- honest machines */

/* What measuring again makes of a difference that is there: rounds scatter as blocks do. */
static struct region_difference again(double ns, double base, double sigma, double tail)
{
    double difference[REGIONS_ROUNDS];

    for (unsigned i = 0; i < REGIONS_ROUNDS; i++)
        difference[i] = ns + scatter(sigma, tail) - scatter(sigma, tail);
    return regions_compare(difference, base);
}

/* Drift that was not taken off, as it falls on blocks in random order; scatter, heavy tails. */
static uint32_t honest_machine(uint32_t *runs)
{
    uint32_t count = 2 + (uint32_t)(exp(uniform() * 7.6)), told = 0;
    double ns = 50 + 200 * uniform(), sigma = ns * (0.0005 + 0.03 * uniform() * uniform());
    double tail = uniform() < 0.5 ? 0 : 0.05 * uniform(), drift = ns * 0.003 * uniform();
    struct region_run run[AGAIN_MAX];
    struct regions_base base;
    uint32_t found;

    fill(count, ns, sigma, tail);
    for (uint32_t i = 0; i < count; i++)
        block[i].ns += drift * uniform();
    find(count, &base);
    found = regions_runs(block, count, base.ns, run, AGAIN_MAX);
    *runs += found;
    for (uint32_t i = 0; i < found && i < AGAIN_MAX; i++)
        told += again(0, ns, sigma, tail).sure;
    return told;
}

static void nothing_is_said_of_honest_machines(void **state)
{
    uint32_t told = 0, runs = 0;

    (void)state;
    random_start(&source, 1);
    for (unsigned i = 0; i < HONEST; i++)
        told += honest_machine(&runs);
    printf("%u honest machines: %u ranges measured again, %u told\n", HONEST, runs, told);
    assert_int_equal(told, 0);
}

/* What honestly differs, by distance or other modules, is told within its bounds: 99 of 100. */
static void differences_are_within_their_bounds(void **state)
{
    unsigned outside = 0, unsure = 0;

    (void)state;
    random_start(&source, 2);
    for (unsigned i = 0; i < HONEST; i++) {
        double ns = 50 + 200 * uniform(), sigma = ns * (0.0005 + 0.004 * uniform());
        double share = (0.03 + 0.07 * uniform()) * (uniform() < 0.5 ? -1 : 1);
        double tail = uniform() < 0.5 ? 0 : 0.05 * uniform();
        struct region_difference d = again(ns * share, ns, sigma, tail);
        unsure += !d.sure;
        outside += fabs(d.ns - ns * share) > d.repeat;
        /* 0.3 of 21 ns over the latency, of the difference. */
        assert_true(fabs(d.high - d.ns - d.repeat - 10.5 / ns * fabs(d.ns)) < 1e-9);
        assert_true(fabs(d.high + d.low - 2 * d.ns) < 1e-9);
    }
    printf("%u unsure, %u outside their bounds\n", unsure, outside);
    assert_int_equal(unsure, 0);
    assert_in_range(outside, 0, HONEST / 100);
}

static void less_than_a_hundredth_is_never_told(void **state)
{
    (void)state;
    random_start(&source, 3);
    assert_false(again(0.8, 100, 0.01, 0).sure);
    assert_true(again(1.2, 100, 0.01, 0).sure);
    assert_true(again(-1.2, 100, 0.01, 0).sure);
}

/* ---- edges, drift */

static void expect_edges(uint32_t count, uint32_t first, uint32_t end, double slower)
{
    double piece[REGIONS_PIECES_MAX];
    struct region_edges edges;

    for (uint32_t i = 0; i < count; i++)
        piece[i] = 90 + 0.4 * normal() + (i >= first && i < end ? slower : 0);
    edges = regions_edges(piece, count, 0.4, slower > 0);
    assert_true(edges.sure);
    assert_int_equal(edges.first, first);
    assert_int_equal(edges.end, end);
    assert_true(fabs(edges.ns - slower) < 1.5);
}

static void edges_are_found_to_the_piece(void **state)
{
    (void)state;
    random_start(&source, 4);
    for (unsigned turn = 0; turn < 100; turn++) {
        uint32_t count = 3 + (uint32_t)random_below(&source, REGIONS_PIECES_MAX - 2);
        uint32_t first = (uint32_t)random_below(&source, count);
        uint32_t end = first + 1 + (uint32_t)random_below(&source, count - first);
        if (end - first == count)
            continue;
        expect_edges(count, first, end, turn % 2 ? 4 : -4);
    }
}

static void no_edge_where_all_is_alike(void **state)
{
    double piece[REGIONS_PIECES_MAX];
    unsigned sure = 0;

    (void)state;
    random_start(&source, 10);
    for (unsigned turn = 0; turn < 50; turn++) {
        for (uint32_t i = 0; i < REGIONS_PIECES_MAX; i++)
            piece[i] = 90 + 0.4 * normal();
        sure += regions_edges(piece, REGIONS_PIECES_MAX, 0.4, true).sure;
    }
    assert_in_range(sure, 0, 3);
}

static void drift_is_what_the_reference_moved_by(void **state)
{
    struct region_reading reading[] = {{0, 100, 0.1}, {1, 102, 0.1}, {3, 98, 0.1}};

    (void)state;
    assert_true(regions_drifted(reading, 3));
    assert_true(fabs(regions_drift_at(reading, 3, 0.5) - 1.01) < 1e-9);
    assert_true(fabs(regions_drift_at(reading, 3, 2) - 1.0) < 1e-9);
    assert_true(fabs(regions_drift_at(reading, 3, 9) - 0.98) < 1e-9);
    assert_true(regions_drift_at(reading, 3, 0) == 1);
    reading[1].ns = reading[2].ns = 100.3;
    assert_false(regions_drifted(reading, 3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_of_any_size_are_found),
        cmocka_unit_test(every_other_block_is_found),
        cmocka_unit_test(a_stretch_is_found_that_no_block_shows),
        cmocka_unit_test(a_fast_block_does_not_make_the_others_slow),
        cmocka_unit_test(blocks_that_are_not_compared_are_left_alone),
        cmocka_unit_test(runs_end_at_holes_and_the_furthest_comes_first),
        cmocka_unit_test(nothing_is_said_of_honest_machines),
        cmocka_unit_test(differences_are_within_their_bounds),
        cmocka_unit_test(less_than_a_hundredth_is_never_told),
        cmocka_unit_test(edges_are_found_to_the_piece),
        cmocka_unit_test(no_edge_where_all_is_alike),
        cmocka_unit_test(drift_is_what_the_reference_moved_by),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
