/* SPDX-License-Identifier: BSD-2-Clause */
/* The memory map's walkers against an oracle that paints every cell of a small address space: maps
 * that are unsorted, overlapping, unaligned and wrapping, with descriptors of 40 and 48 bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "core/lib/random.h"
#include "core/mapping/memmap.h"

#define CELL_BYTES  1024u
#define CELLS       8192u
#define RUNS_MAX    8192u
#define DESCRIPTORS 9000u
#define MIB         (1ull << 20)

enum { FREE = 1, BUSY = 2, OTHER = 4 };

static struct {
    uint8_t bytes[DESCRIPTORS * 48 + 48];
    size_t used, step;
    uint64_t base; /* address of cell 0 */
    uint8_t cell[CELLS];
} map;

static struct memmap_run runs[RUNS_MAX], wanted[RUNS_MAX];
static size_t wanted_count;
static uint64_t writeback_key, types_asked;

static void map_start(size_t step, uint64_t base)
{
    memset(&map, 0, sizeof map);
    map.step = step;
    map.base = base;
}

static void map_add(uint32_t type, uint64_t base, uint64_t pages, uint64_t attributes)
{
    uint8_t *pos = map.bytes + map.used;
    memset(pos, 0xa5, map.step);
    memcpy(pos, &type, 4);
    memcpy(pos + 8, &base, 8);
    memcpy(pos + 24, &pages, 8);
    memcpy(pos + 32, &attributes, 8);
    map.used += map.step;
}

static void map_paint(uint32_t type, uint64_t cell, uint64_t pages, uint64_t attributes)
{
    static const uint8_t colour[16] = {OTHER, BUSY, BUSY, BUSY,  BUSY,  BUSY,  BUSY,  FREE,
                                       OTHER, BUSY, BUSY, OTHER, OTHER, OTHER, OTHER, BUSY};
    uint8_t paint = type < 16 ? colour[type] : OTHER;
    if (paint == FREE && (attributes & 8) == 0)
        paint = BUSY;
    map_add(type, map.base + cell * CELL_BYTES, pages, attributes);
    for (uint64_t i = cell; i < cell + pages * 4; i++)
        map.cell[i] |= paint;
}

static struct memmap_raw map_raw(void)
{
    return (struct memmap_raw){map.bytes, map.used, map.step};
}

/* Pseudo-random, but the same for every query about the same address. Types change at uneven
 * cells. */
#define TYPE_BYTES (3 * CELL_BYTES)

static bool writeback_at(uint64_t address)
{
    return random_mix(address / TYPE_BYTES ^ writeback_key) % 16 != 0;
}

static phys_addr types_of_cells(void *context, phys_addr base, phys_addr end, bool *writeback)
{
    uint64_t next = (base.value / TYPE_BYTES + 1) * TYPE_BYTES;

    assert_ptr_equal(context, &map);
    assert_true(base.value < end.value);
    *writeback = writeback_at(base.value);
    return next < end.value ? phys_make(next) : end;
}

static bool granule_wanted(const struct memmap_filter *filter, uint64_t base)
{
    uint64_t end = base + filter->granule;
    bool anywhere = filter->from.value == filter->below.value;
    if (base < map.base || end > map.base + CELLS * CELL_BYTES)
        return false;
    if (!anywhere && (base < filter->from.value || end > filter->below.value))
        return false;
    for (uint64_t i = (base - map.base) / CELL_BYTES; i <= (end - 1 - map.base) / CELL_BYTES; i++) {
        if (map.cell[i] != FREE)
            return false;
    }
    for (uint64_t pos = base; filter->same_type != NULL && pos < end; pos += CELL_BYTES / 4) {
        if (!writeback_at(pos))
            return false;
    }
    return true;
}

