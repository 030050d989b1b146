/* SPDX-License-Identifier: BSD-2-Clause */
/* Adds sets to a curve where it rises steeply from one set to the next. Pure. */
#ifndef CORE_EXPERIMENTS_CURVE_BETWEEN_H
#define CORE_EXPERIMENTS_CURVE_BETWEEN_H

#include "core/plan/plan.h"

/* A knee lies between two sets, and two knees between them cannot be told from one. Plans a set in
 * the middle of each two neighbours of a page curve (CURVE_REACH) of which the larger one is slower
 * by more than a fifth, unless nothing lies between them. Adds none beside a set that was planned
 * and not measured. To be called again when these are measured, until it returns false. */
bool curve_add_between(struct plan *plan, uint32_t experiment);

#endif
