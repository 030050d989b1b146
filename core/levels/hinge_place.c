/* SPDX-License-Identifier: BSD-2-Clause */
/* Optimises the places and shapes of hinges: one parameter at a time by Brent's method (Algorithms
 * for Minimization without Derivatives, 1973), refitting all steps at every evaluation. */
#include "core/levels/hinge_fit.h"

#include "core/lib/real.h"

#define SOFTEST_LARGE  0.25
#define LOST_MAX       0.9 /* these two: no simulated machine shows more */
#define NEARER_LOST    0.4
#define THIN_WAYS_MIN  8 /* no known adaptive cache has fewer */
#define GOLDEN         0.3819660112501051
#define NARROW         3e-4 /* search tolerance, relative to the range */
#define LOOKS_MAX      60   /* evaluations per search; a safeguard against rounding errors */
#define SWEEP_GAIN_MIN 1e-3

static double square_at(struct hinge_fit *fit, size_t j, double *what, double value, bool is_log)
{
    *what = is_log ? real_exp(value) : value;
    return hinge_fit_square_with(fit, j);
}

/* at[], square[]: the best point so far, the second and the third. */
struct search {
    double low, high, pos[3], square[3];
    double step, last_step;
};

/* Steps to the minimum of the parabola through the three points if the steps converge, else by
 * golden section into the wider side. */
static void next_step(struct search *s, double narrow)
{
    double r = (s->pos[0] - s->pos[1]) * (s->square[0] - s->square[2]);
    double q = (s->pos[0] - s->pos[2]) * (s->square[0] - s->square[1]);
    double p = (s->pos[0] - s->pos[2]) * q - (s->pos[0] - s->pos[1]) * r;
    double middle = (s->low + s->high) / 2, step;

    q = 2 * (r - q);
    step = p / q;
    if (!(real_abs(step) < real_abs(s->last_step) / 2) || s->pos[0] + step <= s->low ||
        s->pos[0] + step >= s->high) {
        s->last_step = (s->pos[0] < middle ? s->high : s->low) - s->pos[0];
        s->step = GOLDEN * s->last_step;
        return;
    }
    s->last_step = s->step;
    if (s->pos[0] + step - s->low < 2 * narrow || s->high - s->pos[0] - step < 2 * narrow)
        step = s->pos[0] < middle ? narrow : -narrow;
    s->step = real_abs(step) >= narrow ? step : step > 0 ? narrow : -narrow;
}

static void take_look(struct search *s, double pos, double square)
{
    size_t place = square <= s->square[0] ? 0 : 2;

    if (place == 0) {
        *(pos < s->pos[0] ? &s->high : &s->low) = s->pos[0];
    } else {
        *(pos < s->pos[0] ? &s->low : &s->high) = pos;
        if (square <= s->square[1] || s->pos[1] == s->pos[0])
            place = 1;
        else if (square > s->square[2] && s->pos[2] != s->pos[0] && s->pos[2] != s->pos[1])
            return;
    }
    for (size_t k = 2; k > place; k--) {
        s->pos[k] = s->pos[k - 1];
        s->square[k] = s->square[k - 1];
    }
    s->pos[place] = pos;
    s->square[place] = square;
}

/* Minimises over one parameter of hinge j in [low, high], starting from its current value, whose
 * sum of squares is `square`. Keeps that value if no better one is found. Returns the sum of
 * squares. */
static double search(struct hinge_fit *fit, size_t j, double *what, double low, double high,
                     bool is_log, double square)
{
    double old = *what, from = is_log ? real_log(old) : old, narrow = NARROW * (high - low);
    struct search s = {low, high, {from, from, from}, {square, square, square}, 0, 0};

    if (from < low || from > high) {
        s.pos[0] = s.pos[1] = s.pos[2] = (low + high) / 2;
        s.square[0] = square_at(fit, j, what, s.pos[0], is_log);
        s.square[1] = s.square[2] = s.square[0];
    }
    for (int side = 0; side < 2; side++) {
        double pos = side ? high - GOLDEN * (high - low) : low + GOLDEN * (high - low);
        if (pos > s.low && pos < s.high)
            take_look(&s, pos, square_at(fit, j, what, pos, is_log));
    }
    for (int look = 0; look < LOOKS_MAX && real_abs(s.pos[0] - (s.low + s.high) / 2) >
                                               2 * narrow - (s.high - s.low) / 2;
         look++) {
        double pos;
        next_step(&s, narrow);
        pos = s.pos[0] + s.step;
        take_look(&s, pos, square_at(fit, j, what, pos, is_log));
    }
    if (s.square[0] < square)
        return square_at(fit, j, what, s.pos[0], is_log);
    *what = old;
    return hinge_fit_square_with(fit, j);
}

