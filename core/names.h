/* SPDX-License-Identifier: BSD-2-Clause */
/* The names of the enums of core/machine.h, as options take them and as records and reports write
 * them: one table each. Every name is a string literal. */
#ifndef CORE_NAMES_H
#define CORE_NAMES_H

#include <stdint.h>

#include "core/machine.h"

/* By the enum's value, with NULL at the end. */
extern const char *const load_names[];        /* enum chase_load */
extern const char *const hint_names[];        /* enum chase_hint */
extern const char *const map_names[];         /* enum map_mode */
extern const char *const frame_order_names[]; /* enum frame_order */

const char *prefetch_state_name(enum prefetch_state state);
const char *turbo_state_name(enum turbo_state state);
const char *severity_name(enum severity severity);

/* Of pages of 2^log2 bytes, and of so many bytes; NULL: no CPU has such pages. */
const char *page_name(unsigned log2);
const char *page_bytes_name(uint64_t bytes);

/* Patterns, which options number in one way and orders of lines in another. */
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
