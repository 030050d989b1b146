/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/firmware/numa.h"

#include "core/lib/bytes.h"
#include "core/lib/memory.h"

#define SRAT_HEAD        48u
#define SLIT_HEAD        44u
#define HMAT_HEAD        40u
#define ENABLED          1u
#define NONVOLATILE      4u
#define DISTANCE_LOCAL   10u
#define DISTANCE_NO_WAY  255u
#define HMAT_LOCALITY    1u
#define HMAT_CACHE       2u
#define HMAT_CACHE_BYTES 32u
/* Types of a locality's data (ACPI 6.5, table 5.146); those of writes are 2 and 5. */
#define ACCESS_LATENCY   0u
#define READ_LATENCY     1u
#define ACCESS_BANDWIDTH 3u
#define READ_BANDWIDTH   4u
#define DATA_TYPES       6u
#define LOCALITY_HEAD    32u
#define OF_MEMORY        0u /* the hierarchy in a locality's flags; others are of its caches */
#define ENTRY_NONE       0xffffu

/* Before revision 2 of the SRAT a proximity domain is 8 bits wide; the bytes above it were
 * reserved, and are not always 0 (Linux drivers/acpi/numa/srat.c). */
static uint32_t node_of(const uint8_t *srat, uint32_t node)
{
    return srat[8] < 2 ? node & 0xff : node;
}

static void memory_add(const uint8_t *srat, const uint8_t *pos, struct numa_facts *numa)
{
    uint64_t base = bytes_u64(pos + 8), bytes = bytes_u64(pos + 16);
    uint32_t flags = bytes_u32(pos + 28), node = node_of(srat, bytes_u32(pos + 2));

    /* Slots for memory that may be hot-plugged are often enabled and empty. */
    if (bytes == 0)
        return;
    if (bytes > UINT64_MAX - base || node == NODE_UNKNOWN || numa->range_count == NUMA_RANGES_MAX) {
        numa->bad_srat++;
        return;
    }
    numa->range[numa->range_count++] = (struct numa_range){phys_make(base), phys_make(base + bytes),
                                                           node, (flags & NONVOLATILE) != 0};
}

static void cpu_place(struct acpi_facts *acpi, bool by_firmware_id, uint64_t id, uint32_t node)
{
    for (size_t i = 0; i < acpi->cpu_count; i++) {
        struct cpu_info *cpu = &acpi->cpus[i];
        if ((by_firmware_id ? cpu->firmware_id : cpu->hardware_id) == id)
            cpu->node = node;
    }
}

/* Types 0 (local APIC), 1 (memory), 2 (x2APIC), 3 (GICC, by ACPI processor UID). */
static const struct affinity {
    uint8_t bytes, flags;
} affinities[] = {{16, 4}, {40, 28}, {24, 12}, {18, 10}};
#define AFFINITIES (sizeof affinities / sizeof affinities[0])

static void affinity_read(const uint8_t *srat, const uint8_t *pos, struct acpi_facts *acpi,
                          struct numa_facts *numa)
{
    const struct affinity *kind = &affinities[pos[0]];

    if (pos[1] < kind->bytes) {
        numa->bad_srat++;
        return;
    }
    if (!(bytes_u32(pos + kind->flags) & ENABLED))
        return;
    if (pos[0] == 0)
        cpu_place(acpi, false, pos[3], node_of(srat, pos[2] | bytes_u32(pos + 8) >> 8 << 8));
    else if (pos[0] == 1)
        memory_add(srat, pos, numa);
    else if (pos[0] == 2)
        cpu_place(acpi, false, bytes_u32(pos + 8), bytes_u32(pos + 4));
    else
        cpu_place(acpi, true, bytes_u32(pos + 6), bytes_u32(pos + 2));
}

static void srat_read(const struct acpi_table *table, struct acpi_facts *acpi,
                      struct numa_facts *numa)
{
    uint32_t pos = SRAT_HEAD;

