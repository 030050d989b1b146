/* SPDX-License-Identifier: BSD-2-Clause */
/* A clock that tells whole seconds only, held against one that ticks: the moment at which a second
 * changes is known as closely as the clock can be read, so that over a minute even this is good for
 * some parts in a million. Everything here is arithmetic over readings that somebody else takes. */
#ifndef CORE_CLOCK_CALENDAR_H
#define CORE_CLOCK_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/clock/refclock.h"
#include "core/lib/status.h"

/* Seconds since 1970-01-01 of the Gregorian calendar; false when there is no such moment. A leap
 * second (60) counts as the second after. */
struct calendar_time {
    unsigned year, month, day, hour, minute, second;
};
bool calendar_seconds(const struct calendar_time *time, int64_t *seconds);

/* False when the clock does not answer. */
typedef bool calendar_reader(void *context, int64_t *seconds);

/* Between which two ticks the second became `second`. */
struct calendar_edge {
    uint64_t before, after;
    int64_t second;
};

/* Reads until the second changes; a change by more than one, behind a reading that took as long
 * (whoever reads was stopped), is passed over. STATUS_UNSUPPORTED when the second does not change
 * within give_up_ticks (a second and some more), or the clock stops answering or jumps. */
enum status calendar_edge_find(calendar_reader *reader, void *context, ticks_reader *ticks,
                               void *ticks_context, uint64_t give_up_ticks,
                               struct calendar_edge *edge);

/* Ticks a second between two edges; 0 when they are not in order. */
double calendar_hz(const struct calendar_edge *first, const struct calendar_edge *last);

/* A comparison over a run, at a few edges of which each costs up to a second: the first after
 * CALENDAR_FIRST_S, the next one after CALENDAR_NEXT_S, and then at every doubling of the time. */
#define CALENDAR_FIRST_S 3
#define CALENDAR_NEXT_S  15

struct calendar_watch {
    double tick_hz;  /* as believed */
    uint64_t origin; /* ticks when the run began */
    double next_s;   /* when the next edge is due */
    unsigned edges;
    struct calendar_edge first, last;
};
void calendar_watch_start(struct calendar_watch *watch, double tick_hz, uint64_t now);
bool calendar_watch_due(const struct calendar_watch *watch, uint64_t now);
void calendar_watch_edge(struct calendar_watch *watch, const struct calendar_edge *edge);

/* Answers false when unknown: fewer than two edges, less than 10 s apart, or edges too vague for
 * 100 ppm. ppm = (hz believed / hz measured - 1) 1e6, as refclock_watch_result. */
bool calendar_watch_result(const struct calendar_watch *watch, double *ppm, double *seconds);

/* Some firmware has no calendar and counts the first clock instead: then every second changes at a
 * whole multiple of its frequency, and the comparison says nothing. False before the second edge.
 */
bool calendar_watch_is_same_clock(const struct calendar_watch *watch);

#endif