static void oracle_runs(const struct memmap_filter *filter)
{
    uint64_t pos = map.base & ~(filter->granule - 1);
    wanted_count = 0;
    for (bool open = false; pos < map.base + CELLS * CELL_BYTES; pos += filter->granule) {
        bool want = granule_wanted(filter, pos);
        if (want && open)
            wanted[wanted_count - 1].bytes += filter->granule;
        else if (want)
            wanted[wanted_count++] = (struct memmap_run){phys_make(pos), filter->granule};
        open = want;
    }
}

static void map_random(struct random *random)
{
    static const uint64_t bases[] = {0, 0x9c00, 1ull << 32, (1ull << 40) + 512, 3 * MIB + 1024};
    map_start(random_below(random, 2) ? 48 : 40, bases[random_below(random, 5)]);
    size_t count = random_below(random, random_below(random, 10) == 0 ? 400 : 40);
    uint64_t longest = 1 + random_below(random, random_below(random, 4) == 0 ? 1024 : 64);
    bool aligned = random_below(random, 2);
    for (size_t i = 0; i < count; i++) {
        uint64_t pages = random_below(random, longest + 1);
        uint64_t cell = random_below(random, CELLS - pages * 4);
        uint32_t type = random_below(random, 3) ? 7 : (uint32_t)random_below(random, 18);
        uint64_t attributes = random_below(random, 8) ? 0xf : 0x7;
        map_paint(type, aligned ? cell & ~3ull : cell, pages, attributes);
        if (random_below(random, 16) == 0) /* wraps, in several ways: not there at all */
            map_add(7, UINT64_MAX - 4095, 1 + random_below(random, 9), 8);
        if (random_below(random, 16) == 0)
            map_add(0, map.base, (1ull << 52) + random_below(random, 3), 8);
        if (random_below(random, 16) == 0)
            map_add(0, map.base + cell, UINT64_MAX - random_below(random, 3), 8);
    }
    map.used += random_below(random, 8); /* a torn descriptor at the end */
}

static struct memmap_filter filter_random(struct random *random)
{
    struct memmap_filter filter = {.granule = 4096ull << random_below(random, 6)};
    if (random_below(random, 2)) {
        filter.from = phys_make(map.base + random_below(random, CELLS * CELL_BYTES));
        filter.below = phys_make(map.base + random_below(random, CELLS * CELL_BYTES));
    }
    if (random_below(random, 2)) {
        filter.same_type = types_of_cells;
        filter.context = &map;
        writeback_key = random_next(random);
    }
    return filter;
}

static int larger_first(const void *a, const void *b)
{
    const struct memmap_run *left = a, *right = b;
    if (left->bytes != right->bytes)
        return left->bytes > right->bytes ? -1 : 1;
    return left->base.value < right->base.value ? -1 : 1;
}

static int lower_first(const void *a, const void *b)
{
    const struct memmap_run *left = a, *right = b;
    return left->base.value < right->base.value ? -1 : 1;
}

static void assert_runs(const struct memmap_run *got, size_t count)
{
    assert_int_equal(count, wanted_count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(got[i].base.value, wanted[i].base.value);
        assert_int_equal(got[i].bytes, wanted[i].bytes);
    }
}

static void runs_match_oracle(void **state)
{
    (void)state;
    struct random random;
    random_start(&random, 1);
    size_t found = 0;
    for (unsigned round = 0; round < 4000; round++) {
        uint64_t dropped = 1;
        map_random(&random);
        struct memmap_filter filter = filter_random(&random);
        struct memmap_raw raw = map_raw();
        oracle_runs(&filter);
        assert_runs(runs, memmap_runs(&raw, &filter, runs, RUNS_MAX, &dropped));
        assert_int_equal(dropped, 0);
        found += wanted_count;

        size_t max = random_below(&random, 6);
        qsort(wanted, wanted_count, sizeof wanted[0], larger_first);
        uint64_t beyond = 0;
        for (size_t i = max; i < wanted_count; i++)
            beyond += wanted[i].bytes;
        wanted_count = wanted_count < max ? wanted_count : max;
        qsort(wanted, wanted_count, sizeof wanted[0], lower_first);
        assert_runs(runs, memmap_runs(&raw, &filter, runs, max, &dropped));
        assert_int_equal(dropped, beyond);
    }
    assert_true(found > 4000);
}

