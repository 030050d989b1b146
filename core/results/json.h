/* SPDX-License-Identifier: BSD-2-Clause */
/* JSON numbers and strings for records (RFC 8259). */
#ifndef CORE_RESULTS_JSON_H
#define CORE_RESULTS_JSON_H

#include "core/lib/text.h"

#define JSON_INTEGER_MAX ((uint64_t)1 << 53) /* most readers lose digits of larger ones */

/* Adds a number, or a string of decimal digits above JSON_INTEGER_MAX. */
void json_u64(struct text *json, uint64_t value);

/* Adds a string with quotes: at most `max` bytes between them, cut between characters. Bytes that
 * are not UTF-8 become U+FFFD. NULL is "". */
void json_text(struct text *json, const char *words, size_t max);

#endif
