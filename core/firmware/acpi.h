/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds-checked parsers for untrusted ACPI tables. Nothing is read past a table's own length, zero
 * lengths end a walk, and checksums are verified. */
#ifndef CORE_FIRMWARE_ACPI_H
#define CORE_FIRMWARE_ACPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/inventory.h"
#include "core/lib/phys.h"
#include "core/lib/status.h"

/* Returns a pointer to `bytes` readable bytes at a physical address, or NULL. Identity in the
 * firmware; a table dump in tests. */
struct acpi_reader {
    void *context;
    const void *(*pos)(void *context, phys_addr address, size_t bytes);
};

/* Reads at an address taken from a table; also NULL if the range wraps. */
static inline const uint8_t *acpi_reader_at(const struct acpi_reader *reader, uint64_t address,
                                            size_t bytes)
{
    if (address > UINT64_MAX - bytes)
        return NULL;
    return reader->pos(reader->context, phys_make(address), bytes);
}

/* A table with a sound length and checksum, in the reader's memory; pos NULL: none. */
struct acpi_table {
    const uint8_t *pos;
    uint32_t bytes;
};

struct acpi_facts {
    bool fadt_known;
    uint32_t fadt_flags;
    bool hardware_reduced;
    bool pm_timer_known;
    bool pm_timer_is_port; /* else MMIO */
    uint64_t pm_timer_address;
    unsigned pm_timer_bits;  /* 24 or 32 */
    uint16_t arm_boot_flags; /* FADT offset 129: bit 0 PSCI, bit 1 HVC */
    bool hpet_known;
    phys_addr hpet_base;
    bool madt_known;
    struct cpu_info cpus[CPUS_MAX]; /* enabled CPUs first, in table order; of unknown nodes */
    size_t cpu_count;
    uint32_t cpus_dropped; /* listed, but beyond CPUS_MAX */
    uint32_t bad_madt;     /* its structures that make no sense */
    uint32_t cpus_parked;  /* enabled GICCs that tell of a parking protocol and its address */
    const uint8_t *pptt;   /* points into the reader's memory (core/firmware/pptt.h); NULL: none */
    uint32_t pptt_bytes;
    struct acpi_table srat, slit, hmat; /* core/firmware/numa.h */
    struct acpi_table bert, hest;       /* core/firmware/apei.h */
    struct acpi_table fpdt;             /* core/firmware/fpdt.h */
    char oem[8];                        /* of the root table: printable ASCII or "" */
    uint32_t bad_tables;                /* skipped: bad checksum or length, unreadable */
};

/* Walks from the RSDP and reads the first valid table of each kind. A table that claims more than 1
 * MiB is bad. A MADT structure whose length cannot be ends the MADT; the CPUs before it are kept.
 * STATUS_BAD_INPUT: no usable root table; *facts then holds only bad_tables. */
enum status acpi_read(const struct acpi_reader *reader, phys_addr rsdp, struct acpi_facts *facts);

#endif
