/* SPDX-License-Identifier: BSD-2-Clause */
#include "core/stats/nnls.h"

#include "core/lib/real.h"

#define PIVOT_FLOOR   1e-12
#define INVERSE_FLOOR 1e-13

/* Factors the Gram matrix of the passive columns as L D L', starting at the first row that may have
 * changed; drops a column that depends on earlier ones. Avoids square roots, which would dominate
 * the cost without a hardware instruction. */
static void factor_passive(struct nnls *nnls)
{
    size_t kept = nnls->factored;

    for (size_t i = kept; i < nnls->passive_count; i++) {
        size_t column = nnls->passive[i];
        const double *gram = nnls->gram[column];
        double *row = nnls->factor[kept], pivot = gram[column], scaled[NNLS_MAX];
        for (size_t j = 0; j < kept; j++) {
            double sum = gram[nnls->passive[j]];
            for (size_t k = 0; k < j; k++)
                sum -= scaled[k] * nnls->factor[j][k];
            scaled[j] = sum;
            row[j] = sum * nnls->inverse[j];
            pivot -= sum * row[j];
        }
        if (!(pivot > PIVOT_FLOOR * gram[column])) {
            nnls->in_passive[column] = false;
            nnls->x[column] = 0;
            continue;
        }
        nnls->inverse[kept] = 1 / pivot;
        nnls->passive[kept++] = column;
    }
    nnls->passive_count = nnls->factored = kept;
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
        nnls->trial[i] = sum;
    }
    for (size_t i = n; i-- > 0;) {
        double sum = nnls->trial[i] * nnls->inverse[i];
        for (size_t k = i + 1; k < n; k++)
            sum -= nnls->factor[k][i] * nnls->trial[k];
        nnls->trial[i] = sum;
    }
}

double nnls_left(struct nnls *nnls, const double *products, double size)
{
    for (size_t i = 0; i < nnls->passive_count; i++) {
        double sum = products[i];
        for (size_t k = 0; k < i; k++)
            sum -= nnls->factor[i][k] * nnls->trial[k];
        nnls->trial[i] = sum;
        size -= sum * sum * nnls->inverse[i];
    }
    return size;
}

/* Moves from x towards the trial solution until a component reaches 0, and drops the components
 * that did. Returns false if it reached the trial solution. */
static bool step_back(struct nnls *nnls)
{
    double part = 1;
    size_t kept = 0, blocking = NNLS_MAX;

    for (size_t i = 0; i < nnls->passive_count; i++) {
        size_t column = nnls->passive[i];
        double now = nnls->x[column], then = nnls->trial[i];
        if (then > 0)
            continue;
        if (blocking == NNLS_MAX || now / (now - then) < part) {
            part = now - then > 0 ? now / (now - then) : 0;
            blocking = column;
        }
    }
    for (size_t i = 0; i < nnls->passive_count; i++) {
        size_t column = nnls->passive[i];
        nnls->x[column] += part * (nnls->trial[i] - nnls->x[column]);
        if (column == blocking || (blocking != NNLS_MAX && !(nnls->x[column] > 0))) {
            nnls->x[column] = 0;
            nnls->in_passive[column] = false;
            nnls->factored = nnls->factored < kept ? nnls->factored : kept;
            continue;
        }
        nnls->passive[kept++] = column;
    }
    nnls->passive_count = kept;
    return blocking != NNLS_MAX;
}

/* The column with the steepest descent of the sum of squares; nnls->count if there is none. */
static size_t steepest(const struct nnls *nnls)
{
    size_t best = nnls->count;
    double max = 0;

    for (size_t i = 0; i < nnls->count; i++) {
        double slope = nnls->moment[i], size = nnls->gram[i][i];
        if (nnls->in_passive[i] || !(size > 0))
            continue;
        for (size_t k = 0; k < nnls->count; k++)
            slope -= nnls->gram[i][k] * nnls->x[k];
        if (slope > 1e-10 * real_abs(nnls->moment[i]) && slope * slope > max * size) {
            max = slope * slope / size;
            best = i;
        }
    }
    return best;
}

static void improve(struct nnls *nnls)
{
    /* Each round reduces the sum of squares. The bound stops cycles that rounding errors may
     * cause. */
    for (size_t round = 0; round < 3 * NNLS_MAX; round++) {
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

void nnls_solve(struct nnls *nnls)
{
    nnls->passive_count = nnls->factored = 0;
    for (size_t i = 0; i < nnls->count; i++) {
        nnls->x[i] = 0;
        nnls->in_passive[i] = false;
    }
    improve(nnls);
}

/* A passive column that changed is moved behind the others, so that their factors stay valid. */
void nnls_solve_changed(struct nnls *nnls, size_t changed)
{
    size_t kept = 0;

    for (size_t i = 0; i < nnls->passive_count; i++)
        if (nnls->passive[i] != changed)
            nnls->passive[kept++] = nnls->passive[i];
        else if (i < nnls->factored)
            nnls->factored = i;
    if (nnls->in_passive[changed])
        nnls->passive[kept] = changed;
    do
        solve_passive(nnls);
    while (step_back(nnls));
    improve(nnls);
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
    /* In-place Gauss-Jordan; a positive definite matrix needs no pivoting. */
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

static void divide_by_units(double *matrix, size_t n, size_t stride, const double *unit)
{
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double size = unit[a] * unit[b], *cell = &matrix[a * stride + b];
            *cell = size > 0 ? *cell / size : 0;
        }
}

bool nnls_invert_scaled(double *matrix, size_t n, size_t stride, double ridge, double *unit)
{
    for (size_t a = 0; a < n; a++)
        unit[a] = real_sqrt(matrix[a * stride + a]);
    divide_by_units(matrix, n, stride, unit);
    for (size_t a = 0; a < n; a++)
        matrix[a * stride + a] = unit[a] > 0 ? matrix[a * stride + a] + ridge : 1;
    if (!nnls_invert(matrix, n, stride))
        return false;
    divide_by_units(matrix, n, stride, unit);
    return true;
}
