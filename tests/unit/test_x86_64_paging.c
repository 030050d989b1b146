/* SPDX-License-Identifier: BSD-2-Clause */
/* Page tables of x86-64, walked by a walker that shares no code with the builder: each page of the
 * window, every leaf of the firmware's before and after, and every refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/x86_64/pure_control.h"
#include "arch/x86_64/pure_paging.h"
#include "tests/unit/support_tables.h"

#define KI 1024ull
#define MI (1024 * KI)
#define GI (1024 * MI)

#define WB_PAT 0x0007040600070406ull

/* ---- the firmware's address space, and the arena */

struct space {
    unsigned levels;
    uint64_t root;
    struct table_memory memory;
};

static uint64_t *space_entry(struct space *s, uint64_t table, uint64_t va, unsigned level)
{
    return &s->memory.table[(table - TABLES_BASE) / 4096][va >> (3 + 9 * level) & 511];
}

/* Maps [va, va + 2^shift) by one leaf; flags without the large bit. */
static void space_map(struct space *s, uint64_t va, uint64_t pa, unsigned shift, uint64_t flags)
{
    unsigned leaf = (shift - 3) / 9;
    uint64_t table = s->root;

    for (unsigned level = s->levels; level > leaf; level--) {
        uint64_t *entry = space_entry(s, table, va, level);
        if (!*entry)
            *entry = table_memory_add(&s->memory) | 0x27; /* present, writable, user, accessed */
        table = *entry & 0xffffffffff000ull;
    }
    *space_entry(s, table, va, leaf) = pa | flags | (leaf > 1 ? 0x80 : 0);
}

static struct space *space_new(unsigned levels)
{
    struct space *s = calloc(1, sizeof *s);
    assert_non_null(s);
    table_memory_start(&s->memory, 4096);
    s->levels = levels;
    s->root = table_memory_add(&s->memory);
    return s;
}

static void space_free(struct space *s)
{
    table_memory_stop(&s->memory);
    free(s);
}

/* Attributes that a leaf may carry: caching, global, user, software bits, protection key, NX,
 * accessed, dirty; pat is the size's PAT bit. */
static uint64_t leaf_flags(uint64_t *seed, uint64_t pat)
{
    uint64_t r = random_next(seed);
    return 1 | (r & (0x2 | 0x4 | 0x8 | 0x10 | 0x20 | 0x40 | 0x100 | 0xe00 | pat)) |
           (r & (0x7ffull << 52)) | (r & (1ull << 63));
}

/* 4K leaves in [0, 4 MiB) with a null guard and in 32 MiB from 1 GiB, 2M leaves up to 4 GiB, 1G
 * leaves up to 640 GiB, and something in the upper half. */
static struct space *firmware_usual(unsigned levels)
{
    struct space *s = space_new(levels);
    uint64_t seed = 7;

    for (uint64_t pos = 4096; pos < 4 * MI; pos += 4096)
        space_map(s, pos, pos, 12, leaf_flags(&seed, 0x80));
    for (uint64_t pos = 4 * MI; pos < 4 * GI; pos += 2 * MI)
        if (pos < GI || pos >= GI + 32 * MI)
            space_map(s, pos, pos, 21, leaf_flags(&seed, 0x1000));
    for (uint64_t pos = GI; pos < GI + 32 * MI; pos += 4096)
        space_map(s, pos, pos, 12, leaf_flags(&seed, 0x80));
    for (uint64_t pos = 4 * GI; pos < 640 * GI; pos += GI)
        space_map(s, pos, pos, 30, leaf_flags(&seed, 0x1000));
    space_map(s, levels == 5 ? 0xff00000000200000ull : 0xffff800000200000ull, 6 * MI, 21, 0x63);
    return s;
}

/* ---- the independent walker */

struct walked {
    uint64_t pa;
    uint64_t attributes; /* PAT index, G, A, D, software bits, key: of the leaf */
    unsigned shift;      /* 0: not mapped */
    bool writable, user, no_execute;
};

