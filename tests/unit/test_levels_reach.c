/* SPDX-License-Identifier: BSD-2-Clause */
/* TLBs from curves of pages: each line in a page of its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/levels/levels.h"

#define KIB 1024.0
#define MIB (1024 * KIB)

#define CACHES_MAX 5

/* Caches, ascending, and memory; TLBs of 4K pages by their entries. A walk loads its entry, eight
 * to a line, through the caches. */
struct truth {
    double cache_bytes[CACHES_MAX], cache_ns[CACHES_MAX + 1];
    double entries[2], miss_ns[2];
    bool walks_load;
    bool entries_stay; /* in caches, as with LRU: each line of them is used by eight pages */
};

static struct level_point point[LEVELS_POINTS_MAX];
static struct level_spread spread[LEVELS_SPREAD_MAX];
static struct level level[LEVELS_MAX];
static size_t points, spreads;
static void *workspace;

static double missed(double capacity, double used)
{
    return used > capacity ? 1 - capacity / used : 0;
}

static double caches_ns(const struct truth *truth, double bytes)
{
    double ns = truth->cache_ns[0];

    for (unsigned i = 0; i < CACHES_MAX && truth->cache_bytes[i] > 0; i++)
        ns += (truth->cache_ns[i + 1] - truth->cache_ns[i]) * missed(truth->cache_bytes[i], bytes);
    return ns;
}

/* What an entry costs beyond a hit of the first cache. With LRU a line of entries is lost if none
 * of its pages is used while the cache takes in as many lines as it holds. */
static double entry_ns(const struct truth *truth, double bytes, double pages)
{
    double ns = 0;

    if (!truth->entries_stay)
        return caches_ns(truth, bytes + pages * 8) - truth->cache_ns[0];
    for (unsigned i = 0; i < CACHES_MAX && truth->cache_bytes[i] > 0; i++)
        ns += (truth->cache_ns[i + 1] - truth->cache_ns[i]) *
              pow(missed(truth->cache_bytes[i], bytes), 8 * bytes / 64 / pages);
    return ns;
}

static double hop_ns(const struct truth *truth, double bytes, double pages)
{
    double ns = caches_ns(truth, bytes);

    for (unsigned i = 0; i < 2; i++)
        ns += truth->miss_ns[i] * missed(truth->entries[i], pages);
    if (truth->walks_load)
        ns += entry_ns(truth, bytes, pages) * missed(truth->entries[1], pages);
    return ns;
}

static void measure(const struct truth *truth, double shift_ns)
{
    points = spreads = 0;
    for (unsigned i = 0; i < 50; i++) {
        double bytes = 8 * KIB * (double)(1ull << i / 4) * (1 + 0.25 * (i % 4));
        double pages = (double)(4u << i / 4) * (1 + 0.25 * (i % 4));
        point[points++] = (struct level_point){
            .bytes = bytes, .ns = hop_ns(truth, bytes, bytes / 4096), .page = PAGE_4K};
        point[points++] =
            (struct level_point){.bytes = bytes, .ns = caches_ns(truth, bytes), .page = PAGE_2M};
        spread[spreads++] = (struct level_spread){
            .pages = pages, .ns = hop_ns(truth, 64 * pages, pages) + shift_ns, .page = PAGE_4K};
    }
}

/* Further sets of the page curve: of `first` pages, and of `step` more each, up to `end`. */
static void add_sets(const struct truth *truth, double first, double end, double step)
{
    for (double pages = first; pages < end; pages += step)
        spread[spreads++] = (struct level_spread){
            .pages = pages, .ns = hop_ns(truth, 64 * pages, pages), .page = PAGE_4K};
}

/* Another cost of 4K pages in whole pages: of misses of a TLB of so many entries. */
static void add_to_whole_pages(double ns, double entries)
{
    for (size_t i = 0; i < points; i++)
        if (point[i].page == PAGE_4K)
            point[i].ns += ns * missed(entries, point[i].bytes / 4096);
}

static double brought_lines;
static bool in_pieces;

static size_t find(const struct tlb_level *tlbs, size_t tlb_count)
{
    struct levels_request request = {.points = point,
                                     .count = points,
                                     .spread = spread,
                                     .spread_count = spreads,
                                     .tlbs = tlbs,
                                     .tlb_count = tlb_count,
                                     .brought_lines = brought_lines,
                                     .line_bytes = 64,
                                     .in_pieces = in_pieces};

    return levels_find(&request, workspace, level, LEVELS_MAX);
}

static void assert_tlb(size_t i, const char *name, double bytes, double ns)
{
    assert_int_equal(level[i].kind, LEVEL_TLB);
    assert_string_equal(level[i].name, name);
    assert_int_equal(level[i].tlb_pages, 1u << (strstr(name, "4k") ? PAGE_4K : PAGE_2M));
    assert_true(fabs(level[i].bytes / bytes - 1) < 0.02);
    assert_true(fabs(level[i].ns / ns - 1) < 0.05);
    assert_true(level[i].bytes_low <= bytes && bytes <= level[i].bytes_high);
}

