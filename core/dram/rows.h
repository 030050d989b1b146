/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a bank keeps its row open, from accesses to one line in turn with others. Pure. */
#ifndef CORE_DRAM_ROWS_H
#define CORE_DRAM_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/stats/figure.h"
#include "core/stats/histogram.h"

enum rows_verdict {
    ROWS_UNSURE, /* see why */
    ROWS_OPEN,   /* an access finds its row open, or another one that is to be closed first */
    ROWS_CLOSED  /* a row is closed after each access */
};

/* What an access takes, by the state of its bank; unknown where there is no such state, or it was
 * not seen. */
struct rows {
    enum rows_verdict verdict;
    const char *why; /* it is unsure; else NULL */
    struct figure hit_ns, empty_ns, conflict_ns;
};

/* What an access takes that waits for no refresh, in ticks: the mean of those about the median, so
 * that a clock's steps average out, and refreshes do not count. Sorts ticks[count]; room as large;
 * step: of the clock. */
struct figure rows_access(uint64_t *ticks, uint64_t *room, size_t count, double step);

/* apart: accesses to a line in turn with lines of other banks; together: with lines in other rows
 * of its own bank. longer_ns: how much longer a round of two accesses in flight together takes if
 * they are of one bank. */
void rows_decide(struct figure apart, struct figure together, double longer_ns, struct rows *rows);
/* How many of many accesses found their row open, none or another, as shares of those that took no
 * longer than a conflict. */
struct rows_shares {
    bool known;
    double hit, empty, conflict;
    struct figure empty_steps; /* what an access took that found none; unknown: too few did */
};

/* A mixture of three about known places: hit and conflict, in the histogram's steps. Not known if
 * accesses are spread evenly over what lies between, as where lines are at several distances, or if
 * the steps are too coarse. */
void rows_share(const struct histogram *histogram, double hit, double conflict,
                struct rows_shares *shares);
const char *rows_verdict_name(enum rows_verdict verdict); /* "unsure", "open", "closed" */

#endif
