/* SPDX-License-Identifier: BSD-2-Clause */
/* parallel: how many misses the core keeps outstanding. A set of memory is chased by 1, 2, 3, ...
 * chains at once, up to the machine's limit. Reported are the cost of a hop of all chains, the
 * bandwidth, and the number of misses beyond which more chains gain nothing. The contract of
 * parallel_plan and parallel_conclude is in table.h. */
#ifndef CORE_EXPERIMENTS_PARALLEL_H
#define CORE_EXPERIMENTS_PARALLEL_H

#include <stdbool.h>
#include <stddef.h>

#include "core/experiments/workbench.h"
#include "core/measure/finding.h"
#include "core/plan/plan.h"

enum status parallel_plan(struct plan *plan, struct workbench *bench, uint32_t experiment);
enum status parallel_conclude(const struct plan *plan, struct workbench *bench,
                              uint32_t experiment);

/* Measurements with this many chains at once. */
struct parallel_step {
    uint32_t chains;
    struct figure ns;       /* one hop of all chains together */
    struct figure alone_ns; /* of one chain: a miss without the TLB misses contained in ns, or less;
                               value 0: unknown */
    struct figure burst_ns; /* a round of one hop each, with nothing outstanding before and after,
                               including the clock's own cost; value 0: unknown */
};

struct parallel_misses {
    double value, low, high;
    bool exact;             /* else a lower bound */
    const char *limited_by; /* NULL when exact; "chains", "translation", "bandwidth", "precision" */
};

/* What the steps (ascending, the first of one chain) say of the misses that can be under way.
 *
 * By Little's law N chains that lose nothing to each other keep N misses under way, and at least
 * N * ns(1) / ns(N) are under way in any case (with the shortest ns for ns(1)): that is the bound.
 * It is exact where the rate stops growing at a number of chains, sharply, and what stops it is not
 * the memory's bandwidth. Memory that is loaded at random saturates softly; memory in which nobody
 * ever waits for a bank can saturate sharply, but then a round of misses that all begin at once
 * comes one after the other, and takes nearly twice as long as one miss alone, where misses that
 * have a place each come together. TLB misses are no lines under way: chains that spend time on
 * them are more than the misses that they keep under way, and where that may be a miss, the number
 * of chains is none of misses. False: fewer than two steps, nothing can be said. */
bool parallel_find(const struct parallel_step *steps, size_t count, struct parallel_misses *misses);

#endif