static double hinge_softest(const struct hinge_fit *fit, size_t curve)
{
    return hinge_fit_scatters(fit, curve) ? HINGE_SOFTEST : SOFTEST_LARGE;
}

/* True if no other cache's knee lies on that side. */
static bool is_outermost(const struct hinge_fit *fit, size_t j, bool last)
{
    for (size_t k = 0; k < fit->hinges; k++)
        if (fit->hinge[k].kind == HINGE_CACHE && fit->hinge[k].pos != fit->hinge[j].pos &&
            (fit->hinge[k].pos > fit->hinge[j].pos) == last)
            return false;
    return true;
}

/* Searches for a parameter that stays 0 unless it achieves `gain`. Two trial evaluations decide
 * whether the search is worthwhile. */
static double refine_extra(struct hinge_fit *fit, size_t j, double *what, double max, double gain,
                           double square)
{
    double plain = square, from = *what;

    if (from > 0)
        plain = square_at(fit, j, what, 0, false);
    for (int look = 0; look < 2 && !(from > 0); look++) {
        double pos = look == 0 ? max / 6 : max / 2, now = square_at(fit, j, what, pos, false);
        if (now < plain) {
            from = pos;
            square = now;
        }
    }
    if (from > 0) {
        *what = from;
        square = search(fit, j, what, 0, max, false, square);
        if (plain > square + gain)
            return square;
    }
    return square_at(fit, j, what, 0, false);
}

/* How many times the last cache open rows hold at most. */
static double rows_far(const struct hinge *hinge)
{
    double all = HINGE_ROWS_BYTES / hinge->pos;

    return all < HINGE_ROWS_FAR ? all : HINGE_ROWS_FAR;
}

/* Large pages are contiguous like DRAM rows and have the most open-row hits; small pages have at
 * most as many. If the measured sets include some in which all rows stay open, both the saving per
 * open row and the number of rows are known. */
static double refine_rows(struct hinge_fit *fit, size_t j, double square)
{
    struct hinge *hinge = &fit->hinge[j];
    size_t largest = fit->curves - 1;
    double *rows = &hinge->rows[largest], far = rows_far(hinge) * hinge->open;

    if (*rows > 0 && !is_outermost(fit, j, true)) {
        hinge->open = *rows = 0;
        square = hinge_fit_square_with(fit, j);
    }
    if (hinge->open > 0 && (hinge->fades || *rows > hinge->open / 2)) {
        double middle = real_log(*rows), high = middle + HINGE_REACH_LOG;
        double low = middle - HINGE_REACH_LOG;
        far = real_log(far);
        high = high < far ? high : far;
        if (low < high)
            square = search(fit, j, rows, low, high, true, square);
        square = search(fit, j, &hinge->open, 0, HINGE_OPEN, false, square);
    } else {
        if (hinge->open > 0) {
            hinge->open = 0;
            hinge->fades = false;
            square = hinge_fit_square_with(fit, j);
        }
        if (is_outermost(fit, j, true))
            square = refine_extra(fit, j, rows, HINGE_ROWS, HINGE_ROWS_COST, square);
    }
    for (size_t curve = 0; curve < largest; curve++) {
        if (*rows > 0)
            square = search(fit, j, &hinge->rows[curve], 0, *rows, false, square);
        else
            hinge->rows[curve] = 0;
    }
    return square;
}

/* How full a victim cache is in sets twice as large. */
static double filled(const struct hinge *hinge)
{
    double inner = hinge->ways * hinge->inner / (hinge->pos - hinge->inner);

    return hinge->ways > 0 ? hinge_occupied(hinge->ways, 2.0 * hinge->ways, inner) : 1;
}

/* The points of a victim cache tell what it holds rather than how large it is. */
static void set_ways(struct hinge *hinge, unsigned ways)
{
    double held = (hinge->pos - hinge->inner) * filled(hinge);

    hinge->ways = ways;
    if (hinge->law == HINGE_VICTIMS && hinge->inner > 0)
        hinge->pos = hinge->inner + held / filled(hinge);
}

