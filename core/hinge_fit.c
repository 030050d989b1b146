/* SPDX-License-Identifier: BSD-2-Clause */
/* Least squares for given hinges, and where the hinges fit best. Which hinges: hinge_find.c. */
#include "core/hinge_fit.h"

#include "core/real.h"

#define HUBER             2.5 /* standard errors beyond which a lone residual loses weight */
#define ALONE             3.0 /* how much larger than its neighbours' a lone residual is */
#define BEYOND_LEAST      3
#define WALK_BEYOND       100
#define TLB_ENTRIES_LEAST 2
#define TLB_LARGE_LEAST   8 /* of pages beyond 64 KiB */
#define TABLE_ENTRY_BYTES 8
#define SMALL_PAGE_BYTES  65536
#define SOFT_GAIN         6.0 /* in the sum of squares, that a soft knee must bring */
#define ROWS_GAIN         25.0
#define ORDER_SOFT        0.3
#define SOFTEST_LARGE     0.25
#define LOOK_AHEAD        3
#define SPIKE             5.0 /* standard errors */
#define LAST_SPIKE        1.2
#define TRUST_LEAST       1e-6
#define ROUNDS            4
#define GOLDEN            0.61803398874989485
#define REACH_LOG         0.30 /* how far one search may move a hinge, in ln bytes */
#define PLACE_STEPS       22
#define SOFT_STEPS        12
#define SWEEP_GAIN_LEAST  1e-3

double hinge_fit_value(const struct hinge_fit *fit, double bytes, size_t curve)
{
    double ns = fit->base;

    for (size_t j = 0; j < fit->hinges; j++)
        ns += fit->hinge[j].step * hinge_share(&fit->hinge[j], bytes, curve);
    return ns;
}

size_t hinge_fit_between(const struct hinge_fit *fit, size_t curve, double from, double to)
{
    size_t count = 0;

    for (size_t i = 0; i < fit->count; i++)
        count += fit->curve[i] == curve && fit->bytes[i] > from && fit->bytes[i] < to;
    return count;
}

double hinge_fit_least(const struct hinge_fit *fit, const struct hinge *hinge)
{
    double first = __builtin_inf();

    if (hinge->kind == HINGE_CACHE)
        return fit->bytes[0];
    if (hinge->kind == HINGE_TLB)
        return (fit->page_bytes[hinge->curve] > SMALL_PAGE_BYTES ? TLB_LARGE_LEAST
                                                                 : TLB_ENTRIES_LEAST) *
               fit->page_bytes[hinge->curve];
    for (size_t j = 0; j < fit->hinges; j++)
        if (fit->hinge[j].kind == HINGE_CACHE && fit->hinge[j].at < first)
            first = fit->hinge[j].at;
    return first * fit->page_bytes[hinge->curve] / TABLE_ENTRY_BYTES / 2;
}

double hinge_fit_most(const struct hinge_fit *fit, const struct hinge *hinge)
{
    double most = 0;

    for (size_t i = 0; i + BEYOND_LEAST < fit->count; i++) {
        bool shows = hinge->kind == HINGE_CACHE || hinge->curve == fit->curve[i];
        if (shows && fit->curve[i + BEYOND_LEAST] == fit->curve[i] && fit->bytes[i] > most)
            most = fit->bytes[i];
    }
    return hinge->kind == HINGE_WALK ? most * WALK_BEYOND : most;
}

void hinge_fit_shares(const struct hinge_fit *fit, const struct hinge *hinge, double *column)
{
    struct hinge_shape shape;

    for (size_t i = 0; i < fit->count; i++) {
        if (i == 0 || fit->curve[i] != fit->curve[i - 1])
            hinge_shape_make(&shape, hinge, fit->curve[i]);
        column[i] = hinge_shape_share(&shape, fit->inverse[i]);
    }
}

/* Column 0 is the base, column j + 1 hinge j. */
static void fill_column(struct hinge_fit *fit, size_t j)
{
    hinge_fit_shares(fit, &fit->hinge[j], fit->column[j + 1]);
}

/* Far below a knee, and in other curves, a column is zero: such points are left out. */
static void fill_products(struct hinge_fit *fit, size_t column)
{
    struct nnls *nnls = &fit->nnls;
    size_t first = 0, end = fit->count;

    while (first < end && fit->column[column][first] == 0)
        first++;
    while (end > first && fit->column[column][end - 1] == 0)
        end--;
    nnls->moment[column] = 0;
    for (size_t i = first; i < end; i++) {
        fit->weighed[i] = fit->weight[i] * fit->column[column][i];
        nnls->moment[column] += fit->weighed[i] * fit->ns[i];
    }
    for (size_t k = 0; k < nnls->count; k++) {
        double sum = 0;
        for (size_t i = first; i < end; i++)
            sum += fit->weighed[i] * fit->column[k][i];
        nnls->gram[column][k] = nnls->gram[k][column] = sum;
    }
}

