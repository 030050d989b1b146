/* SPDX-License-Identifier: BSD-2-Clause */
/* A point being measured, private to core/measure/. The files below are listed bottom up: none
 * calls one further down the list. */
#ifndef CORE_MEASURE_RUN_H
#define CORE_MEASURE_RUN_H

#include "core/measure/measure.h"
#include "core/measure/witness.h"
#include "core/plan/sampling.h"
#include "core/stats/stats.h"

#define POINT_SLICE_NS   100e6 /* the untimed hops of one quiet section */
#define POINT_PILOT_HOPS 512

#define POINT_STEADY_SHARE 0.003 /* of a hop's cost: changes below this are steady state */

/* Frequencies of the core around a quiet section: as measured before and after it, and `opened`,
 * the one before corrected by its neighbours; and the section's samples. */
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
    uint64_t position;  /* of each chain's cursor, in hops since the start */
    uint64_t cooled_at; /* position at the last flush of the caches */
    bool cooled;
    double hop_ns;
    uint64_t probe_ticks; /* from which hop_ns was learnt */
    uint64_t hops;        /* per sample */
    double ends_ns;       /* of the wall clock: when sampling should end */
    uint64_t warm_hops_done;
    uint64_t min_hops;               /* over all samples */
    bool by_laps;                    /* each sample is one lap */
    bool settling;                   /* steady state was waited for, */
    uint64_t settle_ns, settle_from; /* from this time of the wall clock and this position on, */
    double settle_s, trend_s;        /* for at most this long; without a trend for trend_s */
    double left; /* fraction of a hop's cost by which the last stretch was off steady state; 0: in
                    it */
    uint32_t samples;
    uint64_t disturbed, smi, machine_checks;
    bool smi_known, machine_checks_known;
    struct witness_counts counted;        /* of the samples */
    struct load_summary loads;            /* followed beside the samples */
    struct frequency_registers frequency; /* at the end of the last section */
    struct hz_section section;            /* the latest */
    bool hz_confirmed;                    /* an extra section was measured to confirm a step */
    double hz_before, hz_after;           /* at the first and last sample; 0: unknown */
    double hz, hz_step;   /* median and largest step over the samples (point_clock_conclude) */
    double sample_cycles; /* median */
    double single_ticks;  /* LOAD_FLUSH: cost of timing a hop, mean over single_count entries */
    uint32_t single_count;
    bool lap, too_coarse;
    bool sampled; /* warm by then, and its samples were begun */
    bool stirred; /* a save left lines of others in the caches, and they are still there */
    const char *limited_by, *verified;
    struct stats stats;
    struct draw_cost draw; /* subtracted from every hop; zero for other kernels */
};

/* ---- poll.c */

/* Reports the run's progress, then measure_go_on. */
enum status point_poll(struct measurement *run);
/* measure_save, remembered in run->stirred. */
bool point_save(struct measurement *run);

/* ---- work.c */

/* machine.work_run on that CPU in slices of up to a quarter of a second, with point_poll between
 * them. STATUS_OK, STATUS_ABORTED, STATUS_LATE; STATUS_FAULT fills *fault. */
enum status point_work(struct measurement *run, uint32_t cpu, window_work *work, void *arg,
                       uint64_t first, uint64_t end, struct fault_info *fault);

/* ---- clock.c */

/* Adds the frequencies around a quiet section whose samples start at index `first`. */
void point_clock_add(struct measurement *run, const struct chase_result *result, uint32_t first);
/* The frequency of the last section, which held only part of a sample; the caller sets the sample's
 * own. 0: unknown. */
double point_clock_part(struct measurement *run);
/* Starts over: the next samples are the point's own. */
void point_clock_forget(struct measurement *run);
/* Whether the last section's two measurements differ by more than their error. Only another section
 * tells whether that is a step or a bad measurement. */
bool point_clock_wavers(const struct measurement *run);
/* Fills run->hz, hz_step (0: none beyond the measurement error) and sample_cycles, for which each
 * sample counts with its own section's frequency; NAN: unknown. */
void point_clock_conclude(struct measurement *run);

/* ---- load.c */

/* Has the CPUs that the point asks for load memory in every later chase, once its chain is built.
 * STATUS_UNSUPPORTED: they cannot, and a note says why. */
enum status point_load_start(struct measurement *run);
/* Ends that; without a load it does nothing. */
void point_load_stop(struct measurement *run);
/* Where a section is to put what they did; NULL: there is no load. */
struct traffic_done *point_load_done(struct measurement *run);
/* Has those that go round the point's chains be spaced evenly before the next section. */
void point_load_spread(struct measurement *run);
/* Does so, if it was asked for, or if one of them came near another. As point_load_start. */
enum status point_load_space(struct measurement *run);
/* Adds what they did in the last section, of so many hops and samples; the first one starts anew.
 * Where one of them did not run, those samples become disturbed ones. */
