/* SPDX-License-Identifier: BSD-2-Clause */
/* core/firmware/numa.c: nodes of memory and CPUs, distances, memory-side caches and claims, of
 * sound tables and of broken ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "core/firmware/numa.h"

#define GIB         (1ull << 30)
#define TABLE_MAX   20000u
#define ENABLED     1u
#define NONVOLATILE 4u

struct builder {
    uint8_t bytes[TABLE_MAX];
    size_t used;
};

static struct builder srat, slit, hmat;
static struct acpi_facts acpi;
static struct numa_facts numa;
static void *copies[3]; /* of exactly the tables' bytes, so that an access beyond is seen */

static void put(struct builder *table, size_t pos, uint64_t value, size_t bytes)
{
    assert_true(pos + bytes <= TABLE_MAX);
    for (size_t i = 0; i < bytes; i++)
        table->bytes[pos + i] = (uint8_t)(value >> 8 * i);
}

static void start(uint8_t revision)
{
    memset(&srat, 0, sizeof srat);
    memset(&slit, 0, sizeof slit);
    memset(&hmat, 0, sizeof hmat);
    memset(&acpi, 0, sizeof acpi);
    srat.used = 48;
    srat.bytes[8] = revision;
    hmat.used = 40;
}

static void cpu(uint64_t hardware_id, uint32_t firmware_id)
{
    acpi.cpus[acpi.cpu_count++] = (struct cpu_info){
        .hardware_id = hardware_id, .firmware_id = firmware_id, .node = NODE_UNKNOWN};
}

static size_t entry(uint8_t type, uint8_t bytes)
{
    size_t pos = srat.used;

    put(&srat, pos, type, 1);
    put(&srat, pos + 1, bytes, 1);
    srat.used += bytes;
    return pos;
}

static void memory(uint32_t node, uint64_t base, uint64_t bytes, uint32_t flags)
{
    size_t pos = entry(1, 40);

    put(&srat, pos + 2, node, 4);
    put(&srat, pos + 8, base, 8);
    put(&srat, pos + 16, bytes, 8);
    put(&srat, pos + 28, flags, 4);
}

static void side_cache(uint32_t node, uint64_t bytes, uint32_t attributes)
{
    put(&hmat, hmat.used, 2, 2);
    put(&hmat, hmat.used + 4, 32, 4);
    put(&hmat, hmat.used + 8, node, 4);
    put(&hmat, hmat.used + 16, bytes, 8);
    put(&hmat, hmat.used + 24, attributes, 4);
    hmat.used += 32;
}

static void distances(uint64_t nodes, const uint8_t *values)
{
    put(&slit, 36, nodes, 8);
    memcpy(slit.bytes + 44, values, nodes * nodes);
    slit.used = 44 + nodes * nodes;
}

static struct acpi_table exact(struct builder *table, size_t i)
{
    if (table->used == 0)
        return (struct acpi_table){NULL, 0};
    copies[i] = malloc(table->used);
    assert_non_null(copies[i]);
    memcpy(copies[i], table->bytes, table->used);
    return (struct acpi_table){copies[i], (uint32_t)table->used};
}

static void read_all(void)
{
    acpi.srat = exact(&srat, 0);
    acpi.slit = exact(&slit, 1);
    acpi.hmat = exact(&hmat, 2);
    numa_read(&acpi, &numa);
}

static void stop(void)
{
    for (size_t i = 0; i < 3; i++) {
        free(copies[i]);
        copies[i] = NULL;
    }
}

static uint32_t node_at(uint64_t pos, uint64_t end, uint64_t same_until)
{
    uint32_t node;

    assert_int_equal(numa_same_node(&numa, phys_make(pos), phys_make(end), &node).value,
                     same_until);
    return node;
}

