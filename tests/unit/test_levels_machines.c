/* SPDX-License-Identifier: BSD-2-Clause */
/* Levels of small simulated machines: set-associative caches of every policy and inclusion, driven
 * by independent uniform draws, TLBs and their cost. The caches are simulated, not taken from the
 * formula that the fit assumes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/levels/levels.h"

#define LINE         64u
#define CACHES_MAX   3
#define TLBS_MAX     2
#define MEASURED     40000 /* draws per point */
#define WARM_LAPS    12
#define POINT_GROUPS 20
#define PAGES_LOG2   9 /* 4 KiB frames of a 2 MiB block */

enum policy { LRU, TREE_PLRU, RANDOM };
enum inclusion { NEITHER, INCLUSIVE, EXCLUSIVE };

struct array {
    uint32_t sets, ways;
    enum policy policy;
    enum inclusion inclusion;
    double ns; /* cache: of a hit; TLB: of a miss */
    uint32_t *tag, *tree;
};

struct model {
    const char *name;
    size_t caches, tlbs;
    struct array cache[CACHES_MAX], tlb[TLBS_MAX];
    double memory_ns;
    uint32_t brings; /* lines of the block that each miss of the second cache brings in; 0: none */
};

static struct model machines[] = {
    {"least recently used, inclusive",
     3,
     2,
     {{16, 4, LRU, NEITHER, 1.2, 0, 0},
      {64, 8, LRU, INCLUSIVE, 4, 0, 0},
      {512, 16, LRU, INCLUSIVE, 15, 0, 0}},
     {{4, 4, LRU, NEITHER, 2.1, 0, 0}, {16, 16, LRU, NEITHER, 9, 0, 0}},
     85,
     0},
    {"tree-PLRU, neither",
     3,
     1,
     {{32, 4, TREE_PLRU, NEITHER, 0.9, 0, 0},
      {128, 8, TREE_PLRU, NEITHER, 3.1, 0, 0},
      {1024, 8, TREE_PLRU, NEITHER, 11, 0, 0}},
     {{8, 4, LRU, NEITHER, 6, 0, 0}},
     70,
     0},
    {"exclusive last level",
     2,
     1,
     {{16, 8, LRU, NEITHER, 1.5, 0, 0}, {256, 16, LRU, EXCLUSIVE, 9, 0, 0}},
     {{16, 8, LRU, NEITHER, 10, 0, 0}},
     95,
     0},
    {"random replacement",
     2,
     1,
     {{32, 4, RANDOM, NEITHER, 1.1, 0, 0}, {256, 16, RANDOM, NEITHER, 6, 0, 0}},
     {{4, 4, LRU, NEITHER, 5, 0, 0}},
     110,
     0},
    {"random replacement beside a level half as large",
     2,
     1,
     {{64, 8, LRU, NEITHER, 1.2, 0, 0}, {64, 16, RANDOM, NEITHER, 5, 0, 0}},
     {{8, 8, LRU, NEITHER, 5, 0, 0}},
     80,
     0},
    {"blocks are brought into the second cache",
     3,
     0,
     {{64, 12, LRU, NEITHER, 1, 0, 0},
      {128, 16, TREE_PLRU, NEITHER, 3, 0, 0},
      {256, 20, LRU, INCLUSIVE, 8, 0, 0}},
     {{0}},
     140,
     16},
};

static uint64_t state;
static struct model *m;
static struct level_point point[400];
static size_t points;

static uint64_t draw(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 32) * below >> 32;
}

static uint32_t *set_of(const struct array *a, uint32_t line)
{
    return a->tag + (size_t)(line % a->sets) * a->ways;
}

static void to_front(uint32_t *set, uint32_t way, uint32_t line)
{
    memmove(set + 1, set, way * sizeof *set);
    set[0] = line;
}

/* Each node on the way points to the half that was not used last. */
static void tree_touch(struct array *a, uint32_t set, uint32_t way)
{
    for (uint32_t node = way + a->ways; node > 1; node /= 2)
        a->tree[set * a->ways + node / 2] = !(node & 1);
}

