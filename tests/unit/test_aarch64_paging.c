/* SPDX-License-Identifier: BSD-2-Clause */
/* Page tables of AArch64, walked by a walker that shares no code with the builder: every T0SZ, page
 * size, kind of map and translation regime, over random tables of a firmware, full roots, and every
 * refusal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arch/aarch64/pure_control.h"
#include "arch/aarch64/pure_paging.h"
#include "tests/unit/support_tables.h"

#define MI (1ull << 20)
#define GI (1ull << 30)

#define MAIR       0xffbb4400ull /* write-back is attribute 3 */
#define ASID       0x00ab000000000000ull
#define CONTIGUOUS (1ull << 52)
#define LINK_RO    (1ull << 62)
#define ADDRESS    0xfffffffff000ull

enum regime { EL1, EL2, VHE };

/* ---- the firmware's address space, and the arena */

struct space {
    unsigned t0sz, depth; /* depth: tables on the way to a 4K page, 4 or 3 */
    enum regime regime;
    unsigned root_entries;
    uint64_t root; /* not aligned to 4 KiB where it is smaller */
    struct table_memory memory;
    bool links_count; /* attributes of links apply */
};

static uint64_t *words_at(struct space *s, uint64_t address)
{
    uint64_t *words = table_memory_reach(&s->memory, phys_make(address));
    assert_non_null(words);
    return words;
}

static struct space *space_new(unsigned t0sz, enum regime regime)
{
    struct space *s = calloc(1, sizeof *s);
    assert_non_null(s);
    table_memory_start(&s->memory, 64);
    s->t0sz = t0sz;
    s->regime = regime;
    s->links_count = true;
    s->depth = t0sz <= 24 ? 4 : 3;
    s->root_entries = 1u << (64 - t0sz - (s->depth == 4 ? 39 : 30));
    uint64_t bytes = s->root_entries * 8 < 64 ? 64 : s->root_entries * 8;
    s->root = table_memory_add(&s->memory) + 4096 - bytes;
    /* what is not the root must not be taken for it */
    for (unsigned i = 0; i < (4096 - bytes) / 8; i++)
        s->memory.table[0][i] = 0x40000000 | 3;
    for (unsigned i = s->root_entries; i < bytes / 8; i++)
        words_at(s, s->root)[i] = 0x40000000 | 3;
    return s;
}

static void space_free(struct space *s)
{
    table_memory_stop(&s->memory);
    free(s);
}

static unsigned shift_of(unsigned level) /* the architecture's level: 0 to 3 */
{
    return 39 - 9 * level;
}

/* A leaf with random attributes: index, NS, AP, SH, AF, nG, GP, DBM, contiguous, PXN, UXN, software
 * bits, and a block's nT, which a split has to drop. */
static uint64_t leaf_make(uint64_t va, unsigned level, uint64_t *seed)
{
    uint64_t r = random_next(seed);
    uint64_t type = level == 3 ? 3 : 1;
    return va | type | (r & 0xffc) | (r & 0xfffcull << 48) | (level < 3 ? r & 1ull << 16 : 0);
}

/* Fills a table with leaves (address to itself), links, holes; links only down to level `deepest`
 * and while there are tables. Link attributes: NSTable, XNTable, PXNTable, APTable[0]. */
static void fill(struct space *s, uint64_t table, unsigned level, uint64_t va, unsigned entries,
                 uint64_t *seed)
{
    for (unsigned i = 0; i < entries; i++) {
        uint64_t pos = va | (uint64_t)i << shift_of(level), r = random_next(seed);
        uint64_t entry = 0;
        if (r % 4 == 0 && level < 3 && s->memory.tables < 12) {
            uint64_t below = table_memory_add(&s->memory);
            entry = below | 3 | (r & (1ull << 63 | 7ull << 59)) | (r & (0x7full << 52));
            words_at(s, table)[i] = entry;
            fill(s, below, level + 1, pos, 512, seed);
        } else if (r % 4 <= 1 && level > 0) {
            entry = leaf_make(pos, level, seed);
        } else if (r % 16 == 5) {
            entry = r & ~3ull; /* not valid, the rest is whatever software keeps there */
        }
        words_at(s, table)[i] = entry;
    }
}

