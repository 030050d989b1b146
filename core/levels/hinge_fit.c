/* SPDX-License-Identifier: BSD-2-Clause */
/* Least squares for given hinges. Weights: hinge_weigh.c; places and shapes: hinge_place.c;
 * selection: hinge_find.c. */
#include "core/levels/hinge_fit.h"

#include "core/lib/real.h"

#define TLB_LARGE_MIN     8 /* entries, for pages larger than 64 KiB */
#define TABLE_ENTRY_BYTES 8
#define SMALL_PAGE_BYTES  65536
#define LOOKS_BETWEEN     64
#define LOOKS_USUAL       50000.0 /* of a curve in two page sizes with reaches: 40000 to 64000 */
#define DONE_MAX          0.98

/* Only who waits cares how many looks are usual. */
bool hinge_fit_goes_on(struct hinge_fit *fit)
{
    struct hinge_poll *poll = &fit->poll;
    double done = poll->looks / LOOKS_USUAL;

    if (poll->go_on != NULL && !poll->stopped && poll->looks++ % LOOKS_BETWEEN == 0)
        poll->stopped = !poll->go_on(poll->context, done < DONE_MAX ? done : DONE_MAX);
    return !poll->stopped;
}

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

bool hinge_fit_scatters(const struct hinge_fit *fit, size_t curve)
{
    return fit->page_bytes[curve] <= SMALL_PAGE_BYTES;
}

/* The place nearest to a known hinge of those where another source says that one is possible; 0:
 * there is none. */
static double possible_place(const struct hinge_fit *fit, const struct hinge *hinge)
{
    double place = 0, away = __builtin_inf();

    for (size_t k = 0; k < fit->hints && hinge->known; k++) {
        const struct hinge *hint = &fit->hint[k];
        double off = real_abs(real_log(hint->pos / hinge->pos));
        if (!hint->known || hint->curve != hinge->curve || off >= away)
            continue;
        away = off;
        place = hint->pos;
    }
    return place;
}

double hinge_fit_min(const struct hinge_fit *fit, const struct hinge *hinge)
{
    double first = __builtin_inf(), least;

    if (hinge->kind == HINGE_CACHE)
        return fit->bytes[0];
    if (hinge->kind == HINGE_TLB) {
        first = hinge_fit_scatters(fit, hinge->curve)
                    ? fit->bytes[0]
                    : TLB_LARGE_MIN * fit->page_bytes[hinge->curve];
        least = hinge->known ? possible_place(fit, hinge) * real_exp(-HINGE_REACH_LOG)
                             : fit->covered[hinge->curve];
        return first > least ? first : least;
    }
    for (size_t j = 0; j < fit->hinges; j++)
        if (fit->hinge[j].kind == HINGE_CACHE && fit->hinge[j].pos < first)
            first = fit->hinge[j].pos;
    return first * fit->page_bytes[fit->pieces ? 0 : hinge->curve] / TABLE_ENTRY_BYTES / 2;
}

double hinge_fit_max(const struct hinge_fit *fit, const struct hinge *hinge)
{
    size_t beyond = hinge->fixed ? 1 : HINGE_BEYOND;
    double max = 0, most = possible_place(fit, hinge) * real_exp(HINGE_REACH_LOG);

    if (hinge->kind == HINGE_WALK)
        return __builtin_inf();
    for (size_t i = 0; i + beyond < fit->count; i++) {
        bool shows = hinge->kind == HINGE_CACHE || hinge->curve == fit->curve[i];
        if (shows && fit->curve[i + beyond] == fit->curve[i] && fit->bytes[i] > max)
            max = fit->bytes[i];
    }
    return most > 0 && most < max ? most : max;
}

void hinge_fit_shares(struct hinge_fit *fit, const struct hinge *hinge, size_t j, double *column)
{
    struct hinge_shape *shape = &fit->shape[j];

    for (size_t i = 0; i < fit->count; i++) {
        if (i == 0 || fit->curve[i] != fit->curve[i - 1])
            hinge_shape_make(shape, hinge, fit->curve[i]);
        column[i] = hinge_shape_share(shape, fit->inverse[i]);
    }
}

/* Column 0 is the base, column j + 1 hinge j. */
static void fill_column(struct hinge_fit *fit, size_t j)
{
    hinge_fit_shares(fit, &fit->hinge[j], j, fit->column[j + 1]);
}

/* Four partial sums, so that additions do not wait for each other. */
static double dot(const double *a, const double *b, size_t first, size_t end)
{
    double sum[4] = {0};

    for (; end - first >= 4; first += 4)
        for (size_t k = 0; k < 4; k++)
            sum[k] += a[first + k] * b[first + k];
    for (; first < end; first++)
        sum[0] += a[first] * b[first];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* Scalar products with the columns before `end_column`. A column is zero far below its knee and in
 * other curves; those points are skipped. */
static void fill_products(struct hinge_fit *fit, size_t column, size_t end_column)
{
    struct nnls *nnls = &fit->nnls;
    const double *of = fit->column[column];
    size_t first = 0, end = fit->count;

    while (first < end && of[first] == 0)
        first++;
    while (end > first && of[end - 1] == 0)
        end--;
    for (size_t i = first; i < end; i++)
        fit->weighed[i] = fit->weight[i] * of[i];
    nnls->moment[column] = dot(fit->weighed, fit->ns, first, end);
    for (size_t k = 0; k < end_column; k++)
        nnls->gram[column][k] = nnls->gram[k][column] =
            dot(fit->weighed, fit->column[k], first, end);
}

size_t hinge_fit_last_cache(const struct hinge_fit *fit, double below)
{
    size_t last = fit->hinges;

    for (size_t j = 0; j < fit->hinges; j++)
        if (fit->hinge[j].kind == HINGE_CACHE && fit->hinge[j].pos < below &&
            (last == fit->hinges || fit->hinge[j].pos > fit->hinge[last].pos))
            last = j;
    return last;
}

/* The capacity of the caches before `below`. */
static double inner_of(const struct hinge_fit *fit, double below)
{
    size_t last = hinge_fit_last_cache(fit, below);

    return last < fit->hinges ? fit->hinge[last].pos : 0;
}

static void set_inner(struct hinge_fit *fit, size_t j)
{
    struct hinge *hinge = &fit->hinge[j];
    size_t last = hinge_fit_last_cache(fit, hinge->pos);
    bool victims = last < fit->hinges && fit->hinge[last].law == HINGE_VICTIMS &&
                   hinge->law == HINGE_BEHIND_RANDOM;

    hinge->inner = inner_of(fit, hinge->pos);
    hinge->inner_inner = victims ? inner_of(fit, hinge->inner) : 0;
    hinge->inner_ways = victims && hinge->inner_inner > 0 ? fit->hinge[last].ways : 0;
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
    for (size_t j = 0; j < fit->hinges; j++) {
        set_inner(fit, j);
        fill_column(fit, j);
    }
    for (size_t k = 0; k <= fit->hinges; k++)
        fill_products(fit, k, k + 1);
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

void hinge_fit_steps(struct hinge_fit *fit)
{
    if (!hinge_fit_goes_on(fit))
        return;
    fill_all(fit);
    nnls_solve(&fit->nnls);
    take_answer(fit);
}

double hinge_fit_square_with(struct hinge_fit *fit, size_t j)
{
    if (!hinge_fit_goes_on(fit))
        return fit->square;
    fill_column(fit, j);
    fill_products(fit, j + 1, fit->nnls.count);
    nnls_solve_changed(&fit->nnls, j + 1);
    return fit->total - nnls_explained(&fit->nnls);
}
