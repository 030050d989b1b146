/* SPDX-License-Identifier: BSD-2-Clause */
/* Blocks and gaps together are the memory map, whatever lies where. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/dram/coverage.h"
#include "core/lib/random.h"

#define MIB  (1ull << 20)
#define GAPS 4000

static struct gap seen[GAPS];
static uint32_t gaps;

static void keep(void *context, const struct gap *gap)
{
    (void)context;
    assert_true(gaps < GAPS);
    assert_true(gap->bytes > 0);
    seen[gaps++] = *gap;
}

static struct memory_range memory_at(uint64_t base, uint64_t bytes, bool usable)
{
    return (struct memory_range){
        .base = phys_make(base), .bytes = bytes, .node = 0, .usable = usable};
}

static struct region_block block_at(uint64_t first, uint64_t bytes, enum region_state state)
{
    return (struct region_block){.first = phys_make(first), .bytes = bytes, .state = state};
}

static void expect_gap(uint32_t at, uint64_t first, uint64_t bytes, enum gap_reason reason)
{
    assert_true(at < gaps);
    assert_int_equal(seen[at].first.value, first);
    assert_int_equal(seen[at].bytes, bytes);
    assert_int_equal(seen[at].reason, reason);
}

static void every_gap_has_its_reason(void **state)
{
    const struct memory_range memory[] = {memory_at(0, 1 * MIB, false),
                                          memory_at(1 * MIB, 99 * MIB, true),
                                          memory_at(200 * MIB, 50 * MIB, true)};
    struct region_block block[] = {block_at(2 * MIB, 64 * MIB, REGION_COMPARED),
                                   block_at(66 * MIB, 2 * MIB, REGION_NO_CHAIN),
                                   block_at(200 * MIB, 8 * MIB, REGION_SMALL)};
    struct coverage_request request = {.memory = memory,
                                       .memory_count = 3,
                                       .block = block,
                                       .block_count = 3,
                                       .from = phys_make(0),
                                       .below = phys_make(220 * MIB),
                                       .page_bytes = 2 * MIB};
    struct coverage sums;

    (void)state;
    gaps = 0;
    coverage_walk(&request, keep, NULL, &sums);
    assert_int_equal(gaps, 6);
    expect_gap(0, 0, 1 * MIB, GAP_IN_USE);
    expect_gap(1, 1 * MIB, 1 * MIB, GAP_PAGE);
    expect_gap(2, 66 * MIB, 2 * MIB, GAP_SMALL);
    expect_gap(3, 68 * MIB, 32 * MIB, GAP_RESERVE);
    expect_gap(4, 208 * MIB, 12 * MIB, GAP_RESERVE);
    expect_gap(5, 220 * MIB, 30 * MIB, GAP_RANGE);
    assert_int_equal(sums.memory_bytes, 150 * MIB);
    assert_int_equal(sums.covered_bytes, 72 * MIB);
    assert_int_equal(sums.gap_bytes, 78 * MIB);
    block[1].state = REGION_WRONG;
    gaps = 0;
    coverage_walk(&request, keep, NULL, &sums);
    expect_gap(2, 66 * MIB, 2 * MIB, GAP_WRONG);
    assert_int_equal(sums.covered_bytes, 72 * MIB);
    block[1].state = REGION_NOT_MEASURED;
    for (enum gap_reason why = GAP_LATE; why <= GAP_FAULT; why++) {
        request.unreached = why;
        gaps = 0;
        coverage_walk(&request, keep, NULL, &sums);
        expect_gap(2, 66 * MIB, 2 * MIB, why);
    }
    request.process = true;
    gaps = 0;
    coverage_walk(&request, keep, NULL, &sums);
    expect_gap(1, 1 * MIB, 1 * MIB, GAP_OTHERS);
    expect_gap(3, 68 * MIB, 32 * MIB, GAP_OTHERS);
    expect_gap(5, 220 * MIB, 30 * MIB, GAP_RANGE);
    for (unsigned reason = 0; reason < GAP_REASONS; reason++)
        assert_true(strlen(gap_reason_words((enum gap_reason)reason)) > 5);
}

/* Blocks may lie across borders of ranges, and in none: what the map called in use is free now. */
static void the_sum_is_the_map(void **state)
{
    struct random random;

    (void)state;
    random_start(&random, 12);
    for (unsigned turn = 0; turn < 3000; turn++) {
        struct memory_range memory[12];
        struct region_block block[40];
        struct coverage_request request = {
            .memory = memory, .block = block, .page_bytes = 2 * MIB, .unreached = GAP_LATE};
        uint64_t pos = 0, total = 0, inside = 0, told = 0;
        struct coverage sums;
        for (; request.memory_count < 12; request.memory_count++) {
            uint64_t bytes = (1 + random_below(&random, 40)) * MIB;
            pos += random_below(&random, 3) * 7 * MIB;
            memory[request.memory_count] = memory_at(pos, bytes, random_below(&random, 3) != 0);
            pos += bytes;
            total += bytes;
        }
        for (uint64_t at = 0; request.block_count < 40; request.block_count++) {
            uint64_t bytes = (1 + random_below(&random, 12)) * MIB;
            at += random_below(&random, 4) * MIB;
            block[request.block_count] = block_at(
                at, bytes, random_below(&random, 4) != 0 ? REGION_COMPARED : REGION_NOT_MEASURED);
            at += bytes;
        }
        if (turn % 3 == 0)
            request.below = phys_make(random_below(&random, 200) * MIB);
        gaps = 0;
        coverage_walk(&request, keep, NULL, &sums);
        assert_int_equal(sums.memory_bytes, total);
        assert_int_equal(sums.covered_bytes + sums.gap_bytes, total);
        for (uint32_t i = 0; i < gaps; i++) {
            told += seen[i].bytes;
            assert_true(i == 0 ||
                        seen[i - 1].first.value + seen[i - 1].bytes <= seen[i].first.value);
        }
        assert_int_equal(told, sums.gap_bytes);
        for (uint32_t i = 0; i < 40; i++)
            for (size_t k = 0; k < 12 && block[i].state == REGION_COMPARED; k++) {
                uint64_t low = block[i].first.value, high = low + block[i].bytes;
                uint64_t base = memory[k].base.value, end = base + memory[k].bytes;
                low = low > base ? low : base;
                high = high < end ? high : end;
                inside += high > low ? high - low : 0;
            }
        assert_int_equal(inside, sums.covered_bytes);
    }
}

