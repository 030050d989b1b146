/* SPDX-License-Identifier: BSD-2-Clause */
/* core/firmware/pptt.c: a made-up machine's topology, and tables that lie. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/firmware/pptt.h"

#define K 1024u
#define M (1024u * 1024u)

/* ---- building a table */

static uint8_t table[8192];
static uint32_t used;

static void put(uint32_t pos, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        table[pos + i] = (uint8_t)(value >> (8 * i));
}

static void start(uint8_t revision)
{
    memset(table, 0, sizeof(table));
    table[8] = revision;
    used = 36;
}

enum { DATA, CODE, UNIFIED };
#define ALL_VALID 0x7f

static uint32_t cache(unsigned kind, uint32_t next, uint32_t bytes, unsigned ways, unsigned line,
                      uint32_t valid)
{
    uint32_t pos = used;

    put(pos, 1, 1);
    put(pos + 1, 24, 1);
    put(pos + 4, valid, 4);
    put(pos + 8, next, 4);
    put(pos + 12, bytes, 4);
    put(pos + 20, ways, 1);
    put(pos + 21, kind << 2, 1);
    put(pos + 22, line, 2);
    used += 24;
    return pos;
}

#define ID_VALID 2u
#define LEAF     8u

static uint32_t node(uint32_t flags, uint32_t parent, uint32_t id, unsigned count,
                     const uint32_t *resources)
{
    uint32_t pos = used;

    put(pos + 1, 20 + 4 * count, 1);
    put(pos + 4, flags, 4);
    put(pos + 8, parent, 4);
    put(pos + 12, id, 4);
    put(pos + 16, count, 4);
    for (unsigned i = 0; i < count; i++)
        put(pos + 20 + 4 * i, resources[i], 4);
    used += 20 + 4 * count;
    return pos;
}

/* In memory of exactly its size, so that the sanitizer sees every access beyond. */
static size_t caches_of(uint32_t processor, struct cache_level *caches)
{
    uint8_t *exact = malloc(used);
    size_t count;

    memset(caches, 0xa5, CACHE_LEVELS_MAX * sizeof(*caches));
    memcpy(exact, table, used);
    count = pptt_caches(exact, used, processor, caches, CACHE_LEVELS_MAX);
    free(exact);
    return count;
}

/* Two clusters of four cores: L1 each, L2 each behind them, an L3 a cluster, and a system cache of
 * the package. Core 0x105 also has its L2 as a resource of its own. */
static uint32_t package, cluster[2], first_core;

static void machine_start(void)
{
    uint32_t system, l3;

    start(2);
    system = cache(UNIFIED, 0, 32 * M, 16, 64, ALL_VALID);
    package = node(1, 0, 0, 1, &system);
    for (unsigned c = 0; c < 2; c++) {
        l3 = cache(UNIFIED, 0, 4 * M, 12, 64, ALL_VALID);
        cluster[c] = node(0, package, c, 1, &l3);
        for (unsigned i = 0; i < 4; i++) {
            uint32_t l2 = cache(UNIFIED, 0, 512 * K, 8, 64, ALL_VALID);
            uint32_t resources[3] = {cache(CODE, l2, 64 * K, 4, 64, ALL_VALID),
                                     cache(DATA, l2, 64 * K, 4, 64, ALL_VALID), l2};
            uint32_t pos = node(ID_VALID | LEAF, cluster[c], 0x100 * c + i,
                                c == 1 && i == 3 ? 3 : 2, resources);
            first_core = c == 0 && i == 0 ? pos : first_core;
        }
    }
}

static void check_level(const struct cache_level *cache, unsigned level, bool unified,
                        uint64_t bytes, uint32_t ways, uint32_t shared_by)
{
    assert_int_equal(cache->level, level);
    assert_int_equal(cache->unified, unified);
    assert_int_equal(cache->bytes, bytes);
    assert_int_equal(cache->ways, ways);
    assert_int_equal(cache->line_bytes, 64);
    assert_int_equal(cache->shared_by, shared_by);
}

