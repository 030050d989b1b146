/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a machine can measure a point as requested. */
#ifndef CORE_PLAN_CHECK_H
#define CORE_PLAN_CHECK_H

#include "core/lib/text.h"
#include "core/plan/point.h"

/* Pure. False if it cannot; then *why (started by the caller) says what was requested and what is
 * allowed. */
bool plan_possible(const struct machine_description *machine, const struct point *point,
                   struct text *why);
/* Pure. Why single lines cannot be flushed and timed, and why the memory behind windows is not to
 * be known; NULL: it is possible. */
const char *plan_no_flush(const struct machine_description *machine, bool probes);
const char *plan_no_physical(const struct machine_description *machine);
/* The same for word=. It is checked once for the whole run, because a word outside the line is a
 * mistake even if no experiment uses it. */
bool plan_word_possible(const struct machine_description *machine, uint32_t word, struct text *why);

#endif
