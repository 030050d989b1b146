/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether prefetchers work, by two witnesses: the footprint (core/measure/footprint.h), and what
 * chases over one set take. Beside dram, in whose window they stand. */
#ifndef CORE_EXPERIMENTS_PREFETCH_PROOF_H
#define CORE_EXPERIMENTS_PREFETCH_PROOF_H

#include "core/measure/controls.h"
#include "core/plan/plan.h"

/* The proof's pages: what a prefetcher does not cross. */
#define PREFETCH_PROOF_PAGE_BYTES 4096

/* The footprint, and the five chases there and back (A B C D E E D C B A, so that drift cancels),
 * in the headline's window, of a set like this point's or smaller. */
void prefetch_proof_plan(struct plan *plan, const struct point *headline);
/* Emits the verdict for that state, where a witness was heard. */
void prefetch_proof_conclude(const struct plan *plan, const struct controls *controls,
                             uint32_t experiment, bool prefetch_off);
/* True when the prefetchers have been seen to be off in that state, by what was measured so far. */
bool prefetch_proof_is_off(const struct plan *plan, uint32_t experiment, bool prefetch_off);
/* ns that memory is busy at most with what prefetchers bring beside a single miss of this point: so
 * many lines as the footprint saw, each as long as a hop of the sequential chase; where that was
 * not measured, as one of the point. 0: nothing was seen. */
double prefetch_proof_busy_ns(const struct plan *plan, const struct point *point);
/* Whether prefetchers may bring lines beside a single miss in that state: not where they are seen
 * to be off, nor where the footprint sees them at work and none of it beside a single touch. */
bool prefetch_proof_brings(const struct plan *plan, uint32_t experiment, bool prefetch_off);
/* ns that a hop saves at most (two standard errors) where it finds its row open, by what chases
 * gain whose every second hop stays in a page. NAN: not measured. What prefetchers gain is in it.
 */
double prefetch_proof_row_ns(const struct plan *plan, uint32_t experiment, bool prefetch_off);
/* Whether the core's frequency stepped between any of that state's chases and draws, or inside one:
 * what their comparison says of pointers may then be the step's doing. */
bool prefetch_proof_stepped(const struct plan *plan, uint32_t experiment, bool prefetch_off);

#endif
