/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the enums in core/machine.h and core/inventory.h, for options, records and reports:
 * one table each. All names are string literals. */
#ifndef CORE_NAMES_H
#define CORE_NAMES_H

#include <stdint.h>

#include "core/machine.h"

/* Indexed by the enum's value; NULL at the end. */
extern const char *const load_names[];        /* enum chase_load */
extern const char *const hint_names[];        /* enum chase_hint */
extern const char *const map_names[];         /* enum map_mode */
extern const char *const frame_order_names[]; /* enum frame_order */
extern const char *const memory_kind_names[]; /* enum memory_kind */
extern const char *const speed_names[];       /* enum speed_choice */
extern const char *const traffic_names[];     /* enum traffic_kind */

const char *prefetch_state_name(enum prefetch_state state);
const char *turbo_state_name(enum turbo_state state);
const char *speed_state_name(enum speed_state state);
const char *clock_grade_name(enum clock_grade grade);
const char *clock_choice_name(enum clock_choice choice);
const char *severity_name(enum severity severity);

/* Name of the page size, given as log2 or in bytes; NULL: not a page size of any CPU. */
const char *page_name(unsigned log2);
const char *page_bytes_name(uint64_t bytes);

/* Names of enum level_kind (core/levels/levels.h), for records and those who read them. */
#define LEVEL_NAME_CACHE       "cache"
#define LEVEL_NAME_TLB         "tlb"
#define LEVEL_NAME_WALK        "walk"
#define LEVEL_NAME_MEMORY      "memory"
#define LEVEL_NAME_MERGED      "merged"
#define LEVEL_NAME_UNEXPLAINED "unexplained"

/* Names of patterns; options and orders of lines number patterns differently. */
#define PATTERN_NAME_CYCLE          "cycle"
#define PATTERN_NAME_IID            "iid"
#define PATTERN_NAME_FORWARD        "forward"
#define PATTERN_NAME_REVERSE        "reverse"
#define PATTERN_NAME_SEQUENTIAL     "sequential"
#define PATTERN_NAME_SHUFFLED_PAGES "shuffled-pages"
#define PATTERN_NAME_PAGED          "paged"
#define PATTERN_NAME_GROUPED        "grouped"
#define PATTERN_NAME_HOP_PAGE       "hop-page"

#endif
