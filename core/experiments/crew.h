/* SPDX-License-Identifier: BSD-2-Clause */
/* The CPUs that load memory, or are kept awake, while the first one chases, as threads, loaded and
 * awake need them, and the records that these emit. */
#ifndef CORE_EXPERIMENTS_CREW_H
#define CORE_EXPERIMENTS_CREW_H

#include "core/experiments/workbench.h"
#include "core/plan/plan.h"

/* Fills plan->crew, once a run: of the CPUs that cpus= takes, those that can run chases. Each other
 * gets a note. */
void crew_gather(struct plan *plan, const struct workbench *bench, uint32_t experiment);
/* Whether the experiment has points with a load already. */
bool crew_is_planned(const struct plan *plan, uint32_t experiment);
/* Plans a point that is measured already, once more with that load beside it. */
void crew_add_step(struct plan *plan, const struct point *alone, const struct point_traffic *load,
                   enum point_pass pass);
/* A load record without figures: of that many CPUs at work with the one that chases. */
struct record_load crew_record(const struct plan *plan, const struct point *point);
/* Bytes that the chase itself reads in a second, if an access of that point takes `ns`. */
struct figure crew_own_bytes(const struct plan *plan, const struct point *point, struct figure ns);
/* Adds what an access takes, over what it takes the CPU that chases `alone` (unknown: it is not
 * said), and what is read in a second; none of it is written. */
void crew_add_figures(struct record_load *load, struct figure ns, struct figure bytes_per_s,
                      struct figure alone);
/* Why the point has no figure of its load; NULL: it has one. */
const char *crew_why_none(const struct point *point);
/* Notes why there is no other CPU; or that only the first one's prefetchers are off, if they are
 * asked to be. */
void crew_note(const struct plan *plan, uint32_t experiment);

#endif
