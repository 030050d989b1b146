/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/host/dmi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/bytes.h"

#define ENTRY_MAX 256
#define TABLE_MAX (1u << 20)

/* The kernel cuts the table behind its last structure, where the entry point may claim more: the
 * rest is zeros, which end a walk. */
struct dump {
    uint8_t entry[ENTRY_MAX];
    size_t entry_bytes;
    uint64_t table_address;
    uint8_t table[TABLE_MAX];
};

static bool file_read(const char *path, uint8_t *to, size_t capacity, size_t *bytes, char *why,
                      size_t why_capacity)
{
    FILE *file = fopen(path, "rbe");

    *bytes = file != NULL ? fread(to, 1, capacity, file) : 0;
    if (*bytes == 0)
        snprintf(why, why_capacity, "%s: %s", path,
                 file == NULL || ferror(file) ? strerror(errno) : "empty");
    if (file != NULL)
        fclose(file);
    return *bytes != 0;
}

/* The entry point passes for memory at address 0, below every table. */
static const void *dump_at(void *context, phys_addr address, size_t bytes)
{
    struct dump *dump = context;

    if (address.value == 0)
        return bytes <= dump->entry_bytes ? dump->entry : NULL;
    return address.value == dump->table_address && bytes <= TABLE_MAX ? dump->table : NULL;
}

/* Sections 5.2.1 and 5.2.2 of DSP0134; smbios_read checks the rest. */
static uint64_t table_address(const struct dump *dump)
{
    if (dump->entry_bytes >= 24 && memcmp(dump->entry, "_SM3_", 5) == 0)
        return bytes_u64(dump->entry + 16);
    return dump->entry_bytes >= 28 ? bytes_u32(dump->entry + 24) : 0;
}

bool dmi_read(const char *entry_path, const char *table_path, struct smbios_facts *facts, char *why,
              size_t capacity)
{
    struct dump *dump = calloc(1, sizeof *dump);
    bool done = false;
    size_t bytes;

    memset(facts, 0, sizeof *facts);
    if (dump == NULL) {
        snprintf(why, capacity, "no memory for the tables");
        return false;
    }
    if (file_read(entry_path, dump->entry, ENTRY_MAX, &dump->entry_bytes, why, capacity) &&
        file_read(table_path, dump->table, TABLE_MAX, &bytes, why, capacity)) {
        const struct acpi_reader reader = {dump, dump_at};
        dump->table_address = table_address(dump);
        done = dump->table_address != 0 && smbios_read(&reader, phys_make(0), facts) == STATUS_OK;
        if (!done)
            snprintf(why, capacity, "%s: no valid entry point", entry_path);
    }
    free(dump);
    return done;
}