static uint32_t tree_victim(const struct array *a, uint32_t set)
{
    uint32_t node = 1;

    while (node < a->ways)
        node = 2 * node + a->tree[set * a->ways + node];
    return node - a->ways;
}

static bool array_hit(struct array *a, uint32_t line, bool touch)
{
    uint32_t *set = set_of(a, line);

    for (uint32_t way = 0; way < a->ways; way++) {
        if (set[way] != line)
            continue;
        if (touch && a->policy == LRU)
            to_front(set, way, line);
        if (touch && a->policy == TREE_PLRU)
            tree_touch(a, line % a->sets, way);
        return true;
    }
    return false;
}

static void array_drop(struct array *a, uint32_t line)
{
    uint32_t *set = set_of(a, line);

    for (uint32_t way = 0; way < a->ways; way++) {
        if (set[way] != line)
            continue;
        if (a->policy == LRU) {
            memmove(set + way, set + way + 1, (a->ways - 1 - way) * sizeof *set);
            way = a->ways - 1;
        }
        set[way] = 0;
        return;
    }
}

/* Returns the line that was evicted; 0: none. */
static uint32_t array_fill(struct array *a, uint32_t line)
{
    uint32_t *set = set_of(a, line), way = 0, old;

    if (a->policy == LRU) {
        old = set[a->ways - 1];
        to_front(set, a->ways - 1, line);
        return old;
    }
    while (way < a->ways && set[way] != 0)
        way++;
    if (way == a->ways)
        way = a->policy == RANDOM ? (uint32_t)draw(a->ways) : tree_victim(a, line % a->sets);
    old = set[way];
    set[way] = line;
    if (a->policy == TREE_PLRU)
        tree_touch(a, line % a->sets, way);
    return old;
}

static void evicted(size_t level, uint32_t line)
{
    if (line == 0)
        return;
    for (size_t i = 0; i < level && m->cache[level].inclusion == INCLUSIVE; i++)
        array_drop(&m->cache[i], line);
    if (level + 1 < m->caches && m->cache[level + 1].inclusion == EXCLUSIVE &&
        !array_hit(&m->cache[level + 1], line, false))
        array_fill(&m->cache[level + 1], line);
}

/* The other lines of its block, as far as they are not there. */
static void bring_block(uint32_t line)
{
    uint32_t first = line / m->brings * m->brings;

    for (uint32_t next = first; next < first + m->brings; next++)
        for (size_t i = m->caches; i-- > 1;)
            if (!array_hit(&m->cache[i], next, false))
                evicted(i, array_fill(&m->cache[i], next));
}

static double access_line(uint32_t line)
{
    size_t level = 0;

    while (level < m->caches && !array_hit(&m->cache[level], line, true))
        level++;
    if (level > 0 && level < m->caches && m->cache[level].inclusion == EXCLUSIVE)
        array_drop(&m->cache[level], line);
    for (size_t i = level; i-- > 0;)
        if (m->cache[i].inclusion != EXCLUSIVE)
            evicted(i, array_fill(&m->cache[i], line));
    if (m->brings > 0 && level > 1)
        bring_block(line);
    return level < m->caches ? m->cache[level].ns : m->memory_ns;
}

static double access_tlbs(uint32_t page)
{
    double ns = 0;

    for (size_t i = 0; i < m->tlbs && !array_hit(&m->tlb[i], page, true); i++) {
        ns += m->tlb[i].ns;
        array_fill(&m->tlb[i], page);
    }
    return ns;
}

/* Large pages are contiguous; small ones stand at their own offset of some other 2 MiB block. */
static uint32_t physical_line(uint32_t line, bool small)
{
    uint32_t page = line >> 6, slot = page & ((1u << PAGES_LOG2) - 1);
    uint32_t block = page >> PAGES_LOG2;

    if (small)
        block = (uint32_t)((uint64_t)(block * 512 + slot) * 2654435761u >> 5 & 0xfff) * 16 + block;
    return ((block << PAGES_LOG2 | slot) << 6 | (line & 63)) + 64;
}

