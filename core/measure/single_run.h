/* SPDX-License-Identifier: BSD-2-Clause */
/* Single accesses to memory, private to core/measure/. The files below are listed bottom up: none
 * calls one further down the list. */
#ifndef CORE_MEASURE_SINGLE_RUN_H
#define CORE_MEASURE_SINGLE_RUN_H

#include "core/measure/run.h"

/* ---- single_sections.c */

/* The address of a random line of the set. */
uintptr_t single_draw(struct measure *m, const struct window *w);
/* `count` accesses to m->single.line[lines] in turn; start and ticks hold them. timing_ticks, if
 * not NULL, becomes what reading the clock costs. STATUS_FAULT: recorded; as measure_go_on else. */
enum status single_section(struct measure *m, const struct window *w, uint32_t lines,
                           uint32_t count, double *timing_ticks);
/* So many accesses to the base line and as many to a partner, in turn. */
enum status single_in_turn(struct measure *m, const struct window *w, uintptr_t partner,
                           uint32_t turns);
/* Of one unit of start and ticks. */
double single_clock_ns(const struct measure *m);
/* The first `count` accesses of the last section. */
struct refresh_series single_series(const struct measure *m, size_t count);

/* ---- single_pairs.c */

/* Times pairs of the base line and others; m->single.conflicts holds which conflict each time, as
 * far as m->single.split is sure. */
enum status single_pairs(struct measure *m, const struct window *w);

/* ---- single_rows.c */

/* What an access costs after one to another row of the bank, and after none: m->single.rows. */
enum status single_rows(struct measure *m, const struct window *w);

/* ---- single_refresh.c */

/* The refresh's period and stall from the accesses to one line: m->single.refresh. */
enum status single_refresh(struct measure *m, const struct window *w);
/* Which lines are refreshed together with the base line: m->single.partners. */
enum status single_scope(struct measure *m, const struct window *w);

/* ---- single_emit.c */

/* Emits everything that is known; late: the budget ended before all of it was measured. */
void single_emit(struct measure *m, const struct point *point, bool late);

#endif