/* As registers declare those of most machines here. */
static const struct tlb_level usual_tlbs[] = {{.level = 1, .page_log2 = 12, .entries = 64},
                                              {.level = 2, .page_log2 = 12, .entries = 1536}};

/* Of 64 entries, where the second cache has 256 KiB and ten times the step. */
static const struct truth hidden = {.cache_bytes = {32 * KIB, 256 * KIB},
                                    .cache_ns = {1, 4, 24},
                                    .entries = {64, 1536},
                                    .miss_ns = {2, 6}};

static const struct level *level_named(const char *name)
{
    for (size_t i = 0; i < 5; i++)
        if (strcmp(level[i].name, name) == 0)
            return &level[i];
    fail_msg("no %s", name);
    return NULL;
}

static doubt_set tlb_doubt(const char *name)
{
    return level_named(name)->doubt;
}

static void test_a_tlb_behind_a_knee_is_seen_alone(void **state)
{
    (void)state;
    measure(&hidden, 0);
    assert_int_equal(find(NULL, 0), 5);
    assert_int_equal(level[0].kind, LEVEL_CACHE);
    assert_tlb(level[1].kind == LEVEL_TLB ? 1 : 2, "TLB 4k L1", 256 * KIB, 2);
    assert_int_equal(level[level[1].kind == LEVEL_TLB ? 2 : 1].kind, LEVEL_CACHE);
    assert_tlb(3, "TLB 4k L2", 6 * MIB, 6);
    assert_int_equal(level[4].kind, LEVEL_MEMORY);
}

/* An error that all points share: the arithmetic of draws is known only approximately. */
static void test_what_all_points_share_is_no_matter(void **state)
{
    (void)state;
    measure(&hidden, 0.4);
    assert_int_equal(find(NULL, 0), 5);
    assert_tlb(3, "TLB 4k L2", 6 * MIB, 6);
}

/* Where lines and entries evict each other, a curve of pages shows too small a reach: the place is
 * the one that whole pages show. */
static void test_whole_pages_place_a_tlb_that_is_not_seen_alone(void **state)
{
    struct truth crowded = hidden;

    (void)state;
    crowded.entries[1] = 0.82 * 1536;
    measure(&crowded, 0);
    for (size_t i = 0; i < points; i++)
        if (point[i].page == PAGE_4K)
            point[i].ns = hop_ns(&hidden, point[i].bytes, point[i].bytes / 4096);
    assert_int_equal(find(usual_tlbs, 2), 5);
    assert_tlb(3, "TLB 4k L2", 6 * MIB, 6);
}

/* A small step that only a curve of pages shows, whose points are not known well enough for it. */
static void test_a_step_that_may_be_none_is_no_tlb(void **state)
{
    (void)state;
    measure(&hidden, 0);
    for (size_t i = 0; i < spreads; i++) {
        spread[i].ns += 0.5 * missed(200, spread[i].pages);
        spread[i].rel_error = 0.02;
    }
    assert_int_equal(find(NULL, 0), 5);
    assert_tlb(3, "TLB 4k L2", 6 * MIB, 6);
}

static void take_large_pages_away(void)
{
    size_t kept = 0;

    for (size_t i = 0; i < points; i++)
        if (point[i].page == PAGE_4K)
            point[kept++] = point[i];
    points = kept;
}

/* Each access to large pages misses the first TLB, which has no entries for them: also in sets that
 * fit the first cache, so that no knee shows it. */
static void test_what_every_large_page_costs_is_no_level(void **state)
{
    (void)state;
    measure(&hidden, 0);
    assert_int_equal(find(NULL, 0), 5);
    assert_true(levels_page_offset_ns(workspace, PAGE_2M) == 0);
    for (size_t i = 0; i < points; i++)
        point[i].ns += point[i].page == PAGE_2M ? 2 : 0;
    assert_int_equal(find(NULL, 0), 5);
    assert_true(fabs(levels_page_offset_ns(workspace, PAGE_2M) - 2) < 1e-9);
    assert_true(levels_page_offset_ns(workspace, PAGE_4K) == 0);
    assert_true(levels_page_offset_ns(workspace, PAGE_1G) == 0);
    assert_int_equal(level[0].kind, LEVEL_CACHE);
    assert_true(fabs(level[0].ns - 1) < 0.01);
    assert_tlb(3, "TLB 4k L2", 6 * MIB, 6);
    assert_int_equal(level[4].kind, LEVEL_MEMORY);
    assert_true(fabs(level[4].ns - 24) < 0.25);
}

/* One page size, nothing declared. */
static void test_no_other_page_size_is_needed(void **state)
{
    (void)state;
    measure(&hidden, 0);
    take_large_pages_away();
    assert_int_equal(find(NULL, 0), 5);
    assert_tlb(3, "TLB 4k L2", 6 * MIB, 6);
}

