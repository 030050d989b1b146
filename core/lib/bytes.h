/* SPDX-License-Identifier: BSD-2-Clause */
/* Unaligned little-endian integers and checksums, as in firmware tables. */
#ifndef CORE_LIB_BYTES_H
#define CORE_LIB_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint16_t bytes_u16(const uint8_t *pos)
{
    return (uint16_t)(pos[0] | pos[1] << 8);
}

static inline uint32_t bytes_u32(const uint8_t *pos)
{
    return bytes_u16(pos) | (uint32_t)bytes_u16(pos + 2) << 16;
}

static inline uint64_t bytes_u64(const uint8_t *pos)
{
    return bytes_u32(pos) | (uint64_t)bytes_u32(pos + 4) << 32;
}

/* The checksum rule of ACPI and SMBIOS: all bytes add up to 0 modulo 256. */
static inline bool bytes_sum_is_zero(const uint8_t *pos, size_t bytes)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + pos[i]);
    return sum == 0;
}

#endif
