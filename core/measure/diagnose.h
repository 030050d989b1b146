/* SPDX-License-Identifier: BSD-2-Clause */
/* Finds out why a chase went wrong, and emits error records. */
#ifndef CORE_MEASURE_DIAGNOSE_H
#define CORE_MEASURE_DIAGNOSE_H

#include "core/chase/chain.h"
#include "core/machine.h"
#include "core/plan/point.h"
#include "core/results/journal.h"

/* The machine to read with, the journal for records, and room for the check. */
struct diagnosis {
    const struct machine *machine;
    struct journal *journal;
    struct chain_check check;
};

/* Reads the whole chain back, a small one again and again until a node is bad, and emits one error
 * record for each bad node. If memory holds what was written: one record of the fault, or, with
 * fault NULL, of a chase that ended at address `actual` instead of `expected`. What was found is in
 * diagnosis->check. */
void diagnose_chain(struct diagnosis *diagnosis, const struct point *point, const struct window *w,
                    const struct chain *chain, const struct fault_info *fault, uintptr_t expected,
                    uintptr_t actual);
/* The same with at most so many records, up to CHAIN_ERRORS_MAX; 0: none of any kind. Returns how
 * many there were. */
uint32_t diagnose_some(struct diagnosis *diagnosis, const struct point *point,
                       const struct window *w, const struct chain *chain,
                       const struct fault_info *fault, uintptr_t expected, uintptr_t actual,
                       uint32_t most);
/* Notes how many nodes were wrong, if some have no record. */
void diagnose_note_untold(struct journal *journal, uint64_t wrong, uint64_t told);
/* Makes diagnosis->check ready for diagnose_verifier's work on that chain. */
void diagnose_start(struct diagnosis *diagnosis, const struct chain *chain);
/* How many positions (of a chain) or lines (of draws) are built and read back. */
uint64_t diagnose_nodes(const struct point *point, const struct chain *chain);
/* The work that reads a point's pattern back; its arg is a struct chain_check. */
window_work *diagnose_verifier(const struct point *point);
/* Emits the error record of a fault that no memory content explains. */
void diagnose_fault(struct journal *journal, const struct fault_info *fault);

#endif
