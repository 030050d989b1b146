/* SPDX-License-Identifier: BSD-2-Clause */
/* Calibration and run-long comparison against a second clock. Each reading of the counter is
 * bracketed by two back-to-back readings of the first clock, so an interruption widens the bracket
 * and is detected. An interruption between the brackets is harmless: both clocks keep running. */
#include "core/clock/refclock.h"

#define EDGE_TRIES 64u
#define WARM_EDGES 8u
/* More windows add no information. */
#define WINDOWS_MAX 15u
/* No first clock exceeds 20 GHz: if a millisecond of the counter takes more ticks, the counter is
 * broken. */
#define TICKS_PER_MS_MAX 20000000ull
/* If the first clock stands still, readings are counted instead of ticks. */
#define FROZEN_READS (1u << 20)

static uint64_t count_mask(const struct refclock *clock)
{
    return clock->bits >= 64 ? UINT64_MAX : (1ull << clock->bits) - 1;
}

static double clock_hz(const struct refclock *clock)
{
    return (double)clock->hz_numerator / (double)clock->hz_denominator;
}

uint64_t refclock_elapsed(const struct refclock *clock, uint64_t a, uint64_t b)
{
    return (clock->down ? a - b : b - a) & count_mask(clock);
}

/* A change of the counter: its new value, and the ticks before and after that reading. */
struct edge {
    uint64_t before, after, value;
};

static bool edge_wait(const struct refclock *clock, ticks_reader *ticks, void *ticks_context,
                      uint64_t give_up_ticks, struct edge *edge)
{
    uint64_t old = clock->read(clock->context);
    uint64_t start = ticks(ticks_context);
    edge->after = start;
    for (uint32_t reads = 0;; reads += reads < FROZEN_READS) {
        edge->before = edge->after;
        edge->value = clock->read(clock->context);
        edge->after = ticks(ticks_context);
        if (refclock_elapsed(clock, old, edge->value) != 0)
            return true;
        if (edge->before - start > give_up_ticks || (edge->after == start && reads == FROZEN_READS))
            return false;
    }
}

enum status refclock_edge(const struct refclock *clock, ticks_reader *ticks, void *ticks_context,
                          uint64_t give_up_ticks, uint64_t *best_bracket, struct clock_pair *pair)
{
    uint64_t narrowest = UINT64_MAX;
    for (unsigned try = 0; try < EDGE_TRIES; try++) {
        struct edge edge;
        if (!edge_wait(clock, ticks, ticks_context, give_up_ticks, &edge))
            return STATUS_UNSUPPORTED;
        uint64_t bracket = edge.after - edge.before;
        if (*best_bracket == 0 || bracket < *best_bracket)
            *best_bracket = bracket;
        if (bracket < narrowest) {
            narrowest = bracket;
            *pair = (struct clock_pair){edge.before + bracket / 2, edge.value};
        }
        if (bracket <= 2 * *best_bracket)
            break;
    }
    return STATUS_OK;
}

/* Context of a calibration. */
struct calibration {
    const struct refclock *clock;
    ticks_reader *ticks;
    void *ticks_context;
    uint64_t best_bracket;
};

/* The edges of a window are exact; between them the counter is polled only to count wraps. Returns
 * ticks per second; 0 if either clock does not advance plausibly. */
static double window_hz(struct calibration *c, unsigned window_ms)
{
    struct clock_pair start, now;
    double wanted = clock_hz(c->clock) * window_ms / 1000;
    uint64_t limit = (uint64_t)window_ms * TICKS_PER_MS_MAX;
    uint64_t counted = 0;
    if (refclock_edge(c->clock, c->ticks, c->ticks_context, TICKS_PER_MS_MAX, &c->best_bracket,
                      &start) != STATUS_OK)
        return 0;
    uint64_t seen = start.reference;
    while ((double)counted < wanted) {
        struct edge edge;
        if (!edge_wait(c->clock, c->ticks, c->ticks_context, TICKS_PER_MS_MAX, &edge))
            return 0;
        counted += refclock_elapsed(c->clock, seen, edge.value);
        seen = edge.value;
        if ((double)counted < wanted && edge.before - start.ticks > limit)
            return 0;
    }
    if (refclock_edge(c->clock, c->ticks, c->ticks_context, TICKS_PER_MS_MAX, &c->best_bracket,
                      &now) != STATUS_OK ||
        now.ticks <= start.ticks)
        return 0;
    counted += refclock_elapsed(c->clock, seen, now.reference);
    return (double)(now.ticks - start.ticks) * clock_hz(c->clock) / (double)counted;
}

