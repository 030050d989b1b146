/* SPDX-License-Identifier: BSD-2-Clause */
/* Which physical memory a window may be made of: chosen from the firmware's memory map, purely. */
#ifndef CORE_MAPPING_MEMMAP_H
#define CORE_MAPPING_MEMMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"
#include "core/lib/phys.h"
#include "core/lib/status.h"

struct memmap_run {
    phys_addr base;
    uint64_t bytes;
};

/* The firmware's map as GetMemoryMap gives it: descriptors of descriptor_bytes (40 or more) each.
 * Layout: UEFI 2.10, section 7.2.3. */
struct memmap_raw {
    const void *descriptors;
    size_t bytes, descriptor_bytes;
};

/* Limits on what may be chosen. */
struct memmap_filter {
    phys_addr from, below; /* equal: anywhere */
    uint64_t granule;      /* power of two; runs are cut to whole granules */
    /* True when the CPU's own registers make the whole range write-back; NULL: always. Asked for
     * one granule at a time. */
    bool (*writeback)(void *context, phys_addr base, uint64_t bytes);
    void *context;
};

/* Every run of conventional memory with the write-back attribute that passes the filter: sorted by
 * address, disjoint, neighbours joined, whole granules. Descriptors may be unsorted, overlapping
 * (then the least usable one wins), unaligned, wrapping (ignored). *runs gets at most `most`
 * runs: the largest ones when there are more, the lower ones of equals. Returns how many;
 * *dropped_bytes what did not fit, and what lies beyond the first 2^26 granules asked for. Memory
 * above 2^52 is not there. */
size_t memmap_runs(const struct memmap_raw *raw, const struct memmap_filter *filter,
                   struct memmap_run *runs, size_t most, uint64_t *dropped_bytes);

/* Chooses pieces, each whole granules, largest run first, highest addresses of a run last, until
 * `bytes` are gathered; never more than `bytes` rounded up to granules. Returns how many pieces,
 * 0 when there is not enough, or not within `most` pieces. A piece is never longer than piece_max
 * (0: no limit). Runs are disjoint, as memmap_runs gives them. */
size_t memmap_choose(const struct memmap_run *runs, size_t count, uint64_t bytes, uint64_t granule,
                     uint64_t piece_max, struct memmap_run *pieces, size_t most);

/* All memory of the map for the report, sorted and merged by kind; usable as memory_range says.
 * Memory that is in use counts; reserved, device and persistent ranges do not, nor does what they
 * overlap. At most `most` ranges: the largest ones. node is 0: the map knows none. */
size_t memmap_ranges(const struct memmap_raw *raw, struct memory_range *ranges, size_t most);

#endif
