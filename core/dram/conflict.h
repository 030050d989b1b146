/* SPDX-License-Identifier: BSD-2-Clause */
/* Which pairs of lines conflict in a bank, from what a round of two loads takes. Pure. */
#ifndef CORE_DRAM_CONFLICT_H
#define CORE_DRAM_CONFLICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Two groups of times: pairs below `ticks` do not conflict, those above do. */
struct conflict_split {
    bool sure;                  /* the groups are apart; otherwise nothing is known */
    double ticks;               /* midway between the slowest below and the fastest above */
    double low_mean, high_mean; /* of the groups */
    size_t above;
};

/* Splits times, sorted ascending, into the two groups that two normal distributions of their own
 * means and widths make most likely. sure: a valley is between them, and the upper group holds
 * `fewest` times at least. The share of conflicts need not be known: it is one in as many as there
 * are banks. */
void conflict_split(const uint64_t *sorted, size_t count, size_t fewest,
                    struct conflict_split *split);

#endif