/* As QEMU's q35 with two nodes: the hole below 4 GiB belongs to no node. */
static void two_nodes(void **state)
{
    (void)state;
    start(3);
    cpu(0, 0);
    cpu(1, 1);
    put(&srat, entry(0, 16) + 4, ENABLED, 4);
    size_t pos = entry(0, 16);
    put(&srat, pos + 2, 1, 1);
    put(&srat, pos + 3, 1, 1);
    put(&srat, pos + 4, ENABLED, 4);
    memory(0, 0, 0xa0000, ENABLED);
    memory(0, 1 << 20, 2 * GIB - (1 << 20), ENABLED);
    memory(1, 4 * GIB, 2 * GIB, ENABLED);
    memory(1, 0, 0, 0);
    memory(7, 100 * GIB, GIB, 0); /* not enabled */
    memory(7, 100 * GIB, 0, ENABLED);
    read_all();
    assert_true(numa.known);
    assert_int_equal(numa.bad_srat + numa.bad_slit + numa.bad_hmat, 0);
    assert_int_equal(numa.range_count, 3);
    assert_int_equal(acpi.cpus[0].node, 0);
    assert_int_equal(acpi.cpus[1].node, 1);
    assert_int_equal(node_at(0, GIB, 0xa0000), 0);
    assert_int_equal(node_at(0xa0000, GIB, 1 << 20), NODE_UNKNOWN);
    assert_int_equal(node_at(GIB, 3 * GIB, 2 * GIB), 0);
    assert_int_equal(node_at(GIB, 2 * GIB, 2 * GIB), 0);
    assert_int_equal(node_at(2 * GIB, 8 * GIB, 4 * GIB), NODE_UNKNOWN);
    assert_int_equal(node_at(5 * GIB, 8 * GIB, 6 * GIB), 1);
    assert_int_equal(node_at(6 * GIB, 8 * GIB, 8 * GIB), NODE_UNKNOWN);
    assert_int_equal(numa_distance(&numa, 0, 1), 0);
    stop();
}

static void cpus_of_every_kind(void **state)
{
    (void)state;
    start(2);
    cpu(0x12, 0);
    cpu(0x12345, 1);
    cpu(0x80000003, 42);
    cpu(0x80000004, 43);
    size_t pos = entry(0, 16);
    put(&srat, pos + 2, 0xcd, 1);
    put(&srat, pos + 3, 0x12, 1);
    put(&srat, pos + 4, ENABLED, 4);
    put(&srat, pos + 9, 0xab, 3);
    pos = entry(2, 24);
    put(&srat, pos + 4, 3, 4);
    put(&srat, pos + 8, 0x12345, 4);
    put(&srat, pos + 12, ENABLED, 4);
    pos = entry(3, 18);
    put(&srat, pos + 2, 5, 4);
    put(&srat, pos + 6, 42, 4);
    put(&srat, pos + 10, ENABLED, 4);
    pos = entry(3, 18); /* not enabled */
    put(&srat, pos + 2, 5, 4);
    put(&srat, pos + 6, 43, 4);
    entry(5, 32); /* of a kind that is not read */
    read_all();
    assert_int_equal(acpi.cpus[0].node, 0xabcd);
    assert_int_equal(acpi.cpus[1].node, 3);
    assert_int_equal(acpi.cpus[2].node, 5);
    assert_int_equal(acpi.cpus[3].node, NODE_UNKNOWN);
    assert_int_equal(numa.bad_srat, 0);
    stop();
    /* In the first revision the domain has 8 bits. */
    start(1);
    cpu(0, 0);
    pos = entry(0, 16);
    put(&srat, pos + 2, 2, 1);
    put(&srat, pos + 4, ENABLED, 4);
    put(&srat, pos + 9, 0xffffff, 3);
    memory(0x5a5a5a01, GIB, GIB, ENABLED);
    read_all();
    assert_int_equal(acpi.cpus[0].node, 2);
    assert_int_equal(numa.range[0].node, 1);
    stop();
}

