/* SPDX-License-Identifier: BSD-2-Clause */
/* Non-negative least squares (Lawson and Hanson, Solving Least Squares Problems, chapter 23) on the
 * normal equations, for a few scaled columns. */
#ifndef CORE_STATS_NNLS_H
#define CORE_STATS_NNLS_H

#include <stdbool.h>
#include <stddef.h>

#define NNLS_MAX 24 /* columns */

struct nnls {
    size_t count;                    /* columns, at most NNLS_MAX */
    double gram[NNLS_MAX][NNLS_MAX]; /* A'WA, both triangles */
    double moment[NNLS_MAX];         /* A'Wb */
    double x[NNLS_MAX];              /* the solution */
    /* Private to nnls.c: L without its unit diagonal, 1 / D, and how many of their rows are
     * valid. */
    double factor[NNLS_MAX][NNLS_MAX], inverse[NNLS_MAX], trial[NNLS_MAX];
    size_t passive[NNLS_MAX], passive_count, factored;
    bool in_passive[NNLS_MAX];
};

/* Sets x >= 0 to minimise x'Gx - 2x'm. Columns that are 0 or linearly dependent on others (pivot
 * below 1e-12 of their own square) get 0. */
void nnls_solve(struct nnls *nnls);

/* The same, but faster: only the gram and moment of column `changed` differ from the last
 * solution. */
void nnls_solve_changed(struct nnls *nnls, size_t changed);

/* Returns what remains of a further column's squared norm, `size`, after projection on the columns
 * in use (passive). products: its scalar products with them, in their order. */
double nnls_left(struct nnls *nnls, const double *products, double size);

/* Returns by how much the solution reduces the sum of squares: 2x'm - x'Gx. */
double nnls_explained(const struct nnls *nnls);

/* Inverts a symmetric positive definite n x n matrix with unit diagonal in place; rows are `stride`
 * apart. Returns false, with the matrix destroyed, if a pivot falls below 1e-13. */
bool nnls_invert(double *matrix, size_t n, size_t stride);
/* The same for any diagonal: scales to a unit diagonal and adds `ridge` to it first. Rows and
 * columns whose diagonal element is not positive become 0. unit: scratch space of n. */
bool nnls_invert_scaled(double *matrix, size_t n, size_t stride, double ridge, double *unit);

#endif
