/* SPDX-License-Identifier: BSD-2-Clause */
/* Prefetchers and turbo as points ask for them, and what is said of them. */
#ifndef CORE_MEASURE_CONTROLS_H
#define CORE_MEASURE_CONTROLS_H

#include "core/machine.h"
#include "core/plan/point.h"
#include "core/results/journal.h"

/* No prefetcher has this number. */
#define PREFETCH_ONLY_OFF_NONE UINT32_MAX

/* As they stand. All zero but for the first two: nothing was asked for yet. */
struct controls {
    const struct machine *machine;
    struct journal *journal;
    struct prefetch_report prefetch[2]; /* [1]: asked off, [0]: as the firmware has it */
    bool prefetch_known[2];             /* which of them have been asked for */
    bool prefetch_off;                  /* which holds now */
    uint32_t prefetch_only_off;         /* 0; else the number of the only one off, from 1 on */
    struct prefetch_report alone;       /* of that one */
    bool turbo_known;                   /* turbo_choice has been asked for */
    enum turbo_choice turbo_choice;
    struct turbo_report turbo;
};

/* Prefetchers off, or as the firmware has them; the records of a state are emitted when it is asked
 * for first. */
void controls_prefetch(struct controls *controls, bool off);
/* The one prefetcher of that number (from 1 on) off by itself; controls->alone tells of it. False:
 * there is none; controls_prefetch or controls_set must follow. */
bool controls_prefetch_only_off(struct controls *controls, uint32_t number);
/* Answers what came of it; controls->turbo tells more. */
enum turbo_state controls_turbo(struct controls *controls, enum turbo_choice choice);
/* All that a point asks for. */
void controls_set(struct controls *controls, const struct point *point);
/* As they are now, for records: the state, the only one off or NULL, "on", "off", ... or NULL when
 * turbo is as found. */
enum prefetch_state controls_prefetch_state(const struct controls *controls);
const char *controls_only_off_name(const struct controls *controls);
const char *controls_turbo_name(const struct controls *controls);

#endif
