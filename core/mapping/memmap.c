/* SPDX-License-Identifier: BSD-2-Clause */
/* Sweeps over the edges of the firmware's descriptors in address order without copying the map:
 * each pass over it gathers the next SWEEP_EDGES edges in a small heap. n descriptors cost n * (n /
 * 64 + 1) cheap comparisons, 2 KiB of stack and no allocation. */
#include "core/mapping/memmap.h"

#include "core/lib/bytes.h"
#include "core/lib/heap.h"

#define SWEEP_EDGES 128
#define CHOOSE_RUNS 64

#define DESCRIPTOR_BYTES    40u
#define TYPE_CONVENTIONAL   7u
#define EFI_PAGE_LOG2       12
#define ATTRIBUTE_WRITEBACK 8u
#define ATTRIBUTE_SPECIFIC  0x40000u /* EFI_MEMORY_SP */
/* No CPU of either supported architecture has more than 52 physical address bits (Intel SDM volume
 * 3, 4.1.4; Arm ARM, FEAT_LPA2). */
#define PHYS_LIMIT (1ull << 52)
/* Bounds the time spent on absurd registers; a real machine has some dozens of edges. */
#define TYPE_QUERIES_MAX (1ull << 20)

enum kind { KIND_USABLE, KIND_SPECIFIC, KIND_BUSY, KIND_OTHER, KINDS };

/* The range of a descriptor: half-open, neither empty nor wrapping. */
struct extent {
    uint64_t base, end;
    enum kind kind;
};

/* Types: UEFI 2.10, table 7.9. Memory in use by the firmware still counts as memory; reserved and
 * device ranges, and memory known to be bad, do not. */
static enum kind kind_of(uint32_t type, uint64_t attributes)
{
    if (type == TYPE_CONVENTIONAL && (attributes & ATTRIBUTE_WRITEBACK) != 0)
        return (attributes & ATTRIBUTE_SPECIFIC) != 0 ? KIND_SPECIFIC : KIND_USABLE;
    if (type == TYPE_CONVENTIONAL)
        return KIND_BUSY;
    bool loader = type == 1 || type == 2;
    bool services = type >= 3 && type <= 6;
    bool acpi = type == 9 || type == 10;
    bool unaccepted = type == 15;
    return loader || services || acpi || unaccepted ? KIND_BUSY : KIND_OTHER;
}

static size_t descriptor_count(const struct memmap_raw *raw)
{
    return raw->descriptor_bytes < DESCRIPTOR_BYTES ? 0 : raw->bytes / raw->descriptor_bytes;
}

static bool descriptor_read(const struct memmap_raw *raw, size_t index, struct extent *extent)
{
    const uint8_t *pos = (const uint8_t *)raw->descriptors + index * raw->descriptor_bytes;
    uint64_t pages = bytes_u64(pos + 24);
    extent->base = bytes_u64(pos + 8);
    extent->kind = kind_of(bytes_u32(pos), bytes_u64(pos + 32));
    if (pages == 0 || pages > UINT64_MAX >> EFI_PAGE_LOG2)
        return false;
    extent->end = extent->base + (pages << EFI_PAGE_LOG2);
    return extent->end > extent->base;
}

static bool before_by_base(const void *a, const void *b)
{
    const struct memmap_run *left = a;
    const struct memmap_run *right = b;
    if (left->base.value != right->base.value)
        return left->base.value < right->base.value;
    return left->bytes < right->bytes;
}

static bool before_by_size(const void *a, const void *b)
{
    const struct memmap_run *left = a;
    const struct memmap_run *right = b;
    if (left->bytes != right->bytes)
        return left->bytes > right->bytes;
    return left->base.value < right->base.value;
}

/* Called for each range of one kind between two edges, in address order. */
typedef void sweep_visit(void *context, uint64_t base, uint64_t end, enum kind kind);

struct sweep {
    uint64_t depth[KINDS]; /* number of covering descriptors of each kind */
    uint64_t pos;
    bool done; /* last is the last edge processed; edges are totally ordered */
    struct memmap_run last;
};

/* Edges are stored as runs: base is the address, bytes is the edge's number (twice the descriptor's
 * index, plus one for its end), which orders edges at the same address. */
static size_t sweep_gather(const struct memmap_raw *raw, const struct sweep *sweep,
                           struct memmap_run edges[SWEEP_EDGES])
{
    struct heap heap = {edges, sizeof edges[0], 0, SWEEP_EDGES, before_by_base};
    size_t count = descriptor_count(raw);
    for (size_t i = 0; i < count; i++) {
        struct extent extent;
        if (!descriptor_read(raw, i, &extent))
            continue;
        for (unsigned end = 0; end < 2; end++) {
            struct memmap_run out;
            struct memmap_run edge = {phys_make(end ? extent.end : extent.base), 2 * i + end};
            if (!sweep->done || before_by_base(&sweep->last, &edge))
                heap_offer(&heap, &edge, &out);
        }
    }
    heap_sort(&heap, before_by_base);
    return heap.count;
}

