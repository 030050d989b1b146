/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/firmware/fpdt.h"

#include "core/lib/bytes.h"
#include "core/lib/memory.h"

#define TABLE_HEADER  36u
#define RECORD_HEADER 4u /* type, length in bytes, revision */
#define POINTER_TYPE  0u
#define POINTER_BYTES 16u
#define BOOT_HEADER   8u /* signature and length; this table has no checksum */
#define BOOT_TYPE     2u
#define BOOT_BYTES    48u
#define BOOT_MAX      (1u << 20)
#define DAY_NS        86400000000000ull

/* The first record of that type in [pos, bytes) that is long enough; NULL: there is none before the
 * end, or before a record that cannot be one. */
static const uint8_t *find(const uint8_t *table, uint32_t bytes, uint32_t pos, uint16_t type,
                           uint32_t min)
{
    while (bytes - pos >= RECORD_HEADER) {
        uint32_t length = table[pos + 2];
        if (length < RECORD_HEADER || length > bytes - pos)
            return NULL;
        if (bytes_u16(table + pos) == type && length >= min)
            return table + pos;
        pos += length;
    }
    return NULL;
}

/* The whole table behind the pointer; NULL: it is not what it should be. */
static const uint8_t *boot_table(const struct acpi_reader *reader, uint64_t address,
                                 uint32_t *bytes)
{
    const uint8_t *header = acpi_reader_at(reader, address, BOOT_HEADER);

    if (address == 0 || header == NULL || !memory_same(header, "FBPT", 4))
        return NULL;
    *bytes = bytes_u32(header + 4);
    if (*bytes < BOOT_HEADER + BOOT_BYTES || *bytes > BOOT_MAX)
        return NULL;
    return acpi_reader_at(reader, address, *bytes);
}

/* The firmware clears the start when it begins to load, and some never set it: the later of both is
 * the one that is about us. */
static const char *take(const uint8_t *record, struct fpdt_times *times)
{
    struct fpdt_times read = {.reset_end_ns = bytes_u64(record + 8),
                              .load_ns = bytes_u64(record + 16),
                              .start_ns = bytes_u64(record + 24)};
    uint64_t end_ns = read.load_ns > read.start_ns ? read.load_ns : read.start_ns;

    if (end_ns == 0)
        return "the FPDT table does not tell when a boot loader was loaded or started";
    if (end_ns <= read.reset_end_ns || end_ns - read.reset_end_ns > DAY_NS)
        return "the times of the FPDT table make no sense";
    read.took_ns = end_ns - read.reset_end_ns;
    *times = read;
    return NULL;
}

const char *fpdt_read(const struct acpi_reader *reader, const struct acpi_table *fpdt,
                      struct fpdt_times *times)
{
    const uint8_t *pointer, *boot, *record;
    uint32_t bytes = 0;

    *times = (struct fpdt_times){.took_ns = 0};
    if (fpdt->pos == NULL)
        return "the firmware gives no FPDT table";
    pointer = find(fpdt->pos, fpdt->bytes, TABLE_HEADER, POINTER_TYPE, POINTER_BYTES);
    if (pointer == NULL)
        return "the FPDT table has no record of the boot";
    boot = boot_table(reader, bytes_u64(pointer + 8), &bytes);
    if (boot == NULL)
        return "what the FPDT table points to is not a FBPT table";
    record = find(boot, bytes, BOOT_HEADER, BOOT_TYPE, BOOT_BYTES);
    return record == NULL ? "the FBPT table has no record of the boot" : take(record, times);
}
