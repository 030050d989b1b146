/* SPDX-License-Identifier: BSD-2-Clause */
/* What memory behind a small cache does to curves beside their knees: rows that stay open, frames
 * that overflow a set, and declared TLBs that are nowhere to be seen. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "core/levels/hinge.h"
#include "core/levels/levels.h"

#define KIB 1024.0
#define MIB (1024.0 * KIB)

/* Two caches, memory, two TLBs of small pages. */
struct small {
    double base, second_bytes, second_step, memory_bytes, memory_step;
    double tlb_bytes[2], tlb_step[2];
    double rows_bytes[2], row_step; /* of small and of large pages; what an open one saves */
    bool fades;
};

static const struct cache_level caches[] = {{.level = 1, .line_bytes = 64, .bytes = 64 << 10},
                                            {.level = 2, .line_bytes = 64, .bytes = 256 << 10}};
static const struct tlb_level tlbs[] = {{.level = 1, .page_log2 = 12, .entries = 128},
                                        {.level = 2, .page_log2 = 12, .entries = 1024}};
static const struct small plain = {.base = 1.2,
                                   .second_bytes = 64 * KIB,
                                   .second_step = 5,
                                   .memory_bytes = 256 * KIB,
                                   .memory_step = 85,
                                   .tlb_bytes = {512 * KIB, 4 * MIB},
                                   .tlb_step = {3.5, 12}};
static struct level_point point[200];
static size_t points;
static struct level level[LEVELS_MAX];
static void *workspace;
static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return ((double)((state ^ state >> 29) >> 11) + 0.5) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double missed(double held, double bytes)
{
    return bytes > held ? 1 - held / bytes : 0;
}

static double machine_ns(const struct small *m, double bytes, enum page_size page)
{
    double rows = m->rows_bytes[page != PAGE_4K], ns = m->base, saved = 0;

    if (rows > 0)
        saved = m->fades ? rows / (rows + bytes) : fmin(1, rows / bytes);
    ns += m->second_step * missed(m->second_bytes, bytes);
    ns += (m->memory_step - m->row_step * saved) * missed(m->memory_bytes, bytes);
    for (int i = 0; i < 2 && page == PAGE_4K; i++)
        ns += m->tlb_step[i] * missed(m->tlb_bytes[i], bytes);
    return ns;
}

static size_t find_in_points(void)
{
    struct levels_request request = {.points = point,
                                     .count = points,
                                     .caches = caches,
                                     .cache_count = 2,
                                     .tlbs = tlbs,
                                     .tlb_count = 2,
                                     .line_bytes = 64};

    return levels_find(&request, workspace, level, LEVELS_MAX);
}

static size_t find(const struct small *m, uint64_t seed)
{
    state = seed;
    points = 0;
    for (enum page_size page = PAGE_4K; page <= PAGE_2M; page += PAGE_2M - PAGE_4K)
        for (unsigned i = 0; i < 47; i++) {
            double bytes = 8 * KIB * (double)(1ull << i / 4) * (1 + 0.25 * (i % 4));
            double ns = machine_ns(m, bytes, page) * (1 + 0.002 * normal());
            point[points++] = (struct level_point){bytes, ns, 0.002, page, 0};
        }
    return find_in_points();
}

static void assert_near(double found, double expected, double relative)
{
    if (!(fabs(found - expected) <= relative * fabs(expected))) {
        print_error("%.6g is not within %g of %.6g\n", found, relative, expected);
        fail();
    }
}

static void assert_plain(size_t found)
{
    static const char *const names[] = {"L1", "L2", "TLB 4k L1", "TLB 4k L2", "memory"};
    static const double bytes[] = {64 * KIB, 256 * KIB, 512 * KIB, 4 * MIB};

    assert_int_equal(found, 5);
    for (size_t i = 0; i < found; i++) {
        assert_string_equal(level[i].name, names[i]);
        if (i < 4)
            assert_near(level[i].bytes, bytes[i], i < 2 ? 0.02 : 0.15);
    }
    assert_near(level[4].ns, 91.2, 0.01);
}

