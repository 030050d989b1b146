/* SPDX-License-Identifier: BSD-2-Clause */
/* Frames behind pages: every frame once, colours kept, no neighbours left to coalesce. */
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

#include "core/lib/random.h"
#include "core/mapping/frames.h"

#define MIB          (1ull << 20)
#define GIB          (1ull << 30)
#define BLOCK        (2 * MIB)
#define ROW          512u
#define PIECES_MAX   600u
#define BLOCKS_MAX   2048u
#define BLOCKS_SMALL 600u

static struct memmap_run pieces[PIECES_MAX];
static uint8_t seen[BLOCKS_MAX * ROW];

/* Cuts blocks into pieces that lie in one stretch of memory, in a random order: borders of pieces
 * can be neighbours in memory without being so in the list. */
static size_t pieces_random(struct random *random, uint64_t blocks, uint64_t block, uint64_t base)
{
    size_t count = 0;
    for (uint64_t pos = 0; pos < blocks;) {
        uint64_t take = 1 + random_below(random, count > PIECES_MAX / 2 ? blocks - pos : 5);
        if (count == PIECES_MAX - 1 || take > blocks - pos)
            take = blocks - pos;
        pieces[count++] = (struct memmap_run){phys_make(base + pos * block), take * block};
        pos += take;
    }
    for (size_t i = count; i > 1; i--) {
        size_t other = random_below(random, i);
        struct memmap_run held = pieces[i - 1];
        pieces[i - 1] = pieces[other];
        pieces[other] = held;
    }
    return count;
}

/* Every frame of [base, base + frames * bytes) exactly once. */
static void assert_bijection(const struct frames *frames, uint64_t base, uint64_t pages)
{
    uint64_t bytes = 1ull << frames->page;
    memset(seen, 0, sizeof seen);
    for (uint64_t page = 0; page < pages; page++) {
        uint64_t offset = frames_of_page(frames, page).value - base;
        assert_int_equal(offset % bytes, 0);
        assert_true(offset / bytes < pages);
        assert_int_equal(seen[offset / bytes]++, 0);
    }
    assert_int_equal(frames_of_page(frames, pages).value, UINT64_MAX);
}

static void scattered_keeps_colours_and_parts_neighbours(void **state)
{
    (void)state;
    struct random random;
    random_start(&random, 5);
    for (uint64_t blocks = 1; blocks <= BLOCKS_SMALL;
         blocks += blocks < 66 || (blocks > 500 && blocks < 515) ? 1 : 29) {
        struct frames frames;
        uint64_t base = BLOCK * (1 + random_below(&random, 5000));
        size_t count = pieces_random(&random, blocks, BLOCK, base);
        frames_start(&frames, pieces, count, PAGE_4K, FRAMES_SCATTERED, random_next(&random));
        assert_int_equal(frames.blocks, blocks);
        assert_bijection(&frames, base, blocks * ROW);
        for (uint64_t page = 0; page < blocks * ROW; page++) {
            uint64_t frame = frames_of_page(&frames, page).value / 4096;
            assert_int_equal(frame % ROW, page % ROW);
            if (blocks == 1 || page + 1 == blocks * ROW)
                continue;
            uint64_t next = frames_of_page(&frames, page + 1).value / 4096;
            assert_true(next != frame + 1 && next + 1 != frame);
        }
    }
}

/* Where it can be had (from 32 blocks on), no 16 pages of a row share a block, so that no cluster
 * of frames holds two pages of a cluster of pages. */
static void clusters_are_split(void **state)
{
    (void)state;
    struct random random;
    random_start(&random, 6);
    for (uint64_t blocks = 32; blocks < BLOCKS_SMALL; blocks++) {
        struct frames frames;
        size_t count = pieces_random(&random, blocks, BLOCK, 0);
        frames_start(&frames, pieces, count, PAGE_4K, FRAMES_SCATTERED, blocks);
        for (uint64_t row = 0; row < 3; row++) {
            for (uint64_t page = row * ROW; page < (row + 1) * ROW; page++) {
                uint64_t block = frames_of_page(&frames, page).value / BLOCK;
                for (uint64_t back = 1; back < 16 && back <= page % ROW; back++)
                    assert_true(frames_of_page(&frames, page - back).value / BLOCK != block);
            }
        }
    }
}