static void fill_all(struct hinge_fit *fit)
{
    fit->nnls.count = fit->hinges + 1;
    fit->total = 0;
    for (size_t i = 0; i < fit->count; i++) {
        fit->column[0][i] = 1;
        fit->inverse[i] = 1 / fit->bytes[i];
        fit->total += fit->weight[i] * fit->ns[i] * fit->ns[i];
    }
    for (size_t j = 0; j < fit->hinges; j++)
        fill_column(fit, j);
    for (size_t k = 0; k <= fit->hinges; k++)
        fill_products(fit, k);
}

static void take_answer(struct hinge_fit *fit)
{
    fit->base = fit->nnls.x[0];
    for (size_t j = 0; j < fit->hinges; j++)
        fit->hinge[j].step = fit->nnls.x[j + 1];
    for (size_t i = 0; i < fit->count; i++) {
        double value = fit->base;
        for (size_t j = 0; j < fit->hinges; j++)
            value += fit->hinge[j].step * fit->column[j + 1][i];
        fit->residual[i] = fit->ns[i] - value;
    }
    fit->square = 0;
    for (size_t i = 0; i < fit->count; i++)
        fit->square += fit->weight[i] * fit->residual[i] * fit->residual[i];
}

static double median(double *values, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        double value = values[i];
        size_t k = i;
        for (; k > 0 && values[k - 1] > value; k--)
            values[k] = values[k - 1];
        values[k] = value;
    }
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* Where frames in random order decide which sets overflow, every order gives another curve around
 * the knee: pages that overflow though the cache as a whole would hold them are counted by a
 * Poisson law. How many those are is taken as for some ten ways: were it by the fit's own softness,
 * a softer knee would excuse any misfit. */
static double order_error(const struct hinge_fit *fit, size_t i)
{
    double page_bytes = fit->page_bytes[fit->curve[i]], sum = 0;

    if (page_bytes > SMALL_PAGE_BYTES)
        return 0;
    for (size_t j = 0; j < fit->hinges; j++) {
        struct hinge knee = fit->hinge[j];
        double early, error;
        if (knee.kind != HINGE_CACHE || knee.soft[fit->curve[i]] < 0.05)
            continue;
        knee.soft[fit->curve[i]] = 0;
        early = -hinge_share(&knee, fit->bytes[i], fit->curve[i]);
        knee.soft[fit->curve[i]] = ORDER_SOFT;
        early += hinge_share(&knee, fit->bytes[i], fit->curve[i]);
        error = knee.step * real_sqrt(early * page_bytes / fit->bytes[i]);
        sum += error * error;
    }
    return sum;
}

/* A residual in standard errors, with the sign of another. */
static double signed_size(const struct hinge_fit *fit, size_t i, double sign)
{
    double size = fit->residual[i] * real_sqrt(fit->weight[i]);

    return sign < 0 ? -size : size;
}

/* The largest residual of the same sign beside point i in its curve. */
static double beside(const struct hinge_fit *fit, size_t i)
{
    double most = 0;

    for (size_t k = i > 0 ? i - 1 : i; k <= i + 1 && k < fit->count; k++) {
        double size =
            k != i && fit->curve[k] == fit->curve[i] ? signed_size(fit, k, fit->residual[i]) : 0;
        most = size > most ? size : most;
    }
    return most;
}

static void set_weights(struct hinge_fit *fit)
{
    for (size_t i = 0; i < fit->count; i++)
        fit->weight[i] = fit->trust[i] / (fit->error[i] * fit->error[i] + order_error(fit, i));
}

/* A spike stands alone; several points in a row that are off are a knee not found, and keep their
 * weight. */
static void doubt_lone_points(struct hinge_fit *fit)
{
    for (size_t i = 0; i < fit->count; i++)
        fit->sorted[i] = real_abs(fit->residual[i]) * real_sqrt(fit->weight[i]);
    fit->scale = 1.4826 * median(fit->sorted, fit->count);
    fit->scale = fit->scale > 1 ? fit->scale : 1;
    for (size_t i = 0; i < fit->count; i++) {
        double size = signed_size(fit, i, fit->residual[i]);
        bool alone = size > HUBER * fit->scale && size > ALONE * beside(fit, i);
        fit->sorted[i] = alone ? HUBER * fit->scale / size : 1;
    }
    for (size_t i = 0; i < fit->count; i++)
        fit->weight[i] *= fit->sorted[i] * fit->sorted[i];
}

