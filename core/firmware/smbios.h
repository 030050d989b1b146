/* SPDX-License-Identifier: BSD-2-Clause */
/* Bounds-checked parser for SMBIOS types 0, 1, 2, 4, 7, 16, 17, 19, 20 and 37, from either entry
 * point. */
#ifndef CORE_FIRMWARE_SMBIOS_H
#define CORE_FIRMWARE_SMBIOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/firmware/acpi.h"
#include "core/inventory.h"
#include "core/lib/status.h"

#define SMBIOS_ARRAYS_MAX 16
#define SMBIOS_LINKS_MAX  128

/* What is collected until all structures are read, by the handles that link them. */
struct smbios_links {
    struct {
        uint16_t handle;
        uint8_t use, ecc; /* codes of sections 7.17.2 and 7.17.3 */
        uint16_t slots;
        uint64_t max_bytes;
    } array[SMBIOS_ARRAYS_MAX];
    struct {
        uint16_t array;
        uint64_t first, last;
    } range[SMBIOS_ARRAYS_MAX]; /* type 19 */
    struct {
        uint16_t device;
        uint8_t position, depth;
        uint64_t first, last;
    } mapped[SMBIOS_LINKS_MAX]; /* type 20 */
    struct {
        uint16_t device, channel; /* number of its type 37 structure, from 1 on */
    } load[SMBIOS_LINKS_MAX];
    struct {
        uint16_t handle, array;
        uint8_t technology; /* section 7.18.6 */
    } device[DIMMS_MAX];
    size_t arrays, ranges, mappings, loads;
    uint16_t channels;
};

struct smbios_facts {
    char bios_vendor[48], bios_version[48], bios_date[16];
    char system_maker[48], system_product[48];
    char board_maker[48], board_product[48], board_version[32], board_serial[48];
    uint8_t system_uuid[16];           /* as it stands there, section 7.2.1 */
    struct dimm_info dimms[DIMMS_MAX]; /* empty slots included, bytes 0 */
    size_t dimm_count;
    uint32_t dimms_dropped; /* beyond DIMMS_MAX */
    struct module_arrays arrays;
    uint32_t links_dropped; /* structures of types 16, 19, 20, 37 beyond their room above */
    uint32_t links_bad; /* handles that lead to no structure, ranges that end before they begin */
    struct smbios_links links;
    struct smbios_cache caches[SMBIOS_CACHES_MAX];
    size_t cache_count;
    uint32_t caches_dropped; /* beyond SMBIOS_CACHES_MAX */
    /* Speed at boot ("current") and the socket's maximum; 0: unknown, or sockets differ. */
    uint64_t cpu_hz, cpu_max_hz;
    uint32_t cpu_sockets; /* populated and enabled */
    bool truncated;       /* a structure was malformed; only those before it were read */
};

/* entry is the physical address of a "_SM3_" (64-bit) or "_SM_" (32-bit) entry point. Strings are
 * trimmed; non-ASCII bytes become '?'. Of types 0, 1 and 2 the first structure is used. Of the
 * system's, the board's and modules' strings a placeholder ("To Be Filled By O.E.M.") is none.
 * STATUS_BAD_INPUT: no usable entry point, or a table of more than 1 MiB or unreadable; *facts is
 * then empty. */
enum status smbios_read(const struct acpi_reader *reader, phys_addr entry,
                        struct smbios_facts *facts);

/* Writes what of the tables could not be read, in words, for a note; false: all was, and why is "".
 */
bool smbios_doubt(const struct smbios_facts *facts, char *why, size_t capacity);

/* Marks the caches that SMBIOS alone declares: enabled, for data, of a level beyond the last that
 * registers (or the PPTT) declare, and larger than all of those. None is where registers declare
 * nothing, or where for any level a socket is said to have less than registers give one CPU: such a
 * table is wrong, or of another CPU. Returns the bytes of the largest marked; 0: none. Pure. */
uint64_t smbios_caches_beyond(struct smbios_cache *caches, size_t count,
                              const struct cache_level *declared, size_t declared_count);

#endif
