/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/nnls.h"

#include "core/real.h"

#define PIVOT_FLOOR   1e-12
#define INVERSE_FLOOR 1e-13

/* Cholesky of the passive columns; a column that depends on those before it is taken out. */
static void factor_passive(struct nnls *nnls)
{
    size_t kept = 0;

    for (size_t i = 0; i < nnls->passive_count; i++) {
        size_t column = nnls->passive[i];
        double *row = nnls->factor[kept], pivot = nnls->gram[column][column];
        for (size_t j = 0; j < kept; j++) {
            double sum = nnls->gram[column][nnls->passive[j]];
            for (size_t k = 0; k < j; k++)
                sum -= row[k] * nnls->factor[j][k];
            row[j] = sum / nnls->factor[j][j];
            pivot -= row[j] * row[j];
        }
        if (!(pivot > PIVOT_FLOOR * nnls->gram[column][column])) {
            nnls->in_passive[column] = false;
            nnls->x[column] = 0;
            continue;
        }
        row[kept] = real_sqrt(pivot);
        nnls->passive[kept++] = column;
    }
    nnls->passive_count = kept;
}

static void solve_passive(struct nnls *nnls)
{
    size_t n;

    factor_passive(nnls);
    n = nnls->passive_count;
    for (size_t i = 0; i < n; i++) {
        double sum = nnls->moment[nnls->passive[i]];
        for (size_t k = 0; k < i; k++)
            sum -= nnls->factor[i][k] * nnls->trial[k];
        nnls->trial[i] = sum / nnls->factor[i][i];
    }
    for (size_t i = n; i-- > 0;) {
        double sum = nnls->trial[i];
        for (size_t k = i + 1; k < n; k++)
            sum -= nnls->factor[k][i] * nnls->trial[k];
        nnls->trial[i] = sum / nnls->factor[i][i];
    }
}

/* Goes from x towards the trial as far as nothing turns negative, and takes out what reached 0.
 * False: the trial itself is reached. */
static bool step_back(struct nnls *nnls)
{
    double part = 1;
    size_t kept = 0, blocking = NNLS_MOST;

    for (size_t i = 0; i < nnls->passive_count; i++) {
        size_t column = nnls->passive[i];
        double now = nnls->x[column], then = nnls->trial[i];
        if (then > 0)
            continue;
        if (blocking == NNLS_MOST || now / (now - then) < part) {
            part = now - then > 0 ? now / (now - then) : 0;
            blocking = column;
        }
    }
    for (size_t i = 0; i < nnls->passive_count; i++) {
        size_t column = nnls->passive[i];
        nnls->x[column] += part * (nnls->trial[i] - nnls->x[column]);
        if (column == blocking || (blocking != NNLS_MOST && !(nnls->x[column] > 0))) {
            nnls->x[column] = 0;
            nnls->in_passive[column] = false;
            continue;
        }
        nnls->passive[kept++] = column;
    }
    nnls->passive_count = kept;
    return blocking != NNLS_MOST;
}

/* The column that would lower the sum of squares fastest; count: none would. */
static size_t steepest(const struct nnls *nnls)
{
    size_t best = nnls->count;
    double most = 0;

    for (size_t i = 0; i < nnls->count; i++) {
        double slope = nnls->moment[i], size = nnls->gram[i][i];
        if (nnls->in_passive[i] || !(size > 0))
            continue;
        for (size_t k = 0; k < nnls->count; k++)
            slope -= nnls->gram[i][k] * nnls->x[k];
        slope /= real_sqrt(size);
        if (slope > most && slope > 1e-10 * real_abs(nnls->moment[i]) / real_sqrt(size)) {
            most = slope;
            best = i;
        }
    }
    return best;
}

/* Whether the columns that the last answer used still do, with steps that are positive; else none
 * is used yet. */
static void start(struct nnls *nnls, bool again)
{
    size_t passive = nnls->passive_count;

    for (size_t i = 0; i < nnls->count; i++)
        nnls->x[i] = 0;
    if (again) {
        solve_passive(nnls);
        again = nnls->passive_count == passive;
        for (size_t i = 0; i < nnls->passive_count; i++)
            again = again && nnls->trial[i] > 0;
    }
    for (size_t i = 0; again && i < passive; i++)
        nnls->x[nnls->passive[i]] = nnls->trial[i];
    if (again)
        return;
    nnls->passive_count = 0;
    for (size_t i = 0; i < nnls->count; i++)
        nnls->in_passive[i] = false;
}

void nnls_solve(struct nnls *nnls, bool again)
{
    start(nnls, again);
    /* Each round ends in a smaller sum of squares; the bound is for rounding errors that might let
     * one column come and go. */
    for (size_t round = 0; round < 3 * NNLS_MOST; round++) {
        size_t column = steepest(nnls);
        if (column == nnls->count)
            return;
        nnls->in_passive[column] = true;
        nnls->passive[nnls->passive_count++] = column;
        do
            solve_passive(nnls);
        while (step_back(nnls));
        if (!nnls->in_passive[column])
            return;
    }
}

double nnls_explained(const struct nnls *nnls)
{
    double sum = 0;

    for (size_t i = 0; i < nnls->count; i++) {
        double product = 0;
        for (size_t k = 0; k < nnls->count; k++)
            product += nnls->gram[i][k] * nnls->x[k];
        sum += nnls->x[i] * (2 * nnls->moment[i] - product);
    }
    return sum;
}

bool nnls_invert(double *matrix, size_t n, size_t stride)
{
    /* Gauss-Jordan in place: for positive definite matrices no exchange of rows is needed. */
    for (size_t p = 0; p < n; p++) {
        double pivot = matrix[p * stride + p];
        if (!(pivot > INVERSE_FLOOR))
            return false;
        matrix[p * stride + p] = 1;
        for (size_t k = 0; k < n; k++)
            matrix[p * stride + k] /= pivot;
        for (size_t i = 0; i < n; i++) {
            double share = matrix[i * stride + p];
            if (i == p)
                continue;
            matrix[i * stride + p] = 0;
            for (size_t k = 0; k < n; k++)
                matrix[i * stride + k] -= share * matrix[p * stride + k];
        }
    }
    return true;
}
