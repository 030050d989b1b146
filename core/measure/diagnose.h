/* SPDX-License-Identifier: BSD-2-Clause */
/* What a chase that went wrong is telling. */
#ifndef CORE_MEASURE_DIAGNOSE_H
#define CORE_MEASURE_DIAGNOSE_H

#include "core/chase/chain.h"
#include "core/machine.h"
#include "core/plan/point.h"
#include "core/results/journal.h"

/* Who asks, and room for what a chain says. */
struct diagnosis {
    const struct machine *machine;
    struct journal *journal;
    struct chain_check check;
};

/* Reads the whole chain back and emits one error record for each bad node; when memory holds what
 * was written, one record of the fault itself (fault_text, or NULL for a lap that did not close at
 * `at` instead of `expected`). */
void diagnose_chain(struct diagnosis *diagnosis, const struct point *point, const struct window *w,
                    const struct chain *chain, const struct fault_info *fault, uintptr_t expected,
                    uintptr_t pos);
/* How many positions or lines of a point are built, and read back. */
uint64_t diagnose_nodes(const struct point *point, const struct chain *chain);
/* What reads a point's pattern back; arg is a struct chain_check. */
window_work *diagnose_verifier(const struct point *point);
/* The error record of a fault that no memory content explains. */
void diagnose_fault(struct journal *journal, const struct fault_info *fault);

#endif