static double access_at(uint32_t line, bool small)
{
    return (small ? access_tlbs((line >> 6) + 1) : 0) + access_line(physical_line(line, small));
}

static double nominal_bytes(size_t level)
{
    double bytes = (double)m->cache[level].sets * m->cache[level].ways * LINE;

    return m->cache[level].inclusion == EXCLUSIVE ? bytes + nominal_bytes(level - 1) : bytes;
}

static void measure(uint32_t lines, bool small)
{
    double sum = 0, squares = 0, last = nominal_bytes(m->caches - 1) / LINE;
    uint64_t warm = lines < 1.5 * last ? WARM_LAPS * (uint64_t)lines : (uint64_t)(3 * last);

    for (uint32_t line = 0; line < lines && lines < 4 * last; line++)
        access_at(line, small);
    for (; warm > 0; warm--)
        access_at((uint32_t)draw(lines), small);
    for (int group = 0; group < POINT_GROUPS; group++) {
        double ns = 0;
        for (int i = 0; i < MEASURED / POINT_GROUPS; i++)
            ns += access_at((uint32_t)draw(lines), small);
        ns /= MEASURED / POINT_GROUPS;
        sum += ns;
        squares += ns * ns;
    }
    sum /= POINT_GROUPS;
    squares = squares / POINT_GROUPS - sum * sum;
    point[points++] = (struct level_point){
        (double)lines * LINE, sum, sqrt((squares > 0 ? squares : 0) / (POINT_GROUPS - 1)) / sum,
        small ? PAGE_4K : PAGE_1G, 0};
}

static void measure_curve(bool small)
{
    double largest = 32 * nominal_bytes(m->caches - 1);

    for (uint32_t i = 0;; i++) {
        uint32_t lines = (32u << i / 4) + (32u << i / 4) / 4 * (i % 4);
        if ((double)lines * LINE > largest)
            return;
        measure(lines, small);
    }
}

static void start_array(struct array *a)
{
    a->tag = calloc((size_t)a->sets * a->ways, sizeof *a->tag);
    a->tree = calloc((size_t)a->sets * a->ways, sizeof *a->tree);
    assert_true(a->tag && a->tree);
}

static void stop_array(struct array *a)
{
    free(a->tag);
    free(a->tree);
}

static void describe(struct cache_level *caches, struct tlb_level *tlbs)
{
    for (size_t i = 0; i < m->caches; i++)
        caches[i] = (struct cache_level){.level = (uint8_t)(i + 1),
                                         .unified = true,
                                         .bytes = m->cache[i].sets * m->cache[i].ways * LINE};
    for (size_t i = 0; i < m->tlbs; i++)
        tlbs[i] = (struct tlb_level){
            .level = (uint8_t)(i + 1), .page_log2 = 12, .entries = m->tlb[i].sets * m->tlb[i].ways};
}

static void assert_within(const char *what, double found, double expected, double relative)
{
    if (fabs(found - expected) <= relative * expected)
        return;
    print_error("%s: %s is %.6g, truly %.6g\n", m->name, what, found, expected);
    fail();
}

/* What all levels up to this one keep of a set four times as large. */
static double held_bytes(size_t last)
{
    uint32_t lines = (uint32_t)(4 * nominal_bytes(last) / LINE);
    size_t held = 0;

    for (uint64_t i = 0; i < WARM_LAPS * (uint64_t)lines; i++)
        access_line(physical_line((uint32_t)draw(lines), false));
    for (uint32_t line = 0; line < lines; line++) {
        bool holds = false;
        for (size_t level = 0; level <= last; level++)
            holds |= array_hit(&m->cache[level], physical_line(line, false), false);
        held += holds;
    }
    return (double)held * LINE;
}

static void assert_cache(const struct level *found, size_t i)
{
    bool exclusive = m->cache[i].inclusion == EXCLUSIVE;

    assert_int_equal(found->name[1], '1' + i);
    assert_within("a latency", found->ns, m->cache[i].ns, exclusive ? 0.02 : 0.01);
    assert_within("a capacity", found->bytes, held_bytes(i), exclusive ? 0.08 : 0.03);
}