/* Lines and entries share the caches: their knees come a little sooner, and once more. */
static void test_walks_through_caches_are_no_tlbs(void **state)
{
    static const struct tlb_level tlbs[] = {{.level = 1, .page_log2 = 12, .entries = 64},
                                            {.level = 2, .page_log2 = 12, .entries = 256}};
    struct truth truth = hidden;
    size_t count;

    (void)state;
    truth.entries[1] = 256;
    truth.walks_load = true;
    measure(&truth, 0);
    count = find(tlbs, 2);
    for (size_t i = 0; i < count; i++)
        assert_true(level[i].kind != LEVEL_TLB || level[i].declared_bytes != 0);
    assert_true(count >= 5);
}

/* A TLB of as many entries as the first cache has lines, some sets of which have more pages than
 * others: the two begin to miss together, and the cost is what whole pages show. */
static void test_misses_of_the_first_cache_are_no_cost_of_a_tlb(void **state)
{
    static const struct tlb_level tlbs[] = {{.level = 1, .page_log2 = 12, .entries = 64},
                                            {.level = 2, .page_log2 = 12, .entries = 512}};
    struct truth equal = hidden;

    (void)state;
    equal.entries[1] = 512;
    measure(&equal, 0);
    for (size_t i = 0; i < spreads; i++)
        spread[i].ns += 0.8 * missed(512, spread[i].pages);
    assert_int_equal(find(tlbs, 2), 5);
    assert_tlb(3, "TLB 4k L2", 2 * MIB, 6);
}

/* In a curve of pages, what prefetchers bring outgrows the second cache where a declared TLB ends:
 * its place is there, its cost is what whole pages show. */
static void test_lines_that_prefetchers_bring_are_no_cost_of_a_tlb(void **state)
{
    (void)state;
    measure(&hidden, 0);
    for (size_t i = 0; i < spreads; i++)
        spread[i].ns += 5 * missed(1536, spread[i].pages);
    brought_lines = 15;
    assert_int_equal(find(usual_tlbs, 2), 5);
    brought_lines = 0;
    assert_tlb(3, "TLB 4k L2", 6 * MIB, 6);
    assert_int_equal(level[3].doubt, 0);
}

/* A second TLB of less than twice the entries: whole pages show one knee, where lines that
 * prefetchers bring hide neither place. */
static void test_tlbs_of_nearly_twice_the_entries_are_two(void **state)
{
    static const struct tlb_level close[] = {{.level = 1, .page_log2 = 12, .entries = 128},
                                             {.level = 2, .page_log2 = 12, .entries = 248}};
    struct truth truth = hidden;

    (void)state;
    truth.entries[0] = 128;
    truth.entries[1] = 248;
    truth.miss_ns[1] = 12;
    measure(&truth, 0);
    brought_lines = 4.9;
    find(close, 2);
    brought_lines = 0;
    assert_true(fabs(level_named("TLB 4k L1")->ns / 2 - 1) < 0.1);
    assert_true(fabs(level_named("TLB 4k L1")->bytes / (512 * KIB) - 1) < 0.05);
    assert_true(fabs(level_named("TLB 4k L2")->ns / 12 - 1) < 0.1);
    assert_true(fabs(level_named("TLB 4k L2")->bytes / (992 * KIB) - 1) < 0.05);
}

static const struct truth nearly_same = {.cache_bytes = {64 * KIB, 1 * MIB},
                                         .cache_ns = {1.25, 10.6, 104},
                                         .entries = {128, 160},
                                         .miss_ns = {3.75, 2}};
static const struct tlb_level nearly_same_tlbs[] = {{.level = 1, .page_log2 = 12, .entries = 128},
                                                    {.level = 2, .page_log2 = 12, .entries = 160}};

static const struct level *assert_merged(doubt_set doubt)
{
    const struct level *merged = level_named("TLB 4k L1 + TLB 4k L2");

    assert_string_equal(level_kind_name(merged->kind), "merged");
    assert_false(levels_is_of_caches(merged));
    assert_int_equal(merged->doubt, doubt);
    assert_true(fabs(merged->ns / 5.75 - 1) < 0.02);
    return merged;
}

/* One knee shows, which is neither's. Where registers declare both, they are told apart, and either
 * cost may hold some of the other. */
static void test_tlbs_of_nearly_the_same_entries_say_so(void **state)
{
    (void)state;
    measure(&nearly_same, 0);
    add_sets(&nearly_same, 132, 160, 9);
    assert_int_equal(find(NULL, 0), 4);
    (void)assert_merged(doubt_of(DOUBT_MERGED));
    assert_int_equal(find(nearly_same_tlbs, 2), 5);
    assert_int_equal(tlb_doubt("TLB 4k L1"), doubt_of(DOUBT_MERGED));
    assert_int_equal(tlb_doubt("TLB 4k L2"), doubt_of(DOUBT_MERGED));
    assert_true(fabs(level_named("TLB 4k L1")->ns / 3.75 - 1) < 0.02);
}

