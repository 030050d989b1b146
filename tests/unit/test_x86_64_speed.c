/* SPDX-License-Identifier: BSD-2-Clause */
/* Highest frequencies over scripted MSRs: which register, what is written, and what refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/x86_64/pure_speed.h"
#include "tests/unit/support_cpuid.h"
#include "tests/unit/support_msr.h"

#define BIT(n)  (1ull << (n))
#define CTL     0x199
#define MISC    0x1a0
#define TURBO   0x1ad
#define INFO    0xce
#define HWP     0x770
#define CAPS    0x771
#define REQUEST 0x774
#define UNCORE  0x620

struct scene {
    struct cpuid_set cpuid;
    struct msr_model model;
    struct prefetch_port port;
    struct x86_64_speed speed;
    struct speed_report report;
};

static void put(struct scene *scene, uint32_t msr, uint64_t value)
{
    msr_model_at(&scene->model, msr)->value = value;
}

static void start(struct scene *scene, const struct cpuid_set *cpu, bool hwp, bool eist)
{
    memset(scene, 0, sizeof *scene);
    scene->cpuid = *cpu;
    cpuid_set_at(&scene->cpuid, 6, 0)->eax &= ~(uint32_t)BIT(7);
    cpuid_set_at(&scene->cpuid, 1, 0)->ecx &= ~(uint32_t)BIT(7);
    cpuid_set_at(&scene->cpuid, 6, 0)->eax |= hwp ? BIT(7) : 0;
    cpuid_set_at(&scene->cpuid, 1, 0)->ecx |= eist ? BIT(7) : 0;
    scene->port = msr_model_port(&scene->model);
}

static void try_it(struct scene *scene, enum speed_kind kind)
{
    struct cpuid_source source = cpuid_set_source(&scene->cpuid);

    x86_64_speed_start(&scene->speed, kind, &source);
    x86_64_speed_try(&scene->speed, &scene->port, &scene->report);
    assert_int_equal(scene->model.unlisted, 0);
}

/* The value inside a bracket and after it, and that nothing else was ever written. */
static void check_bracket(struct scene *scene, uint32_t msr, uint64_t inside)
{
    struct msr_model_register *reg = msr_model_at(&scene->model, msr);
    uint64_t before = reg->value;

    x86_64_speed_enter(&scene->speed, &scene->port);
    assert_true(reg->value == inside);
    x86_64_speed_enter(&scene->speed, &scene->port);
    x86_64_speed_leave(&scene->speed, &scene->port);
    assert_true(reg->value == before);
    reg->value ^= 1;
    x86_64_speed_leave(&scene->speed, &scene->port);
    assert_true(reg->value == (before ^ 1));
    reg->value = before;
    for (size_t i = 0; i < scene->model.logged; i++)
        assert_int_equal(scene->model.log[i], msr);
}

static void check_unsupported(struct scene *scene, const char *why)
{
    assert_int_equal(scene->report.state, SPEED_UNSUPPORTED);
    assert_string_equal(scene->report.why, why);
    x86_64_speed_enter(&scene->speed, &scene->port);
    x86_64_speed_leave(&scene->speed, &scene->port);
    assert_int_equal(scene->model.logged, 0);
}

static void start_hwp(struct scene *scene, uint64_t request)
{
    start(scene, &cpuid_alder_p, true, true);
    put(scene, HWP, 1);
    put(scene, CAPS, 0x0108264c);
    put(scene, REQUEST, request);
}

static void with_hwp_on_its_request_alone_is_written(void **state)
{
    /* preference 0x80, desired 0x10, maximum 0x20, minimum 8; the package's request stands in */
    const uint64_t request = BIT(42) | 0x80102008;
    struct scene scene;

    (void)state;
    start_hwp(&scene, request);
    try_it(&scene, SPEED_PSTATE);
    assert_int_equal(scene.report.state, SPEED_AT_MAX);
    assert_true(scene.report.requested == 0x4c00 && scene.report.readback == 0x4c00);
    assert_true(msr_model_at(&scene.model, REQUEST)->value == request);
    check_bracket(&scene, REQUEST, 0x80004c08);
}