/* The last point of a curve, which nothing follows: far above where the two before it lead. */
static bool is_last_spike(const struct hinge_fit *fit, size_t i)
{
    double lead;

    if (i + 1 < fit->count && fit->curve[i + 1] == fit->curve[i])
        return false;
    if (i < 2 || fit->curve[i - 2] != fit->curve[i] || !(fit->bytes[i - 1] > fit->bytes[i - 2]))
        return false;
    lead = (1 / fit->bytes[i - 1] - 1 / fit->bytes[i]) /
           (1 / fit->bytes[i - 2] - 1 / fit->bytes[i - 1]);
    lead = fit->ns[i - 1] + lead * (fit->ns[i - 1] - fit->ns[i - 2]);
    lead = lead > fit->ns[i - 1] ? lead : fit->ns[i - 1];
    return fit->ns[i] > LAST_SPIKE * lead && fit->ns[i] - lead > 2 * SPIKE * fit->error[i];
}

/* A hop in a larger set never costs less: a point above what follows it in its curve is a spike. */
static void doubt_spikes(struct hinge_fit *fit)
{
    for (size_t i = 0; i < fit->count; i++) {
        double least = fit->ns[i];
        for (size_t k = i + 1; k < fit->count && k <= i + LOOK_AHEAD; k++)
            if (fit->curve[k] == fit->curve[i] && fit->ns[k] < least)
                least = fit->ns[k];
        fit->trust[i] = 1;
        if (fit->ns[i] - least > SPIKE * fit->error[i] || is_last_spike(fit, i))
            fit->trust[i] = TRUST_LEAST;
    }
}

void hinge_fit_steps(struct hinge_fit *fit)
{
    fill_all(fit);
    nnls_solve(&fit->nnls);
    take_answer(fit);
}

void hinge_fit_weigh(struct hinge_fit *fit, bool lone)
{
    set_weights(fit);
    hinge_fit_steps(fit);
    for (int round = 0; lone && round < ROUNDS; round++) {
        set_weights(fit);
        doubt_lone_points(fit);
        hinge_fit_steps(fit);
    }
}

void hinge_fit_trust(struct hinge_fit *fit)
{
    doubt_spikes(fit);
    for (size_t i = 0; i < fit->count && fit->staged; i++)
        if (fit->curve[i] + 1 < fit->curves)
            fit->trust[i] = TRUST_LEAST * TRUST_LEAST;
}

void hinge_fit_start(struct hinge_fit *fit)
{
    size_t count = 0;

    fit->hinges = 0;
    hinge_fit_trust(fit);
    for (size_t i = 1; i + 1 < fit->count; i++) {
        double left = 1 / fit->bytes[i - 1], middle = 1 / fit->bytes[i];
        double right = 1 / fit->bytes[i + 1];
        double part = left > right ? (left - middle) / (left - right) : 0;
        double error = fit->error[i] * fit->error[i], away;
        if (fit->curve[i - 1] != fit->curve[i + 1] || !(part > 0))
            continue;
        away = fit->ns[i] - (1 - part) * fit->ns[i - 1] - part * fit->ns[i + 1];
        error += (1 - part) * (1 - part) * fit->error[i - 1] * fit->error[i - 1];
        error += part * part * fit->error[i + 1] * fit->error[i + 1];
        fit->sorted[count++] = real_abs(away) / real_sqrt(error);
    }
    fit->noise = count > 0 ? 1.4826 * median(fit->sorted, count) : 1;
    fit->noise = fit->noise > 1 ? fit->noise : 1;
    hinge_fit_weigh(fit, false);
}

/* The sum of squares if hinge j were as it is now; the others' columns stand. */
static double square_with(struct hinge_fit *fit, size_t j)
{
    fill_column(fit, j);
    fill_products(fit, j + 1);
    nnls_solve_again(&fit->nnls);
    return fit->total - nnls_explained(&fit->nnls);
}

static double square_at(struct hinge_fit *fit, size_t j, double *what, double value, bool is_log)
{
    *what = is_log ? real_exp(value) : value;
    return square_with(fit, j);
}

/* Golden section over one property of hinge j, in [low, high]; keeps the old value where nothing
 * better is found. Returns the sum of squares. */
