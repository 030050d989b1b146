/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/memory.h"

void memory_copy(void *to, const void *from, size_t bytes)
{
    uint8_t *out = to;
    const uint8_t *in = from;

    for (size_t i = 0; i < bytes; i++)
        out[i] = in[i];
}

/* By words, since workspaces of megabytes are filled before a run begins. */
void memory_fill(void *pos, uint8_t value, size_t bytes)
{
    typedef uint64_t __attribute__((may_alias)) word;
    uint64_t all = value * 0x0101010101010101ull;
    uint8_t *out = pos, *end = out + bytes;

    while (out != end && (uintptr_t)out % sizeof(word) != 0)
        *out++ = value;
    for (; (size_t)(end - out) >= sizeof(word); out += sizeof(word))
        *(word *)(void *)out = all;
    while (out != end)
        *out++ = value;
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
