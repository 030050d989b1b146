/* SPDX-License-Identifier: BSD-2-Clause */
/* Which offsets a memory's mapping may have. Pure.
 *
 * Some controllers move memory above 4 GiB down by the size of the hole below (AMD's; seen 512M,
 * 768M, 1G and 2G: ZenHammer, USENIX Security 2024, calls it board-specific). */
#ifndef CORE_DRAM_OFFSETS_H
#define CORE_DRAM_OFFSETS_H

#include "core/dram/address.h"
#include "core/inventory.h"

#define OFFSETS_STEP (256ull << 20)
#define OFFSETS_4G   (1ull << 32)
#define OFFSETS_MAX  32

/* The hole below 4 GiB that the memory map leaves, in whole steps; 0: none, or nothing below. */
uint64_t offsets_hole(const struct memory_range *memory, size_t count);
/* What offsets are tried, in this order, where lines lie below 4 GiB, above or on both sides; for
 * lines on one side it is all the same what becomes of the other. Returns how many, at least 1. */
size_t offsets_list(uint64_t hole, bool below, bool above,
                    struct address_offset offset[OFFSETS_MAX]);

#endif
