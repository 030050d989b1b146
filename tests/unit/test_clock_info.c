/* SPDX-License-Identifier: BSD-2-Clause */
/* A declared clock and a measured one: which of them is believed, and when that is reported. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/clock/info.h"

static struct clock_remark remark;

static struct clock_info adopt(struct clock_declared declared, double measured_hz,
                               double spread_ppm)
{
    struct refclock_result measured = {.hz = measured_hz, .spread_ppm = spread_ppm};
    struct clock_info info;

    declared.source = declared.hz != 0 ? "as declared" : "";
    info = clock_info_declared(&declared);
    assert_int_equal(info.hz, declared.hz);
    clock_info_adopt(&info, "HPET", &measured, &remark);
    return info;
}

static struct clock_info adopt_grade(enum clock_grade grade, uint64_t hz, double measured_hz,
                                     double spread_ppm)
{
    return adopt((struct clock_declared){.hz = hz, .grade = grade}, measured_hz, spread_ppm);
}

/* A CPU that declares numerator / 2 of a crystal, and by leaf 16h base_hz. */
static struct clock_info adopt_ratio(uint32_t numerator, uint64_t base_hz, double measured_hz,
                                     double spread_ppm)
{
    return adopt((struct clock_declared){.hz = base_hz,
                                         .grade = CLOCK_INFERRED,
                                         .crystal_numerator = numerator,
                                         .crystal_denominator = 2},
                 measured_hz, spread_ppm);
}

static void expect(const struct clock_info *info, uint64_t hz, enum clock_choice choice,
                   const char *source)
{
    assert_int_equal(info->hz, hz);
    assert_int_equal(info->choice, choice);
    assert_string_equal(info->source, source);
}

static void expect_remark(enum severity severity, const char *what, const char *why)
{
    assert_non_null(remark.what);
    assert_int_equal(remark.severity, severity);
    assert_string_equal(remark.what, what);
    assert_string_equal(remark.why, why);
}

static void the_measured_one_where_nothing_is_declared(void **state)
{
    struct clock_info info = adopt_grade(CLOCK_EXACT, 0, 2399999999.6, 170);

    (void)state;
    expect(&info, 2400000000, CLOCK_MEASURED, "HPET");
    assert_true(info.check_ppm == 170);
    assert_null(remark.what);
}

static void exact_and_label_stay(void **state)
{
    static const enum clock_grade grades[] = {CLOCK_EXACT, CLOCK_LABEL};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct clock_info info = adopt_grade(grades[i], 2400000000, 2400000000 / 1.000999, 17);

        expect(&info, 2400000000, CLOCK_DECLARED, "as declared");
        assert_true(fabs(info.check_ppm - 999) < 0.01);
        assert_null(remark.what);
    }
}

static void a_disagreement_is_reported_either_way(void **state)
{
    static const double factors[] = {1.0015, 0.9985};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct clock_info info = adopt_grade(CLOCK_EXACT, 1000000000, 1e9 / factors[i], 17);

        expect(&info, 1000000000, CLOCK_DECLARED, "as declared");
        assert_true(fabs(info.check_ppm - (factors[i] - 1) * 1e6) < 0.01);
        expect_remark(SEVERITY_WARNING, "clocks disagree",
                      "as declared and HPET differ by 1500 ppm; the declared frequency is used");
    }
}

/* A Skylake whose figures a kernel log has: 3999.984 detected, 4008.064 refined. */
static void a_nominal_one_gives_way(void **state)
{
    struct clock_info info = adopt_grade(CLOCK_NOMINAL, 3999984000, 4008064000, 49);

    (void)state;
    expect(&info, 4008064000, CLOCK_MEASURED, "HPET");
    assert_int_equal(info.declared.hz, 3999984000);
    assert_true(info.check_ppm == 49);
    expect_remark(SEVERITY_INFO, "clock is not as declared",
                  "as declared says 3999.984 MHz, which is nominal; 4008.064 MHz by HPET is used");
    /* so close that no note is needed */
    info = adopt_grade(CLOCK_NOMINAL, 4000000000, 4003000000, 0);
    expect(&info, 4003000000, CLOCK_MEASURED, "HPET");
    assert_null(remark.what);
}

static void not_to_a_measurement_that_spreads(void **state)
{
    struct clock_info info = adopt_grade(CLOCK_NOMINAL, 4000000000, 4003000000, 50);

    (void)state;
    expect(&info, 4000000000, CLOCK_DECLARED, "as declared");
    expect_remark(SEVERITY_WARNING, "clock known roughly",
                  "as declared is nominal, and the windows of HPET differ by 50 ppm; the declared "
                  "frequency is used");
    assert_true(clock_info_wants_longer(&info, &(struct refclock_result){.spread_ppm = 50}));
    assert_false(clock_info_wants_longer(&info, &(struct refclock_result){.spread_ppm = 49}));
    info = adopt_grade(CLOCK_EXACT, 4000000000, 4003000000, 50);
    assert_null(remark.what);
    assert_false(clock_info_wants_longer(&info, &(struct refclock_result){.spread_ppm = 50}));
}

