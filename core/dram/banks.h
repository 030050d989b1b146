/* SPDX-License-Identifier: BSD-2-Clause */
/* What measured pairs say of the banks of a memory. Pure; core/measure/banks.c measures. */
#ifndef CORE_DRAM_BANKS_H
#define CORE_DRAM_BANKS_H

#include "core/dram/address.h"
#include "core/dram/conflict.h"

enum banks_verdict {
    BANKS_UNSURE,    /* see banks_summary.why */
    BANKS_LINEAR,    /* the functions predict which pairs conflict */
    BANKS_NOT_LINEAR /* pairs conflict, but no functions of address bits say which: a division */
};

/* Pairs timed again, and those of them that conflict. */
struct banks_repeat {
    uint32_t tried, conflicts;
};

struct banks_summary {
    bool known;
    enum banks_verdict verdict;
    const char *why; /* it is unsure; else NULL */
    uint32_t pairs;
    uint32_t conflicts;           /* meaningless while conflict_ns is NAN: no pairs stand out */
    double banks_low, banks_high; /* from the share of conflicts, 99.9 % each; high NAN: no bound */
    double apart_ns, conflict_ns; /* of a round; NAN: not known */
    struct banks_repeat seen;     /* conflicts drawn again, and those that stood out; 0: all do */
    uint64_t bits;                /* in which the addresses differed */
    struct address_mapping mapping;
    uint32_t predicted, confirmed; /* pairs chosen by the functions, and those that behaved so */
};

const char *banks_verdict_name(enum banks_verdict verdict); /* "unsure", "linear", "not-linear" */

/* What was found, held against how many banks there should be. */
enum banks_expectation {
    BANKS_NOTHING_EXPECTED, /* 0 banks */
    BANKS_MET,              /* as many by the functions */
    BANKS_POSSIBLE,         /* the share of conflicts allows as many; functions there are none */
    BANKS_UNMET,
    BANKS_NOT_TOLD /* the search is unsure, or of a guest's addresses, which reach part of them */
};

enum banks_expectation banks_expect(const struct banks_summary *summary, uint32_t expected,
                                    bool guest);
/* "met", "possible", "unmet", "unknown"; NULL: nothing was expected. */
const char *banks_expectation_name(enum banks_expectation expectation);

/* Whether lines come from memory after a flush: reads of flushed lines take much longer than reads
 * of the same lines that stayed in the caches, both in ticks. An emulator's flush does nothing, and
 * pairs then conflict in its own tables. */
bool banks_flushed(uint64_t flushed, uint64_t kept);
/* Conflicts needed to solve for functions of so many bits. */
size_t banks_conflicts_needed(uint64_t bits);
/* Fills banks_low and banks_high from pairs, conflicts, and the share of conflicts that is seen. */
void banks_count(struct banks_summary *summary);
/* Why functions are not to be looked for, from pairs that conflicted and pairs that did not, timed
 * again; NULL: they are. Where the same pairs do not conflict again, their share tells no number of
 * banks: banks_low and banks_high become NAN. */
const char *banks_doubt(struct banks_summary *summary, const struct banks_repeat *slow,
                        const struct banks_repeat *fast);
/* Whether 2^rank banks are within the bounds. */
bool banks_agree(const struct banks_summary *summary, unsigned rank);
bool banks_too_few(const struct banks_summary *summary, unsigned rank);

#endif