static void ranges_match_oracle(void **state)
{
    (void)state;
    static struct memory_range ranges[RUNS_MAX];
    struct random random;
    random_start(&random, 2);
    for (unsigned round = 0; round < 2000; round++) {
        map_random(&random);
        struct memmap_raw raw = map_raw();
        size_t count = memmap_ranges(&raw, ranges, RUNS_MAX), next = 0;
        for (uint64_t i = 0; i < CELLS;) {
            uint64_t start = i;
            uint8_t paint = map.cell[i] & OTHER || map.cell[i] == 0 ? 0 : map.cell[i] & BUSY;
            bool memory = map.cell[i] != 0 && !(map.cell[i] & OTHER);
            for (; i < CELLS; i++) {
                bool same = map.cell[i] != 0 && !(map.cell[i] & OTHER);
                if (same != memory || (memory && (map.cell[i] & BUSY) != paint))
                    break;
            }
            if (!memory)
                continue;
            assert_true(next < count);
            assert_int_equal(ranges[next].base.value, map.base + start * CELL_BYTES);
            assert_int_equal(ranges[next].bytes, (i - start) * CELL_BYTES);
            assert_int_equal(ranges[next].usable, paint == 0);
            next++;
        }
        assert_int_equal(next, count);
        size_t max = random_below(&random, 4);
        assert_int_equal(memmap_ranges(&raw, ranges, max), count < max ? count : max);
    }
}

static void thousands_of_descriptors(void **state)
{
    (void)state;
    struct random random;
    random_start(&random, 3);
    map_start(48, 0);
    for (unsigned i = 0; i < DESCRIPTORS; i++)
        map_paint(random_below(&random, 2) ? 7 : 4, random_below(&random, CELLS / 4 - 2) * 4, 1,
                  0xf);
    struct memmap_filter filter = {.granule = 4096};
    struct memmap_raw raw = map_raw();
    uint64_t dropped;
    oracle_runs(&filter);
    assert_true(wanted_count > 10);
    clock_t start = clock();
    assert_runs(runs, memmap_runs(&raw, &filter, runs, RUNS_MAX, &dropped));
    assert_true(clock() - start < 2 * CLOCKS_PER_SEC);
}

static void one_page_is_many_runs(void **state)
{
    (void)state;
    map_start(40, 0);
    for (uint64_t i = CELLS / 8; i-- > 0;)
        map_paint(7, i * 8, 1, 0xf);
    struct memmap_filter filter = {.granule = 4096};
    struct memmap_raw raw = map_raw();
    uint64_t dropped;
    oracle_runs(&filter);
    assert_int_equal(wanted_count, CELLS / 8);
    assert_runs(runs, memmap_runs(&raw, &filter, runs, RUNS_MAX, &dropped));
    assert_int_equal(memmap_runs(&raw, &filter, runs, 100, &dropped), 100);
    assert_int_equal(dropped, (CELLS / 8 - 100) * 4096);
    assert_int_equal(runs[99].base.value, 99 * 8192);
}

static phys_addr one_type(void *context, phys_addr base, phys_addr end, bool *writeback)
{
    (void)context;
    (void)base;
    types_asked++;
    *writeback = true;
    return end;
}

static phys_addr types_of_pages(void *context, phys_addr base, phys_addr end, bool *writeback)
{
    (void)one_type(context, base, end, writeback);
    return phys_make(base.value + 4096);
}

static phys_addr types_of_nothing(void *context, phys_addr base, phys_addr end, bool *writeback)
{
    (void)one_type(context, base, end, writeback);
    return base;
}

