/* SPDX-License-Identifier: BSD-2-Clause */
/* A range of fake physical memory for walkers of firmware tables. Every read is a copy of exactly
 * the bytes requested, so that a sanitizer sees each access past them. */
#ifndef TESTS_UNIT_SUPPORT_MEMORY_H
#define TESTS_UNIT_SUPPORT_MEMORY_H

#include <stddef.h>
#include <stdint.h>

#include "core/firmware/acpi.h"

#define FAKE_BYTES  (3u << 19)
#define FAKE_COPIES 20000u

struct fake_memory {
    uint64_t base; /* physical address of bytes[0] */
    size_t size;
    uint8_t bytes[FAKE_BYTES];
    void *copy[FAKE_COPIES];
    size_t copies;
};

/* All zero, at this address. */
void fake_start(struct fake_memory *fake, uint64_t base, size_t size);
/* Frees the copies. */
void fake_end(struct fake_memory *fake);
/* NULL outside. */
struct acpi_reader fake_reader(struct fake_memory *fake);
/* Little-endian; offsets are from base. */
void fake_put(struct fake_memory *fake, size_t offset, uint64_t value, size_t bytes);
void fake_words(struct fake_memory *fake, size_t offset, const char *words);
/* Sets the byte at `sum` so that the bytes add up to zero. */
void fake_checksum(struct fake_memory *fake, size_t offset, size_t bytes, size_t sum);

#endif
