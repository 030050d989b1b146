/* SPDX-License-Identifier: BSD-2-Clause */
/* One row for each key: what it is called, where its value goes, what is allowed, its help. The
 * parser, the text of the options in effect, the messages and the documentation all read this. */
#ifndef CORE_OPTIONS_TABLE_H
#define CORE_OPTIONS_TABLE_H

#include "core/lib/text.h"
#include "core/options/options.h"

enum option_kind {
    OPTION_WORD, /* one of words, up to that of value `high` (0: of all); the place is an enum */
    OPTION_ON,   /* on, off; bool */
    OPTION_SIZE, /* uint64_t bytes, low..high, a multiple of `multiple` */
    OPTION_U32,  /* whole number, low..high */
    OPTION_U64,
    OPTION_PERCENT, /* double, low..high in hundredths of a per cent */
    OPTION_SECONDS, /* double, low..high in thousandths */
    OPTION_TESTS,
    OPTION_PAGES,
    OPTION_RANGE,
    OPTION_CPU, /* uint32_t: the number and 1, so that 0 stands for auto */
    OPTION_PATH
};

struct option_row {
    const char *key;
    enum option_kind kind;
    unsigned hosts; /* enum option_host bits */
    size_t offset;  /* in struct options */
    uint64_t low, high, multiple;
    bool open;                /* `auto` is allowed and stands for 0 or none */
    const char *const *words; /* in the order of the enum's values, NULL at the end */
    const char *help;
};

extern const struct option_row option_rows[];
extern const size_t option_row_count;

#define OPTION_KEY_MAX  24 /* no key known here is longer */
#define OPTION_ROWS_MAX 64 /* no more keys */

/* NULL: no such key (on any machine). */
const struct option_row *option_find(const char *key, size_t bytes);
/* Keys, or values of a key, that are planned but that this version does not know. key NULL: keys.
 */
bool option_known_later(const char *key, const char *word, size_t bytes);
/* The key of this host that is at most two slips away, or NULL. */
const char *option_nearest(enum option_host host, const char *key, size_t bytes);

/* What is allowed: "auto or a size from 4K to 64T". */
void option_allowed(const struct option_row *row, struct text *text);

/* What is wrong with a value, or with one member of a list. */
struct option_fault {
    const char *why; /* a phrase behind "which", behind a member without it; NULL: none is known */
    const char *member; /* of a list, in the value; NULL: the value as a whole */
    size_t member_bytes;
    size_t place; /* of the member, from 1 */
};
/* Reads one value into *options. False when it is not allowed; *fault then says why. OPTION_PATH
 * keys are only checked: the caller owns their memory. */
bool option_read(const struct option_row *row, const char *value, size_t bytes,
                 struct options *options, struct option_fault *fault);
/* A path or CPU that has not been given. */
bool option_is_empty(const struct option_row *row, const struct options *options);
/* The value as it would be written after the '='. */
void option_write(const struct option_row *row, const struct options *options, struct text *text);

#endif
