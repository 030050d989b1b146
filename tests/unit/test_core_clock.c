/* SPDX-License-Identifier: BSD-2-Clause */
/* A core's frequency against its base. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/measure/core_clock.h"

static void over_base(void **state)
{
    (void)state;
    assert_true(core_clock_over_base(3e9, 2000000000) == 1.5);
    assert_true(isnan(core_clock_over_base(3e9, 0)));
    assert_true(isnan(core_clock_over_base(0, 2000000000)));
    assert_true(isnan(core_clock_over_base(NAN, 2000000000)));
}

/* A nominal base may be off by 0.4 %. */
static void below_base(void **state)
{
    (void)state;
    assert_true(core_clock_is_below_base(0.989));
    assert_false(core_clock_is_below_base(0.996));
    assert_false(core_clock_is_below_base(1.5));
    assert_false(core_clock_is_below_base(NAN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_base),
        cmocka_unit_test(below_base),
    };
    return cmocka_run_group_tests_name("core clock", tests, NULL, NULL);
}
