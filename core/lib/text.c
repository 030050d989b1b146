/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/lib/text.h"

#include "core/lib/decimal.h"

void text_start(struct text *text, char *buffer, size_t capacity)
{
    *text = (struct text){.buffer = buffer, .capacity = capacity};
    buffer[0] = '\0';
}

void text_char(struct text *text, char c)
{
    if (text->used + 1 >= text->capacity) {
        text->cut = true;
        return;
    }
    text->buffer[text->used++] = c;
    text->buffer[text->used] = '\0';
}

void text_bytes(struct text *text, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text_char(text, bytes[i]);
}

void text_add(struct text *text, const char *words)
{
    if (words != NULL)
        text_bytes(text, words, text_length(words));
}

size_t text_digits(uint64_t value, unsigned base, char digits[TEXT_DIGITS])
{
    size_t count = 0;

    do {
        digits[TEXT_DIGITS - ++count] = "0123456789abcdef"[value % base];
        value /= base;
    } while (value != 0);
    return count;
}

static void text_whole(struct text *text, uint64_t value)
{
    char digits[TEXT_DIGITS];
    size_t count = text_digits(value, 10, digits);

    text_bytes(text, digits + TEXT_DIGITS - count, count);
}

/* Writes NaN and infinities as a word; true if value was one. */
static bool text_not_finite(struct text *text, double value)
{
    struct decimal_parts parts = decimal_split(value);

    if (!parts.nan && parts.negative)
        text_char(text, '-');
    if (parts.nan)
        text_add(text, "nan");
    else if (parts.infinite)
        text_add(text, "inf");
    return parts.nan || parts.infinite;
}

void text_fixed(struct text *text, double value, unsigned decimals)
{
    char digits[DECIMAL_FIXED_MAX];
    size_t count, whole;

    if (text_not_finite(text, value))
        return;
    if (decimals > 17)
        decimals = 17;
    count = decimal_scaled(value, decimals, digits);
    whole = count > decimals ? count - decimals : 0;
    text_bytes(text, digits, whole);
    if (whole == 0)
        text_char(text, '0');
    if (decimals == 0)
        return;
    text_char(text, '.');
    for (size_t i = count - whole; i < decimals; i++)
        text_char(text, '0');
    text_bytes(text, digits + whole, count - whole);
}

void text_shortest(struct text *text, double value)
{
    struct decimal d;
    int point;

    if (text_not_finite(text, value))
        return;
    decimal_shortest(value, &d);
    point = d.exponent;
    if (point > 21 || point < -5) {
        text_char(text, d.digits[0]);
        if (d.count > 1)
            text_char(text, '.');
        text_bytes(text, d.digits + 1, d.count - 1);
        text_add(text, point < 1 ? "e-" : "e");
        text_whole(text, (uint64_t)(point < 1 ? 1 - point : point - 1));
        return;
    }
    if (point <= 0) {
        text_add(text, "0.");
        for (int i = point; i < 0; i++)
            text_char(text, '0');
    }
    for (int i = 0; i < (int)d.count || i < point; i++) {
        if (i == point && i > 0)
            text_char(text, '.');
        text_char(text, i < (int)d.count ? d.digits[i] : '0');
    }
}

/* Writes a quotient between 1 and 1024 with three significant digits. */
static void text_three_digits(struct text *text, double value)
{
    text_fixed(text, value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

void text_size(struct text *text, uint64_t bytes)
{
    static const char units[] = "KMGTPE";
    uint64_t unit = 1;
    int name = -1;

    while (name < 5 && bytes / unit >= 1024) {
        unit *= 1024;
        name++;
    }
    if (name < 0) {
        text_whole(text, bytes);
        return;
    }
    if (bytes % (unit / 8) == 0) {
        static const char *const eighth[] = {"",   ".125", ".25", ".375",
                                             ".5", ".625", ".75", ".875"};

        text_whole(text, bytes / unit);
        text_add(text, eighth[bytes % unit / (unit / 8)]);
    } else if (name < 5 && (double)bytes / (double)unit >= 1023.5) {
        text_char(text, '1');
        name++;
    } else {
        text_three_digits(text, (double)bytes / (double)unit);
    }
    text_char(text, units[name]);
}

static size_t text_current_column(const struct text *text)
{
    size_t pos = text->used;

    while (pos > 0 && text->buffer[pos - 1] != '\n')
        pos--;
    return text->used - pos;
}

void text_column(struct text *text, size_t column)
{
    size_t now = text_current_column(text);

    do {
        text_char(text, ' ');
    } while (++now < column);
}

void text_right(struct text *text, const char *words, size_t column)
{
    size_t now = text_current_column(text), length = text_length(words);

    for (; now + length < column; now++)
        text_char(text, ' ');
    text_add(text, words);
}

size_t text_length(const char *words)
{
    size_t length = 0;

    while (words[length] != '\0')
        length++;
    return length;
}

bool text_equal(const char *a, const char *b)
{
    size_t i = 0;

    while (a[i] != '\0' && a[i] == b[i])
        i++;
    return a[i] == b[i];
}

bool text_is(const char *bytes, size_t count, const char *words)
{
    for (size_t i = 0; i < count; i++)
        if (words[i] == '\0' || words[i] != bytes[i])
            return false;
    return words[count] == '\0';
}

char text_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool text_begins(const char *words, const char *with)
{
    while (*with != '\0' && text_lower(*words) == *with) {
        words++;
        with++;
    }
    return *with == '\0';
}
