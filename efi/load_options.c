/* SPDX-License-Identifier: BSD-2-Clause */
/* Turns load options into words; see load_options.h. */
#include "efi/load_options.h"

#include <stdint.h>

#include "core/lib/text.h"

static bool is_blank(unsigned c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_plain(unsigned c)
{
    return (c >= 0x20 && c < 0x7f) || is_blank(c);
}

/* Byte by byte, because load options may be unaligned. */
static unsigned unit_at(const uint8_t *bytes, size_t unit)
{
    return bytes[2 * unit] | (unsigned)bytes[2 * unit + 1] << 8;
}

/* Length in units up to the NUL when at least half of them are ASCII, else 0: a GUID or a device
 * path read as UTF-16 is mostly letters of other scripts. */
static size_t utf16_length(const uint8_t *bytes, size_t units)
{
    size_t length = 0, plain = 0;

    while (length < units && unit_at(bytes, length) != 0)
        plain += is_plain(unit_at(bytes, length++));
    return plain * 2 >= length ? length : 0;
}

static size_t ascii_length(const uint8_t *bytes, size_t count)
{
    while (count > 0 && bytes[count - 1] == 0)
        count--;
    for (size_t i = 0; i < count; i++)
        if (!is_plain(bytes[i]))
            return 0;
    return count;
}

static size_t put_utf8(unsigned unit, char *text, size_t room)
{
    char bytes[3];
    size_t count = 0;

    if (unit >= 0xd800 && unit < 0xe000)
        unit = '?';
    if (unit < 0x80) {
        bytes[count++] = (char)unit;
    } else if (unit < 0x800) {
        bytes[count++] = (char)(0xc0 | unit >> 6);
        bytes[count++] = (char)(0x80 | (unit & 0x3f));
    } else {
        bytes[count++] = (char)(0xe0 | unit >> 12);
        bytes[count++] = (char)(0x80 | (unit >> 6 & 0x3f));
        bytes[count++] = (char)(0x80 | (unit & 0x3f));
    }
    if (count > room)
        return 0;
    for (size_t i = 0; i < count; i++)
        text[i] = bytes[i];
    return count;
}

static bool ends_in_efi(const char *word, size_t bytes)
{
    static const char suffix[] = ".efi";

    if (bytes < 4)
        return false;
    for (size_t i = 0; i < 4; i++) {
        char c = word[bytes - 4 + i];
        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if (c != suffix[i])
            return false;
    }
    return true;
}

/* Returns where the words after the program's name begin. */
static size_t skip_program(const char *text, size_t bytes, bool always)
{
    size_t first = 0, end;
    bool quoted;

    while (first < bytes && is_blank((unsigned char)text[first]))
        first++;
    quoted = first < bytes && text[first] == '"';
    first += quoted;
    end = first;
    while (end < bytes && (quoted ? text[end] != '"' : !is_blank((unsigned char)text[end])))
        end++;
    if (!always && !ends_in_efi(text + first, end - first))
        return 0;
    return quoted && end < bytes ? end + 1 : end;
}

static size_t trim(char *text, size_t bytes, size_t first)
{
    size_t used = 0;

    while (first < bytes && is_blank((unsigned char)text[first]))
        first++;
    while (bytes > first && is_blank((unsigned char)text[bytes - 1]))
        bytes--;
    while (first < bytes)
        text[used++] = text[first++];
    return used;
}

enum load_options_kind load_options_read(const void *options, size_t bytes, bool from_shell,
                                         char *text, size_t capacity, size_t *used)
{
    const uint8_t *raw = options;
    size_t units, plain, put, length = 0;

    *used = 0;
    if (raw == NULL || bytes == 0)
        return LOAD_OPTIONS_NONE;
    if (bytes >= 2 && unit_at(raw, 0) == 0xfeff) {
        raw += 2;
        bytes -= 2;
    }
    units = utf16_length(raw, bytes / 2);
    plain = units != 0 ? 0 : ascii_length(raw, bytes);
    if (units == 0 && plain == 0)
        return bytes == 0 || (bytes > 1 && unit_at(raw, 0) == 0) ? LOAD_OPTIONS_NONE
                                                                 : LOAD_OPTIONS_NOT_TEXT;
    for (size_t i = 0; i < units; i++, length += put) {
        put = put_utf8(unit_at(raw, i), text + length, capacity - length);
        if (put == 0)
            break;
    }
    while (length < plain && length < capacity) {
        text[length] = (char)raw[length];
        length++;
    }
    *used = trim(text, length, skip_program(text, length, from_shell));
    return *used == 0 ? LOAD_OPTIONS_NONE : LOAD_OPTIONS_TEXT;
}

/* The next character of the text, skipping NUL bytes; '\0' at its end. */
static char next_char(const char **pos, const char *end)
{
    while (*pos < end) {
        char c = *(*pos)++;
        if (c != 0)
            return c;
    }
    return 0;
}

static char skip_blanks(const char **pos, const char *end, char c)
{
    while (c == ' ' || c == '\t')
        c = next_char(pos, end);
    return c;
}

static bool end_named(const char *word, size_t bytes, enum option_end *end)
{
    static const struct {
        const char *word;
        enum option_end end;
    } known[] = {{"menu", END_MENU},
                 {"shutdown", END_SHUTDOWN},
                 {"reboot", END_REBOOT},
                 {"return", END_RETURN}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (text_is(word, bytes, known[i].word)) {
            *end = known[i].end;
            return true;
        }
    }
    return false;
}

/* Reads up to a blank or '='; returns the character that ended the word. Longer words are cut, so
 * they match nothing. */
static char read_word(const char **pos, const char *end, char c, char word[16], size_t *bytes)
{
    *bytes = 0;
    while (c != 0 && c != '=' && !is_blank((unsigned char)c)) {
        if (*bytes < 16)
            word[(*bytes)++] = c;
        c = next_char(pos, end);
    }
    return c;
}

bool load_options_salvage_end(const char *text, size_t bytes, enum option_end *end)
{
    const char *pos = text, *stop = text + bytes;
    bool found = false;
    char c = next_char(&pos, stop);

    while (c != 0) {
        char word[16];
        size_t length;

        if (c == '#') {
            while (c != 0 && c != '\n')
                c = next_char(&pos, stop);
            continue;
        }
        c = read_word(&pos, stop, c, word, &length);
        c = skip_blanks(&pos, stop, c);
        if (c == '=') {
            bool is_end = text_is(word, length, "end");
            c = skip_blanks(&pos, stop, next_char(&pos, stop));
            c = read_word(&pos, stop, c, word, &length);
            found |= is_end && end_named(word, length, end);
        }
        while (c != 0 && (is_blank((unsigned char)c) || c == '='))
            c = next_char(&pos, stop);
    }
    return found;
}

/* systemd-boot and QEMU add the one, GRUB the other. */
static bool is_foreign(const char *word, size_t bytes)
{
    static const char *const keys[] = {"initrd=", "BOOT_IMAGE="};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t length = text_length(keys[i]);
        if (bytes >= length && text_is(word, length, keys[i]))
            return true;
    }
    return false;
}

size_t load_options_skip_foreign(char *text, size_t bytes, struct text *skipped)
{
    size_t kept = 0;

    for (size_t pos = 0; pos < bytes;) {
        size_t first = pos, end;

        while (first < bytes && is_blank((unsigned char)text[first]))
            first++;
        for (end = first; end < bytes && !is_blank((unsigned char)text[end]);)
            end++;
        if (is_foreign(text + first, end - first)) {
            text_add(skipped, skipped->used > 0 ? " " : "");
            text_bytes(skipped, text + first, end - first);
            pos = end;
            continue;
        }
        while (pos < end)
            text[kept++] = text[pos++];
    }
    return kept;
}

enum option_end load_options_end(enum option_end end, unsigned runs, unsigned saved)
{
    if (end != END_REBOOT || runs == 0 || (saved != 0 && saved < runs))
        return end;
    return END_SHUTDOWN;
}
