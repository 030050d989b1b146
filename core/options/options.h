/* SPDX-License-Identifier: BSD-2-Clause */
/* The option language: key=value words, in the configuration file (one a line, # comments), as load
 * options, and on the command lines of the hosted machines. The last value of a key counts. One
 * table in core/options/table.c has every key, its bounds and its help. */
#ifndef CORE_OPTIONS_OPTIONS_H
#define CORE_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/status.h"
#include "core/machine.h"

#define OPTIONS_TESTS_MAX     32
#define OPTIONS_REPEATS_MAX   100
#define OPTIONS_TEXT_MAX      65536 /* bytes of a configuration file */
#define OPTIONS_LINE_MAX      1024  /* bytes of one line of it, or of one word of load options */
#define OPTIONS_MESSAGE_MAX   640
#define OPTIONS_CPU_MAX       8191 /* more than any kernel supports today */
#define OPTIONS_EFFECTIVE_MAX 1536

enum option_plan { PLAN_QUICK, PLAN_FULL };
enum option_pattern {
    PATTERN_AUTO,
    PATTERN_CYCLE,
    PATTERN_IID,
    PATTERN_FORWARD,
    PATTERN_REVERSE,
    PATTERN_SEQUENTIAL,
    PATTERN_SHUFFLED_PAGES,
    PATTERN_PAGED,
    PATTERN_GROUPED,
    PATTERN_HOP_PAGE
};
enum option_fit { FIT_TIMING, FIT_DECLARED };
enum option_prefetch { PREFETCH_REQUEST_OFF, PREFETCH_REQUEST_ON, PREFETCH_REQUEST_BOTH };
/* What, besides timing, is to say where loads were answered. */
enum option_witness { WITNESS_COUNTERS, WITNESS_IBS };
enum option_expect { EXPECT_AUTO, EXPECT_OFF, EXPECT_ON };
enum option_boot { BOOT_COLD, BOOT_WARM, BOOT_SHUTDOWN };
enum option_end { END_MENU, END_SHUTDOWN, END_REBOOT, END_RETURN };

/* The kind of machine: some keys exist on some only. Bits. */
enum option_host { OPTION_FIRMWARE = 1, OPTION_LINUX = 2, OPTION_SIMULATOR = 4 };