static void sweep_map(const struct memmap_raw *raw, sweep_visit *visit, void *context)
{
    struct memmap_run edges[SWEEP_EDGES];
    struct sweep sweep = {.done = false};
    size_t count;
    while ((count = sweep_gather(raw, &sweep, edges)) > 0) {
        for (size_t i = 0; i < count; i++) {
            uint64_t address = edges[i].base.value;
            enum kind kind = sweep.depth[KIND_OTHER] > 0      ? KIND_OTHER
                             : sweep.depth[KIND_BUSY] > 0     ? KIND_BUSY
                             : sweep.depth[KIND_SPECIFIC] > 0 ? KIND_SPECIFIC
                                                              : KIND_USABLE;
            if (address > sweep.pos && sweep.depth[kind] > 0)
                visit(context, sweep.pos, address, kind);
            struct extent extent;
            descriptor_read(raw, (size_t)(edges[i].bytes / 2), &extent);
            if (edges[i].bytes % 2 == 0)
                sweep.depth[extent.kind]++;
            else
                sweep.depth[extent.kind]--;
            sweep.pos = address;
        }
        sweep.last = edges[count - 1];
        sweep.done = true;
    }
}

struct collect {
    const struct memmap_filter *filter;
    struct heap heap;
    uint64_t base, end; /* usable range being joined, untrimmed; empty if equal */
    uint64_t queries, dropped;
};

static void collect_keep(struct collect *collect, uint64_t base, uint64_t end)
{
    struct memmap_run out;
    struct memmap_run run = {phys_make(base), end - base};
    if (end > base && heap_offer(&collect->heap, &run, &out))
        collect->dropped += out.bytes;
}

/* Keeps the whole granules of a range. */
static void collect_granules(struct collect *collect, uint64_t base, uint64_t end)
{
    uint64_t granule = collect->filter->granule;
    collect_keep(collect, (base + granule - 1) & ~(granule - 1), end & ~(granule - 1));
}

/* Goes from edge to edge of the memory types: neighbours of one type are joined before they are
 * trimmed, so that no granule is lost between them. */
static void collect_by_type(struct collect *collect, uint64_t base, uint64_t end)
{
    const struct memmap_filter *filter = collect->filter;
    uint64_t pos = base;
    uint64_t start = base;
    bool open = false;
    while (pos < end && collect->queries < TYPE_QUERIES_MAX) {
        bool writeback = false;
        uint64_t next =
            filter->same_type(filter->context, phys_make(pos), phys_make(end), &writeback).value;
        collect->queries++;
        if (next <= pos || next > end)
            break;
        if (open && !writeback)
            collect_granules(collect, start, pos);
        if (!open)
            start = pos;
        open = writeback;
        pos = next;
    }
    if (open)
        collect_granules(collect, start, pos);
    collect->dropped += end - pos;
}

/* Trims the joined usable range to the filter. */
static void collect_close(struct collect *collect)
{
    const struct memmap_filter *filter = collect->filter;
    bool anywhere = filter->from.value == filter->below.value;
    uint64_t low = anywhere ? 0 : filter->from.value;
    uint64_t high = anywhere || filter->below.value > PHYS_LIMIT ? PHYS_LIMIT : filter->below.value;
    uint64_t base = collect->base > low ? collect->base : low;
    uint64_t end = collect->end < high ? collect->end : high;
    collect->base = collect->end = 0;
    if (base >= end)
        return;
    if (filter->same_type == NULL)
        collect_granules(collect, base, end);
    else
        collect_by_type(collect, base, end);
}

static void collect_visit(void *context, uint64_t base, uint64_t end, enum kind kind)
{
    struct collect *collect = context;
    bool wanted = kind == KIND_USABLE || (kind == KIND_SPECIFIC && collect->filter->specific);
    if (wanted && base == collect->end && collect->end > collect->base) {
        collect->end = end;
        return;
    }
    collect_close(collect);
    if (wanted) {
        collect->base = base;
        collect->end = end;
    }
}

size_t memmap_runs(const struct memmap_raw *raw, const struct memmap_filter *filter,
                   struct memmap_run *runs, size_t max, uint64_t *dropped_bytes)
{
    struct collect collect = {
        .filter = filter,
        .heap = {runs, sizeof runs[0], 0, max, before_by_size},
    };
    sweep_map(raw, collect_visit, &collect);
    collect_close(&collect);
    heap_sort(&collect.heap, before_by_base);
    *dropped_bytes = collect.dropped;
    return collect.heap.count;
}

