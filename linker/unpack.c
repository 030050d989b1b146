/* SPDX-License-Identifier: BSD-2-Clause */
#include "linker/unpack.h"

#include <stddef.h>

#include "core/lib/crc32.h"

#define HEAD_BYTES 8
#define MATCH_MIN  4
#define TOKEN_MAX  15 /* of a count's four bits: more follows */

struct reader {
    const uint8_t *in, *in_end;
};

static uint32_t word_of(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Adds to a count what stands behind the token. The block is bounded, so that the sum is too. */
static bool count_read(struct reader *r, size_t *count)
{
    uint8_t more = 255;

    if (*count < TOKEN_MAX)
        return true;
    while (more == 255) {
        if (r->in == r->in_end)
            return false;
        more = *r->in++;
        *count += more;
    }
    return true;
}

static bool block_unpack(struct reader r, uint8_t *out, uint8_t *out_end)
{
    uint8_t *begin = out;

    while (r.in < r.in_end) {
        size_t token = *r.in++, count = token >> 4;

        if (!count_read(&r, &count) || count > (size_t)(r.in_end - r.in) ||
            count > (size_t)(out_end - out))
            return false;
        for (; count > 0; count--)
            *out++ = *r.in++;
        if (r.in == r.in_end)
            return out == out_end;
        if (r.in_end - r.in < 2)
            return false;

        size_t distance = r.in[0] | (size_t)r.in[1] << 8;
        r.in += 2;
        count = token & TOKEN_MAX;
        if (!count_read(&r, &count))
            return false;
        count += MATCH_MIN;
        if (distance == 0 || distance > (size_t)(out - begin) || count > (size_t)(out_end - out))
            return false;
        for (; count > 0; count--, out++)
            *out = *(out - distance);
    }
    return false;
}

bool unpack_data(const uint8_t *packed, uint8_t *out, uint8_t *out_end)
{
    size_t bytes = (size_t)(out_end - out);

    if (bytes < HEAD_BYTES || word_of(packed + 4) > bytes - HEAD_BYTES)
        return false;
    struct reader r = {packed + HEAD_BYTES, packed + HEAD_BYTES + word_of(packed + 4)};
    return block_unpack(r, out, out_end) && crc32_add(0, out, bytes) == word_of(packed);
}
