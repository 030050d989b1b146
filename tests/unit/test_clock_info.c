/* SPDX-License-Identifier: BSD-2-Clause */
/* A declared clock and a measured one: which of them is believed, and when that is said. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/clock/info.h"

static char why[CLOCK_INFO_WHY_BYTES];
static bool apart;

static struct clock_info adopt(uint64_t declared_hz, double measured_hz)
{
    struct clock_info info = {.hz = declared_hz, .source = "CPUID 15h"};
    struct refclock_result measured = {.hz = measured_hz, .spread_ppm = 17};

    apart = clock_info_adopt(&info, "HPET", &measured, why);
    return info;
}

static void the_measured_one_where_nothing_is_declared(void **state)
{
    struct clock_info info = adopt(0, 2399999999.6);

    (void)state;
    assert_int_equal(info.hz, 2400000000);
    assert_string_equal(info.source, "HPET");
    assert_true(info.check_ppm == 17);
    assert_false(apart);
}

static void the_declared_one_stays(void **state)
{
    struct clock_info info = adopt(2400000000, 2400000000 / 1.000999);

    (void)state;
    assert_int_equal(info.hz, 2400000000);
    assert_string_equal(info.source, "CPUID 15h");
    assert_true(fabs(info.check_ppm - 999) < 0.01);
    assert_false(apart);
}

static void a_disagreement_is_said_either_way(void **state)
{
    static const double factors[] = {1.0015, 0.9985};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct clock_info info = adopt(1000000000, 1e9 / factors[i]);
        assert_int_equal(info.hz, 1000000000);
        assert_true(fabs(info.check_ppm - (factors[i] - 1) * 1e6) < 0.01);
        assert_true(apart);
        assert_string_equal(
            why, "CPUID 15h and HPET differ by 1500 ppm; the declared frequency is used");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measured_one_where_nothing_is_declared),
        cmocka_unit_test(the_declared_one_stays),
        cmocka_unit_test(a_disagreement_is_said_either_way),
    };
    return cmocka_run_group_tests_name("clock info", tests, NULL, NULL);
}
