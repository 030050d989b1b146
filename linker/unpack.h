/* SPDX-License-Identifier: BSD-2-Clause */
/* Unpacks the image's initialised data, before anything reads them. */
#ifndef LINKER_UNPACK_H
#define LINKER_UNPACK_H

#include <stdbool.h>
#include <stdint.h>

/* `packed` is what linker/pack_data wrote: the CRC-32 of the data, the bytes of the block (32 bits
 * each, little-endian), and an LZMA stream with lc = lp = pb = 0, without a header, ended by its
 * marker (LZMA specification, Igor Pavlov, 2015). It is no longer, its head included, than what it
 * unpacks to, and so many bytes can be read. False, with anything in [out, out_end), when the block
 * is not one stream, unpacks to more or fewer bytes, or to others. Called before the image is
 * relocated: it uses no constant and no variable in memory but 4 KiB of stack. */
bool unpack_data(const uint8_t *packed, uint8_t *out, uint8_t *out_end);

#endif
