/* SPDX-License-Identifier: BSD-2-Clause */
/* Windows on the firmware machine: frames from the firmware's memory map, allocated piece by piece,
 * and our page tables over them (arch_tables_build). Nothing here runs inside the quiet section. */
#ifndef EFI_MEMORY_H
#define EFI_MEMORY_H

#include "arch/arch.h"
#include "core/firmware/numa.h"
#include "core/mapping/frames.h"
#include "core/mapping/memmap.h"
#include "core/results/notes.h"
#include "efi/firmware.h"

/* Memory that is always left to the firmware, for its drivers and our texts: this much, or an
 * eighth of what is free if that is less. */
#define MEMORY_RESERVE_BYTES (32ull << 20)

/* A copy of the firmware's memory map; raw.descriptors NULL: it could not be read. */
struct memory_map {
    struct memmap_raw raw;
    void *bytes;
};

bool memory_map_read(const struct firmware *fw, struct memory_map *map);
void memory_map_free(const struct firmware *fw, struct memory_map *map);
/* True if the map lists every byte of the range, as any kind of memory. */
bool memory_map_covers(const struct memory_map *map, phys_addr base, uint64_t bytes);

/* What struct window's handle points to. */
struct memory_window {
    struct frames frames;
    struct table_tree tables;
    struct memmap_run *allocated; /* as AllocatePages returned them: what is to be freed */
    size_t allocated_count;
    struct memmap_run *pieces; /* the same frames, sorted, neighbours joined */
    size_t piece_count;
    struct memmap_run *runs; /* free runs, while choosing */
    size_t run_count;
    uint64_t gathered, refused_bytes;
    struct memmap_run arena;
};

/* NULL if our own page tables can be used beside the firmware's, tried with a window of one page;
 * else static text why not: windows must then be MAP_FIRMWARE. */
const char *memory_tables_refusal(const struct firmware *fw);

/* As struct machine's window_limit, window_open, window_span, window_close. Reasons for a refusal
 * go to notes. */
uint64_t memory_window_limit(const struct firmware *fw, const struct numa_facts *numa,
                             const struct window_request *request);
enum status memory_window_open(const struct firmware *fw, const struct numa_facts *numa,
                               const struct window_request *request, struct window *out,
                               struct notes *notes);
void memory_window_span(const struct numa_facts *numa, const struct window *window, uint64_t bytes,
                        struct window_span *span);
void memory_window_close(const struct firmware *fw, struct window *window);
phys_addr memory_window_phys(const struct window *window, uint64_t offset);

#endif
