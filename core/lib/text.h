/* SPDX-License-Identifier: BSD-2-Clause */
/* Text without a C library: a bounded buffer that numbers and words are added to. It never
 * overflows; what does not fit is dropped and `cut` says so. The text is always '\0'-terminated. */
#ifndef CORE_LIB_TEXT_H
#define CORE_LIB_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    char *at;        /* the caller's buffer */
    size_t capacity; /* bytes, the terminator included; at least 1 */
    size_t used;
    bool cut;
};

void text_start(struct text *text, char *buffer, size_t capacity);
void text_char(struct text *text, char c);
void text_add(struct text *text, const char *words); /* NULL adds nothing */
void text_bytes(struct text *text, const char *bytes, size_t count);
void text_u64(struct text *text, uint64_t value);
void text_i64(struct text *text, int64_t value);
void text_hex(struct text *text, uint64_t value); /* 0x1a4 */
/* Rounded half to even on the exact binary value; "nan", "inf". decimals 0..17. */
void text_fixed(struct text *text, double value, unsigned decimals);
/* The shortest decimal that reads back as the same double ("100", "0.1", "1.5e-9"): valid JSON for
 * every finite value. */
void text_shortest(struct text *text, double value);
/* "64", "48K", "1.5M", "2G": exact when the value is a multiple of 1/8 of the unit, else rounded to
 * three digits. */
void text_size(struct text *text, uint64_t bytes);
/* Spaces until column (from the last '\n'); at least one when already there. */
void text_column(struct text *text, size_t column);
/* Adds words so that they end at column (right-aligned). */
void text_right(struct text *text, const char *words, size_t column);

/* The compiler checks the arguments from `first` on against the format, as those of printf. */
#define TEXT_CHECKED(place, first) __attribute__((format(printf, place, first)))

/* Adds a sentence: printf's %s %c %u %d %x, the last three with l for 64 bits and z for a size_t,
 * %.2f (the decimals always given), %%; a width before all of them but %c and %f, with '-' to the
 * left, with '0' (%u, %x) filled with zeros. NULL for %s adds nothing. No other conversion is
 * known, which tests/unit/test_formats.py looks after.
 *
 * A size in bytes is words of its own, TEXT_SIZE(bytes) for a %s, so that no count is printed as a
 * size unless it is called one. */
void text_format(struct text *text, const char *format, ...) TEXT_CHECKED(2, 3);
void text_format_list(struct text *text, const char *format, va_list list) TEXT_CHECKED(2, 0);
/* The same into a buffer: text_start and text_format. */
void text_print(char *buffer, size_t capacity, const char *format, ...) TEXT_CHECKED(3, 4);

/* What text_size writes of bytes; the words live as long as the block that they stand in. */
#define TEXT_SIZE(bytes) text_size_in((char[TEXT_SIZE_BYTES]){0}, bytes)
#define TEXT_SIZE_BYTES  12 /* 1023.875K and '\0' */
const char *text_size_in(char buffer[TEXT_SIZE_BYTES], uint64_t bytes);

/* The reverse of text_u64 and friends. Answer false when the bytes are not exactly one number. */
bool text_read_u64(const char *bytes, size_t count, uint64_t *value);  /* decimal or 0x hex */
bool text_read_size(const char *bytes, size_t count, uint64_t *value); /* with K, M, G, T, binary */
bool text_read_double(const char *bytes, size_t count, double *value); /* plain decimal, exponent */

size_t text_length(const char *words);
bool text_equal(const char *a, const char *b);
/* true when the counted bytes are exactly the words */
bool text_is(const char *bytes, size_t count, const char *words);

#endif
