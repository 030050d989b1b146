/* SPDX-License-Identifier: BSD-2-Clause */
/* Non-negative least squares against the conditions that only the solution satisfies, and against
 * every choice of columns where there are few. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "core/stats/nnls.h"

#define ROWS 40

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (double)((state ^ state >> 29) >> 11) * 0x1p-53;
}

static void draw(struct nnls *nnls, size_t count, double *square)
{
    static double a[ROWS][NNLS_MAX], b[ROWS];

    memset(nnls, 0, sizeof *nnls);
    nnls->count = count;
    *square = 0;
    for (size_t i = 0; i < ROWS; i++) {
        b[i] = uniform() - 0.3;
        *square += b[i] * b[i];
        for (size_t k = 0; k < count; k++)
            a[i][k] = uniform() - 0.5;
    }
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < ROWS; i++) {
            nnls->moment[k] += a[i][k] * b[i];
            for (size_t m = 0; m < count; m++)
                nnls->gram[k][m] += a[i][k] * a[i][m];
        }
}

/* Karush, Kuhn and Tucker: no column could lower the sum, and those in use are at their best. */
static void assert_optimal(const struct nnls *nnls)
{
    for (size_t k = 0; k < nnls->count; k++) {
        double slope = nnls->moment[k];
        for (size_t m = 0; m < nnls->count; m++)
            slope -= nnls->gram[k][m] * nnls->x[m];
        assert_true(nnls->x[k] >= 0);
        assert_true(slope < 1e-9);
        if (nnls->x[k] > 0)
            assert_true(fabs(slope) < 1e-9);
    }
}

static void test_conditions(void **unused)
{
    static struct nnls nnls;
    double square;

    (void)unused;
    state = 1;
    for (int round = 0; round < 2000; round++) {
        draw(&nnls, 1 + (size_t)(uniform() * NNLS_MAX), &square);
        nnls_solve(&nnls);
        assert_optimal(&nnls);
        assert_true(nnls_explained(&nnls) <= square * (1 + 1e-12));
    }
}

/* The solution is the best of all sets of columns whose unconstrained solution is positive. */
static double best_of_all(const struct nnls *nnls)
{
    double best = 0;

    for (unsigned set = 1; set < 1u << nnls->count; set++) {
        size_t column[NNLS_MAX], n = 0;
        double matrix[5][5], answer[5], explained = 0;
        bool positive = true;
        for (size_t k = 0; k < nnls->count; k++)
            if (set >> k & 1)
                column[n++] = k;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                matrix[i][k] =
                    nnls->gram[column[i]][column[k]] /
                    sqrt(nnls->gram[column[i]][column[i]] * nnls->gram[column[k]][column[k]]);
        assert_true(nnls_invert(&matrix[0][0], n, 5));
        for (size_t i = 0; i < n; i++) {
            answer[i] = 0;
            for (size_t k = 0; k < n; k++)
                answer[i] +=
                    matrix[i][k] * nnls->moment[column[k]] /
                    sqrt(nnls->gram[column[i]][column[i]] * nnls->gram[column[k]][column[k]]);
            positive &= answer[i] >= 0;
            explained += answer[i] * nnls->moment[column[i]];
        }
        if (positive && explained > best)
            best = explained;
    }
    return best;
}

static void test_against_every_set(void **unused)
{
    static struct nnls nnls;
    double square;

    (void)unused;
    state = 2;
    for (int round = 0; round < 500; round++) {
        draw(&nnls, 1 + (size_t)(uniform() * 5), &square);
        nnls_solve(&nnls);
        assert_true(fabs(nnls_explained(&nnls) - best_of_all(&nnls)) < 1e-9 * square);
    }
}

/* Another column's products, as they are in a problem of the same size. */
static void change_column(struct nnls *nnls, const struct nnls *other, size_t column)
{
    for (size_t k = 0; k < nnls->count; k++)
        nnls->gram[column][k] = nnls->gram[k][column] = other->gram[column][k];
    nnls->moment[column] = other->moment[column];
}