static struct space *firmware_random(unsigned t0sz, enum regime regime, uint64_t seed)
{
    struct space *s = space_new(t0sz, regime);
    fill(s, s->root, 4 - s->depth, 0, s->root_entries, &seed);
    return s;
}

/* ---- the independent walker */

struct walked {
    unsigned shift; /* 0: not mapped */
    uint64_t pa;
    uint64_t attributes; /* of the leaf, contiguous hint apart */
    uint64_t above;      /* attributes of the links, together */
    bool contiguous, private_table;
};

static struct walked walk(struct space *s, uint64_t ttbr, uint64_t va)
{
    struct walked w = {0};
    unsigned level = 4 - s->depth;
    uint64_t bytes = s->root_entries * 8 < 64 ? 64 : s->root_entries * 8;
    uint64_t table = ttbr << 16 >> 16 & ~(bytes - 1);

    if (va >> (64 - s->t0sz))
        return w;
    for (;; level++) {
        unsigned entries = level == 4 - s->depth ? s->root_entries : 512;
        uint64_t e = words_at(s, table)[va >> shift_of(level) & (entries - 1)];
        if (!(e & 1) || (level == 3 && !(e & 2)))
            return (struct walked){0};
        if (level < 3 && (e & 2)) {
            w.above |= e & (31ull << 59);
            table = e & ADDRESS;
            continue;
        }
        assert_int_not_equal(level, 0);
        uint64_t offset = (1ull << shift_of(level)) - 1;
        w.shift = shift_of(level);
        w.pa = (e & ADDRESS & ~offset) | (va & offset);
        w.attributes = e & (0xffcull | 0xfffcull << 48) & ~CONTIGUOUS;
        w.contiguous = e & CONTIGUOUS;
        w.private_table = table >= ARENA_BASE;
        return w;
    }
}

static void same_translation(struct space *s, uint64_t ours, uint64_t va)
{
    struct walked was = walk(s, s->root, va), is = walk(s, ours, va);

    assert_int_equal(was.shift != 0, is.shift != 0);
    if (!was.shift)
        return;
    assert_int_equal(was.pa, is.pa);
    assert_int_equal(was.attributes, is.attributes);
    assert_int_equal(was.above, is.above);
    assert_true(is.shift <= was.shift);
    if (is.private_table)
        assert_false(is.contiguous);
    else
        assert_int_equal(was.contiguous, is.contiguous);
}

/* ---- one build and all that must hold of it */

static struct arch_table_request request_make(struct space *s, struct frames_of *f)
{
    struct arch_table_request request = {.window = frames_request(f, &s->memory)};
    uint64_t *control = request.paging.control;

    request.paging.root = s->root | ASID | 1;
    control[PAGING_LEVEL] = s->regime == EL1 ? 1 : 2;
    control[PAGING_HCR] = s->regime == VHE ? 1ull << 34 | 1ull << 27 : 0x8000038;
    /* as AAVMF sets it: write-back walks, 4 KiB, 48 bits */
    control[PAGING_TCR] = s->t0sz | (s->regime == EL2 ? 0x80853500ull : 0x580803500ull & ~0x3full);
    control[PAGING_MAIR] = MAIR;
    control[PAGING_SCTLR] = 0x100d;
    control[PAGING_MMFR0] = 5;
    return request;
}

/* Attribute 3, inner shareable, accessed, writable; nothing may execute it, and EL0 may not access
 * it. */
static uint64_t window_attributes(const struct space *s)
{
    uint64_t common = 3 << 2 | 3 << 8 | 1 << 10;
    return s->regime == EL2 ? common | 1 << 6 | 1ull << 54 : common | 3ull << 53;
}

static void window_check(struct space *s, struct frames_of *f, const struct table_tree *tables)
{
    for (uint64_t page = 0; page < f->pages; page++) {
        uint64_t va = tables->base + (page << f->page), offset = (1ull << f->page) - 8;
        struct walked first = walk(s, tables->root, va), last = walk(s, tables->root, va + offset);
        assert_int_equal(first.shift, f->page);
        assert_int_equal(first.pa, frames_give(f, page).value);
        assert_int_equal(last.pa, first.pa + offset);
        assert_int_equal(first.attributes, window_attributes(s));
        assert_false(first.contiguous);
        assert_false(s->links_count && (first.above & LINK_RO));
    }
}