/* Nonvolatile memory is of the boot CPU's own node, between its DRAM. */
static void what_a_window_is_made_of(void **state)
{
    static const struct {
        struct numa_wanted wanted;
        bool yes[4];
    } cases[] = {{{0, false}, {true, false, true, false}},
                 {{0, true}, {true, true, true, false}},
                 {{NODE_UNKNOWN, false}, {true, false, true, true}},
                 {{NODE_UNKNOWN, true}, {true, true, true, true}},
                 {{1, false}, {false, false, false, true}},
                 {{7, true}, {false, false, false, false}}};
    static const uint64_t edges[] = {0, 2 * GIB, 4 * GIB, 6 * GIB, 8 * GIB};

    (void)state;
    start(3);
    memory(0, 0, 2 * GIB, ENABLED);
    memory(0, 2 * GIB, 2 * GIB, ENABLED | NONVOLATILE);
    memory(0, 4 * GIB, 2 * GIB, ENABLED);
    memory(1, 6 * GIB, 2 * GIB, ENABLED);
    read_all();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (size_t k = 0; k < 4; k++) {
            bool yes;
            phys_addr end = numa_same_wanted(&numa, &cases[i].wanted, phys_make(edges[k]),
                                             phys_make(8 * GIB), &yes);
            assert_int_equal(end.value, edges[k + 1]);
            assert_int_equal(yes, cases[i].yes[k]);
        }
    stop();
}

static void ranges_are_cut(void **state)
{
    struct memory_range ranges[8] = {
        {.base = phys_make(0), .bytes = GIB, .node = NODE_UNKNOWN},
        {.base = phys_make(2 * GIB), .bytes = 6 * GIB, .node = NODE_UNKNOWN, .usable = true},
        {.base = phys_make(20 * GIB), .bytes = GIB, .kind = MEMORY_SPECIFIC}};

    (void)state;
    start(3);
    memory(0, 0, 3 * GIB, ENABLED);
    memory(0, 3 * GIB, GIB, ENABLED); /* goes on */
    memory(1, 4 * GIB, 2 * GIB, ENABLED);
    memory(1, 6 * GIB, 2 * GIB, ENABLED | NONVOLATILE);
    memory(2, 20 * GIB, GIB, ENABLED);
    side_cache(2, 16 * GIB, 0);
    read_all();
    assert_int_equal(numa_cut(&numa, ranges, 3, 8), 5);
    static const struct {
        uint64_t base, bytes;
        uint32_t node;
        enum memory_kind kind;
        bool usable;
    } expected[] = {{0, GIB, 0, MEMORY_ORDINARY, false},
                    {2 * GIB, 2 * GIB, 0, MEMORY_ORDINARY, true},
                    {4 * GIB, 2 * GIB, 1, MEMORY_ORDINARY, true},
                    {6 * GIB, 2 * GIB, 1, MEMORY_NONVOLATILE, true},
                    {20 * GIB, GIB, 2, MEMORY_SPECIFIC, false}};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(ranges[i].base.value, expected[i].base);
        assert_int_equal(ranges[i].bytes, expected[i].bytes);
        assert_int_equal(ranges[i].node, expected[i].node);
        assert_int_equal(ranges[i].kind, expected[i].kind);
        assert_int_equal(ranges[i].usable, expected[i].usable);
        assert_int_equal(ranges[i].cache_bytes, i == 4 ? 16 * GIB : 0);
    }
    stop();
}

/* Memory stays memory where there is no room to say whose it is. */
static void no_room_to_cut(void **state)
{
    struct memory_range ranges[3] = {{.base = phys_make(0), .bytes = 8 * GIB},
                                     {.base = phys_make(8 * GIB), .bytes = 2 * GIB}};

    (void)state;
    start(3);
    for (uint32_t i = 0; i < 10; i++)
        memory(i % 2, i * GIB, GIB, ENABLED);
    read_all();
    assert_int_equal(numa_cut(&numa, ranges, 2, 3), 3);
    assert_int_equal(ranges[0].bytes, GIB);
    assert_int_equal(ranges[0].node, 0);
    assert_int_equal(ranges[1].bytes, 7 * GIB);
    assert_int_equal(ranges[1].node, NODE_UNKNOWN);
    assert_int_equal(ranges[2].bytes, 2 * GIB);
    assert_int_equal(ranges[2].node, NODE_UNKNOWN);
    ranges[0] = (struct memory_range){.base = phys_make(0), .bytes = 8 * GIB};
    assert_int_equal(numa_cut(&numa, ranges, 1, 1), 1);
    assert_int_equal(ranges[0].bytes, 8 * GIB);
    assert_int_equal(numa_cut(&numa, ranges, 0, 0), 0);
    stop();
}

