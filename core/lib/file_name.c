/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/file_name.h"

#include "core/lib/text.h"

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

void file_name_of(const char *words, char name[FILE_NAME_BYTES])
{
    struct text text;

    text_start(&text, name, FILE_NAME_BYTES);
    for (; *words != '\0' && text.used + 1 < FILE_NAME_BYTES; words++)
        if (is_letter_or_digit(*words))
            text_char(&text, *words);
        else if (text.used != 0 && name[text.used - 1] != '-')
            text_char(&text, '-');
    while (text.used != 0 && name[text.used - 1] == '-')
        name[--text.used] = '\0';
    if (text.used == 0)
        text_add(&text, "board");
}
