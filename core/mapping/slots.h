/* SPDX-License-Identifier: BSD-2-Clause */
/* Page-table geometry that x86-64, AArch64 (4 KiB granule) and RISC-V share: tables of 512 8-byte
 * entries, nine address bits per level, bit 0 of an entry is the valid bit (Intel SDM volume 3,
 * 4.5; Arm DDI 0487, D8.3; RISC-V privileged specification, 10.3). arch/ defines the other bits.
 * Pure functions.
 *
 * Levels are counted from the leaves: level 1 holds the 4 KiB leaves. */
#ifndef CORE_MAPPING_SLOTS_H
#define CORE_MAPPING_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"

#define TABLE_ENTRIES 512u
#define TABLE_BYTES   4096u
#define TABLE_VALID   (1ull << 0) /* the valid bit of an entry */

/* Returns the level whose entries are leaves of that size. */
unsigned table_leaf_level(enum page_size page);
/* Returns log2 of the bytes covered by one entry at that level. */
unsigned table_shift(unsigned level);
/* Returns the index of an address in a table at that level. */
unsigned table_slot(uint64_t address, unsigned level);

/* Returns an upper bound, in bytes, of the tables for a window of that many pages at any address,
 * up to and including a root at level `top`. */
uint64_t table_bytes(enum page_size page, uint64_t pages, unsigned top);

/* Finds the highest run of `need` free slots in [first, end), preferably with a free slot on both
 * sides as a guard between the window and the firmware's mappings. Returns false if there is
 * none. */
bool table_find_free(const uint64_t *table, unsigned first, unsigned end, uint64_t need,
                     unsigned *slot);
/* Returns how many slots of a table at that level a window of that many pages occupies if it begins
 * at a slot boundary. */
uint64_t table_slots_needed(enum page_size page, uint64_t pages, unsigned level);

#endif