/* Two nodes claim the same memory: its node is unknown. The same claim twice is no contradiction.
 */
static void overlaps(void **state)
{
    (void)state;
    start(3);
    memory(0, 0, 4 * GIB, ENABLED);
    memory(1, 3 * GIB, 4 * GIB, ENABLED);
    memory(0, 0, GIB, ENABLED);
    memory(0, 3 * GIB, GIB / 2, ENABLED);
    read_all();
    assert_int_equal(node_at(0, 8 * GIB, GIB), 0);
    assert_int_equal(node_at(GIB, 8 * GIB, 3 * GIB), 0);
    assert_int_equal(node_at(3 * GIB, 8 * GIB, 3 * GIB + GIB / 2), NODE_UNKNOWN);
    assert_int_equal(node_at(3 * GIB + GIB / 2, 8 * GIB, 4 * GIB), NODE_UNKNOWN);
    assert_int_equal(node_at(4 * GIB, 8 * GIB, 7 * GIB), 1);
    stop();
}

static void broken_entries_are_skipped(void **state)
{
    (void)state;
    start(3);
    cpu(0, 0);
    memory(0, 0, GIB, ENABLED);
    memory(1, UINT64_MAX - 4095, 8192, ENABLED); /* wraps */
    memory(NODE_UNKNOWN, GIB, GIB, ENABLED);
    entry(0, 8); /* too short for its kind */
    entry(1, 20);
    memory(1, 2 * GIB, GIB, ENABLED);
    read_all();
    assert_int_equal(numa.bad_srat, 4);
    assert_int_equal(numa.range_count, 2);
    assert_int_equal(acpi.cpus[0].node, NODE_UNKNOWN);
    stop();
    srat.used--; /* the last one runs past the end */
    read_all();
    assert_int_equal(numa.bad_srat, 5);
    assert_int_equal(numa.range_count, 1);
    stop();
    start(3);
    memory(0, 0, GIB, ENABLED);
    entry(1, 40);
    srat.bytes[srat.used - 39] = 0; /* a length of 0 ends the walk */
    read_all();
    assert_int_equal(numa.bad_srat, 1);
    assert_int_equal(numa.range_count, 1);
    stop();
    start(3);
    for (uint32_t i = 0; i < NUMA_RANGES_MAX + 3; i++)
        memory(i, i * GIB, GIB, ENABLED);
    read_all();
    assert_int_equal(numa.range_count, NUMA_RANGES_MAX);
    assert_int_equal(numa.bad_srat, 3);
    stop();
}

static void distances_that_make_sense(void **state)
{
    static const uint8_t sound[] = {10, 21, 255, 21, 10, 31, 17, 31, 10};
    static const uint8_t zero[9] = {0};
    static const uint8_t near[] = {10, 10, 20, 10};

    (void)state;
    start(3);
    distances(3, sound);
    read_all();
    assert_int_equal(numa.bad_slit, 0);
    assert_int_equal(numa_distance(&numa, 0, 0), 10);
    assert_int_equal(numa_distance(&numa, 0, 1), 21);
    assert_int_equal(numa_distance(&numa, 2, 0), 17);
    assert_int_equal(numa_distance(&numa, 0, 2), 0);
    assert_int_equal(numa_distance(&numa, 0, 3), 0);
    assert_int_equal(numa_distance(&numa, 3, 0), 0);
    stop();
    slit.used--; /* a number is missing */
    read_all();
    assert_int_equal(numa.bad_slit, 1);
    assert_int_equal(numa_distance(&numa, 0, 1), 0);
    stop();
    distances(3, zero);
    read_all();
    assert_int_equal(numa.bad_slit, 1);
    stop();
    distances(2, near);
    read_all();
    assert_int_equal(numa.bad_slit, 1);
    stop();
    put(&slit, 36, 1ull << 32, 8); /* squared it would be 0 */
    read_all();
    assert_int_equal(numa.bad_slit, 1);
    stop();
}