static void probe(struct space *s, struct frames_of *f, const struct table_tree *tables,
                  uint64_t va)
{
    if (va >> (64 - s->t0sz) == 0 && !frames_hold(f, tables, va))
        same_translation(s, tables->root, va);
}

/* Every entry of every table of the firmware, at its first, middle and last byte. */
static void tree_check(struct space *s, struct frames_of *f, const struct table_tree *tables,
                       uint64_t table, unsigned level, uint64_t va)
{
    unsigned entries = level == 4 - s->depth ? s->root_entries : 512;

    for (unsigned i = 0; i < entries; i++) {
        uint64_t pos = va | (uint64_t)i << shift_of(level), bytes = 1ull << shift_of(level);
        uint64_t e = words_at(s, table)[i];
        if (level < 3 && (e & 3) == 3) {
            tree_check(s, f, tables, e & ADDRESS, level + 1, pos);
            continue;
        }
        probe(s, f, tables, pos);
        probe(s, f, tables, pos + bytes / 2 + 4096 * 5);
        probe(s, f, tables, pos + bytes - 1);
    }
}

/* The two ends of the window, where splits are. */
static void ends_check(struct space *s, struct frames_of *f, const struct table_tree *tables)
{
    uint64_t end = tables->base + (f->pages << f->page);

    for (uint64_t step = 4096; step <= GI; step *= 512)
        for (uint64_t i = 1; i <= 520; i++) {
            probe(s, f, tables, tables->base - i * step);
            probe(s, f, tables, end + (i - 1) * step);
        }
}

static void root_check(struct space *s, const struct table_tree *tables)
{
    uint64_t address = tables->root & ADDRESS;

    assert_int_equal(tables->root, address | ASID); /* CnP clear */
    assert_true(address >= ARENA_BASE && address < ARENA_BASE + tables->arena_used);
    assert_true(s->root_entries <= 512);
}

static void build_and_check(struct space *s, struct frames_of *f, struct table_tree *tables)
{
    struct arch_table_request request = request_make(s, f);
    uint64_t(*before)[512] = malloc(s->memory.tables * sizeof *before);
    assert_non_null(before);
    memcpy(before, s->memory.table, s->memory.tables * sizeof *before);

    table_memory_arena(&s->memory, &request.window,
                       aarch64_tables_bytes(&request.paging, f->page, f->map, f->pages));
    if (!s->links_count)
        request.paging.control[PAGING_TCR] |= s->regime == EL2 ? 1ull << 24 : 1ull << 41;
    assert_int_equal(aarch64_tables_build(&request, tables), STATUS_OK);
    assert_null(tables->refusal);
    assert_true(tables->arena_used <= request.window.arena_bytes);
    root_check(s, tables);
    assert_int_equal((tables->base + (f->pages << f->page) - 1) >> (64 - s->t0sz), 0);
    if (f->map == MAP_IDENTITY)
        assert_int_equal(tables->base, f->base);
    else
        assert_int_not_equal(tables->base, 0);
    for (uint64_t page = 0; f->map == MAP_WINDOW && page < f->pages; page++)
        assert_int_equal(walk(s, s->root, tables->base + (page << f->page)).shift, 0);
    window_check(s, f, tables);
    tree_check(s, f, tables, s->root, 4 - s->depth, 0);
    ends_check(s, f, tables);

    arena_is_exact(&s->memory, aarch64_tables_build, &request, tables->arena_used);
    assert_memory_equal(before, s->memory.table, s->memory.tables * sizeof *before);
    free(before);
}

/* ---- every combination */

static bool window_fits(const struct space *s, enum page_size page)
{
    return s->depth == 4 || page < PAGE_1G || s->root_entries >= 8;
}

