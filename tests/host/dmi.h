/* SPDX-License-Identifier: BSD-2-Clause */
/* SMBIOS tables as the kernel hands them out (Documentation/ABI/testing/sysfs-firmware-dmi-tables):
 * a file of the entry point and one of the structures, for root. */
#ifndef TESTS_HOST_DMI_H
#define TESTS_HOST_DMI_H

#include "core/firmware/smbios.h"

#define DMI_ENTRY_PATH "/sys/firmware/dmi/tables/smbios_entry_point"
#define DMI_TABLE_PATH "/sys/firmware/dmi/tables/DMI"

/* Reads both files. False: *facts is empty, and why has the reason. */
bool dmi_read(const char *entry_path, const char *table_path, struct smbios_facts *facts, char *why,
              size_t capacity);

#endif