static void insert_sorted(double *values, unsigned count, double value)
{
    for (; count > 0 && values[count - 1] > value; count--)
        values[count] = values[count - 1];
    values[count] = value;
}

enum status refclock_calibrate(const struct refclock *clock, ticks_reader *ticks,
                               void *ticks_context, unsigned windows, unsigned window_ms,
                               struct refclock_result *result)
{
    struct calibration c = {clock, ticks, ticks_context, 0};
    struct clock_pair pair;
    double hz[WINDOWS_MAX];
    *result = (struct refclock_result){0, 0, 0};
    if (windows == 0 || window_ms == 0 || clock->bits == 0 || clock->hz_denominator == 0 ||
        clock->hz_numerator == 0)
        return STATUS_BAD_INPUT;
    windows = windows < WINDOWS_MAX ? windows : WINDOWS_MAX;
    for (unsigned i = 0; i < WARM_EDGES; i++) {
        enum status status =
            refclock_edge(clock, ticks, ticks_context, TICKS_PER_MS_MAX, &c.best_bracket, &pair);
        if (status != STATUS_OK)
            return status;
    }
    for (unsigned i = 0; i < windows; i++) {
        double value = window_hz(&c, window_ms);
        if (value <= 0)
            return STATUS_UNSUPPORTED;
        insert_sorted(hz, i, value);
    }
    result->hz = (hz[windows / 2] + hz[(windows - 1) / 2]) / 2;
    result->spread_ppm = (hz[windows - 1] - hz[0]) / result->hz * 1e6;
    result->windows = windows;
    return STATUS_OK;
}

void refclock_watch_start(struct refclock_watch *watch, const struct refclock *clock,
                          double tick_hz, struct clock_pair now)
{
    *watch = (struct refclock_watch){.clock = clock, .tick_hz = tick_hz, .first = now, .last = now};
    watch->broken = !(tick_hz > 0) || clock->bits == 0;
}

/* Three quarters of a wrap period: leaves margin for a first clock that is up to a third slower
 * than assumed, and for a caller that is late by up to the limit of twice a wrap. */
static double interval_s(const struct refclock *clock)
{
    return 0.75 * ((double)count_mask(clock) + 1) / clock_hz(clock);
}

void refclock_watch_feed(struct refclock_watch *watch, struct clock_pair now)
{
    if (watch->broken)
        return;
    double seconds = (double)(now.ticks - watch->last.ticks) / watch->tick_hz;
    if (now.ticks < watch->last.ticks || seconds > interval_s(watch->clock)) {
        watch->broken = true;
        return;
    }
    watch->reference_total += refclock_elapsed(watch->clock, watch->last.reference, now.reference);
    watch->last = now;
}

/* The stretch since the last start. */
static bool stretch_result(const struct refclock_watch *watch, double *ppm, double *seconds)
{
    uint64_t ticks = watch->last.ticks - watch->first.ticks;

    if (watch->broken || watch->reference_total == 0 || ticks == 0)
        return false;
    *seconds = (double)watch->reference_total / clock_hz(watch->clock);
    *ppm = (watch->tick_hz * *seconds / (double)ticks - 1) * 1e6;
    return true;
}

void refclock_watch_again(struct refclock_watch *watch, struct clock_pair now)
{
    struct refclock_watch next = {
        .clock = watch->clock, .tick_hz = watch->tick_hz, .first = now, .last = now};
    double ppm, seconds;

    if (!refclock_watch_result(watch, &ppm, &seconds))
        ppm = seconds = 0;
    next.broken = !(watch->tick_hz > 0) || watch->clock->bits == 0;
    next.closed_s = seconds;
    next.closed_ppm_s = ppm * seconds;
    *watch = next;
}

bool refclock_watch_result(const struct refclock_watch *watch, double *ppm, double *seconds)
{
    double sum = watch->closed_ppm_s, total_s = watch->closed_s;

    if (stretch_result(watch, ppm, seconds)) {
        sum += *ppm * *seconds;
        total_s += *seconds;
    }
    if (!(total_s > 0))
        return false;
    *seconds = total_s;
    *ppm = sum / total_s;
    return true;
}

uint64_t refclock_watch_interval_ns(const struct refclock *clock)
{
    double ns = interval_s(clock) * 1e9;
    return ns >= 0x1p64 ? UINT64_MAX : (uint64_t)ns;
}