/* Without a set between them they are one to timing, and registers say that they are two. */
static void test_declared_tlbs_with_one_knee_say_so(void **state)
{
    const struct level *merged;

    (void)state;
    measure(&nearly_same, 0);
    assert_int_equal(find(nearly_same_tlbs, 1), 4);
    assert_int_equal(tlb_doubt("TLB 4k L1"), 0);
    assert_int_equal(find(nearly_same_tlbs, 2), 4);
    merged = assert_merged(doubt_of(DOUBT_MERGED));
    assert_true(merged->bytes_low <= 512 * KIB && 640 * KIB <= merged->bytes_high);
}

/* What comes behind two that are one by timing is the third. */
static void test_a_tlb_behind_two_merged_ones_is_the_third(void **state)
{
    struct truth truth = hidden;

    (void)state;
    truth.cache_bytes[1] = 1 * MIB;
    truth.entries[1] = 4096;
    measure(&truth, 0);
    add_sets(&truth, 66, 80, 4);
    for (size_t i = 0; i < spreads; i++)
        spread[i].ns += 2 * missed(80, spread[i].pages);
    add_to_whole_pages(2, 80);
    find(NULL, 0);
    assert_int_equal(tlb_doubt("TLB 4k L1 + TLB 4k L2"), doubt_of(DOUBT_MERGED));
    assert_true(fabs(level_named("TLB 4k L3")->bytes / (16 * MIB) - 1) < 0.1);
    assert_int_equal(tlb_doubt("TLB 4k L3"), doubt_of(DOUBT_TRANSLATION));
}

/* One of few ways loses some pages before it is full, and keeps others beyond. */
static void test_a_tlb_of_few_ways_is_one(void **state)
{
    struct truth truth = hidden;

    (void)state;
    measure(&truth, 0);
    for (size_t i = 0; i < spreads; i++)
        spread[i].ns += 2 * (0.75 * missed(60, spread[i].pages) +
                             0.25 * missed(80, spread[i].pages) - missed(64, spread[i].pages));
    find(NULL, 0);
    assert_int_equal(tlb_doubt("TLB 4k L1"), 0);
}

/* What prefetchers bring takes its time while walks go on, so that these seem cheaper between whole
 * pages: the bounds of the cost hold what the page curve says. */
static void test_costs_that_two_curves_see_otherwise_are_both_held(void **state)
{
    (void)state;
    measure(&hidden, 0);
    add_to_whole_pages(-2, 1536);
    brought_lines = 15;
    assert_int_equal(find(usual_tlbs, 2), 5);
    brought_lines = 0;
    assert_tlb(3, "TLB 4k L2", 6 * MIB, 4);
    assert_true(level[3].ns_low < 4 && level[3].ns_high > 6);
}

/* Whole pages that are hardly known: the cost may be none. */
static void test_a_cost_that_may_be_none_is_doubted(void **state)
{
    (void)state;
    measure(&hidden, 0);
    for (size_t i = 0; i < points; i++)
        point[i].rel_error = point[i].page == PAGE_4K && point[i].bytes > 4 * MIB ? 0.4 : 0;
    brought_lines = 15;
    assert_int_equal(find(usual_tlbs, 2), 5);
    brought_lines = 0;
    assert_true(level_named("TLB 4k L2")->ns_low == 0);
    assert_int_equal(tlb_doubt("TLB 4k L2"), doubt_of(DOUBT_TRANSLATION));
}

/* A declared TLB whose cost whole pages do not show at all is told, and its figures contradict. */
static void test_a_tlb_that_only_its_page_curve_shows_is_doubted(void **state)
{
    (void)state;
    measure(&hidden, 0);
    add_to_whole_pages(-6, 1536);
    brought_lines = 15;
    assert_int_equal(find(usual_tlbs, 2), 5);
    brought_lines = 0;
    assert_tlb(3, "TLB 4k L2", 6 * MIB, 6);
    assert_int_equal(level[3].doubt, doubt_of(DOUBT_CONTRADICTED));
}

/* A TLB beyond every set of whole pages: its cost may be more than the TLB's. */
static void test_a_tlb_beyond_whole_pages_may_be_more_than_one(void **state)
{
    size_t kept = 0;

    (void)state;
    measure(&hidden, 0);
    for (size_t i = 0; i < points; i++)
        if (point[i].bytes < 5 * MIB)
            point[kept++] = point[i];
    points = kept;
    brought_lines = 15;
    assert_int_equal(find(usual_tlbs, 2), 5);
    brought_lines = 0;
    assert_int_equal(tlb_doubt("TLB 4k L2"), doubt_of(DOUBT_MERGED));
}

