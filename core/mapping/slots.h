/* SPDX-License-Identifier: BSD-2-Clause */
/* The geometry that the page tables of x86-64, AArch64 (4 KiB granule) and RISC-V have in common:
 * tables of 512 entries of 8 bytes, nine bits of the address to a level, bit 0 of an entry says
 * that it counts (Intel SDM volume 3, 4.5; Arm DDI 0487, D8.3; RISC-V privileged specification,
 * 10.3). What an entry holds otherwise is arch/'s. Everything here is pure.
 *
 * Levels are counted from the leaves: 1 holds the 4 KiB leaves. */
#ifndef CORE_MAPPING_SLOTS_H
#define CORE_MAPPING_SLOTS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"

#define TABLE_ENTRIES 512u
#define TABLE_BYTES   4096u
#define TABLE_VALID   (1ull << 0) /* of an entry */

/* The level whose entries are leaves of that size. */
unsigned table_leaf_level(enum page_size page);
/* log2 of the bytes that one entry of a table of that level covers. */
unsigned table_shift(unsigned level);
/* The slot of an address in a table of that level. */
unsigned table_slot(uint64_t address, unsigned level);

/* Upper bound of the bytes of tables that a window of so many pages needs below and including a
 * root of level `top`, wherever it begins. */
uint64_t table_bytes(enum page_size page, uint64_t pages, unsigned top);

/* The highest run of `need` free slots in [first, end), if possible with a free slot on both sides,
 * so that nothing that runs past an end of the window or of the firmware's own mappings can reach
 * the other. False: there is none. */
bool table_find_free(const uint64_t *table, unsigned first, unsigned end, uint64_t need,
                     unsigned *slot);
/* How many slots of a table of that level a window of so many pages takes, from a slot's start. */
uint64_t table_slots_needed(enum page_size page, uint64_t pages, unsigned level);

#endif