static void memory_side_caches(void **state)
{
    (void)state;
    start(3);
    put(&hmat, hmat.used + 4, 40, 4); /* type 0, not read, also where it looks like a cache */
    put(&hmat, hmat.used + 8, 1, 4);
    put(&hmat, hmat.used + 16, GIB, 8);
    hmat.used += 40;
    side_cache(1, 16 * GIB, 64u << 16 | 1u << 8 | 1u << 4 | 2);
    side_cache(1, GIB, 64u << 16 | 1u << 8 | 2u << 4 | 2);
    side_cache(4, 0, 0);
    read_all();
    assert_int_equal(numa.bad_hmat, 0);
    assert_int_equal(numa.cache_count, 2);
    assert_int_equal(numa.cache[0].level, 1);
    assert_int_equal(numa.cache[1].level, 2);
    assert_int_equal(numa.cache[1].levels, 2);
    assert_int_equal(numa.cache[1].line_bytes, 64);
    assert_int_equal(numa_cache_bytes(&numa, 1), 17 * GIB);
    assert_int_equal(numa_cache_bytes(&numa, 0), 0);
    assert_int_equal(numa_cache_bytes(&numa, 4), 0);
    stop();
    put(&hmat, hmat.used + 4, 7, 4); /* shorter than its own head */
    hmat.used += 8;
    read_all();
    assert_int_equal(numa.bad_hmat, 1);
    stop();
    put(&hmat, hmat.used - 8, 2, 2);
    put(&hmat, hmat.used - 4, 8, 4); /* a cache without its facts */
    read_all();
    assert_int_equal(numa.bad_hmat, 1);
    assert_int_equal(numa.cache_count, 2);
    stop();
    put(&hmat, hmat.used - 4, 400, 4); /* longer than the table */
    read_all();
    assert_int_equal(numa.bad_hmat, 1);
    stop();
    start(3);
    side_cache(1, UINT64_MAX, 0);
    side_cache(1, GIB, 0);
    for (unsigned i = 2; i < NUMA_CACHES_MAX + 2; i++)
        side_cache(2, GIB, 0);
    read_all();
    assert_int_equal(numa.bad_hmat, 2);
    assert_int_equal(numa_cache_bytes(&numa, 1), UINT64_MAX); /* never wraps */
    stop();
}

/* A table of the HMAT with these numbers of nodes, which are numbered from 0; its entries are 0. */
static size_t locality(uint8_t type, uint32_t sources, uint32_t targets, uint64_t base)
{
    size_t pos = hmat.used, bytes = 32 + 4 * (sources + targets) + 2 * sources * targets;

    put(&hmat, pos, 1, 2);
    put(&hmat, pos + 4, bytes, 4);
    put(&hmat, pos + 9, type, 1);
    put(&hmat, pos + 12, sources, 4);
    put(&hmat, pos + 16, targets, 4);
    put(&hmat, pos + 24, base, 8);
    for (uint32_t i = 0; i < sources; i++)
        put(&hmat, pos + 32 + 4 * i, i, 4);
    for (uint32_t i = 0; i < targets; i++)
        put(&hmat, pos + 32 + 4 * (sources + i), i, 4);
    hmat.used += bytes;
    return pos;
}

static void locality_entry(size_t pos, uint32_t from, uint32_t to, uint16_t value)
{
    uint32_t sources = hmat.bytes[pos + 12], targets = hmat.bytes[pos + 16];

    put(&hmat, pos + 32 + 4 * (sources + targets) + 2 * (from * targets + to), value, 2);
}