/* Each line of a curve of pages comes with 15 others, which outgrow the second cache: that knee is
 * no TLB's. */
static void test_lines_that_prefetchers_bring_are_no_tlb(void **state)
{
    size_t count, known[2] = {0};

    (void)state;
    for (size_t brought = 0; brought < 2; brought++) {
        measure(&hidden, 0);
        for (size_t i = 0; i < spreads; i++)
            spread[i].ns += 5 * missed(150, spread[i].pages);
        brought_lines = 15 * (double)brought;
        count = find(NULL, 0);
        for (size_t i = 0; i < count; i++)
            known[brought] +=
                level[i].kind == LEVEL_TLB && fabs(level[i].bytes / (600 * KIB) - 1) < 0.1;
    }
    brought_lines = 0;
    assert_int_equal(known[0], 1);
    assert_int_equal(known[1], 0);
}

/* The registers declare one TLB, and what only the curve of pages shows behind it is no TLB. */
static void test_what_no_register_declares_is_a_walk(void **state)
{
    static const struct tlb_level tlbs[] = {{.level = 1, .page_log2 = 12, .entries = 64}};

    (void)state;
    measure(&hidden, 0);
    assert_int_equal(find(tlbs, 1), 5);
    assert_int_equal(level[3].kind, LEVEL_WALK);
    assert_string_equal(level[3].name, "walk 4k");
}

/* Before the end of the last TLB that they declare, nothing walks: such a knee is of neither kind.
 */
static void test_walks_before_the_last_tlb_are_doubted(void **state)
{
    static const struct tlb_level tlbs[] = {{.level = 1, .page_log2 = 12, .entries = 64},
                                            {.level = 2, .page_log2 = 12, .entries = 1536}};

    (void)state;
    measure(&hidden, 0);
    for (size_t i = 0; i < spreads; i++)
        spread[i].ns += 1.3 * missed(160, spread[i].pages);
    for (int declared = 1; declared <= 2; declared++) {
        find(tlbs, (size_t)declared);
        assert_true(fabs(level_named("walk 4k")->bytes / (640 * KIB) - 1) < 0.05);
        assert_int_equal(level_named("walk 4k")->doubt,
                         declared == 2 ? doubt_of(DOUBT_CONTRADICTED) : 0);
    }
}

/* Large pages whose second TLB ends where the first cache does, beyond all ordinary sets: the knee
 * may be of both. Where registers name the TLBs, it is not told. */
static void test_a_knee_beyond_all_sets_may_be_a_tlb(void **state)
{
    static const struct tlb_level first = {.level = 1, .page_log2 = 21, .entries = 32};
    struct truth truth = hidden;
    size_t count, told[2] = {0};

    (void)state;
    measure(&truth, 0);
    for (size_t i = 0; i < spreads; i++) {
        double pages = spread[i].pages;
        spread[i] = (struct level_spread){.pages = pages,
                                          .ns = caches_ns(&truth, 64 * pages) +
                                                2 * missed(32, pages) + 20 * missed(512, pages),
                                          .page = PAGE_2M};
    }
    for (size_t declared = 0; declared < 2; declared++) {
        count = find(&first, declared);
        for (size_t i = 0; i < count; i++)
            if (level[i].bytes > 512 * MIB) {
                told[declared]++;
                assert_string_equal(level[i].name, "TLB 2m L2");
                assert_int_equal(level[i].doubt, doubt_of(DOUBT_MERGED));
            }
    }
    assert_int_equal(told[0], 1);
    assert_int_equal(told[1], 0);
}

/* Nor is the first one, of 64, which may be the effect of something else. */
static void test_a_tlb_that_none_declares_is_doubted(void **state)
{
    static const struct tlb_level near = {.level = 1, .page_log2 = 12, .entries = 72};
    static const struct tlb_level other = {.level = 1, .page_log2 = 12, .entries = 80};
    static const struct tlb_level far = {.level = 1, .page_log2 = 12, .entries = 256};

    (void)state;
    measure(&hidden, 0);
    assert_int_equal(find(&near, 1), 5);
    assert_int_equal(tlb_doubt("TLB 4k L1"), 0);
    assert_int_equal(find(&other, 1), 5);
    assert_int_equal(tlb_doubt("TLB 4k L1"), doubt_of(DOUBT_TRANSLATION));
    assert_int_equal(find(&far, 1), 5);
    assert_int_equal(tlb_doubt("TLB 4k L1"), doubt_of(DOUBT_TRANSLATION));
}