/* How unevenly the window's first pages fill the colours of a cache's way: the relative standard
 * deviation of the pages per colour. */
static double unevenness(const struct frames *frames, uint64_t pages, unsigned colours)
{
    static unsigned share[4096];
    double mean = (double)pages / colours, sum = 0;

    memset(share, 0, sizeof share);
    for (uint64_t page = 0; page < pages; page++)
        share[frames_of_page(frames, page).value / 4096 % colours]++;
    for (unsigned i = 0; i < colours; i++)
        sum += (share[i] - mean) * (share[i] - mean);
    return sqrt(sum / colours) / mean;
}

/* Ways of 256K to 16M, a power of two, three, five or nine times one, or none of these, in windows
 * of 64M to 4G, and sets of 8 times a way on: on average a fifth of what blocks in random order
 * would have, which is 9 %. */
static void prefixes_fill_ways_evenly(void **state)
{
    (void)state;
    static const unsigned colours[] = {64,  96,  192,  320,  512,  576,
                                       768, 832, 1024, 1536, 2048, 4096};
    static const uint64_t windows[] = {32, 100, 512, 1000, BLOCKS_MAX};
    double sum = 0;
    unsigned count = 0;

    for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++) {
        struct memmap_run piece = {phys_make(7 * GIB), windows[w] * BLOCK};
        struct frames frames;
        frames_start(&frames, &piece, 1, PAGE_4K, FRAMES_SCATTERED, 3 + w);
        for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
            for (uint64_t pages = 8 * colours[i]; pages <= windows[w] * ROW; pages += pages / 2) {
                sum += unevenness(&frames, pages, colours[i]);
                count++;
            }
    }
    printf("uneven by %.4f on average of %u\n", sum / count, count);
    assert_true(sum / count < 0.018);
}

static void seeds_decide(void **state)
{
    (void)state;
    struct random random;
    struct frames one, same, other;
    random_start(&random, 9);
    size_t count = pieces_random(&random, 300, BLOCK, 0);
    frames_start(&one, pieces, count, PAGE_4K, FRAMES_SCATTERED, 11);
    frames_start(&same, pieces, count, PAGE_4K, FRAMES_SCATTERED, 11);
    frames_start(&other, pieces, count, PAGE_4K, FRAMES_SCATTERED, 12);
    uint64_t equal = 0;
    for (uint64_t page = 0; page < 300 * ROW; page++) {
        assert_int_equal(frames_of_page(&one, page).value, frames_of_page(&same, page).value);
        equal += frames_of_page(&one, page).value == frames_of_page(&other, page).value;
    }
    assert_true(equal < 300 * ROW / 50); /* one in 300 by chance */
}

static void contiguous_follows_the_pieces(void **state)
{
    (void)state;
    static const enum page_size sizes[] = {PAGE_4K, PAGE_2M, PAGE_1G};
    struct random random;
    random_start(&random, 10);
    for (unsigned i = 0; i < 3; i++) {
        struct frames frames;
        uint64_t block = sizes[i] == PAGE_1G ? GIB : BLOCK, page = 0;
        uint64_t blocks = sizes[i] == PAGE_4K ? 50 : 500;
        size_t count = pieces_random(&random, blocks, block, 4 * GIB);
        frames_start(&frames, pieces, count, sizes[i], FRAMES_CONTIGUOUS, 1);
        assert_int_equal(frames.block_bytes, 1ull << sizes[i]);
        for (size_t piece = 0; piece < count; piece++) {
            for (uint64_t pos = 0; pos < pieces[piece].bytes; pos += 1ull << sizes[i])
                assert_int_equal(frames_of_page(&frames, page++).value,
                                 pieces[piece].base.value + pos);
        }
        assert_int_equal(frames_of_page(&frames, page).value, UINT64_MAX);
    }
}

static void no_pieces_no_frames(void **state)
{
    (void)state;
    struct frames frames;
    frames_start(&frames, pieces, 0, PAGE_4K, FRAMES_SCATTERED, 1);
    assert_int_equal(frames.blocks, 0);
    assert_int_equal(frames_of_page(&frames, 0).value, UINT64_MAX);
}

