/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches from ACPI's Processor Properties Topology Table (ACPI 6.5, section 5.2.30), for CPUs whose
 * registers do not describe them, or not reliably. References that leave the table, form a cycle,
 * or point to a structure too short for its type are ignored. */
#ifndef CORE_FIRMWARE_PPTT_H
#define CORE_FIRMWARE_PPTT_H

#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"

/* Lists the data and unified caches on the path from a processor (ACPI id, as in the MADT) to the
 * root, nearest first, numbered from level 1; at most `max`. Unspecified properties are 0. table
 * is a valid table (signature, length, checksum) of `bytes` bytes. Returns how many caches; 0 if
 * the table has none for this processor. */
size_t pptt_caches(const uint8_t *table, uint32_t bytes, uint32_t processor,
                   struct cache_level *caches, size_t max);

/* Overrides the caches reported by registers with those of the firmware's table, level by level.
 * Properties that the table does not specify, and levels beyond the table's, are kept. caches has
 * room for `max`; returns the new count. */
size_t pptt_merge(struct cache_level *caches, size_t count, const struct cache_level *table,
                  size_t table_count, size_t max);

#endif
