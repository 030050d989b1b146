/* SPDX-License-Identifier: BSD-2-Clause */
/* Compares a clock of whole seconds (the RTC) with a tick counter. The change of a second is timed
 * as precisely as the clock can be read, so that a minute is enough for an accuracy of some ppm.
 * Pure arithmetic on readings that the caller supplies. */
#ifndef CORE_CLOCK_CALENDAR_H
#define CORE_CLOCK_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock/refclock.h"
#include "core/lib/status.h"

/* Converts to seconds since 1970-01-01 of the Gregorian calendar; false if the date or time is
 * invalid. A leap second (60) counts as the following second. */
struct calendar_time {
    unsigned year, month, day, hour, minute, second;
};
bool calendar_seconds(const struct calendar_time *time, int64_t *seconds);

/* Returns false if the clock does not answer. */
typedef bool calendar_reader(void *context, int64_t *seconds);

/* The second became `second` between these two ticks. */
struct calendar_edge {
    uint64_t before, after;
    int64_t second;
};

/* Polls until the second changes. A jump of more than one second after a reading that itself took
 * that long (execution was suspended) is skipped. STATUS_UNSUPPORTED: the second did not change
 * within give_up_ticks (choose slightly more than a second), or the clock failed or jumped. */
enum status calendar_edge_find(calendar_reader *reader, void *context, ticks_reader *ticks,
                               void *ticks_context, uint64_t give_up_ticks,
                               struct calendar_edge *edge);

/* Returns ticks per second between two edges; 0 if they are not in order. */
double calendar_hz(const struct calendar_edge *first, const struct calendar_edge *last);

/* Compares over a whole run. Each edge costs up to a second of polling, so there are few: the first
 * after first_s, the next after next_s, then each time the elapsed time doubles. The first pair is
 * for a calendar that is the only second clock; beside another one it is left to long runs. */
#define CALENDAR_FIRST_S      3
#define CALENDAR_NEXT_S       15
#define CALENDAR_LONG_FIRST_S 60
#define CALENDAR_LONG_NEXT_S  120

struct calendar_watch {
    double tick_hz;  /* assumed frequency */
    uint64_t origin; /* ticks at the start of the run */
    double after_s;  /* of the first edge to the second */
    double next_s;   /* when the next edge is due */
    unsigned edges;
    struct calendar_edge first, last;
};
void calendar_watch_start(struct calendar_watch *watch, double tick_hz, uint64_t now, bool alone);
bool calendar_watch_due(const struct calendar_watch *watch, uint64_t now);
void calendar_watch_edge(struct calendar_watch *watch, const struct calendar_edge *edge);

/* Returns false if unknown: fewer than two edges, less than 10 s apart, or too imprecise for 100
 * ppm. ppm = (assumed hz / measured hz - 1) * 1e6, as in refclock_watch_result. */
bool calendar_watch_result(const struct calendar_watch *watch, double *ppm, double *seconds);

/* True if the calendar is derived from the first clock, as in some firmware without an RTC: then
 * every second changes at a whole multiple of its frequency, and the comparison is meaningless.
 * False before the second edge. */
bool calendar_watch_is_same_clock(const struct calendar_watch *watch);

#endif