static struct walked walk(struct space *s, uint64_t cr3, uint64_t va)
{
    struct walked w = {.writable = true, .user = true};
    uint64_t table = cr3 & 0xffffffffff000ull;

    for (unsigned shift = s->levels == 5 ? 48 : 39; shift >= 12; shift -= 9) {
        const uint64_t *t = table_memory_reach(&s->memory, phys_make(table));
        assert_non_null(t);
        uint64_t e = t[va >> shift & 511];
        if (!(e & 1))
            return w;
        w.writable = w.writable && (e & 2);
        w.user = w.user && (e & 4);
        w.no_execute = w.no_execute || e >> 63;
        if (shift == 12 || (shift <= 30 && (e & 0x80))) {
            uint64_t pat = shift == 12 ? e >> 7 & 1 : e >> 12 & 1;
            uint64_t offset = (1ull << shift) - 1;
            w.pa = (e & 0xffffffffff000ull & ~offset) | (va & offset);
            w.attributes = pat << 2 | (e >> 3 & 3) | (e & 0x160) << 8 | (e & 0xe00) << 16 |
                           (e & (0x7ffull << 52));
            w.shift = shift;
            return w;
        }
        assert_false(shift > 30 && (e & 0x80));
        table = e & 0xffffffffff000ull;
    }
    return w;
}

static void same_translation(struct space *s, uint64_t ours, uint64_t va)
{
    struct walked was = walk(s, s->root, va), is = walk(s, ours, va);

    assert_int_equal(was.shift != 0, is.shift != 0);
    if (!was.shift)
        return;
    assert_int_equal(was.pa, is.pa);
    assert_int_equal(was.attributes, is.attributes);
    assert_int_equal(was.writable, is.writable);
    assert_int_equal(was.user, is.user);
    assert_int_equal(was.no_execute, is.no_execute);
}

/* ---- one build and all that must hold of it */

static struct arch_table_request request_make(struct space *s, struct frames_of *f)
{
    struct arch_table_request request = {.window = frames_request(f, &s->memory)};
    request.paging.root = s->root;
    request.paging.control[PAGING_CR0] = 0x80010033;
    request.paging.control[PAGING_CR4] = 0x668 | (s->levels == 5 ? 1u << 12 : 0);
    request.paging.control[PAGING_EFER] = 0xd00;
    request.paging.control[PAGING_ADDRESS_BITS] = 46;
    request.paging.control[PAGING_PAGE_SIZES] = 1u << 12 | 1u << 21 | 1u << 30;
    request.paging.control[PAGING_PAT] = WB_PAT;
    return request;
}

static uint64_t bytes_bound(const struct arch_table_request *request)
{
    return x86_64_tables_bytes(&request->paging, request->window.page, request->window.map,
                               request->window.pages);
}

static void window_check(struct space *s, struct frames_of *f, const struct table_tree *tables)
{
    for (uint64_t page = 0; page < f->pages; page++) {
        uint64_t va = tables->base + (page << f->page), offset = (1ull << f->page) - 8;
        struct walked first = walk(s, tables->root, va), last = walk(s, tables->root, va + offset);
        assert_int_equal(first.shift, f->page);
        assert_int_equal(first.pa, frames_give(f, page).value);
        assert_int_equal(last.pa, first.pa + offset);
        assert_true(first.writable);
        assert_false(first.user);
        assert_true(first.no_execute);
        /* accessed and dirty set; PAT entry 0; not global, no software bit, key 0 */
        assert_int_equal(first.attributes, 0x60 << 8);
    }
}

/* Each leaf of the firmware's at its first, last and a middle page, and the two ends of the window
 * page by page, where splits are. */