static double search(struct hinge_fit *fit, size_t j, double *what, double low, double high,
                     bool is_log, int steps)
{
    double old = *what, before = square_with(fit, j);
    double left = high - GOLDEN * (high - low), right = low + GOLDEN * (high - low);
    double at_left = square_at(fit, j, what, left, is_log);
    double at_right = square_at(fit, j, what, right, is_log);

    for (int step = 0; step < steps; step++) {
        if (at_left < at_right) {
            high = right;
            right = left;
            at_right = at_left;
            left = high - GOLDEN * (high - low);
            at_left = square_at(fit, j, what, left, is_log);
        } else {
            low = left;
            left = right;
            at_left = at_right;
            right = low + GOLDEN * (high - low);
            at_right = square_at(fit, j, what, right, is_log);
        }
    }
    at_left = square_at(fit, j, what, (low + high) / 2, is_log);
    if (at_left < before)
        return at_left;
    *what = old;
    return square_with(fit, j);
}

static double hinge_softest(const struct hinge_fit *fit, size_t curve)
{
    return fit->page_bytes[curve] > SMALL_PAGE_BYTES ? SOFTEST_LARGE : HINGE_SOFTEST;
}

static bool is_first_cache(const struct hinge_fit *fit, size_t j)
{
    for (size_t k = 0; k < fit->hinges; k++)
        if (fit->hinge[k].kind == HINGE_CACHE && fit->hinge[k].at < fit->hinge[j].at)
            return false;
    return true;
}

static bool is_last_cache(const struct hinge_fit *fit, size_t j)
{
    for (size_t k = 0; k < fit->hinges; k++)
        if (fit->hinge[k].kind == HINGE_CACHE && fit->hinge[k].at > fit->hinge[j].at)
            return false;
    return true;
}

/* Searches for a property that is 0 unless it brings its gain. A look at two values tells whether a
 * search is worth its time. */
static double refine_extra(struct hinge_fit *fit, size_t j, double *what, double most, double gain)
{
    double old = *what, plain, square, found;

    *what = 0;
    plain = square_with(fit, j);
    if (old == 0) {
        double early = square_at(fit, j, what, most / 6, false);
        if (early >= plain && square_at(fit, j, what, most / 2, false) >= plain) {
            *what = 0;
            return square_with(fit, j);
        }
    }
    *what = old;
    square = search(fit, j, what, 0, most, false, SOFT_STEPS);
    found = *what;
    *what = plain > square + gain ? found : 0;
    return square_with(fit, j);
}

/* A knee can be soft only in curves whose small pages scatter it, or where an exclusive level has
 * holes (the first level has nobody's victims to take); a curve says so only if it has points about
 * the knee. */
static double refine_softness(struct hinge_fit *fit, size_t j, double square)
{
    struct hinge *hinge = &fit->hinge[j];

    if (hinge->kind == HINGE_WALK)
        return search(fit, j, &hinge->soft[hinge->curve], 0, 1, false, SOFT_STEPS);
    if (hinge->kind == HINGE_TLB || fit->sharp)
        return square;
    if (is_first_cache(fit, j))
        hinge->holes = 0;
    else
        square = refine_extra(fit, j, &hinge->holes, HINGE_HOLES, SOFT_GAIN);
    for (size_t curve = 0; curve < fit->curves; curve++) {
        if (hinge_fit_between(fit, curve, hinge->at / 2, hinge->at * 2) >= 3)
            square =
                refine_extra(fit, j, &hinge->soft[curve], hinge_softest(fit, curve), SOFT_GAIN);
        if (is_last_cache(fit, j))
            square = refine_extra(fit, j, &hinge->rows[curve], HINGE_ROWS, ROWS_GAIN);
        else
            hinge->rows[curve] = 0;
    }
    return square;
}

void hinge_fit_refine(struct hinge_fit *fit, unsigned sweeps)
{
    hinge_fit_steps(fit);
    for (unsigned sweep = 0; sweep < sweeps; sweep++) {
        double before = fit->square;
        for (size_t j = 0; j < fit->hinges; j++) {
            double middle = real_log(fit->hinge[j].at);
            double least = real_log(hinge_fit_least(fit, &fit->hinge[j]));
            double low = middle - REACH_LOG > least ? middle - REACH_LOG : least;
            double most = real_log(hinge_fit_most(fit, &fit->hinge[j]));
            double high = middle + REACH_LOG < most ? middle + REACH_LOG : most;
            if (low < high)
                search(fit, j, &fit->hinge[j].at, low, high, true, PLACE_STEPS);
            refine_softness(fit, j, square_with(fit, j));
        }
        hinge_fit_steps(fit);
        if (before - fit->square < SWEEP_GAIN_LEAST * before)
            sweep = sweeps;
    }
}
