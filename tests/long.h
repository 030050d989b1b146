/* SPDX-License-Identifier: BSD-2-Clause */
/* Tests that take long: `make test` leaves them out and has others try fewer cases, `make
 * test-long` sets BARECHASE_LONG in the environment of test programs and so runs them all. */
#ifndef BARECHASE_TESTS_LONG_H
#define BARECHASE_TESTS_LONG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Whether tests may take long. */
static inline bool tests_are_long(void)
{
    return getenv("BARECHASE_LONG") != NULL;
}

/* An entry of a table of tests, as cmocka_unit_test, for a test that only make test-long runs. */
#define LONG_TEST(function)                            \
    {                                                  \
        "long: " #function, function, NULL, NULL, NULL \
    }

/* Before tests are run: leaves out the long ones, unless they may take long. */
static inline void tests_leave_out_long(void)
{
    cmocka_set_skip_filter(tests_are_long() ? NULL : "long: *");
}

/* Runs a table of tests, without its long ones unless they may take long; how many failed. */
#define RUN_TESTS(tests) (tests_leave_out_long(), cmocka_run_group_tests(tests, NULL, NULL))

#endif
