/* SPDX-License-Identifier: BSD-2-Clause */
/* What measuring needs and remembers from point to point, and measuring one point. It lives in the
 * caller's workspace: nothing in core/ allocates. */
#ifndef CORE_MEASURE_MEASURE_H
#define CORE_MEASURE_MEASURE_H

#include "core/chase/chain.h"
#include "core/measure/bandwidth_work.h"
#include "core/measure/banks_work.h"
#include "core/measure/controls.h"
#include "core/measure/core_clock.h"
#include "core/measure/diagnose.h"
#include "core/measure/draw_cost.h"
#include "core/measure/footprint_work.h"
#include "core/measure/handoff_work.h"
#include "core/measure/load_work.h"
#include "core/measure/regions_work.h"
#include "core/measure/sampler.h"
#include "core/measure/single_work.h"
#include "core/measure/slots.h"
#include "core/measure/verify_work.h"
#include "core/measure/hardware_errors.h"
#include "core/measure/witness.h"
#include "core/plan/plan.h"

#define MEASURE_SAMPLES_MAX 4096

/* A point's samples, and room for sorting them. */
struct samples {
    uint64_t ticks[MEASURE_SAMPLES_MAX], sorted[MEASURE_SAMPLES_MAX], scratch[MEASURE_SAMPLES_MAX];
    bool disturbed[MEASURE_SAMPLES_MAX];
    double hz[MEASURE_SAMPLES_MAX]; /* of the core, around each sample; 0: unknown */
};

struct measure {
    const struct machine *machine;
    const struct options *options;
    struct journal *journal;
    struct plan *plan;
    struct controls controls;
    struct core_clock clock;
    struct draw_cost draw[2]; /* [1]: for strides that are not a power of two */
    struct witness witness;
    struct slots slots;
    struct hardware_errors hardware_errors;
    struct sampler sampler;
    uint32_t unsettled; /* bit n: experiment n has a point whose steady state was not seen */
    uint32_t stepped;   /* bit n: the core's frequency stepped during experiment n */
    uint32_t repeated;  /* bit n: experiment n has a point that another one contradicts */
    bool parts;         /* caches were seen to keep one part of a set that does not fit */
    /* Lines of the smallest and largest set since adaptive caches decided; whether caches may hold
     * lines of large sets other than the current one (warm.c). */
    uint64_t decided_min, decided_max;
    bool foreign;
    bool lenient, min_noted; /* lenient: the first point is under way and may exceed the budget;
                               min_noted: the note about that was emitted */
    bool counts_lost_noted, frequency_noted;
    bool cpus_asked;  /* measure_ask_for_cpus in this run */
    const char *part; /* of the point under way, as in struct progress */
    uint32_t part_number;
    /* Saves records that must not wait longer. False: there were none to save. NULL: nothing saves
     * within a point. */
    bool (*save)(void *context);
    void *save_context;
    struct footprint_run footprint;
    struct banks_run banks;
    struct single_run single;
    struct regions_run regions;
    struct bandwidth_run bandwidth;
    struct verify_run verify;
    struct handoff_run handoff;
    struct load_run load;
    struct line_order order;
    struct diagnosis diagnosis;
    struct samples samples;
};

/* Initializes *m, which is all 0 before; plan is initialized already. */
void measure_start(struct measure *m, const struct machine *machine, struct plan *plan);

/* Updates plan->outlook: the machine's clock, and how large windows can be now. */
void measure_look(const struct machine *machine, struct plan *plan);

/* Builds, warms, samples and verifies a point and emits its record. The window is open and at least
 * as large as the point. STATUS_OK; STATUS_ABORTED (samples taken so far were emitted); STATUS_LATE
 * (promise_ns passed before the first sample); STATUS_FAULT (error records were emitted).
 * point->result.known false with STATUS_OK: this machine cannot time the point, and a note says
 * why. */
enum status point_measure(struct measure *m, struct point *point, const struct window *w);

/* ---- sampler_run.c */

/* Tries the CPU's sampler of ops if witness=ibs asks for it; plan->sampler says whether it can be
 * used, else a note why not. */
void measure_try_sampler(struct measure *m);

/* ---- flush.c */

#define MEASURE_NO_FLUSH                                                                   \
    "flushed lines are read as fast as lines in caches: flushes do not reach memory here," \
    " as on an emulated machine"
/* Whether they do: *works, by a few of the window's first `lines` lines, read one by one after a
 * flush and again from the caches (banks_flushed). The machine has reads_run. STATUS_OK,
 * STATUS_FAULT, STATUS_ABORTED, STATUS_LATE. */
enum status measure_try_flush(struct measure *m, const struct window *w, uint64_t lines,
                              bool *works);

/* ---- poll.c */

/* STATUS_OK; STATUS_ABORTED if the user asked to stop; STATUS_LATE after the budget's promise_ns.
 * Call it at least every half second during any work. */
enum status measure_go_on(struct measure *m);
/* Saves if it is time to. Call it outside quiet sections, at least every half second, where lines
 * that a save brings into the caches do no harm or are walked out of them. True: there was a save.
 */
bool measure_save(struct measure *m);
/* Ends a quiet section of loads timed one by one, which ended with that status: shows the live
 * line, diagnoses a fault, and saves what is due. STATUS_ABORTED if the user asked to stop. */
enum status measure_leave_section(struct measure *m, enum status status,
                                  const struct fault_info *fault);
/* Shows on the live line how far the experiment and the run are. Call it at least every second. */
void measure_show(struct measure *m, uint32_t experiment);
/* Shows on the live line that `what` is under way, which is no point, begun at begun_ns, `done` (0
 * to 1) of it behind. False: the user asked to stop. Work that is bounded by itself asks for no
 * more: were it cut by time, what it finds would depend on the time. */
bool measure_works_on(struct measure *m, const char *what, double done, uint64_t begun_ns);
/* Emits a warning, once, that even the first point takes longer than the budget. */
void measure_note_min(struct measure *m);

#endif