/* A register says 72 or 57 entries where timing says 64: both are in the bounds of one reach. */
static void test_a_declared_reach_is_in_the_bounds(void **state)
{
    static const struct {
        uint32_t entries;
        double low_kib, high_kib; /* of the bounds: at most, at least */
    } cases[] = {{64, 256, 256}, {72, 256, 288}, {57, 228, 256}};

    (void)state;
    measure(&hidden, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tlb_level tlb = {.level = 1, .page_log2 = 12, .entries = cases[i].entries};
        const struct level *found;
        find(&tlb, 1);
        found = level_named("TLB 4k L1");
        assert_true(found->bytes_low <= cases[i].low_kib * KIB);
        assert_true(found->bytes_high >= cases[i].high_kib * KIB);
        assert_true(found->bytes_high < 1.02 * cases[i].high_kib * KIB);
        assert_true(found->bytes_low > 0.98 * cases[i].low_kib * KIB);
    }
}

/* A host keeps the guest's large pages in small ones: every curve meets the same TLB. */
static void test_large_pages_in_pieces(void **state)
{
    struct truth truth = hidden;
    size_t caches = 0, count;

    (void)state;
    truth.cache_bytes[1] = 1 * MIB;
    measure(&truth, 0);
    for (size_t i = 0; i < points; i++)
        if (point[i].page == PAGE_2M)
            point[i].ns = hop_ns(&truth, point[i].bytes, point[i].bytes / 4096);
    in_pieces = true;
    count = find(NULL, 0);
    in_pieces = false;
    for (size_t i = 0; i < count; i++) {
        caches += level[i].kind == LEVEL_CACHE;
        assert_true(level[i].kind != LEVEL_CACHE || fabs(level[i].bytes / (256 * KIB) - 1) > 0.5);
    }
    assert_int_equal(level[0].kind, LEVEL_CACHE);
    assert_true(caches >= 2);
}

/* One line in each large page needs one piece of it: the TLB of pieces is not another one. Beyond
 * its reach no curve is without translation. */
static void test_pieces_are_no_tlb_of_large_pages(void **state)
{
    struct truth truth = hidden;

    (void)state;
    truth.cache_bytes[1] = 1 * MIB;
    for (size_t whole = 0; whole < 2; whole++) {
        size_t large = 0, count;
        measure(&truth, 0);
        for (size_t i = 0; i < points && whole == 0; i++)
            if (point[i].page == PAGE_2M)
                point[i].ns = hop_ns(&truth, point[i].bytes, point[i].bytes / 4096);
        for (size_t i = spreads; i-- > 0;)
            if (spread[i].pages <= 256) {
                spread[spreads] = spread[i];
                spread[spreads++].page = PAGE_2M;
            }
        in_pieces = whole == 0;
        count = find(NULL, 0);
        in_pieces = false;
        for (size_t i = 0; i < count; i++)
            large += strncmp(level[i].name, "TLB 2m", 6) == 0;
        assert_int_equal(large, whole);
        assert_int_equal(level[count - 1].kind, LEVEL_MEMORY);
        for (size_t i = 0; i < count; i++)
            if (level[i].kind == LEVEL_CACHE || level[i].kind == LEVEL_MEMORY)
                assert_int_equal(level[i].doubt & doubt_of(DOUBT_TRANSLATION),
                                 whole || level[i].bytes < 256 * KIB ? 0
                                                                     : doubt_of(DOUBT_TRANSLATION));
    }
}

/* Where all curves miss the TLB of the pieces, and their walks the caches, these knees are no
 * cache's. */
static void test_walks_of_pieces_are_no_cache(void **state)
{
    struct truth truth = hidden;

    (void)state;
    truth.walks_load = true;
    for (size_t known = 0; known < 2; known++) {
        size_t unexplained = 0, count;
        measure(&truth, 0);
        for (size_t i = 0; i < points; i++)
            if (point[i].page == PAGE_2M)
                point[i].ns = hop_ns(&truth, point[i].bytes, point[i].bytes / 4096);
        in_pieces = known != 0;
        count = find(usual_tlbs, 2);
        in_pieces = false;
        for (size_t i = 0; i < count; i++)
            unexplained += level[i].bytes > 4 * MIB && level[i].kind != LEVEL_TLB &&
                           level[i].kind != LEVEL_WALK;
        assert_int_equal(unexplained > 0, !known);
        if (known)
            assert_true(fabs(level[count - 1].ns / truth.cache_ns[2] - 1) < 0.05);
    }
}

/* Behind lines that prefetchers bring, a curve of pages shows nothing of the second TLB. */
static void test_a_declared_tlb_that_pages_cannot_show(void **state)
{
    (void)state;
    measure(&hidden, 0);
    for (size_t i = 0; i < spreads; i++)
        spread[i].ns -= hidden.miss_ns[1] * missed(hidden.entries[1], spread[i].pages);
    assert_int_equal(find(usual_tlbs, 2), 5);
    assert_tlb(3, "TLB 4k L2", 6 * MIB, 6);
}

/* What a TLB costs is known from its pages, though whole ones hardly show it: memory is no slower
 * for it. */
