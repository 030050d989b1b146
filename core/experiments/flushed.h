/* SPDX-License-Identifier: BSD-2-Clause */
/* What a flushed line costs, held against the headline. A flush drops a line as far as the point of
 * coherency: what answers the next load of it is the memory, or a memory-side cache in front of it,
 * while the headline's set is far larger than caches. */
#ifndef CORE_EXPERIMENTS_FLUSHED_H
#define CORE_EXPERIMENTS_FLUSHED_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"
#include "core/results/record.h"
#include "core/stats/figure.h"

enum flushed_verdict {
    FLUSHED_UNDECIDED, /* either figure, or its error, is unknown */
    FLUSHED_AGREES,
    FLUSHED_LOWER, /* a memory-side cache answers, or rows are open that the headline's are not */
    FLUSHED_HIGHER /* the flush leaves the line, or its way to it, in a dearer state */
};
/* Compares the costs of two loads in ns. They agree if two standard errors of the difference, or
 * DRAM_SAME_SHARE of the headline, cover it. *difference: flushed less headline. Pure. */
enum flushed_verdict flushed_judge(struct figure flushed, struct figure headline,
                                   struct figure *difference);

/* With load=flush: adds a small set of flushed lines beside the headline's point. */
void flushed_plan(struct plan *plan, const struct point *headline);
/* Keeps the headline of one prefetcher state, and compares with it the flushed lines of dram, and
 * of experiments that are over. Emits a finding each, and a note where they do not agree. */
void flushed_headline(const struct plan *plan, struct workbench *bench, uint32_t experiment,
                      bool prefetch_off, const struct record_dram *dram);
/* Compares the flushed lines of an experiment that is over with the headline, if that is known;
 * otherwise flushed_headline does. */
void flushed_conclude(const struct plan *plan, struct workbench *bench, uint32_t experiment);

#endif
