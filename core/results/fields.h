/* SPDX-License-Identifier: BSD-2-Clause */
/* The fields of each record: name, kind and place, one table for each kind of record. record_json
 * and points.csv both use these tables, so that names and units are defined once. */
#ifndef CORE_RESULTS_FIELDS_H
#define CORE_RESULTS_FIELDS_H

#include "core/results/record.h"

enum record_field_kind {
    FIELD_TEXT,      /* const char *; NULL and "" are unknown */
    FIELD_WORDS,     /* const char *, never unknown: NULL is "" */
    FIELD_CHARS,     /* char[]; "" is unknown */
    FIELD_U64,       /* RECORD_UNKNOWN is unknown */
    FIELD_U32_KNOWN, /* uint32_t, 0 is unknown */
    FIELD_U16_KNOWN,
    FIELD_U8_KNOWN,
    FIELD_HEX,      /* uint64_t or phys_addr as text "0x..."; RECORD_UNKNOWN is unknown */
    FIELD_HEX_READ, /* contents of memory: all ones is a value if the error's kind is "memory", else
                       unknown */
    FIELD_REAL,     /* double; NAN and infinite are unknown */
    FIELD_BOOL,
    FIELD_ANSWER,   /* enum answer as true, false, null */
    FIELD_DOUBT,    /* doubt_set as a list of words */
    FIELD_PAGES,    /* uint64_t bytes as "4k", "2m", "1g" */
    FIELD_PREFETCH, /* enum prefetch_state */
    FIELD_SEVERITY,
    FIELD_SCHEMA,
    FIELD_PAGE_LIST,
    FIELD_WAYS, /* uint32_t; 0 is unknown, UINT32_MAX "full" */
    FIELD_CACHES,
    FIELD_TLBS,
    FIELD_FUNCTIONS, /* the functions of a struct record_mapping, each as a list of its bits */
    FIELD_MASKS,     /* those of a struct record_class */
    FIELD_BITS,      /* uint64_t as a list of its bits; 0 is unknown */
    FIELD_CHANNELS,  /* the functions of a struct record_bandwidth that choose its channels */
    FIELD_PARITIES,  /* the parities of a struct record_class, one for each of its masks */
    FIELD_BINS,      /* the bins of a struct record_distribution: pairs of ns and count */
    FIELD_RULES,     /* the rules of a struct record_verdict */
    FIELD_LANES,     /* the lane_events of a struct record_verify; NULL is unknown */
    FIELD_SHARES     /* the shares of a struct record_footprint: 0.000 to 1.000, NAN is unknown */
};

/* Without pointers and with small numbers: there are hundreds, and in an image that can lie
 * anywhere each pointer takes three times its size. */
struct record_field {
    uint16_t name;   /* record_field_name knows it */
    uint16_t offset; /* in the record's struct */
    uint16_t max;    /* bytes of a text in JSON, escapes included */
    uint8_t kind;    /* enum record_field_kind */
};

/* "ns_median", ... */
const char *record_field_name(const struct record_field *field);

struct record_fields {
    const struct record_field *field;
    size_t count;
};

struct record_fields record_fields_of(enum record_kind kind);
/* The struct that the offsets count from. */
const void *record_body(const struct record *record);

#endif
