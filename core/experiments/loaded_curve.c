/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/experiments/loaded_curve.h"

#include "core/lib/real.h"

#define ERRORS 2 /* that make a difference sure */
/* Pauses of neighbours are no nearer to each other than this, nor shorter but for none at all. */
#define RATIO_MIN  1.2
#define PAUSE_MIN  64
#define IDLE_PAUSE 65536u /* beyond the longest pause: a guess that only chooses pauses */

bool loaded_add(struct loaded_curve *curve, const struct loaded_step *step)
{
    size_t pos = curve->count;

    if (pos == LOADED_STEPS_MAX)
        return false;
    while (pos > 1 && curve->step[pos - 1].pause_cycles < step->pause_cycles)
        pos--;
    if (pos > 1 && curve->step[pos - 1].pause_cycles == step->pause_cycles)
        return false;
    for (size_t i = curve->count++; i > pos; i--)
        curve->step[i] = curve->step[i - 1];
    curve->step[pos] = *step;
    return true;
}

size_t loaded_peak(const struct loaded_curve *curve)
{
    size_t peak = 0;

    for (size_t i = 1; i < curve->count; i++)
        if (curve->step[i].bytes_per_s.value > curve->step[peak].bytes_per_s.value)
            peak = i;
    return peak;
}

static double error_of(struct figure figure)
{
    return real_is_nan(figure.error) ? 0 : ERRORS * figure.error;
}

/* Where the line from a to b has y; between their x. */
static double cross(double ax, double ay, double bx, double by, double y)
{
    return ax + (bx - ax) * (y - ay) / (by - ay);
}

/* The bandwidth at which the curve first takes so long. */
static double crossing_of(const struct loaded_curve *curve, double ns)
{
    size_t i = 1;

    while (i + 1 < curve->count && curve->step[i].ns.value < ns)
        i++;
    return cross(curve->step[i - 1].bytes_per_s.value, curve->step[i - 1].ns.value,
                 curve->step[i].bytes_per_s.value, curve->step[i].ns.value, ns);
}

static void bound(const struct loaded_curve *curve, struct loaded_knee *knee)
{
    struct figure before = curve->step[knee->before].bytes_per_s;

    knee->low = before.value - error_of(before);
    knee->high = before.value + error_of(before);
    for (size_t i = knee->before + 1; i <= knee->behind; i++) {
        struct figure bytes = curve->step[i].bytes_per_s;
        if (bytes.value + error_of(bytes) > knee->high)
            knee->high = bytes.value + error_of(bytes);
        if (bytes.value - error_of(bytes) < knee->low)
            knee->low = bytes.value - error_of(bytes);
    }
}

struct loaded_knee loaded_find_knee(const struct loaded_curve *curve)
{
    struct loaded_knee knee = {.reached = false};
    struct figure idle = curve->step[0].ns;
    double below = LOADED_KNEE_TIMES * (idle.value - error_of(idle));
    double above = LOADED_KNEE_TIMES * (idle.value + error_of(idle));

    for (size_t i = 1; i < curve->count && !knee.reached; i++) {
        struct figure ns = curve->step[i].ns;
        knee.reached = ns.value - error_of(ns) > above;
        knee.behind = i;
        if (ns.value + error_of(ns) < below)
            knee.before = i;
    }
    if (!knee.reached)
        return knee;
    bound(curve, &knee);
    knee.bytes_per_s = crossing_of(curve, LOADED_KNEE_TIMES * idle.value);
    return knee;
}

/* On the line through two steps; NAN: it does not rise with bandwidth. */
static double line_at(const struct loaded_step *a, const struct loaded_step *b, double bytes_per_s)
{
    if (b->bytes_per_s.value <= a->bytes_per_s.value)
        return real_nan();
    return cross(a->ns.value, a->bytes_per_s.value, b->ns.value, b->bytes_per_s.value, bytes_per_s);
}

/* What an access takes at least between two steps, of which the latter is `i`: queues grow ever
 * faster, so that a curve lies above the lines through the steps before and behind. */
static double least_between(const struct loaded_curve *curve, size_t i, double bytes_per_s)
{
    const struct loaded_step *step = curve->step;
    double least = step[i - 1].ns.value;
    double before = i >= 2 ? line_at(&step[i - 2], &step[i - 1], bytes_per_s) : least;
    double behind =
        i + 1 < curve->count ? line_at(&step[i], &step[i + 1], bytes_per_s) : real_nan();

    least = before > least ? before : least;
    return behind > least ? behind : least;
}

/* In the middle between that and the straight line, which is the most. */
static struct figure latency_between(const struct loaded_curve *curve, size_t i, double bytes_per_s)
{
    const struct loaded_step *a = &curve->step[i - 1], *b = &curve->step[i];
    double span = b->bytes_per_s.value - a->bytes_per_s.value;
    double share = (bytes_per_s - a->bytes_per_s.value) / span;
    double slope = (b->ns.value - a->ns.value) / span;
    struct figure ns = figure_sum(figure_scaled(a->ns, 1 - share), figure_scaled(b->ns, share));
    struct figure at =
        figure_sum(figure_scaled(a->bytes_per_s, 1 - share), figure_scaled(b->bytes_per_s, share));
    double gap = ns.value - least_between(curve, i, bytes_per_s);

    gap = gap > 0 ? gap : 0;
    ns.value -= gap / 2;
    ns.error = real_hypotenuse(ns.error, slope * error_of(at) / ERRORS);
    ns.error = real_hypotenuse(ns.error, gap / 2 / ERRORS);
    return ns;
}

struct figure loaded_latency_at(const struct loaded_curve *curve, double bytes_per_s)
{
    for (size_t i = 1; i < curve->count; i++)
        if (curve->step[i - 1].bytes_per_s.value <= bytes_per_s &&
            bytes_per_s <= curve->step[i].bytes_per_s.value &&
            curve->step[i - 1].bytes_per_s.value < curve->step[i].bytes_per_s.value)
            return latency_between(curve, i, bytes_per_s);
    return figure_unknown();
}

bool loaded_pause_between(const struct loaded_curve *curve, const struct loaded_knee *knee,
                          uint32_t *pause_cycles)
{
    uint32_t longer = knee->before == 0 ? IDLE_PAUSE : curve->step[knee->before].pause_cycles;
    uint32_t shorter = curve->step[knee->behind].pause_cycles;

    if (!knee->reached || knee->behind != knee->before + 1)
        return false;
    shorter = shorter < PAUSE_MIN ? PAUSE_MIN : shorter;
    if (longer < RATIO_MIN * RATIO_MIN * shorter)
        return false;
    *pause_cycles = (uint32_t)real_sqrt((double)longer * shorter);
    return true;
}