struct options {
    enum option_plan plan;
    uint32_t tests[OPTIONS_TESTS_MAX]; /* indices in experiment_list, in order */
    uint32_t test_count;               /* 0: the plan's own list */
    uint64_t min_bytes, max_bytes;     /* working sets; 0: the plan decides */
    uint64_t block_bytes;              /* of tests=regions; 0: its default */
    double expect_bandwidth_gb_s;      /* of one CPU; 0: none is expected */
    uint32_t expect_banks;             /* of all channels and ranks; 0: none are expected */
    uint32_t points;                   /* per octave; 0: the plan decides */
    uint32_t pages;                    /* bit n: 2^n bytes; 0: all that the machine has */
    enum option_pattern pattern;       /* auto: cycle for curves, iid for levels and slopes */
    enum option_fit fit;   /* of levels: from timing alone, or latencies of the declared sizes */
    uint64_t stride_bytes; /* distance of nodes; 0: one line */
    uint64_t group_bytes;  /* of patterns that work in groups; 0: the pattern's default */
    uint32_t chains;
    enum chase_load load;
    uint32_t word; /* index of the node's word in its line */
    enum chase_hint hint;
    uint32_t work; /* cycles per access */
    bool warmup;
    enum map_mode map;
    enum option_prefetch prefetch;
    enum speed_choice pstate, uncore;
    enum option_witness witness;
    phys_addr range_from, range_below; /* equal: anywhere */
    double error_percent;              /* target for the median's relative error */
    double budget_s;                   /* for all measuring; 0: the plan decides */
    double hold_s;                     /* of tests=verify, between writing and reading */
    uint64_t hops;                     /* per sample; 0: as many as the clock needs */
    uint64_t iterations;               /* per sample, in laps; 0: hops decides */
    uint32_t repeats;                  /* measurements, and records, of each point */
    double seconds;                    /* of sampling per point; 0: error decides */
    uint64_t seed;
    bool dry, records, save;
    enum option_host host; /* that the words were read for; 0: none were */
    /* What the board should have; 0: not said. Size of all modules, configured speed of each. */
    uint32_t expect_dimms, expect_speed, expect_channels;
    uint64_t expect_size;
    enum option_expect expect_ecc;
    double expect_latency_ns[2]; /* of the headline, from and to; 0 and 0: not said */
    double expect_spread_percent, rule_coverage_percent, rule_latency_percent,
        rule_bandwidth_percent;
    uint64_t rule_corrected; /* errors that the hardware may correct */
    enum option_expect verdict;
    const char *baseline;     /* "save", or the path of one; "": none */
    const char *decode;       /* as decode_read takes it; "": says nothing */
    bool prefetch_unofficial; /* also write controls that no vendor documents */
    bool prefetch_write;      /* write even where that can halt the machine (AArch64) */
    enum option_end end;
    uint32_t boots;        /* of a soak; 0: none */
    enum option_boot boot; /* how it goes on to the next one */
    uint32_t runs;         /* with END_REBOOT: until so many are on the stick; 0: for ever */
    const char *cpus;      /* as cpus_read takes it; "": not given */
    const char *node;      /* as node_read takes it; "": not given */
    const char *place;     /* as place_read takes it; "": not given */
    uint32_t cpu;          /* Linux machine only: the kernel's number plus 1; 0: the current CPU */
    const char *out;       /* hosted machines only; "" elsewhere */
    const char *machine_file; /* simulated machine only */
};

/* Where a text comes from, for messages: "barechase.cfg line 3: ...". */
struct option_source {
    const char *name; /* "barechase.cfg", "load options", "command line" */
    bool lines;       /* true: one key=value a line, # comments; false: words */
    enum option_host host;
};

/* A key that exists in one build only (the test build's inject=). parse returns NULL, or what is
 * allowed, in words. */
struct option_extra {
    const char *key, *help;
    void *context;
    const char *(*parse)(void *context, const char *value, size_t bytes);
};

struct option_error {
    char text[OPTIONS_MESSAGE_MAX]; /* names source, line or word, key, and what is allowed */
};

#define OPTIONS_SPREAD_PERCENT 10.0 /* of expect-spread=, where it is not given */
#define OPTIONS_PATHS          7
#define OPTIONS_POOL_BYTES     (OPTIONS_PATHS * OPTIONS_LINE_MAX)

/* Sets every key to its default. */
void options_default(struct options *options);

/* Reads a whole text (any bytes, no terminator needed). On STATUS_BAD_INPUT *options is unchanged
 * and *error says why. UTF-16, NUL bytes, a line over OPTIONS_LINE_MAX and a text over
 * OPTIONS_TEXT_MAX are errors; a UTF-8 byte order mark and \r\n are accepted. Texts (out,
 * machine_file, baseline, decode, cpus, node, place) are copied into text_pool, which must outlive
 * *options; pool_bytes: at least OPTIONS_POOL_BYTES. extra may be NULL. */
enum status options_parse(struct options *options, const char *text, size_t bytes,
                          const struct option_source *source, const struct option_extra *extra,
                          char *text_pool, size_t pool_bytes, struct option_error *error);

/* Writes "plan=quick tests=curve,dram ..." with every key in effect that the host knows,
 * '\0'-terminated: options_parse takes it again. Returns the length. */
size_t options_effective(const struct options *options, char *text, size_t capacity);

/* Whether tests= names that experiment; not whether the plan's own list has it. */
bool options_test(const struct options *options, const char *name);

/* Prints the documentation of every key of this host and of every experiment, for --help and
 * docs/options.md; lines of at most 79 columns. */
void options_help(enum option_host host, const struct text_sink *sink);

#endif
