/* SPDX-License-Identifier: BSD-2-Clause */
/* core/experiments/flushed.c: what a flushed line's cost says beside the headline. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/experiments/flushed.h"

static void what_the_difference_says(void **state)
{
    static const struct {
        struct figure flushed, headline;
        enum flushed_verdict verdict;
    } cases[] = {
        {{80, 0.1}, {80.3, 0.1}, FLUSHED_AGREES},
        {{80.7, 0.01}, {80, 0.01}, FLUSHED_AGREES}, /* beyond error, but within 1 % */
        {{79.3, 0.01}, {80, 0.01}, FLUSHED_AGREES},
        {{81, 0.01}, {80, 0.01}, FLUSHED_HIGHER},
        {{79, 0.01}, {80, 0.01}, FLUSHED_LOWER},
        {{75, 2.6}, {80, 0.1}, FLUSHED_AGREES}, /* not beyond two standard errors */
        {{75, 2.4}, {80, 0.1}, FLUSHED_LOWER},
        {{75, 0.1}, {80, 2.6}, FLUSHED_AGREES},
        {{30, 0.1}, {80, 0.1}, FLUSHED_LOWER},
        {{90, 0.1}, {80, 0.1}, FLUSHED_HIGHER},
        {{NAN, 0.1}, {80, 0.1}, FLUSHED_UNDECIDED},
        {{30, NAN}, {80, 0.1}, FLUSHED_UNDECIDED},
        {{30, 0.1}, {NAN, NAN}, FLUSHED_UNDECIDED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct figure difference;
        assert_int_equal(flushed_judge(cases[i].flushed, cases[i].headline, &difference),
                         cases[i].verdict);
        if (cases[i].verdict != FLUSHED_UNDECIDED)
            assert_true(difference.value == cases[i].flushed.value - cases[i].headline.value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_the_difference_says)};
    return cmocka_run_group_tests_name("flushed", tests, NULL, NULL);
}