/* A base clock that the board sets to 105 MHz, and a timer that counts twice. */
static void percents_are_plausible_halves_are_not(void **state)
{
    struct clock_info info = adopt_grade(CLOCK_NOMINAL, 4000000000, 4200000000, 10);

    (void)state;
    expect(&info, 4200000000, CLOCK_MEASURED, "HPET");
    info = adopt_grade(CLOCK_NOMINAL, 4000000000, 2000000000, 10);
    expect(&info, 4000000000, CLOCK_DECLARED, "as declared");
    expect_remark(SEVERITY_WARNING, "clocks disagree",
                  "as declared and HPET differ by 1000000 ppm; the declared frequency is used");
}

/* By leaf 16h a crystal of 24 MHz comes out as 23.9; one model ships with 24 and with 25. */
static void a_ratio_finds_its_crystal(void **state)
{
    static const struct {
        uint32_t numerator;
        uint64_t base_hz, crystal_hz, hz;
        const char *source;
    } parts[] = {
        {292, 3500000000, 24000000, 3504000000, "CPUID 15h, 24 MHz crystal"},
        {292, 3500000000, 25000000, 3650000000, "CPUID 15h, 25 MHz crystal"},
        {168, 3200000000, 38400000, 3225600000, "CPUID 15h, 38.4 MHz crystal"},
        {292, 0, 24000000, 3504000000, "CPUID 15h, 24 MHz crystal"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double off = 1 + sign * 999e-6;
            struct clock_info info =
                adopt_ratio(parts[i].numerator, parts[i].base_hz, (double)parts[i].hz / off, 400);

            expect(&info, parts[i].hz, CLOCK_CRYSTAL, parts[i].source);
            assert_int_equal(info.crystal_hz, parts[i].crystal_hz);
            assert_true(fabs(info.check_ppm - sign * 999) < 0.01);
        }
    (void)adopt_ratio(292, 3500000000, 3504000000, 10);
    expect_remark(SEVERITY_INFO, "clock is not as declared",
                  "as declared says 3500.000 MHz, which is inferred; 3504.000 MHz by CPUID 15h, "
                  "24 MHz crystal is used");
}

/* Spread spectrum takes 0.25 % from a crystal of 25 MHz: that is none of the three. */
static void else_the_second_clock_is_used(void **state)
{
    struct clock_info info = adopt_ratio(200, 2500000000, 2500000000 * 0.9975, 20);

    (void)state;
    expect(&info, 2493750000, CLOCK_MEASURED, "HPET");
    assert_int_equal(info.crystal_hz, 0);
    info = adopt_ratio(200, 2500000000, 2500000000 * 0.9975, 60);
    expect(&info, 2500000000, CLOCK_DECLARED, "as declared");
    /* the crystal of an exact declaration is not read */
    info = adopt_grade(CLOCK_EXACT, 2500000000, 2400000000, 20);
    expect(&info, 2500000000, CLOCK_DECLARED, "as declared");
}

static void without_a_second_clock(void **state)
{
    struct clock_info info = {.hz = 1, .source = "MSR 0xce"};

    (void)state;
    info.declared = (struct clock_declared){.hz = 1, .grade = CLOCK_NOMINAL};
    clock_info_unmeasured(&info, &remark);
    expect_remark(SEVERITY_WARNING, "clock known roughly",
                  "MSR 0xce is nominal and no second clock measures it; real ones are off by some "
                  "1000 ppm");
    info.declared.grade = CLOCK_LABEL;
    clock_info_unmeasured(&info, &remark);
    assert_null(remark.what);
    info.declared = (struct clock_declared){.hz = 0, .grade = CLOCK_INFERRED};
    clock_info_unmeasured(&info, &remark);
    assert_null(remark.what);
}

/* The calendar is the check itself where there is no second clock, else one more. */
static void what_disagrees_is_named(void **state)
{
    struct clock_check check = {.known = true, .ppm = 1000, .calendar_ppm = 5000};
    double ppm;

    (void)state;
    assert_null(clock_check_disagrees(&check, &ppm));
    check.calendar_s = 60;
    assert_string_equal(clock_check_disagrees(&check, &ppm), "calendar");
    assert_true(ppm == 5000);
    check.ppm = -1001;
    assert_string_equal(clock_check_disagrees(&check, &ppm), "second clock");
    assert_true(ppm == -1001);
    check.known = false;
    check.calendar_ppm = -1000;
    assert_null(clock_check_disagrees(&check, &ppm));

    check = (struct clock_check){.calendar_ppm = 7, .calendar_s = 12};
    clock_check_by_calendar(&check, "calendar");
    assert_true(check.known && check.ppm == 7 && check.seconds == 12);
    assert_string_equal(check.source, "calendar");
    check = (struct clock_check){.calendar_s = 0};
    clock_check_by_calendar(&check, "calendar");
    assert_false(check.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_measured_one_where_nothing_is_declared),
        cmocka_unit_test(exact_and_label_stay),
        cmocka_unit_test(a_disagreement_is_reported_either_way),
        cmocka_unit_test(a_nominal_one_gives_way),
        cmocka_unit_test(not_to_a_measurement_that_spreads),
        cmocka_unit_test(percents_are_plausible_halves_are_not),
        cmocka_unit_test(a_ratio_finds_its_crystal),
        cmocka_unit_test(else_the_second_clock_is_used),
        cmocka_unit_test(without_a_second_clock),
        cmocka_unit_test(what_disagrees_is_named),
    };
    return cmocka_run_group_tests_name("clock info", tests, NULL, NULL);
}