static void random_case(unsigned t0sz, enum regime regime, enum page_size page, enum map_mode map,
                        uint64_t *seed)
{
    struct space *s = firmware_random(t0sz, regime, random_next(seed));
    uint64_t room = (1ull << (64 - t0sz)) >> page;
    uint64_t max = page == PAGE_1G ? 3 : 1100;
    struct frames_of f = {.map = map, .page = page, .base = 4 * GI};
    struct table_tree tables;

    if (room < 2 * max)
        max = room / 2;
    f.pages = 1 + random_next(seed) % max;
    if (map == MAP_IDENTITY)
        f.base = random_next(seed) % (room - f.pages) << page;
    if (map == MAP_IDENTITY || window_fits(s, page)) {
        if (map == MAP_WINDOW && s->depth == 3 && page == PAGE_1G)
            f.pages = 1;
        /* a random root may have no free slot of its own: give it some */
        if (map == MAP_WINDOW)
            for (unsigned i = s->root_entries / 2; i < s->root_entries; i++)
                words_at(s, s->root)[i] = 0;
        build_and_check(s, &f, &tables);
        uint64_t leaves = page == PAGE_1G && s->depth == 3 ? s->root_entries : 512;
        assert_true(tables.leaf_bytes >= (f.pages + leaves - 1) / leaves * leaves * 8);
        assert_true(tables.leaf_bytes <= ((f.pages + leaves - 1) / leaves + 1) * leaves * 8);
    }
    space_free(s);
}

static void test_every_combination(void **state)
{
    static const enum page_size sizes[] = {PAGE_4K, PAGE_2M, PAGE_1G};
    uint64_t seed = 3;
    (void)state;

    for (unsigned t0sz = 16; t0sz <= 33; t0sz++)
        for (unsigned regime = EL1; regime <= VHE; regime++)
            for (unsigned page = 0; page < 3; page++) {
                random_case(t0sz, (enum regime)regime, sizes[page], MAP_WINDOW, &seed);
                random_case(t0sz, (enum regime)regime, sizes[page], MAP_IDENTITY, &seed);
            }
}

/* Identity maps that begin and end in the middle of blocks, and cross tables. */
static void test_identity_edges(void **state)
{
    static const struct {
        enum page_size page;
        uint64_t base, pages;
    } list[] = {
        {PAGE_4K, 2 * GI + 0x3000, 1},
        {PAGE_4K, 2 * GI + 0x3000, 2000},
        {PAGE_4K, 512 * GI - 4 * MI, 2048},
        {PAGE_2M, 10 * GI + 2 * MI, 1500},
        {PAGE_2M, 512 * GI - 64 * MI, 64},
        {PAGE_1G, 5 * GI, 600},
        {PAGE_4K, 3 * GI - 0x5000, 10},
        {PAGE_2M, 0, 3},
        {PAGE_1G, 511 * GI, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct space *s = space_new(20, EL1);
        struct frames_of f = {.map = MAP_IDENTITY,
                              .page = list[i].page,
                              .base = list[i].base,
                              .pages = list[i].pages};
        struct table_tree tables;
        uint64_t seed = 5;
        /* 1 GiB blocks throughout the first two root entries */
        for (unsigned slot = 0; slot < 2; slot++) {
            uint64_t below = table_memory_add(&s->memory);
            words_at(s, s->root)[slot] = below | 3;
            for (unsigned j = 0; j < 512; j++)
                words_at(s, below)[j] = leaf_make((slot * 512ull + j) << 30, 1, &seed);
        }
        build_and_check(s, &f, &tables);
        space_free(s);
    }
}

/* The window keeps its distance from what the firmware maps and from the end, where there is room.
 */
static void test_margins(void **state)
{
    struct space *s = space_new(16, EL2);
    struct frames_of f = {.map = MAP_WINDOW, .page = PAGE_1G, .base = 8 * GI, .pages = 600};
    struct table_tree tables;
    (void)state;

    words_at(s, s->root)[0] = table_memory_add(&s->memory) | 3;
    build_and_check(s, &f, &tables);
    assert_int_equal(tables.base, 509ull << 39);
    words_at(s, s->root)[511] = words_at(s, s->root)[0];
    build_and_check(s, &f, &tables);
    assert_int_equal(tables.base, 508ull << 39);
    space_free(s);
}

/* ---- roots with little or no room */

/* U-Boot, and AAVMF on Cortex-A53: T0SZ 24, both root entries are links. */
static struct space *two_links(unsigned free_in_second, uint64_t link_attributes)
{
    struct space *s = space_new(24, EL1);
    uint64_t seed = 11;

    for (unsigned slot = 0; slot < 2; slot++) {
        uint64_t below = table_memory_add(&s->memory);
        words_at(s, s->root)[slot] = below | 3 | link_attributes;
        for (unsigned i = 0; i < 512; i++)
            if (slot == 0 || i < 512 - free_in_second)
                words_at(s, below)[i] = leaf_make((slot * 512ull + i) << 30, 1, &seed);
    }
    return s;
}

static void test_no_free_root_slot(void **state)
{
    static const enum page_size sizes[] = {PAGE_4K, PAGE_2M, PAGE_1G};
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        struct space *s = two_links(8, 0);
        struct frames_of f = {.map = MAP_WINDOW, .page = sizes[i], .base = 4 * GI, .pages = 5};
        struct table_tree tables;
        build_and_check(s, &f, &tables);
        assert_true(tables.base >= 1016 * GI && tables.base < 1024 * GI);
        space_free(s);
    }
}