    numa->known = true;
    while (table->bytes > pos) {
        const uint8_t *entry = table->pos + pos;
        if (table->bytes - pos < 2 || entry[1] < 2 || entry[1] > table->bytes - pos) {
            numa->bad_srat++;
            return;
        }
        if (entry[0] < AFFINITIES)
            affinity_read(table->pos, entry, acpi, numa);
        pos += entry[1];
    }
}

/* A table in which some node is not nearest to itself is ignored, as in Linux
 * (drivers/acpi/numa/srat.c). */
static bool distances_make_sense(const uint8_t *distance, uint64_t nodes)
{
    for (uint64_t from = 0; from < nodes; from++)
        for (uint64_t to = 0; to < nodes; to++) {
            uint8_t value = distance[from * nodes + to];
            if (from == to ? value != DISTANCE_LOCAL : value <= DISTANCE_LOCAL)
                return false;
        }
    return true;
}

static void slit_read(const struct acpi_table *table, struct numa_facts *numa)
{
    uint64_t nodes = bytes_u64(table->pos + 36);
    uint64_t room = table->bytes - SLIT_HEAD;

    if (nodes == 0 || nodes > room || nodes > room / nodes ||
        !distances_make_sense(table->pos + SLIT_HEAD, nodes)) {
        numa->bad_slit++;
        return;
    }
    numa->distance = table->pos + SLIT_HEAD;
    numa->nodes = (uint32_t)nodes;
}

static void cache_add(const uint8_t *pos, uint32_t bytes, struct numa_facts *numa)
{
    if (bytes < HMAT_CACHE_BYTES || numa->cache_count == NUMA_CACHES_MAX) {
        numa->bad_hmat++;
        return;
    }
    uint32_t attributes = bytes_u32(pos + 24);
    uint64_t size = bytes_u64(pos + 16);
    if (size == 0)
        return;
    numa->cache[numa->cache_count++] = (struct numa_cache){.node = bytes_u32(pos + 8),
                                                           .bytes = size,
                                                           .line_bytes = attributes >> 16,
                                                           .level = (uint8_t)(attributes >> 4 & 15),
                                                           .levels = (uint8_t)(attributes & 15)};
}

/* Two lists of nodes and a matrix of 16-bit entries behind the head. */
static bool locality_fits(uint64_t sources, uint64_t targets, uint32_t bytes)
{
    uint64_t room = bytes - LOCALITY_HEAD;

    return sources != 0 && targets != 0 && sources <= room / 4 && targets <= room / 4 &&
           4 * (sources + targets) + 2 * sources * targets <= room;
}

static void locality_add(const uint8_t *pos, uint32_t bytes, struct numa_facts *numa)
{
    uint32_t sources, targets;

    if (bytes < LOCALITY_HEAD) {
        numa->bad_hmat++;
        return;
    }
    sources = bytes_u32(pos + 12);
    targets = bytes_u32(pos + 16);
    if (pos[9] >= DATA_TYPES || bytes_u64(pos + 24) == 0 ||
        !locality_fits(sources, targets, bytes) || numa->locality_count == NUMA_LOCALITIES_MAX) {
        numa->bad_hmat++;
        return;
    }
    if ((pos[8] & 15) == OF_MEMORY)
        numa->locality[numa->locality_count++] =
            (struct numa_locality){pos, sources, targets, pos[9]};
}

static void hmat_read(const struct acpi_table *table, struct numa_facts *numa)
{
    uint32_t pos = HMAT_HEAD;

    numa->hmat_revision = table->pos[8];
    while (table->bytes > pos) {
        const uint8_t *entry = table->pos + pos;
        uint32_t bytes = table->bytes - pos < 8 ? 0 : bytes_u32(entry + 4);
        if (bytes < 8 || bytes > table->bytes - pos) {
            numa->bad_hmat++;
            return;
        }
        if (bytes_u16(entry) == HMAT_CACHE)
            cache_add(entry, bytes, numa);
        else if (bytes_u16(entry) == HMAT_LOCALITY)
            locality_add(entry, bytes, numa);
        pos += bytes;
    }
}