static void rest_check(struct space *s, struct frames_of *f, const struct table_tree *tables)
{
    uint64_t end = tables->base + (f->pages << f->page);

    for (uint64_t va = 0; va < 644 * GI;) {
        struct walked w = walk(s, s->root, va);
        uint64_t bytes = w.shift ? 1ull << w.shift : va < 4 * GI ? 4096 : GI;
        uint64_t probe[] = {va, va + bytes / 2, va + bytes - 1};
        for (unsigned i = 0; i < (bytes > 4096 ? 3 : 1); i++)
            if (!frames_hold(f, tables, probe[i]))
                same_translation(s, tables->root, probe[i]);
        va += bytes;
    }
    for (uint64_t step = 4096; step <= GI; step *= 512)
        for (uint64_t i = 1; i <= 600; i++) {
            if (!frames_hold(f, tables, tables->base - i * step))
                same_translation(s, tables->root, tables->base - i * step);
            if (!frames_hold(f, tables, end + (i - 1) * step))
                same_translation(s, tables->root, end + (i - 1) * step);
        }
    same_translation(s, tables->root,
                     s->levels == 5 ? 0xff00000000200000ull : 0xffff800000200000ull);
}

static bool is_canonical(uint64_t va, unsigned levels)
{
    unsigned drop = levels == 5 ? 64 - 57 : 64 - 48;
    return (uint64_t)((int64_t)(va << drop) >> drop) == va;
}

static void build_and_check(struct space *s, struct frames_of *f, struct table_tree *tables)
{
    struct arch_table_request request = request_make(s, f);
    uint64_t(*before)[512] = malloc(s->memory.tables * sizeof *before);
    assert_non_null(before);
    memcpy(before, s->memory.table, s->memory.tables * sizeof *before);

    table_memory_arena(&s->memory, &request.window, bytes_bound(&request));
    assert_int_equal(x86_64_tables_build(&request, tables), STATUS_OK);
    assert_null(tables->refusal);
    assert_true(tables->arena_used <= request.window.arena_bytes);
    assert_true(tables->root >= ARENA_BASE && tables->root < ARENA_BASE + tables->arena_used);
    assert_true(is_canonical(tables->base, s->levels));
    assert_true(is_canonical(tables->base + (f->pages << f->page) - 1, s->levels));
    if (f->map == MAP_IDENTITY)
        assert_int_equal(tables->base, f->base);
    else /* nothing of the firmware's was there */
        for (uint64_t page = 0; page < f->pages; page++)
            assert_int_equal(walk(s, s->root, tables->base + (page << f->page)).shift, 0);
    window_check(s, f, tables);
    rest_check(s, f, tables);

    arena_is_exact(&s->memory, x86_64_tables_build, &request, tables->arena_used);
    assert_memory_equal(before, s->memory.table, s->memory.tables * sizeof *before);
    free(before);
}

static void usual_case(unsigned levels, enum page_size page, enum map_mode map, uint64_t base,
                       uint64_t pages)
{
    struct space *s = firmware_usual(levels);
    struct frames_of f = {.map = map, .page = page, .base = base, .pages = pages};
    struct table_tree tables;

    build_and_check(s, &f, &tables);
    assert_true(tables.leaf_bytes >= (pages + 511) / 512 * 4096);
    assert_true(tables.leaf_bytes <= ((pages + 511) / 512 + 1) * 4096);
    space_free(s);
}

static void test_windows(void **state)
{
    static const struct {
        enum page_size page;
        uint64_t pages;
    } list[] = {{PAGE_4K, 1},   {PAGE_4K, 511}, {PAGE_4K, 512}, {PAGE_4K, 513}, {PAGE_4K, 5000},
                {PAGE_2M, 1},   {PAGE_2M, 512}, {PAGE_2M, 701}, {PAGE_1G, 1},   {PAGE_1G, 3},
                {PAGE_1G, 512}, {PAGE_1G, 600}, {PAGE_1G, 1025}};
    (void)state;
    for (unsigned levels = 4; levels <= 5; levels++)
        for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
            usual_case(levels, list[i].page, MAP_WINDOW, 8 * GI, list[i].pages);
}

