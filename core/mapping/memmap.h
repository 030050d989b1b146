/* SPDX-License-Identifier: BSD-2-Clause */
/* Selects the physical memory for a window from the firmware's memory map. Pure functions. */
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

/* Constraints on the memory to choose. */
struct memmap_filter {
    phys_addr from, below; /* equal: no limit */
    bool specific;         /* also memory kept for specific purposes (MEMORY_SPECIFIC) */
    uint64_t granule;      /* bytes, a power of two; runs are trimmed to whole granules */
    /* What the CPU's own memory-type registers make of the addresses from base on: returns an end,
     * above base and at most `end`, up to which all of them are write-back (*writeback) or none is;
     * behind it the same may go on. NULL: everything is write-back. */
    phys_addr (*same_type)(void *context, phys_addr base, phys_addr end, bool *writeback);
    void *context;
};

/* Finds every run of conventional memory with the write-back attribute that passes the filter:
 * sorted by address, disjoint, adjacent runs joined, trimmed to whole granules. Descriptors may be
 * unsorted, overlapping (the least usable type wins), unaligned, or wrapping (ignored). Memory
 * above 2^52 is ignored. Stores at most `max` runs: the largest, and of equal ones the lowest.
 * Returns how many. *dropped_bytes is what did not fit plus what lies beyond the first 2^20
 * answers of same_type. */
size_t memmap_runs(const struct memmap_raw *raw, const struct memmap_filter *filter,
                   struct memmap_run *runs, size_t max, uint64_t *dropped_bytes);

/* Chooses pieces of whole granules, largest run first and from the low end of each run, until
 * `bytes` (rounded up to granules) are gathered. A piece is at most piece_max bytes (0: no limit).
 * Runs are disjoint, as memmap_runs returns them. Returns the number of pieces; 0 if there is not
 * enough memory or more than `max` pieces would be needed. */
size_t memmap_choose(const struct memmap_run *runs, size_t count, uint64_t bytes, uint64_t granule,
                     uint64_t piece_max, struct memmap_run *pieces, size_t max);

/* Lists all memory of the map for the report, sorted and merged by kind; memory_range defines
 * usable. Memory in use by the firmware counts. Reserved, device and persistent ranges do not, nor
 * does memory that they overlap. Stores at most `max` ranges: the largest. Returns how many. node
 * is NODE_UNKNOWN: the map has no NUMA information. */
size_t memmap_ranges(const struct memmap_raw *raw, struct memory_range *ranges, size_t max);

#endif
