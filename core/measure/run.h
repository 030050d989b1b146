/* SPDX-License-Identifier: BSD-2-Clause */
/* A point in the making, known to core/measure/ only. Its files in the order in which they build on
 * each other: none calls what stands below it. */
#ifndef CORE_MEASURE_RUN_H
#define CORE_MEASURE_RUN_H

#include "core/measure/measure.h"
#include "core/measure/witness.h"
#include "core/plan/sampling.h"
#include "core/stats/stats.h"

#define POINT_SLICE_NS   100e6 /* one quiet section's worth of untimed hops */
#define POINT_PILOT_HOPS 512

#define POINT_STEADY_SHARE 0.003 /* of a hop: what may move in steady state */

/* A quiet section's frequencies of the core, as measured, and what it opened with by its
 * neighbours; its samples. */
struct hz_section {
    double before, after, opened;
    uint32_t first, samples;
};

struct measurement {
    struct measure *m;
    struct point *point;
    const struct window *w;
    struct chain chain;
    struct chase_cursor cursor;
    uint64_t position;  /* of each chain's cursor, in hops since its start */
    uint64_t cooled_at; /* position when the caches were last emptied */
    bool cooled;
    double hop_ns;
    uint64_t probe_ticks; /* that hop_ns was learnt from */
    uint64_t hops;        /* of a sample */
    double ends_ns;       /* by the wall clock: when sampling is to be over */
    uint64_t warm_hops_done;
    uint64_t min_hops;               /* of all samples together */
    bool by_laps;                    /* each sample is a lap */
    bool settling;                   /* steady state was waited for: */
    uint64_t settle_ns, settle_from; /* since then by the wall clock, from this position on, */
    double settle_s;                 /* and for no longer than that */
    double left; /* share of a hop by which the last stretch was from steady state; 0: in it */
    uint32_t samples;
    uint64_t disturbed, smi, machine_checks;
    bool smi_known, machine_checks_known;
    struct witness_counts counted; /* of the samples */
    struct hz_section section;     /* the last one */
    bool hz_confirmed;             /* a section more was asked for to tell a step */
    double hz_before, hz_after;    /* of the samples; 0: unknown */
    double hz, hz_step;            /* median and largest step of them (point_clock_conclude) */
    double sample_cycles;          /* median */
    double single_ticks; /* LOAD_FLUSH: a hop's timing itself, mean of single_count entries */
    uint32_t single_count;
    bool lap, too_coarse;
    const char *limited_by, *verified;
    struct stats stats;
    struct draw_cost draw; /* taken off every hop; zero for a plain chase */
};

/* ---- poll.c */

/* Tells how far the whole run is, and asks whether somebody wants it to stop. */
enum status point_poll(struct measurement *run);

/* ---- work.c */

/* machine.work_run in slices that grow up to a quarter of a second; asks between them whether to go
 * on: STATUS_ABORTED, STATUS_LATE. */
enum status point_work(struct measurement *run, window_work *work, void *arg, uint64_t first,
                       uint64_t end, struct fault_info *fault);

/* ---- clock.c */

/* The frequencies of a quiet section whose samples are those from `first` on. */
void point_clock_add(struct measurement *run, const struct chase_result *result, uint32_t first);
/* The last section's frequency, 0: unknown, where it held a part of a sample only: the sample's own
 * is the caller's to set. */
double point_clock_part(struct measurement *run);
/* What follows are the point's own samples. */
void point_clock_forget(struct measurement *run);
/* Whether the last section's two measurements differ by more than their error: only another section
 * tells a step from a measurement that went wrong. */
bool point_clock_wavers(const struct measurement *run);
/* Fills run->hz, hz_step (0: none beyond the error) and sample_cycles, each sample counted by its
 * own section's frequency; NAN: unknown. */
void point_clock_conclude(struct measurement *run);

/* ---- chase.c */