/* What is kept of the last solution changes nothing in the next one, whichever column changes. */
static void test_one_column_changed(void **unused)
{
    static struct nnls nnls, fresh, other;
    double square, other_square;

    (void)unused;
    state = 4;
    for (int round = 0; round < 200; round++) {
        draw(&nnls, 2 + (size_t)(uniform() * (NNLS_MAX - 2)), &square);
        nnls_solve(&nnls);
        for (int change = 0; change < 20; change++) {
            size_t column = (size_t)(uniform() * (double)nnls.count);
            draw(&other, nnls.count, &other_square);
            /* Halfway to another column the matrix stays positive definite. */
            for (size_t k = 0; k < nnls.count; k++)
                other.gram[column][k] = 0.5 * nnls.gram[column][k];
            other.gram[column][column] = nnls.gram[column][column] * (0.3 + uniform());
            change_column(&nnls, &other, column);
            nnls_solve_changed(&nnls, column);
            fresh = nnls;
            nnls_solve(&fresh);
            assert_optimal(&nnls);
            assert_true(fabs(nnls_explained(&nnls) - nnls_explained(&fresh)) < 1e-9 * square);
        }
    }
}

/* A column beside those in use: what is left of it is what its own pivot would be. */
static void test_what_is_left(void **unused)
{
    static struct nnls nnls, with;
    double square;
    int seen = 0;

    (void)unused;
    state = 5;
    for (int round = 0; round < 200; round++) {
        double products[NNLS_MAX], left;
        draw(&nnls, 6, &square);
        nnls_solve(&nnls);
        for (size_t i = 0; i < nnls.passive_count; i++)
            products[i] = nnls.gram[5][nnls.passive[i]];
        with = nnls;
        left = nnls_left(&nnls, products, nnls.gram[5][5]);
        if (with.in_passive[5]) {
            assert_true(fabs(left) < 1e-9);
            continue;
        }
        /* So much of it that it is used beside the same others. */
        with.moment[5] += 0.3;
        nnls_solve_changed(&with, 5);
        if (with.passive_count != nnls.passive_count + 1 ||
            memcmp(with.passive, nnls.passive, nnls.passive_count * sizeof *nnls.passive) != 0)
            continue;
        assert_true(fabs(left * with.inverse[nnls.passive_count] - 1) < 1e-9);
        seen++;
    }
    assert_true(seen > 5);
}

static void test_dependent_columns(void **unused)
{
    static struct nnls nnls;
    double square, explained;

    (void)unused;
    state = 3;
    draw(&nnls, 4, &square);
    nnls_solve(&nnls);
    explained = nnls_explained(&nnls);
    /* Column 4 is column 0 twice over, column 5 is nothing. */
    nnls.count = 6;
    for (size_t k = 0; k < 4; k++)
        nnls.gram[4][k] = nnls.gram[k][4] = 2 * nnls.gram[0][k];
    nnls.gram[4][4] = 4 * nnls.gram[0][0];
    nnls.moment[4] = 2 * nnls.moment[0];
    nnls_solve(&nnls);
    assert_true(fabs(nnls_explained(&nnls) - explained) < 1e-9 * square);
    assert_true(nnls.x[5] == 0);
}

static void test_inverse(void **unused)
{
    double matrix[3][4] = {{1, 0.5, 0.2, 9}, {0.5, 1, -0.3, 9}, {0.2, -0.3, 1, 9}}, before[3][4];
    double singular[2][2] = {{1, 1}, {1, 1}};

    (void)unused;
    memcpy(before, matrix, sizeof before);
    assert_true(nnls_invert(&matrix[0][0], 3, 4));
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            double sum = 0;
            for (size_t m = 0; m < 3; m++)
                sum += before[i][m] * matrix[m][k];
            assert_true(fabs(sum - (i == k)) < 1e-12);
        }
    assert_true(matrix[0][3] == 9);
    assert_false(nnls_invert(&singular[0][0], 2, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),         cmocka_unit_test(test_against_every_set),
        cmocka_unit_test(test_one_column_changed), cmocka_unit_test(test_what_is_left),
        cmocka_unit_test(test_dependent_columns),  cmocka_unit_test(test_inverse),
    };

    return cmocka_run_group_tests_name("nnls", tests, NULL, NULL);
}
