/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/clock/calendar.h"

#define RESULT_MIN_S     10.0
#define RESULT_VAGUE_PPM 100.0
/* Equal readings before giving up, if the ticks themselves do not advance. */
#define FROZEN_READS (1u << 20)

static bool is_leap(unsigned year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static unsigned month_days(unsigned year, unsigned month)
{
    static const uint8_t days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return days[month - 1] + (month == 2 && is_leap(year));
}

bool calendar_seconds(const struct calendar_time *time, int64_t *seconds)
{
    int64_t days = 0, year = time->year;

    if (time->year < 1 || time->year > 9999 || time->month < 1 || time->month > 12 ||
        time->day < 1 || time->day > month_days(time->year, time->month) || time->hour > 23 ||
        time->minute > 59 || time->second > 60)
        return false;
    /* days before this year since year 1; 719162 of them before 1970 */
    days = (year - 1) * 365 + (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 - 719162;
    for (unsigned month = 1; month < time->month; month++)
        days += month_days(time->year, month);
    days += time->day - 1;
    *seconds = ((days * 24 + time->hour) * 60 + time->minute) * 60 + time->second;
    return true;
}

enum status calendar_edge_find(calendar_reader *reader, void *context, ticks_reader *ticks,
                               void *ticks_context, uint64_t give_up_ticks,
                               struct calendar_edge *edge)
{
    uint64_t start = ticks(ticks_context), before = start;
    int64_t old, now;

    if (!reader(context, &old))
        return STATUS_UNSUPPORTED;
    for (uint32_t reads = 0; reads < FROZEN_READS; reads++) {
        uint64_t next = ticks(ticks_context);
        if (!reader(context, &now))
            return STATUS_UNSUPPORTED;
        if (now != old) {
            *edge = (struct calendar_edge){before, ticks(ticks_context), now};
            if (now == old + 1)
                return STATUS_OK;
            /* The gap was ours (execution was suspended), not a jump of the calendar clock: start
             * over. */
            if (now < old || edge->after - before < give_up_ticks / 2)
                return STATUS_UNSUPPORTED;
            old = now;
            start = next = edge->after;
        }
        if (next - start > give_up_ticks)
            return STATUS_UNSUPPORTED;
        before = next;
    }
    return STATUS_UNSUPPORTED;
}

static double edge_tick(const struct calendar_edge *edge)
{
    return (double)edge->before + (double)(edge->after - edge->before) / 2;
}

double calendar_hz(const struct calendar_edge *first, const struct calendar_edge *last)
{
    double ticks = edge_tick(last) - edge_tick(first);

    return last->second > first->second && ticks > 0
               ? ticks / (double)(last->second - first->second)
               : 0;
}

void calendar_watch_start(struct calendar_watch *watch, double tick_hz, uint64_t now, bool alone)
{
    double first_s = alone ? CALENDAR_FIRST_S : CALENDAR_LONG_FIRST_S;
    double next_s = alone ? CALENDAR_NEXT_S : CALENDAR_LONG_NEXT_S;

    *watch = (struct calendar_watch){
        .tick_hz = tick_hz, .origin = now, .after_s = next_s - first_s, .next_s = first_s};
}

static double passed_s(const struct calendar_watch *watch, uint64_t now)
{
    return watch->tick_hz > 0 ? (double)(now - watch->origin) / watch->tick_hz : 0;
}

bool calendar_watch_due(const struct calendar_watch *watch, uint64_t now)
{
    return passed_s(watch, now) >= watch->next_s;
}

void calendar_watch_edge(struct calendar_watch *watch, const struct calendar_edge *edge)
{
    double passed = passed_s(watch, edge->after);

    if (watch->edges++ == 0) {
        watch->first = *edge;
        watch->next_s = passed + watch->after_s;
    } else {
        watch->next_s = 2 * passed;
    }
    watch->last = *edge;
}

bool calendar_watch_result(const struct calendar_watch *watch, double *ppm, double *seconds)
{
    const struct calendar_edge *first = &watch->first, *last = &watch->last;
    double vague, hz;

    if (watch->edges < 2 || calendar_watch_is_same_clock(watch))
        return false;
    hz = calendar_hz(first, last);
    *seconds = (double)(last->second - first->second);
    if (!(hz > 0) || *seconds < RESULT_MIN_S)
        return false;
    vague = (double)(first->after - first->before) + (double)(last->after - last->before);
    if (vague / 2 / (hz * *seconds) * 1e6 > RESULT_VAGUE_PPM)
        return false;
    *ppm = (watch->tick_hz / hz - 1) * 1e6;
    return true;
}

static bool holds_multiple(const struct calendar_edge *edge, uint64_t hz)
{
    return edge->after / hz != edge->before / hz || edge->before % hz == 0;
}

bool calendar_watch_is_same_clock(const struct calendar_watch *watch)
{
    uint64_t hz = (uint64_t)watch->tick_hz;

    return watch->edges >= 2 && hz > 0 && holds_multiple(&watch->first, hz) &&
           holds_multiple(&watch->last, hz);
}
