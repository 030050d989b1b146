/* SPDX-License-Identifier: BSD-2-Clause */
/* A stretch of pretended physical memory for walkers of firmware tables. Every read is a copy of
 * exactly the bytes asked for, so that a sanitizer sees each step past them. */
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
/* Makes the bytes sum up to zero by the one at `sum`. */
void fake_checksum(struct fake_memory *fake, size_t offset, size_t bytes, size_t sum);

#endif
