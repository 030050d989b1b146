/* SPDX-License-Identifier: BSD-2-Clause */
/* Which functions of address bits choose a channel, from how fast one CPU reads lines of each
 * parity. Channels transfer side by side: lines of one channel's half take half of the rate that
 * all lines have. Where the core cannot ask for so much, no class is slower than all, and what is
 * read says only what memory gives at least. Pure; core/measure/regions_bandwidth.c measures.
 *
 * By rates alone, whatever else transfers side by side looks like a channel: subchannels, and the
 * bank groups of memory that has two of them in all, whose own transfers must keep twice the
 * distance (JESD79-4, tCCD_L and tCCD_S). */
#ifndef CORE_DRAM_BANDWIDTH_H
#define CORE_DRAM_BANDWIDTH_H

#include <stdbool.h>
#include <stdint.h>

#include "core/dram/address.h"
#include "core/stats/figure.h"

/* All XORs of so many functions are measured; of more functions, the functions and their pairs. */
#define BANDWIDTH_WHOLE       8
#define BANDWIDTH_CLASSES_MAX 255
/* Parts of a node's memory, by address. */
#define BANDWIDTH_PARTS       8
#define BANDWIDTH_PART_ROUNDS 8 /* each is read so many times, at most */

enum bandwidth_effect {
    BANDWIDTH_SAME,   /* lines of either parity are read as fast as all */
    BANDWIDTH_HALVED, /* at half of the rate: the function chooses a channel, or helps to */
    BANDWIDTH_BETWEEN /* neither for sure */
};

struct bandwidth_class {
    uint64_t mask;
    struct figure line_ns[2]; /* what a line of that parity takes, among as many as can be under
                                 way; unknown: there are none, or they were not measured */
    enum bandwidth_effect effect;
};

/* A range of memory that fewer channels serve than others is read slower. */
struct bandwidth_part {
    struct figure line_ns; /* as of a class; unknown: not measured */
    bool slower;           /* for sure, than the part that is read fastest */
};

enum bandwidth_limit {
    BANDWIDTH_BY_UNKNOWN,
    BANDWIDTH_BY_CORE,  /* as many reads were under way as the core ever had */
    BANDWIDTH_BY_MEMORY /* classes are slower, or the core can have more reads under way */
};

struct bandwidth {
    /* Measured. */
    struct figure line_ns;    /* of all lines, among as many as can be under way */
    struct figure in_turn_ns; /* of the same lines, each read when the one before it is done */
    struct figure cached;     /* reads under way at a time, where a cache serves them: the largest
                                 figure of several sets; unknown: no cache did */
    bool prefetching;         /* prefetchers may read lines that were not asked for */
    bool whole;               /* every XOR of the functions is among the classes */
    uint32_t count;
    struct bandwidth_class class[BANDWIDTH_CLASSES_MAX];
    struct bandwidth_part part[BANDWIDTH_PARTS];
    /* Decided. */
    struct figure under_way; /* reads at a time, by the latency of reads in turn */
    enum bandwidth_limit limit;
    bool told;                        /* the channels are */
    uint32_t halved;                  /* classes */
    uint32_t slower;                  /* parts */
    struct address_functions channel; /* of the channels seen, in canonical form */
    const char *why;                  /* not told; else NULL */
};

/* Adds the classes of these functions to *bandwidth, without their times: XORs of all of them, or
 * single ones and pairs. */
void bandwidth_classes(const struct address_functions *functions, struct bandwidth *bandwidth);
/* The first of so many blocks, by address, that is in that part; BANDWIDTH_PARTS: behind the last.
 */
uint32_t bandwidth_part_begin(uint32_t blocks, uint32_t part);
/* What a part's lines take, from lists that were read of it. */
struct bandwidth_part_lists {
    uint32_t count;                        /* 0: there are none */
    double line_ns[BANDWIDTH_PART_ROUNDS]; /* ascending */
};

/* Fills bandwidth->part. Lists are of single pieces, which may be of a slow rank or of another: by
 * how much they scatter, in whichever part, each part may be off by chance. */
void bandwidth_parts(const struct bandwidth_part_lists lists[BANDWIDTH_PARTS],
                     struct bandwidth *bandwidth);
/* Decides from what was measured. */
void bandwidth_decide(struct bandwidth *bandwidth);
const char *bandwidth_limit_name(enum bandwidth_limit limit);    /* "unknown", "core", "memory" */
const char *bandwidth_effect_name(enum bandwidth_effect effect); /* "same", "half", "between" */

/* What memory gives against what was expected of it. */
enum bandwidth_met {
    BANDWIDTH_MET,
    BANDWIDTH_UNMET,
    BANDWIDTH_NOT_SHOWN /* less was read, but memory was not what limited it */
};

const char *bandwidth_met_name(enum bandwidth_met met); /* "met", "unmet", "unknown" */

/* bytes_per_s: that a line_bytes line each was read at. */
enum bandwidth_met bandwidth_meets(const struct bandwidth *bandwidth, uint32_t line_bytes,
                                   double bytes_per_s);

#endif