/* As QEMU writes what it was told: 80, 140 and 150 ns, 20480M and 10240M a second. */
static void qemu_localities(uint8_t latency, uint8_t bandwidth)
{
    size_t pos = locality(latency, 2, 2, 10000);

    for (uint32_t from = 0; from < 2; from++)
        for (uint32_t to = 0; to < 2; to++)
            locality_entry(pos, from, to, from == to ? 8 : (uint16_t)(14 + from));
    pos = locality(bandwidth, 2, 2, 10240);
    for (uint32_t from = 0; from < 2; from++)
        for (uint32_t to = 0; to < 2; to++)
            locality_entry(pos, from, to, from == to ? 2 : 1);
}

static void claims_of_latency_and_bandwidth(void **state)
{
    static const uint8_t far[] = {10, 21, 21, 10};
    static const uint8_t types[][2] = {{0, 3}, {1, 4}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        start(3);
        hmat.bytes[8] = 2;
        distances(2, far);
        qemu_localities(types[i][0], types[i][1]);
        read_all();
        assert_int_equal(numa.bad_hmat, 0);
        assert_true(numa_latency_ns(&numa, 0, 0) == 80);
        assert_true(numa_latency_ns(&numa, 1, 0) == 150);
        assert_true(numa_bytes_per_s(&numa, 1, 1) == 20480.0 * (1 << 20));
        struct node_claim claim = numa_claim(&numa, 0, 1);
        assert_int_equal(claim.from, 0);
        assert_int_equal(claim.to, 1);
        assert_int_equal(claim.distance, 21);
        assert_true(claim.latency_ns == 140);
        assert_true(claim.bytes_per_s == 10240.0 * (1 << 20));
        assert_true(numa_latency_ns(&numa, 2, 0) == 0); /* of no such node */
        assert_true(numa_latency_ns(&numa, 0, 2) == 0);
        stop();
    }
}

/* What is claimed of any access goes before what is of reads; writes and caches count for nothing.
 */
static void claims_of_other_kinds(void **state)
{
    (void)state;
    start(3);
    hmat.bytes[8] = 2;
    locality_entry(locality(2, 1, 1, 1000), 0, 0, 300);
    size_t cache = locality(0, 1, 1, 1000);
    hmat.bytes[cache + 8] = 1;
    locality_entry(cache, 0, 0, 400);
    locality_entry(locality(1, 1, 1, 1000), 0, 0, 90);
    read_all();
    assert_true(numa_latency_ns(&numa, 0, 0) == 90);
    assert_true(numa_bytes_per_s(&numa, 0, 0) == 0);
    stop();
    size_t access = locality(0, 1, 1, 1000);
    locality_entry(access, 0, 0, 0xffff); /* not available */
    read_all();
    assert_true(numa_latency_ns(&numa, 0, 0) == 90);
    stop();
    locality_entry(access, 0, 0, 70);
    read_all();
    assert_true(numa_latency_ns(&numa, 0, 0) == 70);
    stop();
    hmat.bytes[8] = 1; /* tenths of a nanosecond */
    read_all();
    assert_true(numa_latency_ns(&numa, 0, 0) == 7000);
    assert_int_equal(numa.bad_hmat, 0);
    stop();
}

static uint32_t bad_with(size_t pos, size_t offset, uint64_t value, size_t bytes)
{
    struct builder before = hmat;

    put(&hmat, pos + offset, value, bytes);
    read_all();
    stop();
    hmat = before;
    return numa.bad_hmat;
}