static void terabytes_take_one_query(void **state)
{
    (void)state;
    struct memmap_filter filter = {.granule = 2 * MIB, .same_type = one_type};
    uint64_t dropped;
    map_start(48, 0);
    map_add(7, 1ull << 32, 1ull << 31, 0xf);
    struct memmap_raw raw = map_raw();
    types_asked = 0;
    assert_int_equal(memmap_runs(&raw, &filter, runs, 4, &dropped), 1);
    assert_int_equal(types_asked, 1);
    assert_int_equal(runs[0].bytes, 1ull << 43);
    assert_int_equal(dropped, 0);
}

static void lying_maps_end(void **state)
{
    (void)state;
    struct memmap_filter filter = {.granule = 2 * MIB, .same_type = types_of_pages};
    uint64_t dropped;
    map_start(48, 0);
    map_add(7, 0, 1ull << 51, 0xf);
    struct memmap_raw raw = map_raw();
    types_asked = 0;
    assert_int_equal(memmap_runs(&raw, &filter, runs, 4, &dropped), 1);
    assert_int_equal(types_asked, 1ull << 20);
    assert_int_equal(runs[0].bytes, 1ull << 32);
    assert_int_equal(dropped, (1ull << 52) - (1ull << 32));
    filter.same_type = types_of_nothing;
    assert_int_equal(memmap_runs(&raw, &filter, runs, 4, &dropped), 0);
    assert_int_equal(dropped, 1ull << 52);
    filter.same_type = NULL;
    assert_int_equal(memmap_runs(&raw, &filter, runs, 4, &dropped), 1);
    assert_int_equal(runs[0].bytes, 1ull << 52);
    raw.descriptor_bytes = 39;
    assert_int_equal(memmap_runs(&raw, &filter, runs, 4, &dropped), 0);
    raw.descriptor_bytes = 0;
    assert_int_equal(memmap_runs(&raw, &filter, runs, 4, &dropped), 0);
    filter.from = phys_make(5);
    raw.descriptor_bytes = 48;
    filter.below = phys_make(UINT64_MAX);
    assert_int_equal(memmap_runs(&raw, &filter, runs, 4, &dropped), 1);
    assert_int_equal(runs[0].base.value, 2 * MIB);
}

/* EFI_MEMORY_SP, in front of, beside and below other memory. */
static void specific_memory_is_taken_on_request(void **state)
{
    (void)state;
    struct memmap_filter filter = {.granule = 2 * MIB};
    struct memory_range ranges[8];
    uint64_t dropped;
    map_start(48, 0);
    map_add(7, 0, 1024, 0xf);
    map_add(7, 4 * MIB, 1024, 0x4000f);
    map_add(7, 6 * MIB, 256, 4);        /* in use, as far as we know: not write-back */
    map_add(7, 16 * MIB, 512, 0x40007); /* for specific purposes, and not write-back */
    struct memmap_raw raw = map_raw();
    assert_int_equal(memmap_runs(&raw, &filter, runs, 8, &dropped), 1);
    assert_int_equal(runs[0].bytes, 4 * MIB);
    filter.specific = true;
    assert_int_equal(memmap_runs(&raw, &filter, runs, 8, &dropped), 1);
    assert_int_equal(runs[0].bytes, 6 * MIB);
    assert_int_equal(memmap_ranges(&raw, ranges, 8), 5);
    assert_int_equal(ranges[0].kind, MEMORY_ORDINARY);
    assert_int_equal(ranges[1].base.value, 4 * MIB);
    assert_int_equal(ranges[1].bytes, 2 * MIB);
    assert_int_equal(ranges[1].kind, MEMORY_SPECIFIC);
    assert_true(ranges[1].usable);
    assert_int_equal(ranges[2].kind, MEMORY_ORDINARY);
    assert_false(ranges[2].usable);
    assert_int_equal(ranges[3].kind, MEMORY_SPECIFIC);
    assert_false(ranges[4].usable);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(ranges[i].node, NODE_UNKNOWN);
}