/* One quiet section. Every chain's cursor must stand where the order says it stands after that many
 * hops: that is the checkpoint which finds a pointer that leads into a wrong cycle. Faults have
 * been diagnosed on return. */
enum status point_enter(struct measurement *run, uint64_t warm_hops, uint32_t samples);
/* One sample that is too long for a quiet section, in parts: its ticks are their sum. */
enum status point_enter_long(struct measurement *run, uint64_t warm_hops);
bool point_sample_is_long(const struct measurement *run);

/* ---- witness_try.c */

/* Has the machine's counters count loads that must miss and loads that must hit, once a run, with
 * the first chain that is built; the witness record says what came of it. Loads nothing that the
 * warming behind it would not. */
enum status point_try_witness(struct measurement *run);

/* ---- caches.c */

/* Whether a lap of the set finds in caches what the lap before it left there. */
bool point_is_cacheable(const struct measurement *run);
/* Whether caches cannot hold the set, and those that keep what they can of it have a share that
 * counts, of a point that does not ask for what has none of it. */
bool point_is_kept(const struct measurement *run);
/* Empties the caches of the set, so that the next lap finds none of it there. */
enum status point_cool(struct measurement *run);
/* Drops a curve's set from the caches when it is over: an adaptive cache would keep lines of it
 * that nobody asks for any more through all of the next set. */
enum status point_leave(struct measurement *run);

/* ---- samples.c */

/* Statistics of the samples so far. */
void point_update_stats(struct measurement *run);
/* How they moved; false: too few to tell. */
bool point_trend(const struct measurement *run, struct stats_trend *trend);
/* How far one part of a lap's samples is from another, as a share of a hop: what caches keep of a
 * set that they cannot hold is one part of it, and then no median of such samples is their mean. 0:
 * they are alike, or samples are whole laps. */
double point_parts(const struct measurement *run);

/* ---- settle.c */

/* Goes on, by stretches half as long as all before them and the first of so many hops, until one
 * moves by no more than chance, or comes so near to where its thirds tend that what is left is
 * under POINT_STEADY_SHARE. That asks for no policy: a cache that replaces at random takes in a
 * share of the lines that it lacks with each lap. A stretch with which all together would take more
 * than the point's share of the budget and more than a twentieth of its rest is not walked;
 * run->left then says how far the last one was from its end. */
enum status point_settle(struct measurement *run, uint64_t hops);
/* Whether the samples moved: the caches were not in steady state yet, or the core's frequency
 * stepped. */
bool point_moved(struct measurement *run);
/* Whether there is time for so many hops more, and whoever asked for the point left it open how
 * many it takes. */
bool point_may_repeat(const struct measurement *run, uint64_t hops);
/* run->hops took so many ticks; 0: less than one. */
void point_learn_hop(struct measurement *run, uint64_t ticks);
/* The few hops of a small set may be less than a tick of a slow clock: learns from more of them
 * what one takes, so that a sample can be made long enough. */
enum status point_pilot(struct measurement *run);

/* ---- warm.c */

/* Brings caches and TLBs into steady state, and closes a lap of each chain where one fits. */
enum status point_warm(struct measurement *run);

/* ---- sample.c */

/* Samples until the figure is known well enough and did not move. Samples that moved were a part of
 * the way to steady state, and count as warming up: others are taken, by whole laps, so that their
 * thirds are of the same lines. Where parts of a lap differ, each sample is a lap. STATUS_OK
 * without samples: even one would take too long. */
enum status point_sample(struct measurement *run);

/* ---- record.c */

/* What is taken off every hop, in ns: a draw's arithmetic, or the timing of a hop that is timed
 * singly. */
double point_overhead_ns(const struct measurement *run);
/* The note of a clock whose step is too long for a hop of so many ticks. */
void point_note_coarse(const struct measurement *run, double ticks);
void point_conclude(struct measurement *run);
void point_emit(const struct measurement *run);

#endif
