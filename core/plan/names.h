/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of records and notes for what a point is. */
#ifndef CORE_PLAN_NAMES_H
#define CORE_PLAN_NAMES_H

#include "core/plan/point.h"

/* "footprint", "iid", "stream", or the name of the order. */
const char *plan_pattern_name(const struct point *point);
/* "levels", "headline", "proof", "translation"; NULL: the point is an end in itself. */
const char *plan_purpose_name(const struct point *point);
/* 0: unknown. */
uint64_t plan_pages_bytes(const struct point *point);

#endif
