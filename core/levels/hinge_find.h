/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files share that look for hinges; nobody else. */
#ifndef CORE_LEVELS_HINGE_FIND_H
#define CORE_LEVELS_HINGE_FIND_H

#include "core/levels/hinge_fit.h"

/* By how much less may be asked of what is to be expected: 2 ln of how much likelier it is. */
#define HINGE_FAVOUR 8.0

/* ---- hinge_cost.c */

/* What a hinge must take off the sum of squares. */
double hinge_find_gain(const struct hinge_fit *fit);
/* The same of hinge j: one that stands where it was to be expected, less. */
double hinge_find_price(const struct hinge_fit *fit, size_t j);
/* Of the whole model: what points lie off, in a measure that does not depend on its own weights,
 * and its hinges' prices. */
double hinge_find_cost(const struct hinge_fit *fit);

/* ---- hinge_find.c */

/* One model is remembered; restored, it is as many hinges as it was, and fitted anew. */
void hinge_find_save(struct hinge_fit *fit);
void hinge_find_restore(struct hinge_fit *fit, size_t hinges);
void hinge_find_take_away(struct hinge_fit *fit, size_t j);

/* ---- hinge_settle.c: true where anything has changed */

void hinge_settle_kinds(struct hinge_fit *fit);
bool hinge_settle_scattered(struct hinge_fit *fit);
bool hinge_settle_rows(struct hinge_fit *fit);
bool hinge_settle_laws(struct hinge_fit *fit);

#endif