static void test_identity(void **state)
{
    static const struct {
        enum page_size page;
        uint64_t base, pages;
    } list[] = {
        {PAGE_4K, GI + 20 * KI, 700},       /* inside 4K leaves, shared ends */
        {PAGE_4K, 2 * GI + 12 * KI, 1},     /* one page of a 2M leaf */
        {PAGE_4K, 2 * GI + 12 * KI, 2000},  /* several 2M leaves, both ends cut */
        {PAGE_4K, 9 * GI + 12 * KI, 600},   /* a 1G leaf cut twice */
        {PAGE_4K, 4 * GI - 8 * MI, 5000},   /* from 2M leaves into a 1G leaf */
        {PAGE_4K, 513 * GI - 4 * MI, 3000}, /* from one 1G leaf into the next */
        {PAGE_4K, 512 * GI - 4 * MI, 2048}, /* across two top entries (4 levels) */
        {PAGE_2M, GI, 10},                  /* 4K leaves coalesced */
        {PAGE_2M, GI + 30 * MI, 3},         /* 4K and 2M leaves */
        {PAGE_2M, 3 * GI + 2 * MI, 100},    /* 2M leaves as they are */
        {PAGE_2M, 10 * GI + 2 * MI, 1500},  /* 1G leaves cut */
        {PAGE_2M, 512 * GI - 64 * MI, 64},  /* across two top entries */
        {PAGE_1G, GI, 1},                   /* 4K and 2M leaves coalesced */
        {PAGE_1G, 2 * GI, 4},               /* 2M tables and 1G leaves */
        {PAGE_1G, 5 * GI, 600},             /* across two top entries */
    };
    (void)state;
    for (unsigned levels = 4; levels <= 5; levels++)
        for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
            usual_case(levels, list[i].page, MAP_IDENTITY, list[i].base, list[i].pages);
}

static void test_random(void **state)
{
    static const enum page_size sizes[] = {PAGE_4K, PAGE_2M, PAGE_1G};
    uint64_t seed = 20;
    (void)state;
    for (unsigned i = 0; i < 40; i++) {
        uint64_t r = random_next(&seed);
        enum page_size page = sizes[r % 3];
        uint64_t pages = 1 + random_next(&seed) % (page == PAGE_1G ? 20 : 1500);
        uint64_t base = GI + random_next(&seed) % (500 * GI);
        usual_case(4 + (r >> 8 & 1), page, r >> 9 & 1 ? MAP_WINDOW : MAP_IDENTITY,
                   base >> page << page, pages);
    }
}

/* The window keeps its distance from what the firmware maps, in the lower half. */
static void test_window_place(void **state)
{
    struct space *s = firmware_usual(4);
    struct frames_of f = {.map = MAP_WINDOW, .page = PAGE_1G, .base = 8 * GI, .pages = 600};
    struct table_tree tables;
    (void)state;

    build_and_check(s, &f, &tables);
    assert_true(tables.base < 1ull << 47);
    for (unsigned slot = 0; slot < 4; slot++) { /* two of its own, one free on each side */
        uint64_t va = tables.base + ((uint64_t)slot << 39) - (1ull << 39);
        assert_int_equal(s->memory.table[0][va >> 39 & 511], 0);
        assert_true(va + (1ull << 39) <= 1ull << 47);
    }
    space_free(s);
}

/* ---- roots with little or no room */

/* Fills every slot of the root but [first, first + count) with links to one table of 1G leaves. */
static struct space *root_full(unsigned levels, unsigned first, unsigned count, uint64_t *full3)
{
    struct space *s = space_new(levels);
    uint64_t top = s->root;

    *full3 = table_memory_add(&s->memory);
    for (uint64_t i = 0; i < 512; i++)
        *space_entry(s, *full3, i << 30, 3) = i << 30 | 0xe3;
    if (levels == 5) {
        uint64_t full4 = table_memory_add(&s->memory);
        for (uint64_t i = 0; i < 512; i++) {
            *space_entry(s, top, i << 48, 5) = full4 | 0x23;
            *space_entry(s, full4, i << 39, 4) = *full3 | 0x23;
        }
    } else {
        for (uint64_t i = 0; i < 512; i++)
            *space_entry(s, top, i << 39, 4) = *full3 | 0x23;
    }
    for (unsigned i = first; i < first + count; i++)
        s->memory.table[0][i] = 0;
    return s;
}