/* Not even the next level has room: below a private copy of the one after it. */
static void test_descend_twice(void **state)
{
    (void)state;
    for (unsigned size = 0; size < 3; size++) {
        struct space *s = two_links(0, 0);
        struct frames_of f = {.map = MAP_WINDOW,
                              .page = (enum page_size)(12 + 9 * size),
                              .base = 4 * GI,
                              .pages = size == 0 ? 700 : 3};
        struct table_tree tables;
        uint64_t deep = table_memory_add(&s->memory), seed = 17;
        for (unsigned i = 0; i < 400; i++)
            words_at(s, deep)[i] = leaf_make(GI | i * 2 * MI, 2, &seed);
        words_at(s, TABLES_BASE + 4096)[1] = deep | 3;
        if (size < 2) {
            build_and_check(s, &f, &tables);
            assert_true(tables.base >= GI + 800 * MI && tables.base < 2 * GI);
        } else {
            struct arch_table_request request = request_make(s, &f);
            table_memory_arena(&s->memory, &request.window, 16 * 4096);
            assert_int_equal(aarch64_tables_build(&request, &tables), STATUS_REFUSED);
            assert_string_equal(tables.refusal,
                                "the firmware's page tables have no free range of this size");
        }
        space_free(s);
    }
}

/* A small root of blocks: 1 GiB pages take its own free slots, nothing is below it. */
static void test_small_roots(void **state)
{
    (void)state;
    for (unsigned t0sz = 30; t0sz <= 33; t0sz++) {
        struct space *s = space_new(t0sz, EL2);
        struct frames_of f = {.map = MAP_WINDOW, .page = PAGE_1G, .base = 4 * GI, .pages = 1};
        struct table_tree tables;
        uint64_t seed = 23;
        for (unsigned i = 0; i + 1 < s->root_entries; i++)
            words_at(s, s->root)[i] = leaf_make(i * GI, 1, &seed);
        build_and_check(s, &f, &tables);
        assert_int_equal(tables.base, (s->root_entries - 1) * GI);
        assert_int_equal(tables.arena_used, 4096);
        space_free(s);
    }
}

/* Nothing is mapped at address 0, where a null pointer would be readable. */
static void test_no_window_at_zero(void **state)
{
    struct space *s = space_new(32, EL1);
    struct frames_of f = {.map = MAP_WINDOW, .page = PAGE_1G, .base = 4 * GI, .pages = 1};
    struct table_tree tables;
    uint64_t seed = 31;
    (void)state;

    for (unsigned i = 1; i < s->root_entries; i++)
        words_at(s, s->root)[i] = leaf_make(i * GI, 1, &seed);
    struct arch_table_request request = request_make(s, &f);
    table_memory_arena(&s->memory, &request.window, 16 * 4096);
    assert_int_equal(aarch64_tables_build(&request, &tables), STATUS_REFUSED);
    space_free(s);
}

/* Attributes of links count: no window and no identity map below a read-only one, unless TCR.HPD
 * disables them. */
static void test_read_only_links(void **state)
{
    (void)state;
    for (unsigned counts = 0; counts < 2; counts++)
        for (unsigned map = MAP_WINDOW; map <= MAP_IDENTITY; map++) {
            struct space *s = two_links(8, LINK_RO);
            struct frames_of f = {
                .map = (enum map_mode)map, .page = PAGE_2M, .base = 4 * GI, .pages = 5};
            struct table_tree tables;
            s->links_count = counts;
            if (!counts) {
                build_and_check(s, &f, &tables);
            } else {
                struct arch_table_request request = request_make(s, &f);
                table_memory_arena(&s->memory, &request.window, 16 * 4096);
                assert_int_equal(aarch64_tables_build(&request, &tables), STATUS_REFUSED);
                assert_non_null(tables.refusal);
            }
            space_free(s);
        }
}

