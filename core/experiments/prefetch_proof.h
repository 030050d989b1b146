/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether prefetchers work, shown by two witnesses: the footprint (core/measure/footprint.h), and
 * the ratio of chases over one set (prefetch_ratio.h). Planned beside dram, in its window. */
#ifndef CORE_EXPERIMENTS_PREFETCH_PROOF_H
#define CORE_EXPERIMENTS_PREFETCH_PROOF_H

#include "core/measure/controls.h"
#include "core/plan/plan.h"

/* The proof's pages: most prefetchers do not cross them. */
#define PREFETCH_PROOF_PAGE_BYTES 4096

/* Plans the footprint, and five chases there and back (A B C D E E D C B A, so that drift cancels),
 * in the headline's window, over a set like this point's or smaller. */
void prefetch_proof_plan(struct plan *plan, const struct point *headline);
/* Emits the verdict for that state if either witness was measured. followed: a chase shows that
 * something follows its pointers, which neither witness can: `off` is then contradicted. */
void prefetch_proof_conclude(const struct plan *plan, const struct controls *controls,
                             uint32_t experiment, bool prefetch_off, bool followed);
/* Whether the measurements so far show the prefetchers to be off in that state. */
bool prefetch_proof_is_off(const struct plan *plan, uint32_t experiment, bool prefetch_off);
/* Whether they show them to work, by either witness. */
bool prefetch_proof_is_on(const struct plan *plan, uint32_t experiment, bool prefetch_off);
/* The longest time in ns that prefetches keep memory busy after a single miss of this point: as
 * many lines as the footprint saw, each as long as a hop of the sequential chase (or of the point,
 * if that was not measured). 0: no prefetches were seen. */
double prefetch_proof_busy_ns(const struct plan *plan, const struct point *point);
/* Whether prefetchers may bring lines after a single miss in that state: not if they are seen to be
 * off, nor if the footprint sees them working but never after a single touch. */
bool prefetch_proof_brings(const struct plan *plan, uint32_t experiment, bool prefetch_off);
/* The most in ns (plus two standard errors) that a hop saves if its row is open, from chases in
 * which every second hop stays in a page. What prefetchers gain is included. NAN: not measured. */
double prefetch_proof_row_ns(const struct plan *plan, uint32_t experiment, bool prefetch_off);
/* Whether the core's frequency stepped during or between that state's chases and draws, so that a
 * difference between them may be due to it. */
bool prefetch_proof_stepped(const struct plan *plan, uint32_t experiment, bool prefetch_off);

#endif
