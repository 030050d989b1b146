/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks the image's initialised data, before anything reads them. */
#ifndef LINKER_UNPACK_H
#define LINKER_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

/* `packed` is what linker/pack_data wrote: the CRC-32 of the data, the bytes of the block (32 bits
 * each, little-endian), and an LZ4 block (lz4_Block_format.md). It is no longer, its head included,
 * than what it unpacks to, and so many bytes can be read. False, with anything in [out, out_end),
 * when the block is not one, unpacks to more or fewer bytes, or to others. Called before the image
 * is relocated: it uses no constant and no variable in memory. */
bool unpack_data(const uint8_t *packed, uint8_t *out, uint8_t *out_end);

#endif