/* ---- refusals */

struct trial {
    struct space *s;
    struct frames_of f;
    struct arch_table_request request;
};

static struct trial trial_start(unsigned t0sz, enum regime regime, enum map_mode map)
{
    struct trial t = {.s = space_new(t0sz, regime),
                      .f = {.map = map, .page = PAGE_2M, .base = 4 * GI, .pages = 4}};
    uint64_t below = table_memory_add(&t.s->memory), seed = 29;

    words_at(t.s, t.s->root)[0] = below | 3;
    for (unsigned i = 0; i < 512; i++)
        words_at(t.s, below)[i] = leaf_make((uint64_t)i << 30, 1, &seed);
    return t;
}

/* After trial_start, because the request points into the trial. */
static void trial_request(struct trial *t)
{
    t->request = request_make(t->s, &t->f);
    table_memory_arena(&t->s->memory, &t->request.window, 64 * 4096);
}

static void trial_end(struct trial *t, enum status status, const char *word)
{
    struct table_tree tables;

    assert_int_equal(aarch64_tables_build(&t->request, &tables), status);
    assert_non_null(tables.refusal);
    assert_non_null(strstr(tables.refusal, word));
    assert_int_equal(tables.root, 0);
    assert_int_equal(tables.base, 0);
    space_free(t->s);
}

static void test_refused_registers(void **state)
{
    static const struct {
        enum regime regime;
        unsigned word;
        uint64_t clear, set;
        enum status status;
        const char *why;
    } list[] = {
        {EL1, PAGING_TCR, 0, 1ull << 14, STATUS_REFUSED, "64 KiB"},
        {EL2, PAGING_TCR, 0, 1ull << 14, STATUS_REFUSED, "64 KiB"},
        {VHE, PAGING_TCR, 0, 2ull << 14, STATUS_REFUSED, "16 KiB"},
        {EL1, PAGING_TCR, 0, 1ull << 59, STATUS_REFUSED, "LPA2"},
        {EL2, PAGING_TCR, 0, 1ull << 32, STATUS_REFUSED, "LPA2"},
        {VHE, PAGING_TCR, 0, 1ull << 59, STATUS_REFUSED, "LPA2"},
        {EL1, PAGING_TCR, 0x3f, 15, STATUS_REFUSED, "T0SZ"},
        {EL2, PAGING_TCR, 0x3f, 34, STATUS_REFUSED, "T0SZ"},
        {EL1, PAGING_TCR, 0, 1ull << 7, STATUS_REFUSED, "TTBR0"},
        {EL1, PAGING_TCR, 3ull << 8, 0, STATUS_REFUSED, "walks"},
        {EL2, PAGING_TCR, 3ull << 10, 2ull << 10, STATUS_REFUSED, "walks"},
        {EL1, PAGING_MAIR, 0xffull << 24, 0xbbull << 24, STATUS_REFUSED, "MAIR"},
        {EL1, PAGING_SCTLR, 1, 0, STATUS_UNSUPPORTED, "SCTLR.M"},
        {EL2, PAGING_SCTLR, 4, 0, STATUS_UNSUPPORTED, "SCTLR.C"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct trial t = trial_start(20, list[i].regime, MAP_WINDOW);
        trial_request(&t);
        t.request.paging.control[list[i].word] &= ~list[i].clear;
        t.request.paging.control[list[i].word] |= list[i].set;
        trial_end(&t, list[i].status, list[i].why);
    }
}

/* A field that only one format has means nothing in the other. */
static void test_formats_apart(void **state)
{
    static const struct {
        enum regime regime;
        uint64_t set;
    } list[] = {{EL2, 1ull << 7}, {EL1, 1ull << 24}, {VHE, 1ull << 20}, {EL2, 1ull << 41}};
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct trial t = trial_start(20, list[i].regime, MAP_WINDOW);
        struct table_tree tables;
        trial_request(&t);
        t.request.paging.control[PAGING_TCR] |= list[i].set;
        assert_int_equal(aarch64_tables_build(&t.request, &tables), STATUS_OK);
        window_check(t.s, &t.f, &tables);
        space_free(t.s);
    }
}

