/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/options/decode.h"

#include "core/lib/bits.h"

static size_t until(const char *text, size_t bytes, char end)
{
    size_t length = 0;

    while (length < bytes && text[length] != end)
        length++;
    return length;
}

static const char *read_masks(const char *text, size_t bytes, struct decode *decode)
{
    for (size_t pos = 0; pos <= bytes;) {
        size_t length = until(text + pos, bytes - pos, '/');
        uint64_t mask;
        uint32_t choice;
        if (!text_read_u64(text + pos, length, &mask) || mask == 0)
            return "has a mask that is not a number from 1 on";
        if (decode->masks == DECODE_MASKS_MAX)
            return "has more than six masks";
        /* Some names would belong to no address. */
        if (bits_sum_to(decode->mask, decode->masks, mask, &choice))
            return "has a mask that is the sum of others";
        decode->mask[decode->masks++] = mask;
        pos += length + 1;
    }
    return NULL;
}

static const char *check_names(const char *text, size_t bytes, uint32_t masks)
{
    size_t names = 0;

    for (size_t pos = 0; pos <= bytes; names++) {
        size_t length = until(text + pos, bytes - pos, ',');
        if (length == 0)
            return "has a slot without a name";
        if (length > DECODE_NAME_MAX)
            return "has a name of more than 40 characters";
        for (size_t i = pos; i < pos + length; i++)
            if ((unsigned char)text[i] <= 0x20 || (unsigned char)text[i] >= 0x7f)
                return "has a name with a blank or another character that is not printable ASCII";
        pos += length + 1;
    }
    return names == (size_t)1 << masks ? NULL : "does not have a name for each value of its masks";
}

bool decode_read(const char *text, size_t bytes, struct decode *decode, const char **why)
{
    size_t colon = until(text, bytes, ':');

    *decode = (struct decode){.masks = 0};
    *why = NULL;
    if (bytes == 0)
        return true;
    decode->found = text_is(text, bytes, "found");
    if (decode->found)
        return true;
    if (colon == bytes) {
        *why = "has no colon between masks and names";
        return false;
    }
    *why = read_masks(text, colon, decode);
    if (*why == NULL)
        *why = check_names(text + colon + 1, bytes - colon - 1, decode->masks);
    decode->names = text + colon + 1;
    return *why == NULL;
}

void decode_name(const struct decode *decode, uint32_t number, struct text *text)
{
    const char *name = decode->names;

    for (; number > 0; number--)
        name += until(name, text_length(name), ',') + 1;
    for (size_t i = 0; name[i] != '\0' && name[i] != ','; i++)
        text_char(text, name[i]);
}
