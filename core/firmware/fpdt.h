/* SPDX-License-Identifier: BSD-2-Clause */
/* How long the firmware took until it started us: ACPI's Firmware Performance Data Table (ACPI 6.5,
 * section 5.2.24; 5.2.23 before 6.4), read as untrusted input. */
#ifndef CORE_FIRMWARE_FPDT_H
#define CORE_FIRMWARE_FPDT_H

#include "core/firmware/acpi.h"

/* Nanoseconds of the firmware's timer, as its Basic Boot Performance Data Record has them. */
struct fpdt_times {
    uint64_t reset_end_ns; /* its image began to run; the timer need not have begun at 0 */
    uint64_t load_ns;      /* it began to load a boot loader, that is us; 0: not told */
    uint64_t start_ns;     /* it started the loader; 0: not told */
    uint64_t took_ns;      /* from reset_end_ns to the later one of these two */
};

/* Reads the record that a FPDT (acpi_facts.fpdt) points to. Returns NULL, or in words why nothing
 * is known; *times is then all zero. */
const char *fpdt_read(const struct acpi_reader *reader, const struct acpi_table *fpdt,
                      struct fpdt_times *times);

#endif
