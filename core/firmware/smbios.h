/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds-checked parser for SMBIOS types 0, 1, 2, 4, 7 and 17, from either entry point. */
#ifndef CORE_FIRMWARE_SMBIOS_H
#define CORE_FIRMWARE_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/firmware/acpi.h"
#include "core/inventory.h"
#include "core/lib/status.h"

struct smbios_facts {
    char bios_vendor[48], bios_version[48], bios_date[16];
    char system_maker[48], system_product[48];
    char board_maker[48], board_product[48], board_version[32];
    struct dimm_info dimms[DIMMS_MAX]; /* empty slots included, bytes 0 */
    size_t dimm_count;
    uint32_t dimms_dropped; /* beyond DIMMS_MAX */
    struct smbios_cache caches[SMBIOS_CACHES_MAX];
    size_t cache_count;
    uint32_t caches_dropped; /* beyond SMBIOS_CACHES_MAX */
    /* Speed at boot ("current") and the socket's maximum; 0: unknown, or sockets differ. */
    uint64_t cpu_hz, cpu_max_hz;
    uint32_t cpu_sockets; /* populated and enabled */
    bool truncated;       /* a structure was malformed; only those before it were read */
};

/* entry is the physical address of a "_SM3_" (64-bit) or "_SM_" (32-bit) entry point. Strings are
 * trimmed; non-ASCII bytes become '?'. Of types 0, 1 and 2 the first structure is used. A DIMM of
 * unknown size has bytes 0 and a type. STATUS_BAD_INPUT: no usable entry point, or a table of more
 * than 1 MiB or unreadable; *facts is then empty. */
enum status smbios_read(const struct acpi_reader *reader, phys_addr entry,
                        struct smbios_facts *facts);

/* Marks the caches that SMBIOS alone declares: enabled, for data, of a level beyond the last that
 * registers (or the PPTT) declare, and larger than all of those. None is where registers declare
 * nothing, or where for any level a socket is said to have less than registers give one CPU: such a
 * table is wrong, or of another CPU. Returns the bytes of the largest marked; 0: none. Pure. */
uint64_t smbios_caches_beyond(struct smbios_cache *caches, size_t count,
                              const struct cache_level *declared, size_t declared_count);

#endif