static void the_least_covered_node_is_told(void **state)
{
    struct memory_range memory[] = {
        {.base = {0}, .bytes = 100 * 4096, .node = 0, .usable = true},
        {.base = {1000 * 4096}, .bytes = 50 * 4096, .node = 1, .usable = true},
        {.base = {2000 * 4096}, .bytes = 100 * 4096, .node = 0, .usable = true},
    };
    struct region_block block[] = {
        {.first = {0}, .bytes = 100 * 4096, .state = REGION_COMPARED},
        {.first = {1000 * 4096}, .bytes = 40 * 4096, .state = REGION_COMPARED},
        {.first = {2000 * 4096}, .bytes = 70 * 4096, .state = REGION_COMPARED},
    };
    struct coverage_request request = {
        .memory = memory, .memory_count = 3, .block = block, .block_count = 3, .page_bytes = 4096};
    struct coverage sums;

    (void)state;
    coverage_walk(&request, NULL, NULL, &sums);
    assert_int_equal(sums.nodes, 2);
    assert_int_equal(coverage_least(&sums)->node, 1);
    assert_int_equal(coverage_least(&sums)->gap_bytes, 10 * 4096);
    assert_int_equal(coverage_least(&sums)->memory_bytes, 50 * 4096);
    block[2].bytes = 20 * 4096;
    coverage_walk(&request, NULL, NULL, &sums);
    assert_int_equal(coverage_least(&sums)->node, 0);
    assert_int_equal(coverage_least(&sums)->gap_bytes, 80 * 4096);
    request.memory_count = 0;
    coverage_walk(&request, NULL, NULL, &sums);
    assert_null(coverage_least(&sums));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_gap_has_its_reason),
        cmocka_unit_test(the_sum_is_the_map),
        cmocka_unit_test(the_least_covered_node_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
