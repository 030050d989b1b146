/* SPDX-License-Identifier: BSD-2-Clause */
/* Formatted text; see text.h. */
#include "core/lib/text.h"

/* %lu, %ld and %lx take 64-bit values. */
_Static_assert(sizeof(long) == sizeof(uint64_t), "a long is 64 bits wide");

struct conversion {
    bool left, zeros, is_long;
    unsigned width, decimals;
    char kind;
};

static const char *read_number(const char *format, unsigned *number)
{
    for (; *format >= '0' && *format <= '9'; format++)
        *number = *number * 10 + (unsigned)(*format - '0');
    return format;
}

/* Parses the conversion after a '%'; returns the text after it. */
static const char *read_conversion(const char *format, struct conversion *c)
{
    *c = (struct conversion){.left = *format == '-', .zeros = *format == '0'};
    format = read_number(format + c->left, &c->width);
    if (*format == '.')
        format = read_number(format + 1, &c->decimals);
    c->is_long = *format == 'l' || *format == 'z';
    c->kind = format[c->is_long];
    return c->kind == '\0' ? format : format + c->is_long + 1;
}

static void add_padded(struct text *text, const struct conversion *c, const char *words,
                       size_t count)
{
    size_t missing = count < c->width ? c->width - count : 0;

    for (; missing > 0 && !c->left; missing--)
        text_char(text, c->zeros ? '0' : ' ');
    text_bytes(text, words, count);
    for (; missing > 0; missing--)
        text_char(text, ' ');
}

static void add_words(struct text *text, const struct conversion *c, const char *words)
{
    if (words == NULL)
        words = "";
    add_padded(text, c, words, text_length(words));
}

static void add_unsigned(struct text *text, const struct conversion *c, uint64_t value,
                         bool negative)
{
    char digits[1 + TEXT_DIGITS];
    size_t count = text_digits(value, c->kind == 'x' ? 16 : 10, digits + 1);

    if (negative)
        digits[sizeof digits - ++count] = '-';
    add_padded(text, c, digits + sizeof digits - count, count);
}

static void add_signed(struct text *text, const struct conversion *c, int64_t value)
{
    add_unsigned(text, c, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

void text_format_list(struct text *text, const char *format, va_list list)
{
    struct conversion c;

    while (*format != '\0') {
        if (*format != '%') {
            text_char(text, *format++);
            continue;
        }
        format = read_conversion(format + 1, &c);
        if (c.kind == 's')
            add_words(text, &c, va_arg(list, const char *));
        else if (c.kind == 'c')
            text_char(text, (char)va_arg(list, int));
        else if (c.kind == 'd')
            add_signed(text, &c, c.is_long ? va_arg(list, long) : va_arg(list, int));
        else if (c.kind == 'u' || c.kind == 'x')
            add_unsigned(text, &c, c.is_long ? va_arg(list, unsigned long) : va_arg(list, unsigned),
                         false);
        else if (c.kind == 'f')
            text_fixed(text, va_arg(list, double), c.decimals);
        else
            text_char(text, c.kind);
    }
}

void text_format(struct text *text, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    text_format_list(text, format, list);
    va_end(list);
}

struct text text_open_list(char *buffer, size_t capacity, const char *format, va_list list)
{
    struct text text;

    text_start(&text, buffer, capacity);
    text_format_list(&text, format, list);
    return text;
}

void text_print(char *buffer, size_t capacity, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    (void)text_open_list(buffer, capacity, format, list);
    va_end(list);
}

struct text text_open(char *buffer, size_t capacity, const char *format, ...)
{
    struct text text;
    va_list list;

    va_start(list, format);
    text = text_open_list(buffer, capacity, format, list);
    va_end(list);
    return text;
}

const char *text_shortest_in(char buffer[TEXT_SHORTEST_BYTES], double value)
{
    struct text text;

    text_start(&text, buffer, TEXT_SHORTEST_BYTES);
    text_shortest(&text, value);
    return buffer;
}

const char *text_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

const char *text_size_in(char buffer[TEXT_SIZE_BYTES], uint64_t bytes)
{
    struct text text;

    text_start(&text, buffer, TEXT_SIZE_BYTES);
    text_size(&text, bytes);
    return buffer;
}
