/* SPDX-License-Identifier: BSD-2-Clause */
/* Any bytes as decode=: no crash, no read past the end; a refusal has its reason; what is accepted
 * has a name for each number, in the order of the text, gives every number to some address, and
 * reads back as it is printed. */
#include <stdlib.h>
#include <string.h>

#include "core/options/decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NAMES_BYTES (((size_t)1 << DECODE_MASKS_MAX) * (DECODE_NAME_MAX + 1))

static void assert_phrase(const char *why)
{
    if (why == NULL || *why == '\0')
        abort();
}

/* All names, by number, with commas between them. */
static void join(const struct decode *decode, char names[NAMES_BYTES])
{
    struct text text;

    text_start(&text, names, NAMES_BYTES);
    for (uint32_t number = 0; number < (uint32_t)1 << decode->masks; number++) {
        size_t before = text.used;
        decode_name(decode, number, &text);
        if (text.used == before || text.used - before > DECODE_NAME_MAX)
            abort();
        if (number + 1 < (uint32_t)1 << decode->masks)
            text_char(&text, ',');
    }
    if (text.cut)
        abort();
}

/* No mask is the sum of others, or some name would belong to no address. */
static void assert_onto(const struct decode *decode)
{
    for (uint32_t chosen = 1; chosen < (uint32_t)1 << decode->masks; chosen++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < decode->masks; i++)
            sum ^= chosen >> i & 1 ? decode->mask[i] : 0;
        if (sum == 0)
            abort();
    }
}

static void reads_back(const struct decode *decode, const char *names)
{
    static char buffer[NAMES_BYTES + DECODE_MASKS_MAX * 20];
    struct text text;
    struct decode again;
    const char *why;

    text_start(&text, buffer, sizeof buffer);
    for (uint32_t i = 0; i < decode->masks; i++)
        text_format(&text, "%s0x%lx", i == 0 ? "" : "/", decode->mask[i]);
    text_format(&text, ":%s", names);
    if (!decode_read(buffer, text.used, &again, &why) || again.masks != decode->masks ||
        memcmp(again.mask, decode->mask, decode->masks * sizeof again.mask[0]) != 0 ||
        strcmp(again.names, names) != 0)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char names[NAMES_BYTES];
    struct decode decode;
    const char *why;
    char *text;

    if (!decode_read((const char *)data, size, &decode, &why)) {
        assert_phrase(why);
        return 0;
    }
    if (size == 0 || decode.found) {
        if (decode.masks != 0 || decode.found != (size != 0))
            abort();
        return 0;
    }
    /* Names are read from a text with an end. */
    text = malloc(size + 1);
    if (text == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (!decode_read(text, size, &decode, &why) || decode.masks == 0 ||
        decode.masks > DECODE_MASKS_MAX)
        abort();
    assert_onto(&decode);
    join(&decode, names);
    if (strcmp(strchr(text, ':') + 1, names) != 0)
        abort();
    reads_back(&decode, names);
    free(text);
    return 0;
}