static void test_what_is_known_is_no_part_of_memory(void **state)
{
    struct truth large = hidden;
    size_t small, count;

    (void)state;
    large.entries[0] = 8;
    large.miss_ns[0] = 0.45;
    large.miss_ns[1] = 0;
    measure(&hidden, 0);
    small = spreads;
    for (size_t i = 0; i < points; i++)
        if (point[i].page == PAGE_2M)
            point[i].ns = hop_ns(&large, point[i].bytes, point[i].bytes / (2 * MIB));
    for (size_t i = 0; i < small && spread[i].pages <= 128; i++)
        spread[spreads++] =
            (struct level_spread){.pages = spread[i].pages,
                                  .ns = hop_ns(&large, 64 * spread[i].pages, spread[i].pages),
                                  .page = PAGE_2M};
    count = find(NULL, 0);
    assert_int_equal(level[count - 1].kind, LEVEL_MEMORY);
    assert_true(fabs(level[count - 1].ns / 24 - 1) < 1e-3);
}

/* 16 entries of 2M reach as far as the cache of 32M, whose knee is no cost of the TLB: the curve of
 * pages shows that. */
static void large_pages_reach_as_far_as_a_cache(const struct truth *small)
{
    struct truth large = *small;

    large.entries[0] = 16;
    large.miss_ns[1] = 0;
    large.walks_load = false;
    measure(small, 0);
    points = 0;
    for (unsigned i = 0; i < 68; i++) {
        double bytes = 16 * KIB * (double)(1ull << i / 4) * (1 + 0.25 * (i % 4));
        point[points++] = (struct level_point){
            .bytes = bytes, .ns = hop_ns(small, bytes, bytes / 4096), .page = PAGE_4K};
        point[points++] = (struct level_point){
            .bytes = bytes, .ns = hop_ns(&large, bytes, bytes / (2 * MIB)), .page = PAGE_2M};
    }
    for (size_t i = 0; i < 50 && spread[i].pages <= 128; i++)
        spread[spreads++] =
            (struct level_spread){.pages = spread[i].pages,
                                  .ns = hop_ns(&large, 64 * spread[i].pages, spread[i].pages),
                                  .page = PAGE_2M};
}

static const struct truth coincident = {.cache_bytes = {512 * KIB, 32 * MIB},
                                        .cache_ns = {3.5, 25, 50},
                                        .entries = {64, 1024},
                                        .miss_ns = {2, 3.5}};

static void test_a_cache_as_large_as_a_tlb_reaches(void **state)
{
    size_t cache;

    (void)state;
    large_pages_reach_as_far_as_a_cache(&coincident);
    assert_int_equal(find(NULL, 0), 6);
    cache = level[3].kind == LEVEL_CACHE ? 3 : 4; /* they are as large */
    assert_tlb(7 - cache, "TLB 2m L1", 32 * MIB, 2);
    assert_int_equal(level[cache].kind, LEVEL_CACHE);
    assert_true(fabs(level[cache].bytes / (32 * MIB) - 1) < 0.02);
    assert_true(fabs(level[cache].ns / 25 - 1) < 0.01);
    assert_true(fabs(level[5].ns / 50 - 1) < 0.01);
    assert_int_equal(level[cache].doubt | level[5].doubt, 0);
}

/* Where walks go through that cache too, its step may be given to them and to the TLB, and what
 * lies beyond it is doubted. */
static void test_what_walks_may_have_of_such_a_cache_is_doubted(void **state)
{
    struct truth truth = coincident;
    size_t count;

    (void)state;
    truth.walks_load = true;
    large_pages_reach_as_far_as_a_cache(&truth);
    count = find(NULL, 0);
    assert_int_equal(level[count - 1].doubt, doubt_of(DOUBT_CONTRADICTED));
    assert_int_equal(level[1].doubt, 0);
}

/* Scattered frames fill some sets of a cache sooner than others. */
static void scatter_frames(const struct truth *truth)
{
    for (size_t i = 0; i < points; i++) {
        double sum = 0;
        if (point[i].page != PAGE_4K)
            continue;
        for (int k = -3; k <= 3; k++) {
            struct truth part = *truth;
            for (unsigned c = 1; c < CACHES_MAX; c++)
                part.cache_bytes[c] *= 1 + 0.12 * k;
            sum += hop_ns(&part, point[i].bytes, point[i].bytes / 4096);
        }
        point[i].ns = sum / 7;
    }
}

/* One of five caches, through which walks go: its step is no cost of the TLB, whose knee with more
 * than that is paid for as two. */