/* Nodes of 8 MiB each, interleaved; counts how often it is called. */
static unsigned node_queries;

static phys_addr eight_mib_each(void *context, phys_addr base, phys_addr end, uint32_t *node)
{
    uint64_t next = (base.value / (8 * MIB) + 1) * 8 * MIB;
    assert_ptr_equal(context, &node_queries);
    node_queries++;
    *node = (uint32_t)(base.value / (8 * MIB) % 2);
    return next < end.value ? phys_make(next) : end;
}

static void spans_match_pages(void **state)
{
    (void)state;
    struct frames frames;
    struct window_span span;
    for (unsigned order = 0; order < 2; order++) {
        pieces[0] = (struct memmap_run){phys_make(64 * MIB), 8 * MIB};
        pieces[1] = (struct memmap_run){phys_make(32 * MIB), 8 * MIB};
        pieces[2] = (struct memmap_run){phys_make(120 * MIB), 8 * MIB};
        frames_start(&frames, pieces, 3, PAGE_4K, order == 0 ? FRAMES_SCATTERED : FRAMES_CONTIGUOUS,
                     7);
        for (uint64_t pages = 1; pages <= 6144; pages += pages < 8 ? 1 : 511) {
            uint64_t low = UINT64_MAX, high = 0;
            bool first = false, second = false;
            for (uint64_t page = 0; page < pages; page++) {
                uint64_t base = frames_of_page(&frames, page).value;
                low = base < low ? base : low;
                high = base + 4095 > high ? base + 4095 : high;
                first = first || base / (8 * MIB) % 2 == 0;
                second = second || base / (8 * MIB) % 2 == 1;
            }
            frames_span(&frames, pages, eight_mib_each, &node_queries, &span);
            assert_int_equal(span.low.value, low);
            assert_int_equal(span.high.value, high);
            assert_int_equal(span.node, first && second ? NODE_UNKNOWN : second);
            frames_span(&frames, pages, NULL, NULL, &span);
            assert_int_equal(span.high.value, high);
            assert_int_equal(span.node, NODE_UNKNOWN);
        }
    }
    node_queries = 0;
    frames_span(&frames, 6144, eight_mib_each, &node_queries, &span);
    assert_int_equal(node_queries, 3);
    /* A page across the edge of two nodes belongs to neither. */
    pieces[0] = (struct memmap_run){phys_make(1024 * MIB), 1024 * MIB};
    frames_start(&frames, pieces, 1, PAGE_1G, FRAMES_CONTIGUOUS, 7);
    frames_span(&frames, 1, eight_mib_each, &node_queries, &span);
    assert_int_equal(span.node, NODE_UNKNOWN);
    assert_int_equal(span.high.value, 2048 * MIB - 1);
}

/* 64 GiB in pieces of 256 MiB. The bound is loose: this build carries sanitizers. */
static void a_page_costs_little(void **state)
{
    (void)state;
    struct frames frames;
    uint64_t sum = 0, pages = 1u << 20;
    for (size_t i = 0; i < 256; i++)
        pieces[i] = (struct memmap_run){phys_make((300 - i) * 256 * MIB), 256 * MIB};
    frames_start(&frames, pieces, 256, PAGE_4K, FRAMES_SCATTERED, 1);
    clock_t start = clock();
    for (uint64_t page = 0; page < pages; page++)
        sum += frames_of_page(&frames, page * 16).value;
    double ns = (double)(clock() - start) / CLOCKS_PER_SEC * 1e9 / (double)pages;
    printf("frames_of_page: %.1f ns, sum %llx\n", ns, (unsigned long long)sum);
    assert_true(ns < 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scattered_keeps_colours_and_parts_neighbours),
        cmocka_unit_test(clusters_are_split),
        cmocka_unit_test(prefixes_fill_ways_evenly),
        cmocka_unit_test(seeds_decide),
        cmocka_unit_test(contiguous_follows_the_pieces),
        cmocka_unit_test(no_pieces_no_frames),
        cmocka_unit_test(a_page_costs_little),
        cmocka_unit_test(spans_match_pages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