void numa_read(struct acpi_facts *acpi, struct numa_facts *numa)
{
    memory_fill(numa, 0, sizeof *numa);
    if (acpi->srat.pos != NULL)
        srat_read(&acpi->srat, acpi, numa);
    if (acpi->slit.pos != NULL)
        slit_read(&acpi->slit, numa);
    if (acpi->hmat.pos != NULL)
        hmat_read(&acpi->hmat, numa);
}

/* The node at an address, and up to which address it is the same. */
struct cover {
    uint32_t node;
    bool nonvolatile;
    uint64_t end;
};

static void cover_add(struct cover *cover, const struct numa_range *range, uint64_t pos, bool first)
{
    if (range->base.value > pos) {
        cover->end = range->base.value < cover->end ? range->base.value : cover->end;
        return;
    }
    cover->end = range->end.value < cover->end ? range->end.value : cover->end;
    cover->node = first || cover->node == range->node ? range->node : NODE_UNKNOWN;
    cover->nonvolatile |= range->nonvolatile;
}

static struct cover cover_of(const struct numa_facts *numa, uint64_t pos, uint64_t end)
{
    struct cover cover = {.node = NODE_UNKNOWN, .end = end};
    bool first = true;

    for (size_t i = 0; i < numa->range_count; i++) {
        const struct numa_range *range = &numa->range[i];
        if (range->end.value <= pos)
            continue;
        cover_add(&cover, range, pos, first);
        first = first && range->base.value > pos;
    }
    return cover;
}

phys_addr numa_same_node(const struct numa_facts *numa, phys_addr base, phys_addr end,
                         uint32_t *node)
{
    struct cover cover = cover_of(numa, base.value, end.value);

    *node = cover.node;
    return phys_make(cover.end);
}

phys_addr numa_same_wanted(const struct numa_facts *numa, const struct numa_wanted *wanted,
                           phys_addr base, phys_addr end, bool *yes)
{
    struct cover cover = cover_of(numa, base.value, end.value);

    *yes = (wanted->node == NODE_UNKNOWN || wanted->node == cover.node) &&
           (wanted->by_range || !cover.nonvolatile);
    return phys_make(cover.end);
}

static bool range_is(const struct memory_range *range, const struct cover *cover)
{
    return range->node == cover->node && (range->kind == MEMORY_NONVOLATILE) == cover->nonvolatile;
}

static void range_mark(const struct numa_facts *numa, struct memory_range *range,
                       const struct cover *cover)
{
    range->node = cover->node;
    range->cache_bytes = numa_cache_bytes(numa, cover->node);
    if (cover->nonvolatile)
        range->kind = MEMORY_NONVOLATILE;
}

/* Cuts one range into as many as fit in `room`; returns how many. */
static size_t cut_one(const struct numa_facts *numa, struct memory_range *range, size_t room)
{
    uint64_t pos = range->base.value, end = pos + range->bytes;
    struct memory_range whole = *range;
    size_t count = 1;

    range->bytes = 0;
    for (struct cover cover; pos < end; pos = cover.end) {
        struct memory_range *last = &range[count - 1];
        struct memory_range next = whole;
        cover = cover_of(numa, pos, end);
        next.base = phys_make(pos);
        next.bytes = cover.end - pos;
        range_mark(numa, &next, &cover);
        if (last->bytes == 0) {
            *last = next;
        } else if (range_is(last, &cover)) {
            last->bytes += next.bytes;
        } else if (count < room) {
            range[count++] = next;
        } else {
            last->bytes += end - pos;
            last->node = NODE_UNKNOWN;
            last->cache_bytes = 0;
            break;
        }
    }
    return count;
}

/* From the last range to the first, so that each cut has all remaining room and the ranges behind
 * it are moved only once. */
size_t numa_cut(const struct numa_facts *numa, struct memory_range *ranges, size_t count,
                size_t max)
{
    struct memory_range *end = ranges + max;
    size_t behind = 0;

    for (size_t i = count; i-- > 0; behind++) {
        struct memory_range range = ranges[i];
        end[-1 - (ptrdiff_t)behind] = range;
    }
    for (size_t done = 0, out = 0;; done++) {
        if (done == count)
            return out;
        ranges[out] = end[(ptrdiff_t)done - (ptrdiff_t)count];
        out += cut_one(numa, &ranges[out], max - out - (count - done - 1));
    }
}

