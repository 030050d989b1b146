/* SPDX-License-Identifier: BSD-2-Clause */
/* Little-endian numbers out of bytes of any alignment, as firmware tables hold them. */
#ifndef CORE_BYTES_H
#define CORE_BYTES_H

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

#endif
