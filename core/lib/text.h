/* SPDX-License-Identifier: BSD-2-Clause */
/* A bounded text buffer. It never overflows: what does not fit is dropped and sets `cut`. The text
 * is always '\0'-terminated. */
#ifndef CORE_LIB_TEXT_H
#define CORE_LIB_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_DIGITS 20 /* of 2^64 - 1 */

struct text {
    char *buffer;    /* the caller's */
    size_t capacity; /* bytes including the terminator; at least 1 */
    size_t used;
    bool cut;
};

void text_start(struct text *text, char *buffer, size_t capacity);
void text_char(struct text *text, char c);
void text_add(struct text *text, const char *words); /* NULL adds nothing */
void text_bytes(struct text *text, const char *bytes, size_t count);
/* Writes the digits of value in base 10 or 16 to the end of digits; returns how many there are. */
size_t text_digits(uint64_t value, unsigned base, char digits[TEXT_DIGITS]);
/* Rounded half to even on the exact binary value; "nan", "inf". decimals: 0..17. */
void text_fixed(struct text *text, double value, unsigned decimals);
/* The shortest decimal that reads back as the same double ("100", "0.1", "1.5e-9"); valid JSON for
 * every finite value. */
void text_shortest(struct text *text, double value);
/* "64", "48K", "1.5M", "2G": exact if bytes is a multiple of 1/8 of the unit, otherwise rounded to
 * three digits. */
void text_size(struct text *text, uint64_t bytes);
/* Pads with spaces up to a column, counted from the last '\n'; adds at least one space. */
void text_column(struct text *text, size_t column);
/* Adds words so that they end at column (right-aligned). */
void text_right(struct text *text, const char *words, size_t column);

/* The compiler checks the arguments from `first` on against the format, as for printf. */
#define TEXT_CHECKED(place, first) __attribute__((format(printf, place, first)))

/* Adds formatted text: printf's %s %c %u %d %x (the last three also with l for 64 bits and z for
 * size_t), %.2f (the precision is required) and %%. All but %c and %f take a width, with '-' for
 * left alignment and '0' for zero padding (%u, %x). A NULL %s adds nothing. No other conversion is
 * supported; tests/unit/test_formats.py checks all formats.
 *
 * Print sizes in bytes with %s and TEXT_SIZE(bytes), so that no count is printed as a size by
 * mistake. */
void text_format(struct text *text, const char *format, ...) TEXT_CHECKED(2, 3);
void text_format_list(struct text *text, const char *format, va_list list) TEXT_CHECKED(2, 0);
/* text_start and text_format on a buffer. */
void text_print(char *buffer, size_t capacity, const char *format, ...) TEXT_CHECKED(3, 4);
/* The same for text that is to be extended: returns the open buffer. */
struct text text_open(char *buffer, size_t capacity, const char *format, ...) TEXT_CHECKED(3, 4);
struct text text_open_list(char *buffer, size_t capacity, const char *format, va_list list)
    TEXT_CHECKED(3, 0);

/* The text of text_size as a string that lives as long as the enclosing block. */
#define TEXT_SIZE(bytes) text_size_in((char[TEXT_SIZE_BYTES]){0}, bytes)
#define TEXT_SIZE_BYTES  12 /* 1023.875K and '\0' */
const char *text_size_in(char buffer[TEXT_SIZE_BYTES], uint64_t bytes);
/* The same of text_shortest. */
#define TEXT_SHORTEST(value) text_shortest_in((char[TEXT_SHORTEST_BYTES]){0}, value)
#define TEXT_SHORTEST_BYTES  32
const char *text_shortest_in(char buffer[TEXT_SHORTEST_BYTES], double value);

/* What makes a noun agree with a count: "%lu word%s". */
const char *text_plural(uint64_t count);

/* Parse numbers. False unless the bytes are exactly one number. */
bool text_read_u64(const char *bytes, size_t count, uint64_t *value);  /* decimal or 0x hex */
bool text_read_size(const char *bytes, size_t count, uint64_t *value); /* with K, M, G, T, binary */
bool text_read_double(const char *bytes, size_t count, double *value); /* plain decimal, exponent */

size_t text_length(const char *words);
bool text_equal(const char *a, const char *b);
/* True if the counted bytes equal the words. */
bool text_is(const char *bytes, size_t count, const char *words);
char text_lower(char c); /* of ASCII */
/* True if the words begin with these, which are of lower case, in whatever case. */
bool text_begins(const char *words, const char *with);

#endif
