/* SPDX-License-Identifier: BSD-2-Clause */
/* Memory for table walkers that is a copy of exactly the bytes requested, so that a sanitizer sees
 * every access beyond. Header only: each fuzz target is one file. */
#ifndef TESTS_FUZZ_SUPPORT_READER_H
#define TESTS_FUZZ_SUPPORT_READER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/lib/phys.h"

struct fuzz_copy {
    struct fuzz_copy *next;
    uint8_t bytes[];
};

struct fuzz_memory {
    uint8_t *data;
    size_t size;
    struct fuzz_copy *copies;
};

/* Sets the byte at `sum` so that the first `bytes` of `size` add up to zero, where that is
 * possible. */
static inline void fuzz_mend(uint8_t *pos, size_t size, size_t bytes, size_t sum)
{
    uint8_t total = 0;
    if (bytes > size || sum >= bytes)
        return;
    pos[sum] = 0;
    for (size_t i = 0; i < bytes; i++)
        total = (uint8_t)(total + pos[i]);
    pos[sum] = (uint8_t)(0 - total);
}

/* The input as memory; if its size is odd, its checksums are fixed first. fuzz_memory_end frees it.
 */
static inline struct fuzz_memory fuzz_memory_start(const uint8_t *data, size_t size,
                                                   void (*mend)(uint8_t *bytes, size_t size))
{
    struct fuzz_memory memory = {malloc(size + 1), size, NULL};
    if (memory.data == NULL)
        abort();
    if (size > 0)
        memcpy(memory.data, data, size);
    if (size % 2 == 1)
        mend(memory.data, size);
    return memory;
}

/* acpi_reader.at: NULL outside the input. */
static inline const void *fuzz_memory_at(void *context, phys_addr address, size_t bytes)
{
    struct fuzz_memory *memory = context;
    if (address.value > memory->size || bytes > memory->size - address.value)
        return NULL;
    struct fuzz_copy *copy = malloc(sizeof *copy + bytes);
    if (copy == NULL)
        abort();
    copy->next = memory->copies;
    memory->copies = copy;
    return memcpy(copy->bytes, memory->data + address.value, bytes);
}

static inline void fuzz_memory_end(struct fuzz_memory *memory)
{
    while (memory->copies != NULL) {
        struct fuzz_copy *copy = memory->copies;
        memory->copies = copy->next;
        free(copy);
    }
    free(memory->data);
}

#endif
