/* SPDX-License-Identifier: BSD-2-Clause */
#include "linker/unpack.h"

#include <stddef.h>

#include "core/lib/crc32.h"

#define HEAD_BYTES 8
#define START      5 /* bytes the coder begins with, of which the first is 0 */
#define EVEN       1024
#define TOP        (1u << 24)
#define RATE       5
#define MATCH_MIN  2
#define REPEATS    4
/* States: below this one, what stood before was a literal. */
#define AFTER_LITERAL 7
#define STATES        12
#define LITERALS      0x300
#define END           0xFFFFFFFFu

/* Where each kind's probabilities begin. A tree of n leaves has n of them, the first unused. */
enum {
    IS_MATCH,
    IS_REPEAT = IS_MATCH + STATES,
    IS_OLDER = IS_REPEAT + STATES, /* three: for the second, the third, the fourth distance */
    IS_LONG = IS_OLDER + (REPEATS - 1) * STATES,
    /* Of a match, and of a repeat: two choices, then the trees of 8, 8 and 256 lengths. */
    LENGTH = IS_LONG + STATES,
    LENGTH_LOW = 2,
    LENGTH_MIDDLE = LENGTH_LOW + 8,
    LENGTH_HIGH = LENGTH_MIDDLE + 8,
    LENGTH_SIZE = LENGTH_HIGH + 256,
    SLOT = LENGTH + 2 * LENGTH_SIZE,
    SPECIAL = SLOT + 4 * 64,
    ALIGNED = SPECIAL + 128,
    LITERAL = ALIGNED + 16,
    PROBABILITIES = LITERAL + LITERALS
};

struct decoder {
    const uint8_t *in, *in_end;
    uint8_t *begin, *out, *out_end;
    uint32_t range, code, state;
    uint32_t distance[REPEATS]; /* minus one, the latest first */
    bool ends;                  /* more was read than there is */
    uint16_t probability[PROBABILITIES];
};

