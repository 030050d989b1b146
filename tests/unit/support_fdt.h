/* SPDX-License-Identifier: BSD-2-Clause */
/* Builds a flattened devicetree, block by block: what devicetree.c reads. */
#ifndef TESTS_UNIT_SUPPORT_FDT_H
#define TESTS_UNIT_SUPPORT_FDT_H

#include <stddef.h>
#include <stdint.h>

#define FDT_BYTES 131072

/* All 0 is an empty one. */
struct fdt {
    uint8_t structs[FDT_BYTES], strings[4096], tree[2 * FDT_BYTES];
    size_t struct_bytes, string_bytes, bytes;
};

void fdt_word(struct fdt *fdt, uint32_t value);
void fdt_begin(struct fdt *fdt, const char *name);
void fdt_end(struct fdt *fdt);
void fdt_property(struct fdt *fdt, const char *name, const void *value, size_t bytes);
/* A string with its NUL. */
void fdt_string(struct fdt *fdt, const char *name, const char *value);
void fdt_cell(struct fdt *fdt, const char *name, uint32_t value);
/* Puts the blocks and their header into fdt->tree, of fdt->bytes. */
void fdt_finish(struct fdt *fdt);

#endif
