/* SPDX-License-Identifier: BSD-2-Clause */
/* Fake physical memory. */
#include "tests/unit/support_memory.h"

#include <stdlib.h>
#include <string.h>

void fake_start(struct fake_memory *fake, uint64_t base, size_t size)
{
    fake->base = base;
    fake->size = size;
    fake->copies = 0;
    memset(fake->bytes, 0, sizeof fake->bytes);
}

void fake_end(struct fake_memory *fake)
{
    while (fake->copies > 0)
        free(fake->copy[--fake->copies]);
}

static const void *fake_at(void *context, phys_addr address, size_t bytes)
{
    struct fake_memory *fake = context;
    uint64_t offset = address.value - fake->base;
    if (offset > fake->size || bytes > fake->size - offset || fake->copies == FAKE_COPIES)
        return NULL;
    void *copy = malloc(bytes);
    if (copy == NULL)
        abort();
    fake->copy[fake->copies++] = copy;
    return memcpy(copy, fake->bytes + offset, bytes);
}

struct acpi_reader fake_reader(struct fake_memory *fake)
{
    return (struct acpi_reader){fake, fake_at};
}

void fake_put(struct fake_memory *fake, size_t offset, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        fake->bytes[offset + i] = (uint8_t)(value >> (8 * i));
}

void fake_words(struct fake_memory *fake, size_t offset, const char *words)
{
    memcpy(fake->bytes + offset, words, strlen(words));
}

void fake_checksum(struct fake_memory *fake, size_t offset, size_t bytes, size_t sum)
{
    uint8_t total = 0;
    fake->bytes[sum] = 0;
    for (size_t i = 0; i < bytes; i++)
        total = (uint8_t)(total + fake->bytes[offset + i]);
    fake->bytes[sum] = (uint8_t)(0 - total);
}