static uint32_t word_of(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void normalise(struct decoder *d)
{
    if (d->range >= TOP)
        return;
    d->range <<= 8;
    d->code <<= 8;
    if (d->in == d->in_end)
        d->ends = true;
    else
        d->code |= *d->in++;
}

static uint32_t bit_read(struct decoder *d, uint32_t which)
{
    uint16_t *probability = &d->probability[which];
    uint32_t bound;

    normalise(d);
    bound = (d->range >> 11) * *probability;
    if (d->code < bound) {
        d->range = bound;
        *probability += (2 * EVEN - *probability) >> RATE;
        return 0;
    }
    d->range -= bound;
    d->code -= bound;
    *probability -= *probability >> RATE;
    return 1;
}

/* So many bits as likely one as the other, the highest first. */
static uint32_t plain_read(struct decoder *d, uint32_t bits)
{
    uint32_t value = 0;

    for (; bits > 0; bits--) {
        normalise(d);
        d->range >>= 1;
        value <<= 1;
        if (d->code >= d->range) {
            d->code -= d->range;
            value |= 1;
        }
    }
    return value;
}

static uint32_t tree_read(struct decoder *d, uint32_t tree, uint32_t leaves)
{
    uint32_t node = 1;

    while (node < leaves)
        node = node << 1 | bit_read(d, tree + node);
    return node - leaves;
}

/* The lowest bit first. */
static uint32_t tree_read_back(struct decoder *d, uint32_t tree, uint32_t bits)
{
    uint32_t node = 1, value = 0;

    for (uint32_t i = 0; i < bits; i++) {
        uint32_t bit = bit_read(d, tree + node);
        node = node << 1 | bit;
        value |= bit << i;
    }
    return value;
}

static uint32_t length_read(struct decoder *d, uint32_t length)
{
    if (bit_read(d, length) == 0)
        return MATCH_MIN + tree_read(d, length + LENGTH_LOW, 8);
    if (bit_read(d, length + 1) == 0)
        return MATCH_MIN + 8 + tree_read(d, length + LENGTH_MIDDLE, 8);
    return MATCH_MIN + 16 + tree_read(d, length + LENGTH_HIGH, 256);
}

static uint32_t distance_read(struct decoder *d, uint32_t length)
{
    uint32_t near = length - MATCH_MIN < 3 ? length - MATCH_MIN : 3;
    uint32_t slot = tree_read(d, SLOT + 64 * near, 64), bits, distance;

    if (slot < 4)
        return slot;
    bits = (slot >> 1) - 1;
    distance = (2 | (slot & 1)) << bits;
    if (slot < 14)
        return distance + tree_read_back(d, SPECIAL + distance - slot, bits);
    distance += plain_read(d, bits - 4) << 4;
    return distance + tree_read_back(d, ALIGNED, 4);
}

/* How many bytes stand before the next. */
static size_t done(const struct decoder *d)
{
    return (size_t)(d->out - d->begin);
}

/* After a match, the byte at its distance predicts the bits until one differs. */
static bool literal_read(struct decoder *d)
{
    uint32_t node = 1, mask = 0, like = 0;

    if (d->out == d->out_end)
        return false;
    if (d->state >= AFTER_LITERAL) {
        if (d->distance[0] >= done(d))
            return false;
        like = *(d->out - d->distance[0] - 1);
        mask = 0x100;
    }
    while (node < 0x100) {
        uint32_t bit;
        like <<= 1;
        bit = bit_read(d, LITERAL + mask + (like & mask) + node);
        node = node << 1 | bit;
        mask &= bit != 0 ? like : ~like;
    }
    *d->out++ = (uint8_t)node;
    d->state = d->state < 4 ? 0 : d->state < 10 ? d->state - 3 : d->state - 6;
    return true;
}

static bool copy(struct decoder *d, uint32_t length)
{
    if (d->distance[0] >= done(d) || length > (size_t)(d->out_end - d->out))
        return false;
    for (; length > 0; length--, d->out++)
        *d->out = *(d->out - d->distance[0] - 1);
    return true;
}

static void distance_first(struct decoder *d, uint32_t which, uint32_t distance)
{
    for (; which > 0; which--)
        d->distance[which] = d->distance[which - 1];
    d->distance[0] = distance;
}

/* The length of the next match, of a distance used before or of another. */
static uint32_t match_read(struct decoder *d)
{
    uint32_t before = d->state < AFTER_LITERAL ? 0 : 3, which = 0, length;

    if (bit_read(d, IS_REPEAT + d->state) == 0) {
        length = length_read(d, LENGTH);
        distance_first(d, REPEATS - 1, distance_read(d, length));
        d->state = 7 + before;
        return length;
    }
    while (which < REPEATS - 1 && bit_read(d, IS_OLDER + which * STATES + d->state) != 0)
        which++;
    if (which == 0 && bit_read(d, IS_LONG + d->state) == 0) {
        d->state = before == 0 ? 9 : 11;
        return 1;
    }
    distance_first(d, which, d->distance[which]);
    d->state = before == 0 ? 8 : 11;
    return length_read(d, LENGTH + LENGTH_SIZE);
}

static void start(struct decoder *d)
{
    d->range = 0xFFFFFFFF;
    d->code = d->state = 0;
    d->ends = false;
    for (int i = 1; i < START; i++)
        d->code = d->code << 8 | d->in[i];
    d->in += START;
    for (int i = 0; i < REPEATS; i++)
        d->distance[i] = 0;
    for (int i = 0; i < PROBABILITIES; i++)
        d->probability[i] = EVEN;
}

static bool block_unpack(struct decoder *d)
{
    if (d->in_end - d->in < START)
        return false;
    start(d);
    while (!d->ends) {
        uint32_t length;
        if (bit_read(d, IS_MATCH + d->state) == 0) {
            if (!literal_read(d))
                return false;
            continue;
        }
        length = match_read(d);
        if (d->distance[0] == END)
            break;
        if (!copy(d, length))
            return false;
    }
    normalise(d);
    return !d->ends && d->code == 0 && d->in == d->in_end && d->out == d->out_end;
}

bool unpack_data(const uint8_t *packed, uint8_t *out, uint8_t *out_end)
{
    size_t bytes = (size_t)(out_end - out);
    struct decoder d;

    if (bytes < HEAD_BYTES || word_of(packed + 4) > bytes - HEAD_BYTES)
        return false;
    d.in = packed + HEAD_BYTES;
    d.in_end = d.in + word_of(packed + 4);
    d.begin = d.out = out;
    d.out_end = out_end;
    return block_unpack(&d) && crc32_add(0, out, bytes) == word_of(packed);
}