static void a_whole_machine(void **state)
{
    static const uint32_t cores[] = {0, 3, 0x100, 0x103};
    struct cache_level caches[CACHE_LEVELS_MAX];

    (void)state;
    machine_start();
    for (size_t i = 0; i < sizeof(cores) / sizeof(cores[0]); i++) {
        assert_int_equal(caches_of(cores[i], caches), 4);
        check_level(&caches[0], 1, false, 64 * K, 4, 1);
        check_level(&caches[1], 2, true, 512 * K, 8, 1);
        check_level(&caches[2], 3, true, 4 * M, 12, 4);
        check_level(&caches[3], 4, true, 32 * M, 16, 8);
    }
    assert_int_equal(caches_of(4, caches), 0);
    assert_int_equal(caches_of(UINT32_MAX, caches), 0);
}

/* Neither code caches nor nodes that are no CPUs (clusters have ids too) count. */
static void what_does_not_count(void **state)
{
    struct cache_level caches[CACHE_LEVELS_MAX];
    uint32_t code, l1;

    (void)state;
    start(2);
    code = cache(CODE, 0, 32 * K, 2, 64, ALL_VALID);
    node(ID_VALID, 0, 7, 1, &code); /* a cluster whose id is a CPU's */
    l1 = cache(DATA, 0, 32 * K, 2, 64, ALL_VALID);
    node(ID_VALID | LEAF, 0, 7, 1, &l1);
    assert_int_equal(caches_of(7, caches), 1);
    check_level(&caches[0], 1, false, 32 * K, 2, 1);
    /* Without caches, as in QEMU. */
    start(2);
    node(ID_VALID | LEAF, 0, 7, 0, NULL);
    assert_int_equal(caches_of(7, caches), 0);
}

/* Revision 1 has no mark for leaves. */
static void revision_one(void **state)
{
    struct cache_level caches[CACHE_LEVELS_MAX];
    uint32_t l1;

    (void)state;
    start(1);
    l1 = cache(DATA, 0, 32 * K, 2, 64, ALL_VALID);
    node(ID_VALID, 0, 1, 1, &l1);
    assert_int_equal(caches_of(1, caches), 1);
    table[8] = 2;
    assert_int_equal(caches_of(1, caches), 0);
}

static void what_is_not_stated(void **state)
{
    struct cache_level caches[CACHE_LEVELS_MAX];
    uint32_t l1;

    (void)state;
    start(2);
    l1 = cache(DATA, 0, 32 * K, 2, 64, 1 << 4);
    node(ID_VALID | LEAF, 0, 1, 1, &l1);
    assert_int_equal(caches_of(1, caches), 1);
    assert_int_equal(caches[0].bytes, 0);
    assert_int_equal(caches[0].ways, 0);
    assert_int_equal(caches[0].line_bytes, 0);
    assert_false(caches[0].unified);
    put(l1 + 4, 1, 4); /* a size, and no type */
    assert_int_equal(caches_of(1, caches), 1);
    assert_int_equal(caches[0].bytes, 32 * K);
    assert_true(caches[0].unified);
}

