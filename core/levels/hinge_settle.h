/* SPDX-License-Identifier: BSD-2-Clause */
/* Interpretations that adding or removing single hinges does not reach. Return true if the model
 * changed. */
#ifndef CORE_LEVELS_HINGE_SETTLE_H
#define CORE_LEVELS_HINGE_SETTLE_H

#include "core/levels/hinge_fit.h"

/* TLBs that are walks, or vice versa; and those of several page sizes at one place, more costly
 * than the known one there, that are a cache: returns whether there was one. */
bool hinge_settle_kinds(struct hinge_fit *fit);
/* Small pages with frames in random order. */
bool hinge_settle_scattered(struct hinge_fit *fit);
/* Open DRAM rows. */
bool hinge_settle_rows(struct hinge_fit *fit);
/* Inclusion and replacement policies of caches (enum hinge_law). */
bool hinge_settle_laws(struct hinge_fit *fit);

#endif
