/* SPDX-License-Identifier: BSD-2-Clause */
/* Core's own square root, logarithm and exponential against libm, over their whole ranges. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "core/lib/real.h"

#define CASES   400000
#define NEAREST 1e-12

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state ^ *state >> 29;
}

/* Any positive finite double, each bit pattern equally likely: every exponent, subnormals too. */
static double any_positive(uint64_t *state)
{
    uint64_t word = (next(state) >> 1) % 0x7ff0000000000000ull;
    double x;

    memcpy(&x, &word, sizeof x);
    return x;
}

static double between(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(next(state) >> 11) * 0x1p-53);
}

static void assert_near(double got, double expected, double x, double min)
{
    double scale = fabs(expected) > min ? fabs(expected) : min;

    if (!(fabs(got - expected) <= NEAREST * scale)) {
        print_error("at %.17g (%a): %.17g, libm says %.17g\n", x, x, got, expected);
        fail();
    }
}

static void test_log(void **unused)
{
    uint64_t state = 1;

    (void)unused;
    for (int i = 0; i < CASES; i++) {
        double x = any_positive(&state);
        if (x > 0)
            assert_near(real_log(x), log(x), x, 0);
        x = between(&state, 0.5, 2);
        assert_near(real_log(x), log(x), x, 0);
        x = 1 + between(&state, -1, 1) * exp(between(&state, -36, -1));
        assert_near(real_log(x), log(x), x, 0);
    }
    assert_near(real_log(DBL_MAX), log(DBL_MAX), DBL_MAX, 0);
    assert_near(real_log(DBL_MIN), log(DBL_MIN), DBL_MIN, 0);
    assert_near(real_log(0x1p-1074), log(0x1p-1074), 0x1p-1074, 0);
}

static void test_log_at_its_limits(void **unused)
{
    (void)unused;
    assert_true(real_log(1) == 0);
    assert_true(real_log(0) == -INFINITY);
    assert_true(real_log(INFINITY) == INFINITY);
    assert_true(isnan(real_log(-1)));
    assert_true(isnan(real_log(NAN)));
}

static void test_exp(void **unused)
{
    uint64_t state = 2;

    (void)unused;
    for (int i = 0; i < CASES; i++) {
        double x = between(&state, -746, 709.7);
        /* Below the smallest normal number a double has fewer than 12 digits itself. */
        double min = x < -708 ? DBL_MIN : 0;
        assert_near(real_exp(x), exp(x), x, min);
        x = between(&state, -2, 2);
        assert_near(real_exp(x), exp(x), x, 0);
        x = between(&state, -1, 1) * 1e-9;
        assert_near(real_exp(x), exp(x), x, 0);
    }
}

static void test_exp_at_its_limits(void **unused)
{
    (void)unused;
    assert_true(real_exp(0) == 1);
    assert_true(real_exp(-INFINITY) == 0);
    assert_true(real_exp(-1e9) == 0);
    assert_true(real_exp(INFINITY) == INFINITY);
    assert_true(real_exp(1e9) == INFINITY);
    assert_true(isnan(real_exp(NAN)));
    assert_near(real_exp(709.78), exp(709.78), 709.78, 0);
}

static void test_sqrt(void **unused)
{
    uint64_t state = 3;

    (void)unused;
    for (int i = 0; i < CASES; i++) {
        double x = any_positive(&state);
        if (x > 1e-290 && x < 1e300)
            assert_near(real_sqrt(x), sqrt(x), x, 0);
        x = between(&state, 0, 1e6);
        assert_near(real_sqrt(x), sqrt(x), x, 0);
    }
    assert_true(real_sqrt(0) == 0);
    assert_true(real_sqrt(-1) == 0);
    assert_true(real_sqrt(NAN) == 0);
    assert_true(real_hypotenuse(3, 4) == 5);
    assert_true(isnan(real_hypotenuse(3, NAN)) && isnan(real_hypotenuse(NAN, 4)));
}

static void test_finite(void **unused)
{
    (void)unused;
    assert_true(real_is_finite(0));
    assert_true(real_is_finite(-DBL_MAX));
    assert_false(real_is_finite(INFINITY));
    assert_false(real_is_finite(-INFINITY));
    assert_false(real_is_finite(NAN));
    assert_true(real_abs(-2.5) == 2.5);
    assert_true(real_abs(2.5) == 2.5);
}

static void test_circle(void **unused)
{
    uint64_t state = 4;

    (void)unused;
    for (int i = 0; i < CASES; i++) {
        uint64_t turn = next(&state) + (uint64_t)i * 0x2000000000000000ull;
        double angle = (double)turn * (6.283185307179586 * 0x1p-64), cosine, sine;
        real_circle(turn, &cosine, &sine);
        assert_true(fabs(cosine - cos(angle)) < 1e-9 && fabs(sine - sin(angle)) < 1e-9);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_log),    cmocka_unit_test(test_log_at_its_limits),
        cmocka_unit_test(test_exp),    cmocka_unit_test(test_exp_at_its_limits),
        cmocka_unit_test(test_sqrt),   cmocka_unit_test(test_finite),
        cmocka_unit_test(test_circle),
    };

    return cmocka_run_group_tests_name("real", tests, NULL, NULL);
}