static void window_in(struct space *s, enum page_size page, uint64_t pages, uint64_t base)
{
    struct frames_of f = {.map = MAP_WINDOW, .page = page, .base = 8 * GI, .pages = pages};
    struct table_tree tables;

    build_and_check(s, &f, &tables);
    assert_int_equal(tables.base, base);
    space_free(s);
}

static void test_root_nearly_full(void **state)
{
    uint64_t full3;
    (void)state;
    window_in(root_full(4, 255, 1, &full3), PAGE_4K, 700, 255ull << 39);
    window_in(root_full(4, 300, 1, &full3), PAGE_2M, 700, 0xffff000000000000ull | 300ull << 39);
    window_in(root_full(4, 511, 1, &full3), PAGE_1G, 512, 0xffff000000000000ull | 511ull << 39);
    window_in(root_full(4, 254, 2, &full3), PAGE_1G, 513, 254ull << 39);
    window_in(root_full(5, 17, 1, &full3), PAGE_4K, 700, 17ull << 48);
    window_in(root_full(5, 400, 1, &full3), PAGE_1G, 600, 0xfe00000000000000ull | 400ull << 48);
}

/* A place with a free slot on both sides is preferred to a higher one that touches a mapping below
 * it or above it. */
static void test_margins(void **state)
{
    uint64_t full3;
    struct space *s = root_full(4, 50, 4, &full3);
    (void)state;

    for (unsigned slot = 100; slot < 103; slot++)
        s->memory.table[0][slot] = 0;
    window_in(s, PAGE_1G, 513, 51ull << 39);
}

/* The only free entry is below a link without write permission. */
static void test_read_only_room(void **state)
{
    uint64_t full3;
    struct space *s = root_full(4, 0, 0, &full3);
    struct frames_of f = {.map = MAP_WINDOW, .page = PAGE_4K, .base = 8 * GI, .pages = 3};
    struct arch_table_request request = request_make(s, &f);
    struct table_tree tables;
    uint64_t table = table_memory_add(&s->memory);
    (void)state;

    *space_entry(s, s->root, 9ull << 39, 4) = table | 0x21;
    table_memory_arena(&s->memory, &request.window, bytes_bound(&request));
    assert_int_equal(x86_64_tables_build(&request, &tables), STATUS_REFUSED);
    assert_non_null(strstr(tables.refusal, "free range"));
    *space_entry(s, s->root, 9ull << 39, 4) = table | 0x23;
    assert_int_equal(x86_64_tables_build(&request, &tables), STATUS_OK);
    space_free(s);
}

/* The only two free slots lie on both sides of the canonical hole: no window across it. */
static void test_root_hole(void **state)
{
    uint64_t full3;
    struct space *s = root_full(4, 255, 2, &full3);
    struct frames_of f = {.map = MAP_WINDOW, .page = PAGE_1G, .base = 8 * GI, .pages = 513};
    struct arch_table_request request = request_make(s, &f);
    struct table_tree tables;
    (void)state;

    table_memory_arena(&s->memory, &request.window, bytes_bound(&request));
    assert_int_equal(x86_64_tables_build(&request, &tables), STATUS_REFUSED);
    assert_non_null(strstr(tables.refusal, "free range"));
    space_free(s);
    window_in(root_full(4, 255, 2, &full3), PAGE_1G, 512, 255ull << 39);
}

/* Only slot 0 is free, and it begins at address 0: the build is refused rather than a null pointer
 * made readable. */
static void test_null_stays_unmapped(void **state)
{
    uint64_t full3;
    struct space *s = root_full(4, 0, 1, &full3);
    struct frames_of f = {.map = MAP_WINDOW, .page = PAGE_4K, .base = 8 * GI, .pages = 3};
    struct arch_table_request request = request_make(s, &f);
    struct table_tree tables;
    (void)state;

    table_memory_arena(&s->memory, &request.window, bytes_bound(&request));
    assert_int_equal(x86_64_tables_build(&request, &tables), STATUS_REFUSED);
    space_free(s);
}