void point_load_add(struct measurement *run, uint64_t hops, uint32_t samples);
/* Whether too few sections say how fast they went. */
bool point_load_owes(const struct measurement *run);
/* Fills the point's result.traffic. */
void point_load_conclude(struct measurement *run);

/* ---- chase.c */

/* Runs one quiet section. Afterwards every chain's cursor must be at the node that the order gives
 * after that many hops: this checkpoint detects a pointer into a wrong cycle. Faults have been
 * diagnosed on return. */
enum status point_enter(struct measurement *run, uint64_t warm_hops, uint32_t samples);
/* Takes one sample that is too long for a quiet section, in parts: its ticks are their sum. */
enum status point_enter_long(struct measurement *run, uint64_t warm_hops);
bool point_sample_is_long(const struct measurement *run);

/* ---- witness_try.c */

/* Has the machine's counters count loads that must miss and loads that must hit, once a run, with
 * the first chain that is built; the witness record says what came of it. Loads nothing that the
 * warming behind it would not. */
enum status point_try_witness(struct measurement *run);

/* ---- sampler_run.c */

/* Has the CPU's sampler follow loads of the point that was just timed, if the point asks for it,
 * into run->loads; known ones also decide whether the sampler is believed. */
enum status point_sample_loads(struct measurement *run);

/* ---- caches.c */

/* Whether the set is small enough for a lap to find lines in caches that the previous lap left
 * there. */
bool point_is_cacheable(const struct measurement *run);
/* Whether the set does not fit the caches but a share that matters may stay in them, and the point
 * does not ignore that (beyond_caches). */
bool point_is_kept(const struct measurement *run);
/* Flushes the set from the caches, so that the next lap misses. */
enum status point_cool(struct measurement *run);
/* Flushes the set from the caches after the point, if the point requests it: an adaptive cache
 * could otherwise keep these dead lines through all of the next set. STATUS_LATE counts as
 * STATUS_OK. */
enum status point_leave(struct measurement *run);

/* ---- samples.c */

/* Statistics of the samples so far. */
void point_update_stats(struct measurement *run);
/* Their trend; false: too few samples. */
bool point_trend(const struct measurement *run, struct stats_trend *trend);
/* How far the samples of one part of a lap are from those of another, as a fraction of a hop.
 * Caches keep one part of a set that does not fit, and then the median of such samples is not their
 * mean. 0: no difference seen, or samples are whole laps. */
double point_parts(const struct measurement *run);

/* ---- settle.c */

/* Walks until steady state is seen, in stretches: the first of `hops`, each further one half as
 * long as all before it. It ends when a stretch changes by no more than chance, or its thirds
 * converge so far that less than POINT_STEADY_SHARE remains. This assumes no replacement policy: a
 * cache with random replacement takes in a share of the missing lines with each lap. Draws that
 * miss at random may scatter more than that: near the caches, and for as long as the point's
 * samples may take, stretches go on until chance is less than 3.5 % of a hop. A stretch is not
 * walked if all of them would then exceed both the point's share of the budget and a twentieth of
 * the rest; run->left then says how far off steady state the last one was. */
enum status point_settle(struct measurement *run, uint64_t hops);
/* Whether the cost changed over the samples: the caches were not yet in steady state, or the core's
 * frequency stepped. */
bool point_moved(struct measurement *run);
/* Whether there is time for this many more hops, and neither point nor options fix the number of
 * samples. */
bool point_may_repeat(const struct measurement *run, uint64_t hops);
/* Updates hop_ns: run->hops took `ticks`; 0: less than one. */
void point_learn_hop_ns(struct measurement *run, uint64_t ticks);
/* The few hops of a small set may take less than a tick of a slow clock: times more of them, so
 * that samples can be made long enough. */
enum status point_pilot(struct measurement *run);

/* ---- warm.c */

/* Brings caches and TLBs into steady state, and walks one lap of each chain where it fits. */
enum status point_warm(struct measurement *run);

/* Warms again after a save (run->stirred); run->hops stays. Nothing to do for a cold point. */
enum status point_rewarm(struct measurement *run);

/* ---- sample.c */

/* Samples until the figure is known well enough and did not change meanwhile. Samples that changed
 * were still on the way to steady state and count as warming; they are taken anew, over whole laps,
 * so that their thirds cover the same lines. Where parts of a lap differ, each sample is one lap.
 * STATUS_OK without samples: even one would take too long. */
enum status point_sample(struct measurement *run);

/* ---- record.c */

/* What is subtracted from every hop, in ns: a draw's arithmetic, or the cost of timing a hop
 * singly. */
double point_overhead_ns(const struct measurement *run);
/* Emits the note that the clock's step is too coarse for a hop of `ticks`. */
void point_note_coarse(const struct measurement *run, double ticks);
/* Fills the point's result from the samples, with doubts; may also doubt earlier points. */
void point_conclude(struct measurement *run);
/* Emits the point's record. */
void point_emit(const struct measurement *run);

#endif
