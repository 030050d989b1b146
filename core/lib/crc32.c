/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/crc32.h"

#define POLYNOMIAL 0xedb88320u

uint32_t crc32_add(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *byte = data;

    crc = ~crc;
    for (size_t i = 0; i < bytes; i++) {
        crc ^= byte[i];
        for (unsigned bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
    }
    return ~crc;
}