/* A table of that level without a free slot: 1G or 2M or 4K leaves, or links to full3. */
static uint64_t table_full(struct space *s, unsigned level, uint64_t full3)
{
    uint64_t table = table_memory_add(&s->memory);
    for (uint64_t i = 0; i < 512; i++) {
        uint64_t leaf = i << (3 + 9 * level) | 0x63 | (level > 1 ? 0x80 : 0);
        s->memory.table[(table - TABLES_BASE) / 4096][i] = level > 3 ? full3 | 0x23 : leaf;
    }
    return table;
}

/* Room only at a level below a full root: one, two or three levels down (four with LA57). */
static void root_full_case(unsigned levels, unsigned room)
{
    uint64_t full3, va = 5ull << 39 | (levels == 5 ? 3ull << 48 : 0), table;
    struct space *s = root_full(levels, 0, 0, &full3);
    unsigned shift = 3 + 9 * room, slot = 100;
    enum page_size page = room == 4 ? PAGE_1G : room == 3 ? PAGE_2M : PAGE_4K;

    table = s->root;
    for (unsigned level = levels; level > room; level--) {
        uint64_t below = table_full(s, level - 1, full3);
        *space_entry(s, table, va, level) = below | 0x23;
        table = below;
    }
    for (unsigned i = slot; i < slot + 20; i++)
        s->memory.table[(table - TABLES_BASE) / 4096][i] = 0;
    va = va >> (shift + 9) << (shift + 9) | (uint64_t)(slot + 1) << shift;
    /* 18 slots are wanted where 20 are free: one is left on both sides */
    window_in(s, page, (17ull << (shift - page)) + 1, va);
}

static void test_root_full(void **state)
{
    (void)state;
    for (unsigned room = 3; room >= 1; room--) {
        root_full_case(4, room);
        root_full_case(5, room);
    }
    root_full_case(5, 4);
}

/* A 1G window whose only room is between the firmware's own 1G leaves, without a slot to spare. */
static void test_leaf_level_shared(void **state)
{
    uint64_t full3;
    struct space *s = root_full(4, 0, 0, &full3);
    uint64_t table = table_memory_add(&s->memory);
    (void)state;

    *space_entry(s, s->root, 9ull << 39, 4) = table | 0x23;
    for (uint64_t i = 0; i < 512; i++)
        *space_entry(s, table, i << 30, 3) = i << 30 | 0xe3;
    for (unsigned i = 40; i < 43; i++)
        *space_entry(s, table, (uint64_t)i << 30, 3) = 0;
    window_in(s, PAGE_1G, 3, 9ull << 39 | 40ull << 30);
}

/* ---- attributes by register */

static uint64_t leaf_entry(struct space *s, const struct table_tree *tables, unsigned shift)
{
    uint64_t table = tables->root & 0xffffffffff000ull, entry = 0;
    for (unsigned pos = 39; pos >= shift; pos -= 9) {
        const uint64_t *t = table_memory_reach(&s->memory, phys_make(table));
        entry = t[tables->base >> pos & 511];
        table = entry & 0xffffffffff000ull;
    }
    return entry;
}

