/* SPDX-License-Identifier: BSD-2-Clause */
/* What ACPI's platform error interfaces say of hardware errors (ACPI 6.5, chapter 18): errors of
 * the boot before, and whether the firmware keeps corrected ones to itself. Untrusted input. */
#ifndef CORE_FIRMWARE_APEI_H
#define CORE_FIRMWARE_APEI_H

#include "core/firmware/acpi.h"
#include "core/inventory.h"

/* Reads the Boot Error Record Table and the region that it points at, and the Hardware Error Source
 * Table; either may be missing. Without a table nothing is said of what it tells. */
void apei_read(const struct acpi_reader *reader, const struct acpi_table *bert,
               const struct acpi_table *hest, struct boot_errors *errors);

#endif
