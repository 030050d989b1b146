/* SPDX-License-Identifier: BSD-2-Clause */
/* Unaligned little-endian integers and checksums, as in firmware tables. */
#ifndef CORE_LIB_BYTES_H
#define CORE_LIB_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline uint16_t bytes_u16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t bytes_u32(const uint8_t *at)
{
    return bytes_u16(at) | (uint32_t)bytes_u16(at + 2) << 16;
}

static inline uint64_t bytes_u64(const uint8_t *at)
{
    return bytes_u32(at) | (uint64_t)bytes_u32(at + 4) << 32;
}

/* The checksum rule of ACPI and SMBIOS: all bytes add up to 0 modulo 256. */
static inline bool bytes_sum_is_zero(const uint8_t *at, size_t bytes)
{
    uint8_t sum = 0;
    for (size_t i = 0; i < bytes; i++)
        sum = (uint8_t)(sum + at[i]);
    return sum == 0;
}

#endif