static void broken_claims_are_skipped(void **state)
{
    (void)state;
    start(3);
    hmat.bytes[8] = 2;
    size_t pos = locality(0, 2, 2, 1000);
    locality_entry(pos, 0, 0, 80);
    side_cache(1, GIB, 0);
    read_all();
    assert_int_equal(numa.bad_hmat, 0);
    stop();
    assert_int_equal(bad_with(pos, 4, 0, 4), 1);    /* of no length: nothing behind it is found */
    assert_int_equal(bad_with(pos, 4, 4000, 4), 1); /* past the end */
    assert_int_equal(numa.cache_count, 0);
    assert_int_equal(bad_with(pos, 9, 6, 1), 1); /* no such data */
    assert_int_equal(bad_with(pos, 12, 0, 4), 1);
    assert_int_equal(bad_with(pos, 12, 3, 4), 1);
    assert_int_equal(bad_with(pos, 12, 1000000, 4), 1);
    assert_int_equal(bad_with(pos, 16, UINT32_MAX, 4), 1);
    assert_int_equal(bad_with(pos, 24, 0, 8), 1); /* a unit of nothing */
    assert_int_equal(numa.locality_count, 0);
    assert_true(numa_latency_ns(&numa, 0, 0) == 0);
    assert_int_equal(numa.cache_count, 1);
    assert_int_equal(bad_with(pos, 12, 1ull << 31 | 1ull << 63, 8), 1); /* 2^31 by 2^31 */
    start(3);
    put(&hmat, hmat.used, 1, 2);
    put(&hmat, hmat.used + 4, 16, 4); /* shorter than its head */
    hmat.used += 16;
    for (unsigned i = 0; i < NUMA_LOCALITIES_MAX + 2; i++)
        (void)locality(0, 1, 1, 1000);
    read_all();
    assert_int_equal(numa.bad_hmat, 3);
    stop();
}

static void whose_memory_is_measured(void **state)
{
    static const uint8_t far[] = {10, 31, 17, 31, 10, 21, 17, 21, 10};
    struct memory_range ranges[] = {
        {.base = phys_make(0), .bytes = GIB, .node = 0, .usable = false},
        {.base = phys_make(GIB), .bytes = GIB, .node = 0, .kind = MEMORY_SPECIFIC, .usable = true},
        {.base = phys_make(2 * GIB), .bytes = GIB, .node = 1, .usable = true},
        {.base = phys_make(3 * GIB), .bytes = GIB, .node = NODE_UNKNOWN, .usable = true},
        {.base = phys_make(4 * GIB), .bytes = GIB, .node = 2, .usable = true}};

    (void)state;
    start(3);
    distances(3, far);
    read_all();
    assert_int_equal(numa_home(&numa, ranges, 5, 1), 1);
    assert_int_equal(numa_home(&numa, ranges, 5, 2), 2);
    assert_int_equal(numa_home(&numa, ranges, 5, 0), 2); /* nearer than 1 */
    assert_int_equal(numa_home(&numa, ranges, 3, 0), 1);
    assert_int_equal(numa_home(&numa, ranges, 2, 0), NODE_UNKNOWN);
    assert_int_equal(numa_home(&numa, ranges, 5, NODE_UNKNOWN), NODE_UNKNOWN);
    assert_int_equal(numa_home(&numa, ranges, 5, 7), NODE_UNKNOWN);
    stop();
}

static void no_tables(void **state)
{
    (void)state;
    start(3);
    srat.used = hmat.used = 0;
    cpu(0, 0);
    read_all();
    assert_false(numa.known);
    assert_int_equal(acpi.cpus[0].node, NODE_UNKNOWN);
    assert_int_equal(node_at(0, GIB, GIB), NODE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_nodes),
        cmocka_unit_test(cpus_of_every_kind),
        cmocka_unit_test(what_a_window_is_made_of),
        cmocka_unit_test(ranges_are_cut),
        cmocka_unit_test(no_room_to_cut),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(broken_entries_are_skipped),
        cmocka_unit_test(memory_side_caches),
        cmocka_unit_test(claims_of_latency_and_bandwidth),
        cmocka_unit_test(claims_of_other_kinds),
        cmocka_unit_test(broken_claims_are_skipped),
        cmocka_unit_test(distances_that_make_sense),
        cmocka_unit_test(no_tables),
        cmocka_unit_test(whose_memory_is_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
