/* SPDX-License-Identifier: BSD-2-Clause */
/* What records and notes call a point. */
#ifndef CORE_PLAN_NAMES_H
#define CORE_PLAN_NAMES_H

#include "core/plan/point.h"

/* "footprint", "iid", "stream", or the name of the order. */
const char *plan_pattern_name(const struct point *point);
/* "levels", "headline", "proof", "translation"; NULL for PURPOSE_ITSELF. */
const char *plan_purpose_name(const struct point *point);
/* Bytes of a page; 0: unknown. */
uint64_t plan_pages_bytes(const struct point *point);

#endif
