/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory maps made of any bytes: four bytes that choose the query, then descriptors. What comes out
 * must be sorted, disjoint, whole granules within the limits, and chosen pieces must lie within
 * runs. */
#include <stdlib.h>
#include <string.h>

#include "core/lib/bytes.h"
#include "core/mapping/memmap.h"

#define RUNS_MAX 64u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static phys_addr types(void *context, phys_addr base, phys_addr end, bool *writeback)
{
    uint64_t next = ((base.value >> 21) + 1) << 21;
    (void)context;
    *writeback = (base.value >> 21) % 3 != 0;
    return phys_make(next < end.value ? next : end.value);
}

static void check_runs(const struct memmap_run *runs, size_t count, uint64_t granule)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t base = runs[i].base.value;
        if (runs[i].bytes == 0 || (base | runs[i].bytes) % granule != 0)
            abort();
        if (base + runs[i].bytes > 1ull << 52 || base + runs[i].bytes < base)
            abort();
        if (i > 0 && runs[i - 1].base.value + runs[i - 1].bytes >= base)
            abort();
    }
}

static void check_pieces(const struct memmap_run *pieces, size_t count,
                         const struct memmap_run *runs, size_t run_count, uint64_t bytes)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        size_t run = 0;
        sum += pieces[i].bytes;
        while (run < run_count &&
               (pieces[i].base.value < runs[run].base.value ||
                pieces[i].base.value + pieces[i].bytes > runs[run].base.value + runs[run].bytes))
            run++;
        if (run == run_count)
            abort();
    }
    if (count > 0 && sum < bytes)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memmap_run runs[RUNS_MAX], pieces[RUNS_MAX];
    struct memory_range ranges[RUNS_MAX];
    uint64_t dropped;
    if (size < 4)
        return 0;
    struct memmap_filter filter = {.granule = data[0] & 1 ? 1ull << 30 : 1ull << 21};
    if (data[0] & 2) { /* only if the limits bound the number of calls */
        filter.below = phys_make((uint64_t)(data[1] + 1) << 30);
        filter.same_type = types;
    }
    struct memmap_raw raw = {data + 4, size - 4, data[0] & 4 ? 48 : data[0] & 8 ? data[3] : 40};
    size_t max = data[2] % (RUNS_MAX + 1);
    size_t count = memmap_runs(&raw, &filter, runs, max, &dropped);
    if (count > max)
        abort();
    check_runs(runs, count, filter.granule);
    uint64_t bytes = ((uint64_t)data[3] + 1) << 24;
    size_t chosen = memmap_choose(runs, count, bytes, filter.granule, 0, pieces, RUNS_MAX);
    check_pieces(pieces, chosen, runs, count, bytes);
    count = memmap_ranges(&raw, ranges, RUNS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (ranges[i].bytes == 0 ||
            (i > 0 && ranges[i - 1].base.value + ranges[i - 1].bytes > ranges[i].base.value))
            abort();
    }
    return 0;
}