static void inconsistent_tables(void **state)
{
    struct cache_level caches[CACHE_LEVELS_MAX];
    uint32_t l1, pos;

    (void)state;
    /* a cache that leads to itself, a parent that is its own */
    start(2);
    l1 = cache(DATA, 0, 32 * K, 2, 64, ALL_VALID);
    put(l1 + 8, l1, 4);
    pos = node(ID_VALID | LEAF, 0, 1, 1, &l1);
    put(pos + 8, pos, 4);
    assert_int_equal(caches_of(1, caches), 1);
    assert_int_equal(caches[0].shared_by, 1);
    /* resources that are not caches, lie outside, or in the header */
    for (uint32_t wrong = 0; wrong < used + 64; wrong++) {
        if (wrong == l1)
            continue;
        put(pos + 20, wrong, 4);
        assert_int_equal(caches_of(1, caches), 0);
    }
    put(pos + 20, 0xffffffff, 4);
    assert_int_equal(caches_of(1, caches), 0);
    /* more resources than the structure has room for */
    put(pos + 20, l1, 4);
    put(pos + 16, 0xffffffff, 4);
    assert_int_equal(caches_of(1, caches), 1);
    /* structures without a length, or longer than the table */
    put(l1 + 1, 0, 1);
    assert_int_equal(caches_of(1, caches), 0);
    put(l1 + 1, 24, 1);
    put(pos + 1, 255, 1);
    assert_int_equal(caches_of(1, caches), 0);
}

/* A chain without an end is cut. */
static void endless_chain(void **state)
{
    struct cache_level caches[CACHE_LEVELS_MAX];
    uint32_t first;

    (void)state;
    start(2);
    first = cache(DATA, used + 24, 32 * K, 2, 64, ALL_VALID);
    for (unsigned i = 0; i < 40; i++)
        cache(UNIFIED, used + 24, 1 * M, 2, 64, ALL_VALID);
    node(ID_VALID | LEAF, 0, 1, 1, &first);
    assert_int_equal(caches_of(1, caches), 8);
    assert_int_equal(caches[7].level, 8);
}

/* Every prefix and every single wrong byte of a sound table: nothing is read past its end, and it
 * ends. */
static void truncated_and_corrupted(void **state)
{
    struct cache_level caches[CACHE_LEVELS_MAX];
    uint32_t whole;

    (void)state;
    machine_start();
    whole = used;
    for (used = 36; used < whole; used++)
        assert_true(caches_of(0x103, caches) <= 8);
    used = whole;
    for (uint32_t pos = 36; pos < whole; pos++) {
        uint8_t kept = table[pos];
        for (unsigned value = 0; value < 256; value += 15) {
            table[pos] = (uint8_t)value;
            assert_true(caches_of(0x103, caches) <= 8);
        }
        table[pos] = kept;
    }
}

static void merged(void **state)
{
    struct cache_level caches[4] = {
        {.level = 1, .bytes = 32 * K, .ways = 4, .line_bytes = 64},
        {.level = 2, .unified = true, .bytes = 1 * M, .ways = 8, .line_bytes = 64},
    };
    static const struct cache_level firmware[] = {
        {.level = 1, .bytes = 64 * K, .shared_by = 1},
        {.level = 2, .unified = true, .ways = 16, .shared_by = 2},
        {.level = 3, .unified = true, .bytes = 0, .shared_by = 4},
        {.level = 4, .unified = true, .bytes = 32 * M, .shared_by = 8},
    };

    (void)state;
    assert_int_equal(pptt_merge(caches, 2, firmware, 4, 4), 3);
    check_level(&caches[0], 1, false, 64 * K, 4, 1);
    check_level(&caches[1], 2, true, 1 * M, 16, 2);
    assert_int_equal(caches[2].level, 4);
    assert_int_equal(caches[2].bytes, 32 * M);
    /* no room; nothing stated; nothing known */
    assert_int_equal(pptt_merge(caches, 2, firmware, 4, 2), 2);
    assert_int_equal(pptt_merge(caches, 2, firmware, 0, 4), 2);
    assert_int_equal(pptt_merge(caches, 0, firmware, 2, 4), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_machine),
        cmocka_unit_test(what_does_not_count),
        cmocka_unit_test(revision_one),
        cmocka_unit_test(what_is_not_stated),
        cmocka_unit_test(inconsistent_tables),
        cmocka_unit_test(endless_chain),
        cmocka_unit_test(truncated_and_corrupted),
        cmocka_unit_test(merged),
    };
    return cmocka_run_group_tests_name("pptt", tests, NULL, NULL);
}
