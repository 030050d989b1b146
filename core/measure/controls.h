/* SPDX-License-Identifier: BSD-2-Clause */
/* Sets prefetchers and turbo as points request, and frequencies as the run does, and emits what
 * came of it. */
#ifndef CORE_MEASURE_CONTROLS_H
#define CORE_MEASURE_CONTROLS_H

#include "core/machine.h"
#include "core/plan/point.h"
#include "core/results/journal.h"

/* No prefetcher has this number. */
#define PREFETCH_ONLY_OFF_NONE UINT32_MAX

/* The controls' state. Initialize with machine and journal set and all else zero. */
struct controls {
    const struct machine *machine;
    struct journal *journal;
    struct prefetch_report prefetch[2]; /* [1]: requested off, [0]: as the firmware set them */
    bool prefetch_known[2];             /* which of them have been requested */
    bool prefetch_off;                  /* the request in force */
    uint32_t cpu;                       /* on this CPU */
    uint32_t prefetch_only_off;      /* number of the only one switched off, from 1; 0: prefetch_off
                                        holds; PREFETCH_ONLY_OFF_NONE: unknown */
    struct prefetch_report only_off; /* of prefetch_only_off */
    bool turbo_known;                /* turbo_choice has been requested */
    enum turbo_choice turbo_choice;
    uint32_t turbo_cpu; /* it was requested on */
    struct turbo_report turbo;
    bool speed_max[SPEED_KINDS];            /* requested */
    uint32_t speed_cpu[SPEED_KINDS];        /* on this CPU */
    struct speed_report speed[SPEED_KINDS]; /* of those requested */
};

/* Switches prefetchers off, or back to the firmware's setting, on controls->cpu. The first request
 * for each state emits its records, and a warning if it could not be had; so does a later one on
 * another CPU where the state is another. */
void controls_prefetch(struct controls *controls, bool off);
/* Switches only the prefetcher of this number (from 1) off; controls->only_off reports it. False:
 * there is no such prefetcher; call controls_prefetch or controls_set next. */
bool controls_prefetch_only_off(struct controls *controls, uint32_t number);
/* On CPU 0. Returns the state that was reached; controls->turbo has the details. */
enum turbo_state controls_turbo(struct controls *controls, enum turbo_choice choice);
/* Asks for the maximum in every later chase, or leaves the frequency as found: on CPU 0, and from
 * then on on the CPU of each point. What could not be had is a note. */
void controls_speed(struct controls *controls, enum speed_kind kind, enum speed_choice choice);
/* Sets everything that a point requests, on its CPU. */
void controls_set(struct controls *controls, const struct point *point);
/* For records, as they are now: the prefetchers' state; the name of the only one off, or NULL;
 * turbo's state "on", "off", ... or NULL if it is as found; the frequency's "max", "refused", ...
 * or NULL if it is as found. */
enum prefetch_state controls_prefetch_state(const struct controls *controls);
const char *controls_only_off_name(const struct controls *controls);
const char *controls_turbo_name(const struct controls *controls);
const char *controls_speed_name(const struct controls *controls, enum speed_kind kind);

#endif
