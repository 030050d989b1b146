/* SPDX-License-Identifier: BSD-2-Clause */
#include "tests/unit/support_fdt.h"

#include <string.h>

static void put(uint8_t *pos, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        pos[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void add(struct fdt *fdt, const void *bytes, size_t count)
{
    memcpy(fdt->structs + fdt->struct_bytes, bytes, count);
    fdt->struct_bytes += count;
    while (fdt->struct_bytes % 4 != 0)
        fdt->structs[fdt->struct_bytes++] = 0;
}

void fdt_word(struct fdt *fdt, uint32_t value)
{
    put(fdt->structs + fdt->struct_bytes, value);
    fdt->struct_bytes += 4;
}

void fdt_begin(struct fdt *fdt, const char *name)
{
    fdt_word(fdt, 1);
    add(fdt, name, strlen(name) + 1);
}

void fdt_end(struct fdt *fdt)
{
    fdt_word(fdt, 2);
}

void fdt_property(struct fdt *fdt, const char *name, const void *value, size_t bytes)
{
    fdt_word(fdt, 3);
    fdt_word(fdt, (uint32_t)bytes);
    fdt_word(fdt, (uint32_t)fdt->string_bytes);
    add(fdt, value, bytes);
    memcpy(fdt->strings + fdt->string_bytes, name, strlen(name) + 1);
    fdt->string_bytes += strlen(name) + 1;
}

void fdt_string(struct fdt *fdt, const char *name, const char *value)
{
    fdt_property(fdt, name, value, strlen(value) + 1);
}

void fdt_cell(struct fdt *fdt, const char *name, uint32_t value)
{
    uint8_t bytes[4];

    put(bytes, value);
    fdt_property(fdt, name, bytes, sizeof bytes);
}

void fdt_finish(struct fdt *fdt)
{
    const uint32_t structs = 56, strings = structs + (uint32_t)fdt->struct_bytes;
    const uint32_t header[10] = {0xd00dfeed,
                                 strings + (uint32_t)fdt->string_bytes,
                                 structs,
                                 strings,
                                 40,
                                 17,
                                 16,
                                 0,
                                 (uint32_t)fdt->string_bytes,
                                 (uint32_t)fdt->struct_bytes};

    memset(fdt->tree, 0, sizeof fdt->tree);
    for (unsigned i = 0; i < 10; i++)
        put(fdt->tree + 4 * i, header[i]);
    memcpy(fdt->tree + structs, fdt->structs, fdt->struct_bytes);
    memcpy(fdt->tree + strings, fdt->strings, fdt->string_bytes);
    fdt->bytes = header[1];
}
