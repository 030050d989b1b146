/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS: types 0, 1, 2, 17 from either entry point, by a bounded walk. */
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
    bool truncated;         /* a structure was malformed: what came before it is here */
};

/* entry is the physical address of a "_SM3_" (64-bit) or "_SM_" (32-bit) entry point. Strings are
 * trimmed, non-ASCII bytes become '?'. The first structure of types 0, 1
 * and 2 counts. A DIMM whose size is unknown has bytes 0, but a type. STATUS_BAD_INPUT: no usable
 * entry point, a table of more than 1 MiB or one that cannot be read; then *facts is empty. */
enum status smbios_read(const struct acpi_reader *reader, phys_addr entry,
                        struct smbios_facts *facts);

#endif
