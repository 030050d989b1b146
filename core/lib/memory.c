/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/memory.h"

void memory_copy(void *to, const void *from, size_t bytes)
{
    uint8_t *out = to;
    const uint8_t *in = from;

    for (size_t i = 0; i < bytes; i++)
        out[i] = in[i];
}

void memory_fill(void *pos, uint8_t value, size_t bytes)
{
    uint8_t *out = pos;

    for (size_t i = 0; i < bytes; i++)
        out[i] = value;
}

bool memory_same(const void *a, const void *b, size_t bytes)
{
    const uint8_t *left = a, *right = b;

    for (size_t i = 0; i < bytes; i++) {
        if (left[i] != right[i])
            return false;
    }
    return true;
}