static void what_is_at_its_maximum_is_not_written(void **state)
{
    struct scene scene;

    (void)state;
    start_hwp(&scene, 0x80004c08);
    try_it(&scene, SPEED_PSTATE);
    assert_int_equal(scene.report.state, SPEED_AT_MAX);
    assert_int_equal(scene.model.logged, 0);
    /* a request above the highest does the same, and is not lowered */
    start_hwp(&scene, 0x8000ff08);
    try_it(&scene, SPEED_PSTATE);
    assert_int_equal(scene.report.state, SPEED_AT_MAX);
    assert_int_equal(scene.model.logged, 0);
}

static void start_ratios(struct scene *scene, bool hwp)
{
    start(scene, &cpuid_alder_p, hwp, true);
    put(scene, MISC, BIT(16));
    put(scene, CTL, BIT(32) | 0x0800);
    put(scene, TURBO, 0x2f30313233343536);
    put(scene, INFO, 0x1e00);
}

/* HWP that is there and off stays off. */
static void without_hwp_the_ratio_is_that_of_turbo(void **state)
{
    struct scene scene;

    (void)state;
    for (unsigned hwp = 0; hwp < 2; hwp++) {
        start_ratios(&scene, hwp);
        if (hwp)
            put(&scene, HWP, 0);
        try_it(&scene, SPEED_PSTATE);
        assert_int_equal(scene.report.state, SPEED_AT_MAX);
        check_bracket(&scene, CTL, 0x3600);
    }
}

static void without_turbo_limits_the_ratio_is_the_base(void **state)
{
    struct scene scene;

    (void)state;
    start_ratios(&scene, false);
    msr_model_at(&scene.model, TURBO)->read_faults = true;
    try_it(&scene, SPEED_PSTATE);
    check_bracket(&scene, CTL, 0x1e00);
    /* Knights Landing has a number of cores where others have the ratio */
    start_ratios(&scene, false);
    put(&scene, TURBO, 0x0f04);
    try_it(&scene, SPEED_PSTATE);
    check_bracket(&scene, CTL, 0x1e00);
}

static void a_core_without_a_control_says_why(void **state)
{
    struct scene scene;

    (void)state;
    start(&scene, &cpuid_alder_p, false, false);
    try_it(&scene, SPEED_PSTATE);
    check_unsupported(&scene, "this CPU has neither HWP nor SpeedStep");
    start_ratios(&scene, false);
    put(&scene, MISC, 0);
    try_it(&scene, SPEED_PSTATE);
    check_unsupported(&scene, "SpeedStep is off (MSR 0x1a0 bit 16), HWP too");
    start(&scene, &cpuid_core2, false, true);
    put(&scene, MISC, BIT(16));
    try_it(&scene, SPEED_PSTATE);
    check_unsupported(&scene, "this model's largest ratio is not known (MSR 0x1ad, 0xce)");
    start_ratios(&scene, true);
    msr_model_at(&scene.model, HWP)->read_faults = true;
    try_it(&scene, SPEED_PSTATE);
    check_unsupported(&scene, "MSR 0x770 cannot be read: HWP may be on");
    start_hwp(&scene, 0);
    msr_model_at(&scene.model, CAPS)->read_faults = true;
    try_it(&scene, SPEED_PSTATE);
    check_unsupported(&scene, "HWP is on, and MSR 0x771 or 0x774 cannot be read");
    start(&scene, &cpuid_zen4, true, true);
    try_it(&scene, SPEED_PSTATE);
    check_unsupported(&scene, "P-states of AMD are not switched: CPPC stays on until reset");
    start(&scene, &cpuid_alder_p, true, true);
    cpuid_set_at(&scene.cpuid, 1, 0)->edx &= ~(uint32_t)BIT(5);
    try_it(&scene, SPEED_PSTATE);
    check_unsupported(&scene, "this CPU has no model-specific registers");
}

