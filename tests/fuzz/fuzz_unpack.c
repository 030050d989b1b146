/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as the packed data of an image, unpacked to any number of bytes: nothing is read or
 * written past either end, and what is accepted has the sum that stands before it. Once as they
 * are, once with a head that fits, so that the block is read to its end. */
#include <stdlib.h>
#include <string.h>

#include "core/lib/crc32.h"
#include "linker/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OUT_MAX    4096
#define HEAD_BYTES 8

static bool unpack(const uint8_t *packed, uint8_t *out, size_t bytes)
{
    uint32_t sum;

    if (!unpack_data(packed, out, out + bytes))
        return false;
    memcpy(&sum, packed, sizeof sum);
    if (bytes < HEAD_BYTES || crc32_add(0, out, bytes) != sum)
        abort();
    return true;
}

/* The same block must unpack once its sum is that of what it came to, or never. */
static void unpack_fitting(uint8_t *packed, uint8_t *out, size_t bytes, uint32_t block)
{
    uint32_t sum;

    memcpy(packed + sizeof sum, &block, sizeof block);
    memset(out, 0, bytes);
    if (unpack(packed, out, bytes))
        return;
    sum = crc32_add(0, out, bytes);
    memcpy(packed, &sum, sizeof sum);
    (void)unpack(packed, out, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t bytes, given;
    uint8_t *packed, *out;

    if (size < 2)
        return 0;
    bytes = (size_t)(data[0] | data[1] << 8) % (OUT_MAX + 1);
    given = size - 2 < bytes ? size - 2 : bytes;
    /* Both are exactly as long as they may be: a sanitizer sees what is beyond. */
    packed = calloc(1, bytes + (bytes == 0));
    out = calloc(1, bytes + (bytes == 0));
    if (packed == NULL || out == NULL)
        abort();
    memcpy(packed, data + 2, given);
    (void)unpack(packed, out, bytes);
    if (given > HEAD_BYTES)
        unpack_fitting(packed, out, bytes, (uint32_t)(given - HEAD_BYTES));
    free(packed);
    free(out);
    return 0;
}
