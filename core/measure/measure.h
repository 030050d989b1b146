/* SPDX-License-Identifier: BSD-2-Clause */
/* What measuring needs and remembers from point to point, and measuring one. It lives in the
 * caller's workspace: nothing in core/ allocates. */
#ifndef CORE_MEASURE_MEASURE_H
#define CORE_MEASURE_MEASURE_H

#include "core/chase/chain.h"
#include "core/measure/controls.h"
#include "core/measure/core_clock.h"
#include "core/measure/diagnose.h"
#include "core/measure/draw_cost.h"
#include "core/measure/footprint_work.h"
#include "core/measure/witness.h"
#include "core/plan/plan.h"

#define MEASURE_SAMPLES_MAX 4096

/* A point's samples, and room to sort them in. */
struct samples {
    uint64_t ticks[MEASURE_SAMPLES_MAX], sorted[MEASURE_SAMPLES_MAX], scratch[MEASURE_SAMPLES_MAX];
    bool disturbed[MEASURE_SAMPLES_MAX];
    double hz[MEASURE_SAMPLES_MAX]; /* of the core, about each sample; 0: unknown */
};

struct measure {
    const struct machine *machine;
    const struct options *options;
    struct journal *journal;
    struct plan *plan;
    struct controls controls;
    struct core_clock clock;
    struct draw_cost draw[2]; /* [1]: for strides that are no power of two */
    struct witness witness;
    uint32_t unsettled;     /* experiments, one bit each, with a point not seen in steady state */
    uint32_t stepped;       /* the same, in which the core's frequency stepped */
    bool parts;             /* caches were seen to keep one part of a set that they cannot hold */
    bool decided;           /* adaptive caches know how to take lines in (warm.c) */
    bool lenient, min_said; /* but for the first point, where it may take longer */
    struct footprint_run footprint;
    struct line_order order;
    struct diagnosis diagnosis;
    struct samples samples;
};

/* All of *m; plan is set up already. */
void measure_start(struct measure *m, const struct machine *machine, struct plan *plan);

/* Has the plan know what the machine's clock shows and how large windows can be had by now. */
void measure_look(const struct machine *machine, struct plan *plan);

/* Builds, warms, samples, verifies, and emits the point record (and error records). The window is
 * open and at least as large as the point. STATUS_OK, STATUS_ABORTED (what there is was emitted),
 * STATUS_LATE (the budget's promise ended before the first sample) or STATUS_FAULT (error records
 * were emitted). point->result.known false with STATUS_OK: this machine cannot time it, a note says
 * why. */
enum status point_measure(struct measure *m, struct point *point, const struct window *w);

/* ---- poll.c */

/* STATUS_OK; STATUS_ABORTED when somebody asked to stop, STATUS_LATE when the budget's promise has
 * ended. To be asked every half second of any work. */
enum status measure_go_on(struct measure *m);
/* Says once, before the first point's record, that the least there is takes longer than budget=. */
void measure_say_min(struct measure *m);

#endif