/* The same choice made the slow way: sort, then take. */
static size_t choose_slowly(struct memmap_run *sorted, size_t count, uint64_t bytes,
                            uint64_t granule, uint64_t piece_max, struct memmap_run *pieces)
{
    size_t chosen = 0;
    uint64_t missing = (bytes + granule - 1) / granule * granule;
    for (size_t i = 0; i < count; i++) {
        uint64_t end = (sorted[i].base.value + sorted[i].bytes) / granule * granule;
        uint64_t base = (sorted[i].base.value + granule - 1) / granule * granule;
        sorted[i] = (struct memmap_run){phys_make(base), end > base ? end - base : 0};
    }
    qsort(sorted, count, sizeof sorted[0], larger_first);
    for (size_t i = 0; i < count; i++) {
        for (uint64_t pos = 0; pos < sorted[i].bytes && missing > 0;) {
            uint64_t take = sorted[i].bytes - pos;
            take = piece_max != 0 && take > piece_max ? piece_max : take;
            take = take > missing ? missing : take;
            pieces[chosen++] = (struct memmap_run){phys_make(sorted[i].base.value + pos), take};
            pos += take;
            missing -= take;
        }
    }
    return missing == 0 ? chosen : 0;
}

static void choice_is_largest_first(void **state)
{
    (void)state;
    static struct memmap_run pieces[RUNS_MAX];
    struct random random;
    random_start(&random, 4);
    size_t possible = 0;
    for (unsigned round = 0; round < 3000; round++) {
        size_t count = random_below(&random, 200);
        uint64_t pos = random_below(&random, 64) * 4096, all = 0;
        for (size_t i = 0; i < count; i++) {
            runs[i] = (struct memmap_run){phys_make(pos), (1 + random_below(&random, 64)) * 4096};
            pos += runs[i].bytes + (1 + random_below(&random, 8)) * 4096;
            all += runs[i].bytes;
        }
        uint64_t granule = 4096ull << random_below(&random, 3);
        uint64_t piece_max =
            random_below(&random, 2) ? granule * (1 + random_below(&random, 9)) : 0;
        uint64_t bytes = 1 + random_below(&random, all + all / 4 + 2);
        memcpy(wanted, runs, sizeof wanted);
        static struct memmap_run expected[RUNS_MAX];
        size_t expect = choose_slowly(wanted, count, bytes, granule, piece_max, expected);
        size_t got = memmap_choose(runs, count, bytes, granule,
                                   piece_max == 0 ? 0 : piece_max + granule - 1, pieces, RUNS_MAX);
        assert_int_equal(got, expect);
        assert_memory_equal(pieces, expected, got * sizeof pieces[0]);
        possible += got > 0;
        if (got > 0) {
            assert_int_equal(memmap_choose(runs, count, bytes, granule, piece_max, pieces, got),
                             got);
            assert_int_equal(memmap_choose(runs, count, bytes, granule, piece_max, pieces, got - 1),
                             0);
        }
    }
    assert_true(possible > 1500);
    assert_int_equal(memmap_choose(runs, 1, 0, 4096, 0, pieces, 8), 0);
    assert_int_equal(memmap_choose(runs, 1, UINT64_MAX, 4096, 0, pieces, 8), 0);
    assert_int_equal(memmap_choose(runs, 1, 1, 4096, 4095, pieces, 8), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_match_oracle),
        cmocka_unit_test(ranges_match_oracle),
        cmocka_unit_test(thousands_of_descriptors),
        cmocka_unit_test(one_page_is_many_runs),
        cmocka_unit_test(lying_maps_end),
        cmocka_unit_test(choice_is_largest_first),
        cmocka_unit_test(terabytes_take_one_query),
        cmocka_unit_test(specific_memory_is_taken_on_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
