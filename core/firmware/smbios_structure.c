/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/firmware/smbios_structure.h"

#include "core/firmware/board.h"
#include "core/lib/bytes.h"

void structure_string(const struct structure *s, size_t field, char *to, size_t capacity)
{
    size_t used = 0;
    size_t kept = 0;
    size_t pos = 0;
    uint8_t number = field < s->bytes ? s->pos[field] : 0;
    to[0] = '\0';
    if (number == 0)
        return;
    while (pos < s->string_bytes && number > 1) {
        if (s->strings[pos++] == 0)
            number--;
    }
    for (; pos < s->string_bytes && s->strings[pos] != 0 && used + 1 < capacity; pos++) {
        uint8_t c = s->strings[pos];
        if (c == ' ' && used == 0)
            continue;
        to[used++] = c >= ' ' && c <= '~' ? (char)c : '?';
        if (c != ' ')
            kept = used;
    }
    to[kept] = '\0';
}

void structure_words(const struct structure *s, size_t field, char *to, size_t capacity)
{
    structure_string(s, field, to, capacity);
    if (board_is_placeholder(to))
        to[0] = '\0';
}

uint8_t structure_u8(const struct structure *s, size_t field)
{
    return s->bytes >= field + 1 ? s->pos[field] : 0;
}

uint16_t structure_u16(const struct structure *s, size_t field)
{
    return s->bytes >= field + 2 ? bytes_u16(s->pos + field) : 0;
}

uint32_t structure_u32(const struct structure *s, size_t field)
{
    return s->bytes >= field + 4 ? bytes_u32(s->pos + field) : 0;
}

uint64_t structure_u64(const struct structure *s, size_t field)
{
    return s->bytes >= field + 8 ? bytes_u64(s->pos + field) : 0;
}