static void test_refused_requests(void **state)
{
    struct trial t;
    (void)state;

    t = trial_start(20, EL1, MAP_WINDOW);
    trial_request(&t);
    t.request.window.pages = 0;
    trial_end(&t, STATUS_BAD_INPUT, "no page");
    t = trial_start(33, EL1, MAP_WINDOW);
    trial_request(&t);
    t.request.window.pages = 1025;
    trial_end(&t, STATUS_BAD_INPUT, "more pages");
    t = trial_start(20, EL1, MAP_WINDOW);
    trial_request(&t);
    t.request.window.arena.value += 64;
    trial_end(&t, STATUS_BAD_INPUT, "aligned");
    t = trial_start(20, EL1, MAP_WINDOW);
    trial_request(&t);
    t.f.stray = 2;
    t.f.wrong = 4 * GI + 4096;
    trial_end(&t, STATUS_BAD_INPUT, "frame");
    t = trial_start(20, EL1, MAP_IDENTITY);
    trial_request(&t);
    t.f.stray = 2;
    t.f.wrong = 6 * GI;
    trial_end(&t, STATUS_BAD_INPUT, "contiguous");
    t = trial_start(32, EL1, MAP_IDENTITY);
    t.f.base = 4 * GI - 2 * MI;
    trial_request(&t);
    trial_end(&t, STATUS_REFUSED, "beyond");
}

/* The CPU's address bits and the firmware's choice of them: the smaller applies. */
static void test_address_bits(void **state)
{
    static const struct {
        enum regime regime;
        uint64_t range, chosen;
        unsigned bits;
    } list[] = {
        {EL1, 2, 5, 40}, {EL1, 5, 1, 36}, {EL2, 3, 5, 42},  {EL2, 5, 0, 32},
        {VHE, 4, 5, 44}, {VHE, 6, 6, 48}, {EL1, 15, 7, 48},
    };
    (void)state;
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        for (unsigned beyond = 0; beyond < 2; beyond++) {
            struct trial t = trial_start(16, list[i].regime, MAP_WINDOW);
            struct table_tree tables;
            unsigned pos = list[i].regime == EL2 ? 16 : 32;
            uint64_t *control = t.request.paging.control;
            if (list[i].bits < 39) /* the tables themselves stay below */
                memset(t.s->memory.table[1] + 2, 0, 510 * 8);
            trial_request(&t);
            control[PAGING_MMFR0] = list[i].range;
            control[PAGING_TCR] &= ~(7ull << pos);
            control[PAGING_TCR] |= list[i].chosen << pos;
            if (list[i].bits == 48 && beyond) {
                space_free(t.s);
                continue;
            }
            t.f.stray = 1;
            t.f.wrong = (1ull << list[i].bits) - (beyond ? 0 : 2 * MI);
            t.f.base = GI;
            assert_int_equal(aarch64_tables_build(&t.request, &tables),
                             beyond ? STATUS_BAD_INPUT : STATUS_OK);
            space_free(t.s);
        }
}

static void test_refused_tables(void **state)
{
    struct trial t;
    (void)state;

    t = trial_start(20, EL1, MAP_IDENTITY);
    trial_request(&t);
    t.s->memory.unreadable = TABLES_BASE + 4096;
    trial_end(&t, STATUS_REFUSED, "cannot be read");
    t = trial_start(20, EL1, MAP_WINDOW);
    words_at(t.s, t.s->root)[1] = 3ull | 1ull << 45;
    trial_request(&t);
    t.request.paging.control[PAGING_MMFR0] = 4;
    trial_end(&t, STATUS_REFUSED, "beyond the CPU's");
    /* a block at level 0 does not exist without LPA2 */
    t = trial_start(20, EL1, MAP_IDENTITY);
    words_at(t.s, t.s->root)[0] = 1;
    trial_request(&t);
    trial_end(&t, STATUS_REFUSED, "reserved");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_combination), cmocka_unit_test(test_identity_edges),
        cmocka_unit_test(test_margins),           cmocka_unit_test(test_no_free_root_slot),
        cmocka_unit_test(test_descend_twice),     cmocka_unit_test(test_small_roots),
        cmocka_unit_test(test_no_window_at_zero), cmocka_unit_test(test_read_only_links),
        cmocka_unit_test(test_refused_registers), cmocka_unit_test(test_formats_apart),
        cmocka_unit_test(test_refused_requests),  cmocka_unit_test(test_address_bits),
        cmocka_unit_test(test_refused_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