static void test_shares_where_rows_are_open(void **unused)
{
    struct hinge hinge = {
        .kind = HINGE_CACHE, .pos = MIB, .step = 80, .rows = {0.2, 1.2, 0}, .open = 0.3};

    (void)unused;
    /* All open up to 4 MiB. */
    assert_near(hinge_share(&hinge, 2 * MIB, 1), 0.5 * 0.7, 1e-12);
    assert_near(hinge_share(&hinge, 4 * MIB, 1), 0.75 * 0.7, 1e-12);
    assert_near(hinge_share(&hinge, 8 * MIB, 1), 0.875 * 0.85, 1e-12);
    assert_near(hinge_share(&hinge, 2 * MIB, 0), 0.5 * 0.9, 1e-12);
    hinge.fades = true;
    assert_near(hinge_share(&hinge, 4 * MIB, 1), 0.75 * 0.85, 1e-12);
}

static void test_no_rows(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 3; seed++)
        assert_plain(find(&plain, seed));
}

/* More rows than the cache has bytes: their knee is neither a cache nor a TLB. */
static void test_rows_beyond_the_cache(void **unused)
{
    struct small m = plain;

    (void)unused;
    m.row_step = 33;
    m.rows_bytes[0] = 32 * KIB;
    m.rows_bytes[1] = MIB;
    for (uint64_t seed = 1; seed <= 3; seed++)
        assert_plain(find(&m, seed));
}

/* So many banks that refreshes have closed most rows before they are met again. */
static void test_rows_that_fade(void **unused)
{
    struct small m = plain;

    (void)unused;
    m.row_step = 12;
    m.rows_bytes[0] = 8 * KIB;
    m.rows_bytes[1] = 600 * KIB;
    m.fades = true;
    for (uint64_t seed = 1; seed <= 3; seed++)
        assert_plain(find(&m, seed));
}

/* Pages that share a set before the cache is full: a point or two of small pages at its knee cost
 * far more, and say nothing of TLBs. */
static void test_frames_that_overflow_a_set(void **unused)
{
    (void)unused;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        (void)find(&plain, seed);
        for (size_t i = 0; i < points; i++) {
            if (point[i].page != PAGE_4K)
                continue;
            point[i].ns *= point[i].bytes == 224 * KIB   ? 1.3
                           : point[i].bytes == 256 * KIB ? 1.7
                           : point[i].bytes == 320 * KIB ? 1.02
                                                         : 1;
        }
        assert_plain(find_in_points());
    }
}

/* Declared TLBs that are not found: their misses cost nothing. */
static void test_declared_and_not_there(void **unused)
{
    struct small m = plain;

    (void)unused;
    m.tlb_step[0] = m.tlb_step[1] = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        assert_int_equal(find(&m, seed), 3);
        assert_string_equal(level[0].name, "L1");
        assert_string_equal(level[1].name, "L2");
    }
}

/* A TLB's place amid a rise that is thirty times its step is in doubt by a tenth and more: a
 * declared reach that fits as well is taken, one that does not fit is ignored. */
static void test_declared_reach_near_a_knee(void **unused)
{
    struct small m = plain;

    (void)unused;
    m.tlb_step[0] = 1.6;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        assert_int_equal(find(&m, seed), 5);
        assert_near(level[2].bytes, 512 * KIB, 0.08);
        assert_true(level[2].bytes_high > 1.05 * level[2].bytes);
    }
    m.tlb_step[0] = 9;
    m.tlb_bytes[0] = 600 * KIB;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        assert_int_equal(find(&m, seed), 5);
        assert_near(level[2].bytes, 600 * KIB, 0.06);
        assert_true(level[2].bytes > 550 * KIB);
    }
}

static int set_up(void **unused)
{
    (void)unused;
    workspace = malloc(levels_workspace_bytes());
    return workspace ? 0 : -1;
}

static int tear_down(void **unused)
{
    (void)unused;
    free(workspace);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares_where_rows_are_open),
        cmocka_unit_test(test_no_rows),
        cmocka_unit_test(test_rows_beyond_the_cache),
        cmocka_unit_test(test_rows_that_fade),
        cmocka_unit_test(test_frames_that_overflow_a_set),
        cmocka_unit_test(test_declared_and_not_there),
        cmocka_unit_test(test_declared_reach_near_a_knee),
    };

    return cmocka_run_group_tests_name("levels of small caches", tests, set_up, tear_down);
}
