/* SPDX-License-Identifier: BSD-2-Clause */
/* Least squares with coefficients that may not be negative (Lawson and Hanson, Solving Least
 * Squares Problems, chapter 23), on the normal equations: for few, scaled columns. */
#ifndef CORE_STATS_NNLS_H
#define CORE_STATS_NNLS_H

#include <stdbool.h>
#include <stddef.h>

#define NNLS_MOST 24 /* columns */

struct nnls {
    size_t count;                      /* columns, at most NNLS_MOST */
    double gram[NNLS_MOST][NNLS_MOST]; /* A'WA, both triangles */
    double moment[NNLS_MOST];          /* A'Wb */
    double x[NNLS_MOST];               /* the answer */
    /* Of nnls.c alone from here on: L with its diagonal of ones left out, 1 / D, and how many of
     * their rows hold. */
    double factor[NNLS_MOST][NNLS_MOST], inverse[NNLS_MOST], trial[NNLS_MOST];
    size_t passive[NNLS_MOST], passive_count, factored;
    bool in_passive[NNLS_MOST];
};

/* Fills x: all >= 0, minimal x'Gx - 2x'm. Columns that others give (pivot below 1e-12 of their own
 * square) or that are 0 get 0. */
void nnls_solve(struct nnls *nnls);

/* The same, faster, where gram and moment of one column alone have changed since the last answer.
 */
void nnls_solve_changed(struct nnls *nnls, size_t changed);

/* How much of one more column's square, `size`, is left where the columns in use (passive) have
 * taken off it what they can: products with each of them, in their order. */
double nnls_left(struct nnls *nnls, const double *products, double size);

/* What the answer takes off the sum of squares: 2x'm - x'Gx. */
double nnls_explained(const struct nnls *nnls);

/* A symmetric positive definite n x n matrix with a diagonal of ones, rows `stride` apart, becomes
 * its inverse; false (and the matrix is spoilt) where a pivot falls below 1e-13. */
bool nnls_invert(double *matrix, size_t n, size_t stride);
/* The same of one with any diagonal, by way of one with a diagonal of ones and `ridge` more. Rows
 * and columns of a diagonal that is not positive are 0 in the inverse. unit: room for n. */
bool nnls_invert_scaled(double *matrix, size_t n, size_t stride, double ridge, double *unit);

#endif
