/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine files: a simulated machine as text. The format is documented in docs/simulator.md; the
 * table of keys is in machine_keys.c, what must hold between keys in machine_check.c. */
#ifndef TESTS_SIM_MACHINE_FILE_H
#define TESTS_SIM_MACHINE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "tests/sim/config.h"

#define SIM_FILE_MAX  65536
#define SIM_LINE_MAX  4096
#define SIM_ERROR_MAX 600
/* Length of the text that says what a value may be. */
#define SIM_ALLOWED_MAX 160

/* Printable text: file, line, section and key, reason. */
struct sim_file_error {
    char text[SIM_ERROR_MAX];
};

/* Reads a whole file's text; name appears in messages. False: *error says why, *config is useless.
 */
bool sim_machine_parse(struct sim_config *config, const char *text, size_t bytes, const char *name,
                       struct sim_file_error *error);
/* The same from a file. */
bool sim_machine_load(struct sim_config *config, const char *path, struct sim_file_error *error);

/* ---- machine_print.c */

/* The machine as a machine file: reading it gives the same machine. */
void sim_config_print(const struct sim_config *config, FILE *file);

#define SIM_VALUE_TEXT_MAX 2048

struct sim_key;
/* What is kept of a key, as it would be written. */
void sim_value_text(const struct sim_key *key, const void *section, char text[SIM_VALUE_TEXT_MAX]);
/* 32K, 48M, 1000: exactly. */
void sim_size_text(uint64_t bytes, char text[SIM_VALUE_TEXT_MAX]);

/* ---- machine_check.c */

enum sim_section {
    SIM_SECTION_MACHINE,
    SIM_SECTION_CLOCK,
    SIM_SECTION_CACHE,
    SIM_SECTION_TLB,
    SIM_SECTION_WALK,
    SIM_SECTION_CORE,
    SIM_SECTION_COHERENCE,
    SIM_SECTION_CPU,
    SIM_SECTION_MEMORY,
    SIM_SECTION_NODE,
    SIM_SECTION_WAY,
    SIM_SECTION_MAPPING,
    SIM_SECTION_HOLE,
    SIM_SECTION_MODULE,
    SIM_SECTION_DIMM,
    SIM_SECTION_SLOW,
    SIM_SECTION_PREFETCH,
    SIM_SECTION_NOISE,
    SIM_SECTION_COUNTERS,
    SIM_SECTION_FAULT,
    SIM_SECTIONS
};

#define SIM_REASON_MAX 200

/* What is inconsistent: the index in its section, the key, why it is wrong, and what is allowed. */
struct sim_problem {
    enum sim_section section;
    size_t index;
    const char *key;
    char reason[SIM_REASON_MAX], allowed[SIM_REASON_MAX];
};

/* True when the machine can be built. */
bool sim_config_check(const struct sim_config *config, struct sim_problem *problem);

/* ---- machine_keys.c */

enum sim_value {
    SIM_VALUE_SIZE,     /* uint64_t: 32K, 2M, 1G */
    SIM_VALUE_ADDRESS,  /* uint64_t: 0x140001000, or a size */
    SIM_VALUE_COUNT,    /* uint32_t */
    SIM_VALUE_SEED,     /* uint64_t */
    SIM_VALUE_TIME,     /* struct sim_time: 4c, 3.5ns */
    SIM_VALUE_NS,       /* double: 90ns, 7.8us */
    SIM_VALUE_HZ,       /* double: 3.8G, 19.2M, 25000000 */
    SIM_VALUE_SHARE,    /* double: 2% */
    SIM_VALUE_REAL,     /* double */
    SIM_VALUE_WORD,     /* enum: index into words */
    SIM_VALUE_EITHER,   /* bool: the second of two words */
    SIM_VALUE_FLAG,     /* bool: yes, no */
    SIM_VALUE_NAME,     /* char[SIM_NAME_MAX] */
    SIM_VALUE_PAGES,    /* uint32_t: 4k,2m,1g as bits */
    SIM_VALUE_DECLARED, /* uint64_t: no for SIM_UNDECLARED, or a size */
    SIM_VALUE_PPM,      /* double: 500ppm, -1000ppm */
    SIM_VALUE_TIMES,    /* struct sim_times: 0ns,1.5ns,2us */
    SIM_VALUE_XORS,     /* struct sim_xors: 7^14,15^19 */
    SIM_VALUE_ENTRIES   /* uint32_t entries[page], ways[page]: 64/4, or 64 for fully associative */
};

struct sim_key {
    enum sim_section section;
    const char *name;
    enum sim_value value;
    size_t offset;   /* in the section's struct */
    double min, max; /* of numbers, in the unit they are kept in */
    bool needed;
    const char *const *words; /* NULL ends them */
    size_t second_offset;     /* of SIM_VALUE_ENTRIES: the ways */
};

extern const char *const sim_section_names[SIM_SECTIONS];
/* Where the keys of the index-th section of that kind are kept; NULL: from
 * sim_section_max(section) on. */
void *sim_section_place(struct sim_config *config, enum sim_section section, size_t index);
size_t sim_section_max(enum sim_section section);
/* Maximum number of keys. */
#define SIM_KEYS_MAX 192
extern const struct sim_key sim_keys[];
extern const size_t sim_key_count;

/* Reads one value into its place. NULL, or what is allowed, in words (in *scratch if need be). */
const char *sim_value_read(const struct sim_key *key, const char *text, void *section,
                           char scratch[SIM_ALLOWED_MAX]);

#endif
