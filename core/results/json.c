/* SPDX-License-Identifier: BSD-2-Clause */
/* Strings are always well-formed UTF-8, whatever firmware tables held. */
#include "core/results/json.h"

void json_u64(struct text *json, uint64_t value)
{
    text_format(json, value > JSON_INTEGER_MAX ? "\"%lu\"" : "%lu", value);
}

/* Length of the well-formed UTF-8 character here (Unicode 15, table 3-7); 0: not well-formed. */
static size_t utf8_length(const unsigned char *next)
{
    unsigned lead = next[0], low = 0x80, high = 0xbf;
    size_t length = lead < 0x80 ? 1 : lead < 0xc2 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;

    if (lead > 0xf4)
        return 0;
    if (lead == 0xe0)
        low = 0xa0;
    if (lead == 0xed)
        high = 0x9f;
    if (lead == 0xf0)
        low = 0x90;
    if (lead == 0xf4)
        high = 0x8f;
    for (size_t i = 1; i < length; i++) {
        if (next[i] < low || next[i] > high)
            return 0;
        low = 0x80;
        high = 0xbf;
    }
    return length;
}

static void json_escape(struct text *out, unsigned char c)
{
    if (c == '"' || c == '\\')
        text_format(out, "\\%c", c);
    else if (c == '\n')
        text_add(out, "\\n");
    else if (c == '\t')
        text_add(out, "\\t");
    else
        text_format(out, "\\u%04x", c);
}

void json_text(struct text *json, const char *words, size_t max)
{
    const unsigned char *next = (const unsigned char *)(words != NULL ? words : "");
    size_t written = 0;

    text_char(json, '"');
    while (*next != '\0') {
        char buffer[8];
        struct text one;
        size_t length = utf8_length(next);

        text_start(&one, buffer, sizeof(buffer));
        if (length == 0)
            text_add(&one, "\xef\xbf\xbd");
        else if (*next < 0x20 || *next == '"' || *next == '\\')
            json_escape(&one, *next);
        else
            text_bytes(&one, (const char *)next, length);
        if (written + one.used > max)
            break;
        text_bytes(json, buffer, one.used);
        written += one.used;
        next += length == 0 ? 1 : length;
    }
    text_char(json, '"');
}
