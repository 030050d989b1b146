/* SPDX-License-Identifier: BSD-2-Clause */
/* The CRC-32 of Ethernet and zip (polynomial 0x04c11db7, reflected). */
#ifndef CORE_LIB_CRC32_H
#define CORE_LIB_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Of `bytes` bytes behind those that `crc` is of; begin with 0. */
uint32_t crc32_add(uint32_t crc, const void *data, size_t bytes);

#endif