/* Trims a run to whole granules; bytes is 0 if none is left. */
static struct memmap_run run_cut(const struct memmap_run *run, uint64_t granule)
{
    uint64_t skip = (0 - run->base.value) & (granule - 1);
    if (run->bytes < skip)
        return (struct memmap_run){run->base, 0};
    return (struct memmap_run){phys_make(run->base.value + skip),
                               (run->bytes - skip) & ~(granule - 1)};
}

/* Gathers the CHOOSE_RUNS largest runs that come after *last by size (NULL: from the largest). */
static size_t choose_gather(const struct memmap_run *runs, size_t count, uint64_t granule,
                            const struct memmap_run *last, struct memmap_run *largest)
{
    struct heap heap = {largest, sizeof largest[0], 0, CHOOSE_RUNS, before_by_size};
    for (size_t i = 0; i < count; i++) {
        struct memmap_run out;
        struct memmap_run run = run_cut(&runs[i], granule);
        if (run.bytes > 0 && (last == NULL || before_by_size(last, &run)))
            heap_offer(&heap, &run, &out);
    }
    heap_sort(&heap, before_by_size);
    return heap.count;
}

struct choice {
    struct memmap_run *pieces;
    size_t count, max;
    uint64_t missing, longest;
};

/* Takes pieces from the low end of a run. Returns false if there is no room for another piece. */
static bool choose_run(struct choice *choice, const struct memmap_run *run)
{
    uint64_t base = run->base.value;
    uint64_t left = run->bytes;
    while (left > 0 && choice->missing > 0) {
        uint64_t take = left < choice->longest ? left : choice->longest;
        take = take < choice->missing ? take : choice->missing;
        if (choice->count == choice->max)
            return false;
        choice->pieces[choice->count++] = (struct memmap_run){phys_make(base), take};
        choice->missing -= take;
        base += take;
        left -= take;
    }
    return true;
}

size_t memmap_choose(const struct memmap_run *runs, size_t count, uint64_t bytes, uint64_t granule,
                     uint64_t piece_max, struct memmap_run *pieces, size_t max)
{
    struct memmap_run largest[CHOOSE_RUNS];
    struct memmap_run last;
    size_t got;
    uint64_t whole = ~(granule - 1);
    struct choice choice = {pieces, 0, max, 0, piece_max == 0 ? whole : piece_max & whole};
    if (bytes == 0 || bytes > whole || choice.longest == 0)
        return 0;
    choice.missing = (bytes + granule - 1) & whole;
    for (const struct memmap_run *after = NULL;
         (got = choose_gather(runs, count, granule, after, largest)) > 0; after = &last) {
        for (size_t i = 0; i < got && choice.missing > 0; i++) {
            if (!choose_run(&choice, &largest[i]))
                return 0;
        }
        if (choice.missing == 0)
            return choice.count;
        last = largest[got - 1];
    }
    return 0;
}

struct ranges {
    struct heap heap;
    struct memory_range open; /* bytes 0: none */
};

static bool range_before_by_size(const void *a, const void *b)
{
    const struct memory_range *left = a;
    const struct memory_range *right = b;
    if (left->bytes != right->bytes)
        return left->bytes > right->bytes;
    return left->base.value < right->base.value;
}

static bool range_before_by_base(const void *a, const void *b)
{
    const struct memory_range *left = a;
    const struct memory_range *right = b;
    return left->base.value < right->base.value;
}

static void ranges_close(struct ranges *ranges)
{
    struct memory_range out;
    if (ranges->open.bytes > 0)
        heap_offer(&ranges->heap, &ranges->open, &out);
    ranges->open.bytes = 0;
}

static void ranges_visit(void *context, uint64_t base, uint64_t end, enum kind kind)
{
    struct ranges *ranges = context;
    struct memory_range *open = &ranges->open;
    bool usable = kind == KIND_USABLE || kind == KIND_SPECIFIC;
    enum memory_kind of = kind == KIND_SPECIFIC ? MEMORY_SPECIFIC : MEMORY_ORDINARY;
    if (kind == KIND_OTHER)
        return;
    if (open->bytes > 0 && open->usable == usable && open->kind == of &&
        open->base.value + open->bytes == base) {
        open->bytes += end - base;
        return;
    }
    ranges_close(ranges);
    *open = (struct memory_range){.base = phys_make(base),
                                  .bytes = end - base,
                                  .node = NODE_UNKNOWN,
                                  .kind = of,
                                  .usable = usable};
}

size_t memmap_ranges(const struct memmap_raw *raw, struct memory_range *ranges, size_t max)
{
    struct ranges all = {
        .heap = {ranges, sizeof ranges[0], 0, max, range_before_by_size},
    };
    sweep_map(raw, ranges_visit, &all);
    ranges_close(&all);
    heap_sort(&all.heap, range_before_by_base);
    return all.heap.count;
}
