/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches as ACPI's Processor Properties Topology Table has them (ACPI 6.5, section 5.2.30): for
 * CPUs whose registers do not tell, or not the truth. A bounded walk: references that lead out of
 * the table, in circles, or to structures too short for what they are, end where they are met. */
#ifndef CORE_FIRMWARE_PPTT_H
#define CORE_FIRMWARE_PPTT_H

#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"

/* The data and unified caches on the way from that processor (by its ACPI id, as in the MADT) to
 * the root, nearest first, level 1 on; at most `most`. What the table leaves open is 0. table is a
 * sound table (signature, length, checksum) of `bytes` bytes. 0: it says nothing of them. */
size_t pptt_caches(const uint8_t *table, uint32_t bytes, uint32_t processor,
                   struct cache_level *caches, size_t most);

/* Puts what the firmware's table says over what registers say, level by level: where the table
 * leaves something open the register's word stays, and levels of registers beyond the table's stay
 * too. caches has room for `most`; answers the new count. */
size_t pptt_merge(struct cache_level *caches, size_t count, const struct cache_level *table,
                  size_t table_count, size_t most);

#endif