static void test_attributes(void **state)
{
    static const struct {
        uint64_t pat, efer;
        enum page_size page;
        uint64_t expected; /* entry without its address */
    } list[] = {
        {WB_PAT, 0xd00, PAGE_4K, 0x8000000000000063ull},
        {WB_PAT, 0xd00, PAGE_2M, 0x80000000000000e3ull},
        {WB_PAT, 0x500, PAGE_4K, 0x63},
        {0x0007040006070401ull, 0xd00, PAGE_4K, 0x800000000000007bull}, /* WB is entry 3 */
        {0x0007060000070401ull, 0xd00, PAGE_4K, 0x80000000000000ebull}, /* entry 5 */
        {0x0607040000070401ull, 0xd00, PAGE_2M, 0x80000000000010fbull}, /* entry 7 */
        {0x0007040000070601ull, 0xd00, PAGE_1G, 0x80000000000000ebull}, /* entry 1 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct space *s = firmware_usual(4);
        struct frames_of f = {.map = MAP_WINDOW, .page = list[i].page, .base = 8 * GI, .pages = 1};
        struct arch_table_request request = request_make(s, &f);
        struct table_tree tables;
        request.paging.control[PAGING_PAT] = list[i].pat;
        request.paging.control[PAGING_EFER] = list[i].efer;
        table_memory_arena(&s->memory, &request.window, bytes_bound(&request));
        assert_int_equal(x86_64_tables_build(&request, &tables), STATUS_OK);
        assert_int_equal(leaf_entry(s, &tables, list[i].page), list[i].expected | 8 * GI);
        space_free(s);
    }
}

/* How CR3 itself is cached is kept; its process-context and tag bits are not. */
static void test_root_bits(void **state)
{
    struct space *s = firmware_usual(4);
    struct frames_of f = {.map = MAP_WINDOW, .page = PAGE_4K, .base = 8 * GI, .pages = 1};
    struct arch_table_request request = request_make(s, &f);
    struct table_tree tables;
    (void)state;

    request.paging.root |= 0x18 | 1ull << 62;
    table_memory_arena(&s->memory, &request.window, bytes_bound(&request));
    assert_int_equal(x86_64_tables_build(&request, &tables), STATUS_OK);
    assert_int_equal(tables.root, ARENA_BASE | 0x18);
    space_free(s);
}

/* ---- refusals */

typedef void spoil(struct space *s, struct arch_table_request *request, struct frames_of *f);

static void spoil_pcid(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)s, (void)f;
    request->paging.control[PAGING_CR4] |= 1u << 17;
}

static void spoil_shadow(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)s, (void)f;
    request->paging.control[PAGING_CR4] |= 1u << 23;
    request->paging.control[PAGING_S_CET] = 1;
}

static void spoil_caches(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)s, (void)f;
    request->paging.control[PAGING_CR0] |= 1u << 30;
}

static void spoil_pat(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)s, (void)f;
    request->paging.control[PAGING_PAT] = 0x0007040100070401ull;
}

static void spoil_huge(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)s;
    request->paging.control[PAGING_PAGE_SIZES] = 1u << 12 | 1u << 21;
    request->window.page = f->page = PAGE_1G;
}

static void spoil_cr3_address(struct space *s, struct arch_table_request *request,
                              struct frames_of *f)
{
    (void)s, (void)f;
    request->paging.root |= 1ull << 47;
}

static void spoil_root_entry(struct space *s, struct arch_table_request *request,
                             struct frames_of *f)
{
    (void)request, (void)f;
    s->memory.table[0][256] |= 1ull << 51;
}

static void spoil_leaf_address(struct space *s, struct arch_table_request *request,
                               struct frames_of *f)
{
    uint64_t root = s->memory.table[0][0] & 0xffffffffff000ull;
    request->window.map = f->map = MAP_IDENTITY;
    f->base = 9 * GI;
    *space_entry(s, root, 30 * GI, 3) |= 1ull << 46;
}

static void spoil_reach(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)request, (void)f;
    s->memory.unreadable = s->root;
}

static void spoil_below(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    request->window.map = f->map = MAP_IDENTITY;
    f->base = 3 * GI;
    s->memory.unreadable = s->memory.table[0][0] & 0xffffffffff000ull;
}

static void spoil_read_only(struct space *s, struct arch_table_request *request,
                            struct frames_of *f)
{
    request->window.map = f->map = MAP_IDENTITY;
    f->base = 3 * GI;
    s->memory.table[0][0] &= ~2ull;
}

/* The first address of the upper half is not canonical as a physical one is written. */
static void spoil_half(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)s;
    request->window.map = f->map = MAP_IDENTITY;
    request->paging.control[PAGING_ADDRESS_BITS] = 52;
    f->base = (1ull << 47) - 3 * 4096;
}

static void spoil_none(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)s;
    request->window.pages = f->pages = 0;
}

