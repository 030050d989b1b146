/* SPDX-License-Identifier: BSD-2-Clause */
/* Second clocks (ACPI PM timer, HPET, PIT) and what is calculated from them. Everything here is
 * arithmetic over a counter that somebody else reads; all of it runs in unit tests against
 * scripted counters. */
#ifndef CORE_CLOCK_REFCLOCK_H
#define CORE_CLOCK_REFCLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/lib/status.h"

#define PM_TIMER_HZ 3579545u /* ACPI 6.5, section 4.8.3.3 */
#define PIT_HZ      1193182u

/* A free-running counter of `bits` valid bits that wraps; read answers its raw value. down: counts
 * downwards (PIT). */
struct refclock {
    const char *name;                      /* "ACPI PM timer", "HPET", "PIT" */
    uint64_t hz_numerator, hz_denominator; /* frequency as a fraction, HPET's period is in fs */
    unsigned bits;
    bool down;
    uint64_t (*read)(void *context);
    void *context;
    uint64_t argument; /* port or address, for read */
};

/* Ticks of the first clock at an edge of the second: both read at the same moment. */
struct clock_pair {
    uint64_t ticks, reference;
};

typedef uint64_t ticks_reader(void *context);

/* Waits for the counter to change and brackets the change with two readings of the first clock;
 * a bracket over twice the best one seen so far (*best_bracket, 0 at the start) is disturbed and
 * tried again, up to 64 times. STATUS_UNSUPPORTED when the counter does not move within
 * give_up_ticks. */
enum status refclock_edge(const struct refclock *clock, ticks_reader *ticks, void *ticks_context,
                          uint64_t give_up_ticks, uint64_t *best_bracket, struct clock_pair *pair);

/* Elapsed counts from a to b of a wrapping counter. */
uint64_t refclock_elapsed(const struct refclock *clock, uint64_t a, uint64_t b);

/* One calibration: the median of `windows` (at most 15) windows of window_ms each. spread_ppm is
 * (max - min) / median in 1e-6. STATUS_UNSUPPORTED when either clock does not move as one, with
 * *result all 0; STATUS_BAD_INPUT for no windows or a clock without a frequency. */
struct refclock_result {
    double hz, spread_ppm;
    unsigned windows;
};
enum status refclock_calibrate(const struct refclock *clock, ticks_reader *ticks,
                               void *ticks_context, unsigned windows, unsigned window_ms,
                               struct refclock_result *result);

/* A comparison over a whole run: started once, fed often enough to see every wrap (twice a wrap),
 * asked at the end. A feed that comes too late (by the first clock) to know how many wraps passed
 * marks the watch broken instead of guessing. */
struct refclock_watch {
    const struct refclock *clock;
    double tick_hz; /* of the first clock, as believed */
    struct clock_pair first, last;
    uint64_t reference_total; /* unwrapped counts from first to last */
    bool broken;
};
void refclock_watch_start(struct refclock_watch *watch, const struct refclock *clock,
                          double tick_hz, struct clock_pair now);
void refclock_watch_feed(struct refclock_watch *watch, struct clock_pair now);
/* Answers false when unknown (broken, no time passed). ppm = (hz believed / hz measured - 1) 1e6:
 * how much too short our nanoseconds are. */
bool refclock_watch_result(const struct refclock_watch *watch, double *ppm, double *seconds);
/* Longest time between two feeds, in ns, that keeps the watch whole. */
uint64_t refclock_watch_interval_ns(const struct refclock *clock);

#endif