static void test_one_of_many_caches_as_large_as_a_tlb_reaches(void **state)
{
    static const struct truth truth = {
        .cache_bytes = {32 * KIB, 512 * KIB, 4 * MIB, 32 * MIB, 128 * MIB},
        .cache_ns = {1, 3.5, 10, 25, 50, 80},
        .entries = {64, 1024},
        .miss_ns = {2, 3.5},
        .walks_load = true,
        .entries_stay = true};
    static const struct tlb_level tlbs[] = {{.level = 1, .page_log2 = 12, .entries = 64},
                                            {.level = 2, .page_log2 = 12, .entries = 1024},
                                            {.level = 1, .page_log2 = 21, .entries = 16}};
    size_t count, caches = 0;

    (void)state;
    large_pages_reach_as_far_as_a_cache(&truth);
    scatter_frames(&truth);
    count = find(tlbs, 3);
    for (size_t i = 0; i + 1 < count; i++) {
        if (level[i].kind != LEVEL_CACHE)
            continue;
        assert_true(caches < CACHES_MAX);
        assert_true(fabs(level[i].bytes / truth.cache_bytes[caches] - 1) < 0.02);
        assert_true(fabs(level[i].ns / truth.cache_ns[caches] - 1) < 0.01);
        caches++;
    }
    assert_int_equal(caches, CACHES_MAX);
    assert_true(fabs(level[count - 1].ns / 80 - 1) < 0.01);
}

/* As many points as a plan may have of one page size, and as many with a line in each page; some
 * are unusable. */
static void test_more_points_than_room(void **state)
{
    (void)state;
    measure(&hidden, 0);
    for (points = 0; points < LEVELS_POINTS_MAX; points++) {
        double bytes = 8 * KIB * exp2((double)points / 20);
        point[points] = (struct level_point){
            .bytes = bytes, .ns = hop_ns(&hidden, bytes, bytes / 4096), .page = PAGE_4K};
    }
    while (spreads < LEVELS_SPREAD_MAX)
        spread[spreads++] =
            (struct level_spread){.pages = 100, .ns = spreads % 2 ? NAN : 0, .page = PAGE_4K};
    assert_int_equal(find(NULL, 0), 5);
    assert_tlb(3, "TLB 4k L2", 6 * MIB, 6);
}

static int start(void **state)
{
    (void)state;
    workspace = malloc(levels_workspace_bytes());
    return workspace == NULL;
}

static int stop(void **state)
{
    (void)state;
    free(workspace);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_tlb_behind_a_knee_is_seen_alone),
        cmocka_unit_test(test_what_all_points_share_is_no_matter),
        cmocka_unit_test(test_whole_pages_place_a_tlb_that_is_not_seen_alone),
        cmocka_unit_test(test_a_step_that_may_be_none_is_no_tlb),
        cmocka_unit_test(test_no_other_page_size_is_needed),
        cmocka_unit_test(test_walks_through_caches_are_no_tlbs),
        cmocka_unit_test(test_what_every_large_page_costs_is_no_level),
        cmocka_unit_test(test_lines_that_prefetchers_bring_are_no_tlb),
        cmocka_unit_test(test_misses_of_the_first_cache_are_no_cost_of_a_tlb),
        cmocka_unit_test(test_lines_that_prefetchers_bring_are_no_cost_of_a_tlb),
        cmocka_unit_test(test_tlbs_of_nearly_twice_the_entries_are_two),
        cmocka_unit_test(test_costs_that_two_curves_see_otherwise_are_both_held),
        cmocka_unit_test(test_a_cost_that_may_be_none_is_doubted),
        cmocka_unit_test(test_a_tlb_that_only_its_page_curve_shows_is_doubted),
        cmocka_unit_test(test_a_tlb_beyond_whole_pages_may_be_more_than_one),
        cmocka_unit_test(test_what_no_register_declares_is_a_walk),
        cmocka_unit_test(test_a_tlb_that_none_declares_is_doubted),
        cmocka_unit_test(test_a_declared_reach_is_in_the_bounds),
        cmocka_unit_test(test_large_pages_in_pieces),
        cmocka_unit_test(test_walks_of_pieces_are_no_cache),
        cmocka_unit_test(test_pieces_are_no_tlb_of_large_pages),
        cmocka_unit_test(test_a_declared_tlb_that_pages_cannot_show),
        cmocka_unit_test(test_tlbs_of_nearly_the_same_entries_say_so),
        cmocka_unit_test(test_walks_before_the_last_tlb_are_doubted),
        cmocka_unit_test(test_a_knee_beyond_all_sets_may_be_a_tlb),
        cmocka_unit_test(test_declared_tlbs_with_one_knee_say_so),
        cmocka_unit_test(test_a_tlb_behind_two_merged_ones_is_the_third),
        cmocka_unit_test(test_a_tlb_of_few_ways_is_one),
        cmocka_unit_test(test_what_is_known_is_no_part_of_memory),
        cmocka_unit_test(test_a_cache_as_large_as_a_tlb_reaches),
        cmocka_unit_test(test_what_walks_may_have_of_such_a_cache_is_doubted),
        cmocka_unit_test(test_one_of_many_caches_as_large_as_a_tlb_reaches),
        cmocka_unit_test(test_more_points_than_room),
    };

    return cmocka_run_group_tests_name("TLBs in curves of pages", tests, start, stop);
}