static void spoil_many(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)s;
    request->window.pages = f->pages = (1ull << 35) + 1;
}

static void spoil_arena(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)s, (void)f;
    request->window.arena.value += 8;
}

static void spoil_frame(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)s, (void)request;
    f->stray = 2;
    f->wrong = 8 * GI + 8;
}

static void spoil_far_frame(struct space *s, struct arch_table_request *request,
                            struct frames_of *f)
{
    (void)s, (void)request;
    f->stray = 2;
    f->wrong = 1ull << 46;
}

static void spoil_gap(struct space *s, struct arch_table_request *request, struct frames_of *f)
{
    (void)s;
    request->window.map = f->map = MAP_IDENTITY;
    f->stray = 2;
    f->wrong = 8 * GI + 4 * 4096;
}

static void test_refusals(void **state)
{
    static const struct {
        spoil *spoil;
        enum status status;
        const char *words;
    } list[] = {
        {spoil_pcid, STATUS_REFUSED, "PCIDE"},
        {spoil_shadow, STATUS_REFUSED, "shadow stack"},
        {spoil_caches, STATUS_REFUSED, "caches off"},
        {spoil_pat, STATUS_REFUSED, "write-back"},
        {spoil_huge, STATUS_UNSUPPORTED, "no pages of this size"},
        {spoil_cr3_address, STATUS_REFUSED, "encryption"},
        {spoil_root_entry, STATUS_REFUSED, "encryption"},
        {spoil_leaf_address, STATUS_REFUSED, "encryption"},
        {spoil_reach, STATUS_REFUSED, "cannot be read"},
        {spoil_below, STATUS_REFUSED, "cannot be read"},
        {spoil_read_only, STATUS_REFUSED, "read-only"},
        {spoil_half, STATUS_REFUSED, "beyond the addresses"},
        {spoil_none, STATUS_BAD_INPUT, "no page"},
        {spoil_many, STATUS_BAD_INPUT, "more pages"},
        {spoil_arena, STATUS_BAD_INPUT, "aligned"},
        {spoil_frame, STATUS_BAD_INPUT, "frame"},
        {spoil_far_frame, STATUS_BAD_INPUT, "frame"},
        {spoil_gap, STATUS_BAD_INPUT, "contiguous"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct space *s = firmware_usual(4);
        struct frames_of f = {.map = MAP_WINDOW, .page = PAGE_4K, .base = 8 * GI, .pages = 4};
        struct arch_table_request request = request_make(s, &f);
        struct table_tree tables;
        table_memory_arena(&s->memory, &request.window, 64 * 4096);
        assert_int_equal(x86_64_tables_build(&request, &tables), STATUS_OK);
        list[i].spoil(s, &request, &f);
        assert_int_equal(x86_64_tables_build(&request, &tables), list[i].status);
        assert_non_null(tables.refusal);
        assert_non_null(strstr(tables.refusal, list[i].words));
        assert_int_equal(tables.root, 0);
        space_free(s);
    }
}

/* CR4.CET alone, with no shadow stack live, is no reason to refuse. */
static void test_cet_without_shadow_stack(void **state)
{
    struct space *s = firmware_usual(4);
    struct frames_of f = {.map = MAP_WINDOW, .page = PAGE_4K, .base = 8 * GI, .pages = 4};
    struct arch_table_request request = request_make(s, &f);
    struct table_tree tables;
    (void)state;

    request.paging.control[PAGING_CR4] |= 1u << 23;
    table_memory_arena(&s->memory, &request.window, bytes_bound(&request));
    assert_int_equal(x86_64_tables_build(&request, &tables), STATUS_OK);
    space_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_window_place),
        cmocka_unit_test(test_root_nearly_full),
        cmocka_unit_test(test_margins),
        cmocka_unit_test(test_read_only_room),
        cmocka_unit_test(test_root_hole),
        cmocka_unit_test(test_null_stays_unmapped),
        cmocka_unit_test(test_root_full),
        cmocka_unit_test(test_leaf_level_shared),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_root_bits),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_cet_without_shadow_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