double hinge_fit_ways(struct hinge_fit *fit, size_t j)
{
    struct hinge *hinge = &fit->hinge[j], best;
    unsigned min_ways = hinge_is_thin(hinge->law) ? THIN_WAYS_MIN : 1;
    double min;

    if (hinge->ways == 0)
        set_ways(hinge, HINGE_WAYS / 2);
    min = hinge_fit_square_with(fit, j);
    for (bool again = true; again;) {
        best = *hinge;
        again = false;
        for (int side = -1; side <= 1; side += 2) {
            double square;
            unsigned ways = best.ways + (unsigned)side;
            if (ways < min_ways || ways > HINGE_WAYS)
                continue;
            set_ways(hinge, ways);
            square = hinge_fit_square_with(fit, j);
            again |= square < min;
            best = square < min ? *hinge : best;
            min = square < min ? square : min;
        }
        *hinge = best;
    }
    return hinge_fit_square_with(fit, j);
}

/* A knee can be soft only in curves of small pages, whose frames scatter it, or if it belongs to an
 * exclusive level with free ways (not the first level: it has no victims to take). Only points near
 * the knee determine softness. */
static double refine_softness(struct hinge_fit *fit, size_t j, double square)
{
    struct hinge *hinge = &fit->hinge[j];

    if (hinge->kind == HINGE_WALK)
        return search(fit, j, &hinge->soft[hinge->curve], 0, 1, false, square);
    if (hinge->kind == HINGE_TLB || fit->sharp)
        return square;
    if ((is_outermost(fit, j, false) && hinge->law != HINGE_SHARP) ||
        (!is_outermost(fit, j, true) && hinge_is_thin(hinge->law))) {
        hinge->law = HINGE_SHARP;
        square = hinge_fit_square_with(fit, j);
    } else if (hinge_has_ways(hinge->law)) {
        square = hinge_fit_ways(fit, j);
    } else if (hinge_has_lost(hinge->law)) {
        square = search(fit, j, &hinge->lost, -NEARER_LOST, LOST_MAX, false, square);
    }
    for (size_t curve = 0; curve < fit->curves; curve++)
        if (hinge_fit_between(fit, curve, hinge->pos / 2, hinge->pos * 2) >= 3)
            square = refine_extra(fit, j, &hinge->soft[curve], hinge_softest(fit, curve),
                                  HINGE_SOFT_COST, square);
    return refine_rows(fit, j, square);
}

void hinge_fit_refine(struct hinge_fit *fit, unsigned sweeps)
{
    hinge_fit_steps(fit);
    for (unsigned sweep = 0; sweep < sweeps; sweep++) {
        double before = fit->square;
        for (size_t j = 0; j < fit->hinges; j++) {
            double middle = real_log(fit->hinge[j].pos);
            double min = real_log(hinge_fit_min(fit, &fit->hinge[j]));
            double low = middle - HINGE_REACH_LOG > min ? middle - HINGE_REACH_LOG : min;
            double max = real_log(hinge_fit_max(fit, &fit->hinge[j]));
            double high = middle + HINGE_REACH_LOG < max ? middle + HINGE_REACH_LOG : max;
            double square = hinge_fit_square_with(fit, j);
            if (low < high && !fit->hinge[j].fixed)
                square = search(fit, j, &fit->hinge[j].pos, low, high, true, square);
            refine_softness(fit, j, square);
        }
        hinge_fit_steps(fit);
        if (before - fit->square < SWEEP_GAIN_MIN * before)
            sweep = sweeps;
    }
}

static void guess_rows(struct hinge_fit *fit, size_t j, double open, bool fades, double *min)
{
    struct hinge best = fit->hinge[j], *hinge = &fit->hinge[j];
    double *rows = &hinge->rows[fit->curves - 1];

    for (double sets = 0.15; sets < rows_far(hinge); sets *= 1.3) {
        double square;
        hinge->open = sets > 1 || fades ? open : 0;
        hinge->fades = fades;
        *rows = sets * open;
        square = hinge_fit_square_with(fit, j);
        if (square < *min) {
            *min = square;
            best = *hinge;
        }
    }
    *hinge = best;
}

bool hinge_fit_guess_rows(struct hinge_fit *fit, size_t j)
{
    static const double open[] = {0.1, 0.2, 0.3, 0.45};
    double min = hinge_fit_square_with(fit, j);

    for (size_t k = 0; k < 2 * sizeof open / sizeof *open; k++)
        guess_rows(fit, j, open[k / 2], k % 2 != 0, &min);
    hinge_fit_steps(fit);
    return fit->hinge[j].rows[fit->curves - 1] > 0;
}
