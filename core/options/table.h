/* SPDX-License-Identifier: BSD-2-Clause */
/* One row for each key: its name, where its value is stored, what is allowed, its help. The parser,
 * the text of the options in effect, the messages and the documentation all use it. */
#ifndef CORE_OPTIONS_TABLE_H
#define CORE_OPTIONS_TABLE_H

#include "core/lib/text.h"
#include "core/options/options.h"

enum option_kind {
    OPTION_WORD, /* one of words, up to index `high` (0: all); the index is an enum value */
    OPTION_ON,   /* on, off; bool */
    OPTION_SIZE, /* uint64_t bytes, low..high, a multiple of `multiple` */
    OPTION_U32,  /* whole number, low..high */
    OPTION_U64,
    OPTION_PERCENT, /* double, low..high in hundredths of a per cent */
    OPTION_DECIMAL, /* double, low..high in thousandths */
    OPTION_TESTS,
    OPTION_PAGES,
    OPTION_RANGE,
    OPTION_INTERVAL, /* double[2], each low..high in thousandths */
    OPTION_CPU,      /* uint32_t: the number plus 1; 0: auto */
    OPTION_PATH,
    OPTION_DECODE, /* const char *, as decode_read takes it */
    OPTION_CPUS,   /* const char *, as cpus_read takes it */
    OPTION_NODES,  /* the same, as node_read takes it */
    OPTION_PLACE   /* the same, as place_read takes it */
};

struct option_row {
    const char *key;
    enum option_kind kind;
    unsigned hosts; /* enum option_host bits */
    size_t offset;  /* in struct options */
    uint64_t low, high, multiple;
    bool open;                /* `auto` is allowed and means 0 or none */
    const char *const *words; /* in the order of the enum's values, NULL at the end */
    const char *help;
};

extern const struct option_row option_rows[];
extern const size_t option_row_count;

#define OPTION_KEY_MAX  24 /* the longest key */
#define OPTION_ROWS_MAX 64 /* the most keys */

/* The row of a key; NULL: no machine has such a key. */
const struct option_row *option_find(const char *key, size_t bytes);
/* Whether a key (key NULL), or a value of `key`, is planned but not in this version. */
bool option_known_later(const char *key, const char *word, size_t bytes);
/* The host's key within two edits of this one; NULL: none. */
const char *option_nearest(enum option_host host, const char *key, size_t bytes);

/* Adds what is allowed: "auto or a size from 4K to 64T". */
void option_allowed(const struct option_row *row, struct text *text);

/* What is wrong with a value, or with one member of a list. */
struct option_fault {
    const char *why;    /* a phrase that follows "which", or the member; NULL: no reason */
    const char *member; /* the member of a list, inside the value; NULL: the whole value */
    size_t member_bytes;
    size_t place; /* of the member, from 1 */
};
/* Whether its value is a text, which is copied (options_parser). */
bool option_is_text(const struct option_row *row);
/* Reads one value into *options. False if it is not allowed; *fault then says why. OPTION_PATH
 * values are only checked: the caller stores them. */
bool option_read(const struct option_row *row, const char *value, size_t bytes,
                 struct options *options, struct option_fault *fault);
/* Whether a path or CPU has not been given. */
bool option_is_empty(const struct option_row *row, const struct options *options);
/* Adds the value as it is written after the '='. */
void option_write(const struct option_row *row, const struct options *options, struct text *text);

#endif