unsigned numa_distance(const struct numa_facts *numa, uint32_t from, uint32_t to)
{
    uint8_t value;

    if (numa->distance == NULL || from >= numa->nodes || to >= numa->nodes)
        return 0;
    value = numa->distance[(uint64_t)from * numa->nodes + to];
    return value == DISTANCE_NO_WAY ? 0 : value;
}

/* The place of a node in a list of them; `count`: it is not in it. */
static uint32_t place_of(const uint8_t *list, uint32_t count, uint32_t node)
{
    uint32_t i = 0;

    while (i < count && bytes_u32(list + 4 * (size_t)i) != node)
        i++;
    return i;
}

/* Entry times base unit; 0: none. */
static double entry_of(const struct numa_locality *locality, uint32_t from, uint32_t to)
{
    const uint8_t *sources = locality->pos + LOCALITY_HEAD;
    const uint8_t *targets = sources + 4 * (size_t)locality->sources;
    const uint8_t *entries = targets + 4 * (size_t)locality->targets;
    uint32_t row = place_of(sources, locality->sources, from);
    uint32_t column = place_of(targets, locality->targets, to);
    uint16_t entry;

    if (row == locality->sources || column == locality->targets)
        return 0;
    entry = bytes_u16(entries + 2 * ((size_t)row * locality->targets + column));
    return entry == ENTRY_NONE ? 0 : entry * (double)bytes_u64(locality->pos + 24);
}

static double claimed(const struct numa_facts *numa, uint32_t from, uint32_t to, uint8_t type)
{
    double value = 0;

    for (size_t i = 0; i < numa->locality_count && value <= 0; i++)
        if (numa->locality[i].type == type)
            value = entry_of(&numa->locality[i], from, to);
    return value;
}

/* Revision 1 counts tenths of a nanosecond and of a MB/s, as Linux reads it (drivers/acpi/numa/
 * hmat.c, hmat_normalize); revision 2 picoseconds and MB/s. */
double numa_latency_ns(const struct numa_facts *numa, uint32_t from, uint32_t to)
{
    double value = claimed(numa, from, to, ACCESS_LATENCY);

    if (value <= 0)
        value = claimed(numa, from, to, READ_LATENCY);
    return value / (numa->hmat_revision < 2 ? 10 : 1000);
}

double numa_bytes_per_s(const struct numa_facts *numa, uint32_t from, uint32_t to)
{
    double value = claimed(numa, from, to, ACCESS_BANDWIDTH);

    if (value <= 0)
        value = claimed(numa, from, to, READ_BANDWIDTH);
    return value * (1u << 20) / (numa->hmat_revision < 2 ? 10 : 1);
}

struct node_claim numa_claim(const struct numa_facts *numa, uint32_t from, uint32_t to)
{
    return (struct node_claim){.from = from,
                               .to = to,
                               .distance = numa_distance(numa, from, to),
                               .latency_ns = numa_latency_ns(numa, from, to),
                               .bytes_per_s = numa_bytes_per_s(numa, from, to)};
}

uint64_t numa_cache_bytes(const struct numa_facts *numa, uint32_t node)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < numa->cache_count; i++)
        if (numa->cache[i].node == node && bytes <= UINT64_MAX - numa->cache[i].bytes)
            bytes += numa->cache[i].bytes;
    return bytes;
}

uint32_t numa_home(const struct numa_facts *numa, const struct memory_range *ranges, size_t count,
                   uint32_t cpu_node)
{
    uint32_t home = NODE_UNKNOWN;
    unsigned least = UINT32_MAX;

    for (size_t i = 0; i < count && cpu_node != NODE_UNKNOWN; i++) {
        uint32_t node = ranges[i].node;
        unsigned distance = numa_distance(numa, cpu_node, node);
        if (!ranges[i].usable || ranges[i].kind != MEMORY_ORDINARY || node == NODE_UNKNOWN)
            continue;
        if (node == cpu_node)
            return node;
        if (distance != 0 && distance < least) {
            least = distance;
            home = node;
        }
    }
    return home;
}
