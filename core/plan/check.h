/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether a machine can measure a point as it is asked for. */
#ifndef CORE_PLAN_CHECK_H
#define CORE_PLAN_CHECK_H

#include "core/lib/text.h"
#include "core/plan/point.h"

/* Pure. False when it cannot; then why says what is asked for and what is allowed. */
bool plan_possible(const struct machine_description *machine, const struct point *point,
                   struct text *why);
/* The same for word=, which no experiment of a run can take: not even one that does not use it. */
bool plan_word_possible(const struct machine_description *machine, uint32_t word, struct text *why);

#endif
