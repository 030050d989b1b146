/* SPDX-License-Identifier: BSD-2-Clause */
/* Text without a C library: a bounded buffer that numbers and words are added to. It never
 * overflows; what does not fit is dropped and `cut` says so. The text is always '\0'-terminated. */
#ifndef CORE_LIB_TEXT_H
#define CORE_LIB_TEXT_H

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

/* The reverse of text_u64 and friends. Answer false when the bytes are not exactly one number. */
bool text_read_u64(const char *bytes, size_t count, uint64_t *value);  /* decimal or 0x hex */
bool text_read_size(const char *bytes, size_t count, uint64_t *value); /* with K, M, G, T, binary */
bool text_read_double(const char *bytes, size_t count, double *value); /* plain decimal, exponent */

size_t text_length(const char *words);
bool text_equal(const char *a, const char *b);
/* true when the counted bytes are exactly the words */
bool text_is(const char *bytes, size_t count, const char *words);

#endif
