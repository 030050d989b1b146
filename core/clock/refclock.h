/* SPDX-License-Identifier: BSD-2-Clause */
/* Reference clocks (ACPI PM timer, HPET, PIT) and the computations on them. Pure arithmetic on a
 * counter that the caller reads; unit tests use scripted counters. */
#ifndef CORE_CLOCK_REFCLOCK_H
#define CORE_CLOCK_REFCLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/status.h"

#define PM_TIMER_HZ 3579545u /* ACPI 6.5, section 4.8.3.3 */
#define PIT_HZ      1193182u

/* A free-running counter that wraps after `bits` valid bits. read returns the raw value. down:
 * counts downwards (PIT). */
struct refclock {
    const char *name;                      /* "ACPI PM timer", "HPET", "PIT" */
    uint64_t hz_numerator, hz_denominator; /* a fraction, because HPET's period is in fs */
    unsigned bits;
    bool down;
    bool may_share_crystal; /* with the first clock: then it proves ratios, not a rate */
    uint64_t (*read)(void *context);
    void *context;
    uint64_t argument; /* port or address, for read */
};

/* Ticks of the first clock at an edge of the second, taken at the same moment. */
struct clock_pair {
    uint64_t ticks, reference;
};

typedef uint64_t ticks_reader(void *context);

/* Waits for the counter to change and brackets the change with two readings of the first clock. A
 * bracket more than twice the best so far (*best_bracket, initially 0) is taken as disturbed and
 * retried, up to 64 times. STATUS_UNSUPPORTED: the counter did not change within give_up_ticks. */
enum status refclock_edge(const struct refclock *clock, ticks_reader *ticks, void *ticks_context,
                          uint64_t give_up_ticks, uint64_t *best_bracket, struct clock_pair *pair);

/* Returns the counts elapsed from a to b, with wraparound. */
uint64_t refclock_elapsed(const struct refclock *clock, uint64_t a, uint64_t b);

/* Calibrates: the median of `windows` (at most 15) windows of window_ms each. spread_ppm is (max -
 * min) / median * 1e6. STATUS_UNSUPPORTED, with *result all 0: one of the clocks does not advance
 * plausibly. STATUS_BAD_INPUT: 0 windows, or a clock without a frequency. */
struct refclock_result {
    double hz, spread_ppm;
    unsigned windows;
};
enum status refclock_calibrate(const struct refclock *clock, ticks_reader *ticks,
                               void *ticks_context, unsigned windows, unsigned window_ms,
                               struct refclock_result *result);

/* Compares over a whole run: started once, fed at least once per two wraps, queried at any time. If
 * a feed is so late (by the first clock) that the number of wraps is ambiguous, the stretch since
 * the last start is marked broken; who knows beforehand that it would be late starts another. */
struct refclock_watch {
    const struct refclock *clock;
    double tick_hz; /* assumed frequency of the first clock */
    struct clock_pair first, last;
    uint64_t reference_total; /* unwrapped counts from first to last */
    bool broken;
    double closed_s, closed_ppm_s; /* the stretches before */
};
void refclock_watch_start(struct refclock_watch *watch, const struct refclock *clock,
                          double tick_hz, struct clock_pair now);
void refclock_watch_feed(struct refclock_watch *watch, struct clock_pair now);
/* Another stretch: what was compared before still counts, the time between the two does not. */
void refclock_watch_again(struct refclock_watch *watch, struct clock_pair now);
/* Over all stretches; returns false if unknown (broken, or no time elapsed). ppm = (assumed hz /
 * measured hz - 1) * 1e6: by how much our nanoseconds are too short. */
bool refclock_watch_result(const struct refclock_watch *watch, double *ppm, double *seconds);
/* Returns the longest safe interval between two feeds, in ns. */
uint64_t refclock_watch_interval_ns(const struct refclock *clock);

#endif
