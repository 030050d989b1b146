/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/file_name.h"

#include "core/lib/crc32.h"
#include "core/lib/text.h"

#define CRC_CHARS 9 /* with its dash */

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void file_name_of(const char *words, char name[FILE_NAME_BYTES])
{
    uint32_t crc = crc32_add(0, words, text_length(words));
    struct text text;

    text_start(&text, name, FILE_NAME_BYTES);
    for (; *words != '\0' && text.used + 1 < FILE_NAME_BYTES; words++)
        if (is_letter_or_digit(*words))
            text_char(&text, *words);
        else if (text.used != 0 && name[text.used - 1] != '-')
            text_char(&text, '-');
    if (*words != '\0')
        text.used = FILE_NAME_BYTES - 1 - CRC_CHARS;
    while (text.used != 0 && name[text.used - 1] == '-')
        name[--text.used] = '\0';
    if (*words != '\0')
        text_format(&text, "-%08x", crc);
    if (text.used == 0)
        text_add(&text, "board");
}
