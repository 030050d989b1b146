/* SPDX-License-Identifier: BSD-2-Clause */
/* Which steps a test of memory's contents takes, and what its errors are. Pure; the steps are run
 * by core/measure/verify.c. */
#ifndef CORE_DRAM_VERIFY_H
#define CORE_DRAM_VERIFY_H

#include "core/chase/march.h"

enum verify_data { VERIFY_NONE, VERIFY_A, VERIFY_NOT_A, VERIFY_R, VERIFY_NOT_R, VERIFY_L };

struct verify_step {
    enum march_order order;
    enum verify_data expected, written;
    bool hold; /* hold= is waited before it */
};

/* March C- (van de Goor 1993: up w0; up r0 w1; up r1 w0; down r0 w1; down r1 w0; r0) with addresses
 * and their complement as 0 and 1; then keyed random data and their complement, this read in random
 * order, so that nearly every read opens a row; then single lanes. The first time that 0 and 1 and
 * random data are to be read, hold= has passed since they were written. */
#define VERIFY_STEPS 10
extern const struct verify_step verify_steps[VERIFY_STEPS];
/* Bytes that a step moves for each byte of memory: 1 or 2; and all of them together. */
uint32_t verify_step_moves(const struct verify_step *step);
#define VERIFY_MOVES 16

/* March C- alone, over memory that was tested in parts before: so that two addresses of different
 * parts are held at once too. */
#define VERIFY_JOIN_STEPS 6
extern const struct verify_step verify_join_steps[VERIFY_JOIN_STEPS];
#define VERIFY_JOIN_MOVES 10

/* Memory that was tested in parts, in bytes, and pairs of their addresses that were held at once.
 */
struct verify_parts {
    uint64_t first, rest; /* the first part, and all others together */
    uint64_t aside;       /* of the first part: what was tested with another one too */
    double aside_pairs;   /* of that with the other one's own */
    double rest_pairs;    /* of two addresses that one of the others has */
    uint64_t joined;      /* of all but what was aside, so much was tested as one in the end */
};

/* Adds a part. aside: so much of it is of the first one. */
void verify_parts_add(struct verify_parts *parts, uint64_t bytes, uint64_t aside);
/* The share of all pairs of tested addresses that were never held at once: where one of such a pair
 * changes the other, or is the same memory, nothing shows. */
double verify_parts_apart(const struct verify_parts *parts);

/* The data of a step; false: VERIFY_NONE. */
bool verify_data_of(enum verify_data name, struct march_data *data);

/* After all steps every listed line is tested by itself once more: so often, with random data and
 * its complement in turns. What was no passing event shows again. */
#define VERIFY_RETESTS     8
#define VERIFY_RETEST_STEP VERIFY_STEPS

enum verify_kind {
    VERIFY_STORED,   /* memory held something else than what was written */
    VERIFY_TRANSFER, /* it held what was written, and was read wrong */
    VERIFY_ALIAS,    /* another address is of the same memory */
    VERIFY_OUTSIDE,  /* held something else once and never again: a device, or the firmware, may
                        have written there */
    VERIFY_KINDS
};

/* "stored", "transfer", "alias", "outside" */
const char *verify_kind_name(enum verify_kind kind);

struct verify_verdict {
    enum verify_kind kind;
    uint64_t alias_offset; /* of VERIFY_ALIAS: of the same word of the other line */
};

/* What is wrong with the listed word `index`. bytes: of the window. retested: the retest came to
 * its end; before that, nothing is said to be from outside. */
struct verify_verdict verify_judge(const struct march_errors *errors, uint32_t index,
                                   uint64_t bytes, bool retested);

/* The listed words' lines, each once, in list[MARCH_WORDS_MAX]; returns how many. */
uint32_t verify_bad_lines(const struct march_errors *errors, uint64_t list[]);

#endif
