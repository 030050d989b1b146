/* SPDX-License-Identifier: BSD-2-Clause */
/* The longest period that slow accesses keep. */
#include "core/dram/coherence.h"
#include "core/dram/refresh_internal.h"
#include "core/lib/real.h"

/* First, stretches of time by themselves: over the whole time there would be ten thousands of
 * periods to try. */
#define STRETCH_NS   (8 * REFRESH_PERIOD_MAX_NS)
#define STEPS        4 /* of frequency, for each that a stretch can tell apart */
#define SEARCHED_MAX 1500
#define FINEST       1e5  /* steps of a turn over the whole time */
#define EXACT        1e-4 /* of a turn over the whole time: what steps and rounding leave */
/* The longest period that comes within this of the best is the true one: the others are its parts,
 * which sharp events keep as well. */
#define FUNDAMENTAL 0.5
/* Its double and triple must not come this close, or it would be a part of theirs. */
#define AMBIGUOUS 0.2
/* Over all frequencies that noise could choose from, one run in a million passes. */
#define COHERENCE_MIN 0.3
#define EVIDENCE_MIN  30.0
#define PEAKS_MAX     100
#define PEAK_MIN      0.01
#define NO_PERIOD     "slow accesses have no period in common"
#define TWO_PI        6.283185307179586

const char refresh_two_periods[] = "slow accesses have more than one period";

struct search {
    const uint64_t *end;
    size_t count;
    double stretch; /* in the clock's units, as the step of frequency, in turns */
    double step;
};

static double at(const struct search *search, double turns)
{
    return coherence_within(search->end, search->count, search->stretch,
                            (uint64_t)(turns * COHERENCE_TURN));
}

/* From a frequency that is right to within a step: stretches grow to the whole time, and steps
 * shrink with them. */
static double refine(struct search *search, double turns)
{
    double span = (double)(search->end[search->count - 1] - search->end[0]) + 1;

    for (;; search->stretch *= 2) {
        double best = at(search, turns), fine = search->stretch > span ? FINEST : 16 * STEPS;
        for (search->step = 1 / (STEPS * search->stretch);
             search->step > 1 / (fine * search->stretch); search->step /= 2)
            for (int side = -1; side <= 1; side += 2)
                for (;;) {
                    double next = turns + side * search->step, value = at(search, next);
                    if (!(value > best))
                        break;
                    best = value;
                    turns = next;
                }
        if (search->stretch > span)
            return turns;
    }
}

struct peaks {
    size_t count;
    double turns[PEAKS_MAX], value[PEAKS_MAX];
};

/* Frequencies of higher coherence than their neighbours', ascending. */
static void find_peaks(const struct search *search, double low, double high, struct peaks *peaks)
{
    double before = 0, here = at(search, low), after;

    peaks->count = 0;
    for (double turns = low; turns < high && peaks->count < PEAKS_MAX; turns += search->step) {
        after = at(search, turns + search->step);
        if (here >= before && here >= after && here > PEAK_MIN) {
            peaks->turns[peaks->count] = turns;
            peaks->value[peaks->count++] = here;
        }
        before = here;
        here = after;
    }
}

/* The lowest frequency that comes near the best one's coherence; 0: none. */
static double fundamental(const struct peaks *peaks)
{
    double best = 0;

    for (size_t i = 0; i < peaks->count; i++)
        best = peaks->value[i] > best ? peaks->value[i] : best;
    for (size_t i = 0; i < peaks->count; i++)
        if (peaks->value[i] >= FUNDAMENTAL * best)
            return peaks->turns[i];
    return 0;
}

static bool stands_out(size_t events, double coherence)
{
    return (double)events * coherence * coherence >= EVIDENCE_MIN;
}

/* Whether every second or third event differs from the others, over the whole time: in a stretch
 * they may, where accesses fall into step with refreshes for a while. */
static bool is_part(const uint64_t *end, const struct refresh *refresh)
{
    for (uint64_t part = 2; part <= 3; part++) {
        double coherence = coherence_whole(end, refresh->events, refresh->turn / part);
        if (coherence > AMBIGUOUS * refresh->coherence && stands_out(refresh->events, coherence))
            return true;
    }
    return false;
}

/* Ends in step scatter about their direction; others have any. Both lower the coherence at the
 * period and at its half, and the second more the wider the scatter is. The error of a mean
 * direction has both (Mardia and Jupp, Directional Statistics, 2000, 4.4). */
static void find_scatter(const uint64_t *end, double tick_turns, struct refresh *refresh)
{
    double once = refresh->coherence;
    double twice = coherence_whole(end, refresh->events, 2 * refresh->turn);
    double late = once > twice ? 2.0 / 3 * real_log(once / twice) : 0;
    double any = twice < 1 ? (1 - twice) / (2 * once * once) : 0;
    double step = tick_turns * tick_turns / 12;

    refresh->late_turns = real_sqrt(late / (TWO_PI * TWO_PI) + step);
    refresh->scatter_turns = real_sqrt(any / (TWO_PI * TWO_PI) + step);
}

const char *refresh_fold(const struct refresh_series *series, const uint64_t *end,
                         struct refresh *refresh)
{
    struct search search = {end, refresh->events, STRETCH_NS / series->clock_ns, 0};
    struct peaks peaks;
    double turns, error, span;

    search.step = 1 / (STEPS * search.stretch);
    if (search.count > SEARCHED_MAX)
        search.count = SEARCHED_MAX;
    find_peaks(&search, series->clock_ns / REFRESH_PERIOD_MAX_NS,
               series->clock_ns / REFRESH_PERIOD_MIN_NS, &peaks);
    turns = fundamental(&peaks);
    if (turns == 0)
        return NO_PERIOD;
    search.count = refresh->events;
    turns = refine(&search, turns);
    refresh->turn = (uint64_t)(turns * COHERENCE_TURN);
    refresh->coherence = coherence_whole(end, refresh->events, refresh->turn);
    if (refresh->coherence < COHERENCE_MIN || !stands_out(refresh->events, refresh->coherence))
        return NO_PERIOD;
    if (is_part(end, refresh))
        return refresh_two_periods;
    /* The error of a frequency from phases that scatter, spread over the whole time (Rife and
     * Boorstyn 1974). */
    span = (double)(end[refresh->events - 1] - end[0]);
    find_scatter(end, turns * series->tick_ns / series->clock_ns, refresh);
    error = (real_sqrt(12 / (double)refresh->events) * refresh->scatter_turns + EXACT) / span;
    refresh->period_ns = series->clock_ns / turns;
    refresh->period_low = series->clock_ns / (turns + 2 * error);
    refresh->period_high = series->clock_ns / (turns - 2 * error);
    return NULL;
}
