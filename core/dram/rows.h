/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a bank keeps its row open, from accesses to one line in turn with others. Pure. */
#ifndef CORE_DRAM_ROWS_H
#define CORE_DRAM_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "core/stats/figure.h"

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
const char *rows_verdict_name(enum rows_verdict verdict); /* "unsure", "open", "closed" */

#endif