/* All levels, no other, each within what is promised for a machine without noise. */
static void check_levels(const struct level *found, size_t count)
{
    size_t caches = 0, tlbs = 0;

    for (size_t i = 0; i < count; i++) {
        switch (found[i].kind) {
        case LEVEL_CACHE:
            assert_true(caches < m->caches);
            assert_cache(&found[i], caches++);
            break;
        case LEVEL_TLB:
            assert_true(tlbs < m->tlbs);
            assert_within("a reach", found[i].bytes, m->tlb[tlbs].sets * m->tlb[tlbs].ways * 4096.0,
                          0.1);
            tlbs++;
            break;
        case LEVEL_MEMORY:
            assert_within("memory", found[i].ns, m->memory_ns, 0.01);
            assert_false(found[i].extrapolated);
            break;
        default:
            print_error("%s: %s\n", m->name, found[i].name);
            fail();
        }
    }
    assert_int_equal(caches, m->caches);
    assert_int_equal(tlbs, m->tlbs);
}

/* No law describes blocks well: figures are off, but bounds are not. */
static void check_bounds(const struct level *found, size_t count)
{
    size_t caches = 0;

    for (size_t i = 0; i < count; i++) {
        if (found[i].kind != LEVEL_CACHE)
            continue;
        assert_true(caches < m->caches);
        assert_true(found[i].ns_low <= 1.01 * m->cache[caches].ns);
        assert_true(found[i].ns_high >= 0.99 * m->cache[caches].ns);
        caches++;
    }
    assert_int_equal(caches, m->caches);
}

static void run_machine(size_t index)
{
    struct cache_level caches[CACHES_MAX];
    struct tlb_level tlbs[TLBS_MAX];
    struct level found[LEVELS_MAX];
    struct levels_request request = {.points = point, .caches = caches, .tlbs = tlbs};
    void *workspace = aligned_alloc(16, (levels_workspace_bytes() + 15) / 16 * 16);
    size_t count;

    assert_non_null(workspace);
    m = &machines[index];
    state = 88172645463325252ull + index;
    points = 0;
    for (size_t i = 0; i < m->caches; i++)
        start_array(&m->cache[i]);
    for (size_t i = 0; i < m->tlbs; i++)
        start_array(&m->tlb[i]);
    measure_curve(true);
    measure_curve(false);
    describe(caches, tlbs);
    request.count = points;
    request.cache_count = m->caches;
    request.tlb_count = m->tlbs;
    request.prefetched = m->brings > 0;
    request.brought_lines = m->brings > 0 ? m->brings - 1 : 0;
    count = levels_find(&request, workspace, found, LEVELS_MAX);
    if (m->brings > 0)
        check_bounds(found, count);
    else
        check_levels(found, count);
    for (size_t i = 0; i < m->caches; i++)
        stop_array(&m->cache[i]);
    for (size_t i = 0; i < m->tlbs; i++)
        stop_array(&m->tlb[i]);
    free(workspace);
}

static void test_lru(void **unused)
{
    (void)unused;
    run_machine(0);
}

static void test_plru(void **unused)
{
    (void)unused;
    run_machine(1);
}

static void test_exclusive(void **unused)
{
    (void)unused;
    run_machine(2);
}

static void test_random(void **unused)
{
    (void)unused;
    run_machine(3);
}

static void test_random_beside(void **unused)
{
    (void)unused;
    run_machine(4);
}

/* The third cache holds less than three times as much as the second: what that holds in addition
 * makes the third one seem faster in all sets between the two. */
static void test_brought_blocks(void **unused)
{
    (void)unused;
    run_machine(5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lru),           cmocka_unit_test(test_plru),
        cmocka_unit_test(test_exclusive),     cmocka_unit_test(test_random),
        cmocka_unit_test(test_random_beside), cmocka_unit_test(test_brought_blocks),
    };

    return cmocka_run_group_tests_name("levels_machines", tests, NULL, NULL);
}