static void the_uncore_rises_to_its_present_maximum(void **state)
{
    struct scene scene;

    (void)state;
    start(&scene, &cpuid_alder_p, true, true);
    put(&scene, UNCORE, 0xabcd882c);
    try_it(&scene, SPEED_UNCORE);
    assert_int_equal(scene.report.state, SPEED_AT_MAX);
    check_bracket(&scene, UNCORE, 0xabcdac2c);
    put(&scene, UNCORE, 0x0800);
    scene.model.logged = 0;
    try_it(&scene, SPEED_UNCORE);
    check_unsupported(&scene, "MSR 0x620 holds no maximum");
    msr_model_at(&scene.model, UNCORE)->read_faults = true;
    try_it(&scene, SPEED_UNCORE);
    check_unsupported(&scene, "MSR 0x620 cannot be read");
    start(&scene, &cpuid_core2, true, true);
    try_it(&scene, SPEED_UNCORE);
    check_unsupported(&scene, "MSR 0x620 is not documented for this model; later ones use TPMI");
    start(&scene, &cpuid_zen4, true, true);
    try_it(&scene, SPEED_UNCORE);
    check_unsupported(&scene, "no register of AMD's fabric frequency is documented");
}

static void what_refuses_is_reported_and_left_alone(void **state)
{
    struct scene scene;

    (void)state;
    start_hwp(&scene, 0x2008);
    msr_model_at(&scene.model, REQUEST)->write_faults = true;
    try_it(&scene, SPEED_PSTATE);
    assert_int_equal(scene.report.state, SPEED_REFUSED);
    assert_true(scene.report.requested == 0x4c00 && scene.report.readback == 0x2000);
    scene.model.logged = 0;
    check_bracket(&scene, REQUEST, 0x2008);
    assert_int_equal(scene.model.logged, 0);

    start_hwp(&scene, 0x2008);
    msr_model_at(&scene.model, REQUEST)->locked = 0xff00;
    try_it(&scene, SPEED_PSTATE);
    assert_int_equal(scene.report.state, SPEED_NOT_HONOURED);
    assert_true(scene.report.readback == 0x2000);
    assert_false(scene.report.stuck);
    scene.model.logged = 0;
    check_bracket(&scene, REQUEST, 0x2008);
    assert_int_equal(scene.model.logged, 0);
}

static void what_cannot_be_restored_is_not_written_twice(void **state)
{
    struct scene scene;

    (void)state;
    start_hwp(&scene, 0x2008);
    msr_model_at(&scene.model, REQUEST)->sticky = 0xff00;
    try_it(&scene, SPEED_PSTATE);
    assert_true(scene.report.stuck);
    scene.model.logged = 0;
    x86_64_speed_enter(&scene.speed, &scene.port);
    x86_64_speed_leave(&scene.speed, &scene.port);
    assert_int_equal(scene.model.logged, 0);
}

/* What a dump must hold: all that is ever written on this CPU. */
static void the_registers_written_are_listed(void **state)
{
    uint32_t list[SPEED_MSRS_MAX];
    struct cpuid_source source;
    struct scene scene;

    (void)state;
    start(&scene, &cpuid_alder_p, true, true);
    source = cpuid_set_source(&scene.cpuid);
    assert_int_equal(x86_64_speed_msrs(&source, list), 3);
    assert_true(list[0] == REQUEST && list[1] == CTL && list[2] == UNCORE);
    start(&scene, &cpuid_core2, false, true);
    source = cpuid_set_source(&scene.cpuid);
    assert_int_equal(x86_64_speed_msrs(&source, list), 1);
    assert_true(list[0] == CTL);
    start(&scene, &cpuid_zen4, true, true);
    source = cpuid_set_source(&scene.cpuid);
    assert_int_equal(x86_64_speed_msrs(&source, list), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_hwp_on_its_request_alone_is_written),
        cmocka_unit_test(what_is_at_its_maximum_is_not_written),
        cmocka_unit_test(without_hwp_the_ratio_is_that_of_turbo),
        cmocka_unit_test(without_turbo_limits_the_ratio_is_the_base),
        cmocka_unit_test(a_core_without_a_control_says_why),
        cmocka_unit_test(the_uncore_rises_to_its_present_maximum),
        cmocka_unit_test(what_refuses_is_reported_and_left_alone),
        cmocka_unit_test(what_cannot_be_restored_is_not_written_twice),
        cmocka_unit_test(the_registers_written_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
