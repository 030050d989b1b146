/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of records and notes for what a point is. */
#ifndef CORE_PLAN_NAMES_H
#define CORE_PLAN_NAMES_H

#include "core/plan/point.h"

/* "footprint", "iid", "stream", or the name of the order. */
const char *plan_pattern_name(const struct point *point);
/* "levels", "headline", "proof", "translation"; NULL: the point is an end in itself. */
const char *plan_purpose_name(const struct point *point);
/* "plain", "nt", ...; "none", "nta", ... */
const char *plan_load_name(enum chase_load load);
const char *plan_hint_name(enum chase_hint hint);
const char *plan_map_name(const struct point *point);
/* "scattered", "contiguous", "as-found". */
const char *plan_frames_name(const struct point *point);
/* 0: unknown. */
uint64_t plan_pages_bytes(const struct point *point);
/* "4k", "2m", "1g". */
const char *plan_page_name(enum page_size page);

#endif
