/* SPDX-License-Identifier: BSD-2-Clause */
/* Turbo over scripted MSRs: which bit, trial, enter, leave, and what refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/x86_64/pure_turbo.h"
#include "tests/unit/support_cpuid.h"
#include "tests/unit/support_msr.h"

#define BIT(n)      (1ull << (n))
#define MISC        0x1a0
#define HWCR        0xc0010015
#define MISC_BEFORE 0x850089ull
#define HWCR_BEFORE 0x1000010ull
#define TURBO_INTEL BIT(38)
#define TURBO_AMD   BIT(25)

struct scene {
    struct cpuid_set cpuid;
    struct msr_model model;
    struct prefetch_port port;
    struct x86_64_turbo turbo;
    struct turbo_report report;
};

static struct msr_model_register *start(struct scene *scene, const struct cpuid_set *cpu,
                                        uint32_t msr, uint64_t value)
{
    struct msr_model_register *reg;

    memset(scene, 0, sizeof *scene);
    scene->cpuid = *cpu;
    if (msr == MISC)
        cpuid_set_at(&scene->cpuid, 6, 0)->eax |= 2;
    else
        cpuid_set_at(&scene->cpuid, 0x80000007, 0)->edx |= BIT(9);
    reg = msr_model_at(&scene->model, msr);
    reg->value = value;
    scene->port = msr_model_port(&scene->model);
    return reg;
}

static void try_it(struct scene *scene, enum turbo_choice choice)
{
    struct cpuid_source source = cpuid_set_source(&scene->cpuid);

    x86_64_turbo_start(&scene->turbo, &source);
    x86_64_turbo_try(&scene->turbo, choice, &scene->port, &scene->report);
    assert_int_equal(scene->model.unlisted, 0);
}

/* The value inside a bracket, and the whole register as it was afterwards. */
static void check_bracket(struct scene *scene, struct msr_model_register *reg, uint64_t inside)
{
    uint64_t before = reg->value;

    x86_64_turbo_enter(&scene->turbo, &scene->port);
    assert_true(reg->value == inside);
    x86_64_turbo_enter(&scene->turbo, &scene->port);
    x86_64_turbo_leave(&scene->turbo, &scene->port);
    assert_true(reg->value == before);
    reg->value ^= 1;
    x86_64_turbo_leave(&scene->turbo, &scene->port);
    assert_true(reg->value == (before ^ 1));
    reg->value = before;
}

static void both_vendors_go_off_and_on_again(void **state)
{
    static const struct {
        const struct cpuid_set *cpu;
        uint32_t msr;
        uint64_t before, bit;
    } cases[] = {{&cpuid_alder_p, MISC, MISC_BEFORE, TURBO_INTEL},
                 {&cpuid_zen4, HWCR, HWCR_BEFORE, TURBO_AMD}};
    struct scene scene;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct msr_model_register *reg = start(&scene, cases[i].cpu, cases[i].msr, cases[i].before);
        try_it(&scene, TURBO_OFF);
        assert_int_equal(scene.report.state, TURBO_STATE_OFF);
        assert_true(scene.report.requested == cases[i].bit);
        assert_true(scene.report.readback == cases[i].bit);
        assert_true(reg->value == cases[i].before);
        assert_true(reg->changed == cases[i].bit);
        check_bracket(&scene, reg, cases[i].before | cases[i].bit);
        try_it(&scene, TURBO_ON);
        assert_int_equal(scene.report.state, TURBO_STATE_ON);
        check_bracket(&scene, reg, cases[i].before);
        try_it(&scene, TURBO_AS_FOUND);
        assert_int_equal(scene.report.state, TURBO_STATE_ON);
        assert_true(scene.report.requested == MACHINE_UNKNOWN);
        check_bracket(&scene, reg, cases[i].before);
    }
}

/* Firmware that disables it: Intel's CPUID then hides that the CPU has it. */
static void turbo_that_firmware_disables_can_be_enabled(void **state)
{
    struct scene scene;
    struct msr_model_register *reg = start(&scene, &cpuid_alder_p, MISC, MISC_BEFORE | TURBO_INTEL);

    (void)state;
    cpuid_set_at(&scene.cpuid, 6, 0)->eax &= ~2u;
    try_it(&scene, TURBO_ON);
    assert_int_equal(scene.report.state, TURBO_STATE_ON);
    assert_true(reg->value == (MISC_BEFORE | TURBO_INTEL));
    check_bracket(&scene, reg, MISC_BEFORE);
    try_it(&scene, TURBO_OFF);
    assert_int_equal(scene.report.state, TURBO_STATE_OFF);
    assert_int_equal(scene.report.readback, TURBO_INTEL);
}

static void what_has_no_turbo_is_never_written(void **state)
{
    struct scene scene;
    struct msr_model_register *reg = start(&scene, &cpuid_alder_p, MISC, MISC_BEFORE);

    (void)state;
    cpuid_set_at(&scene.cpuid, 6, 0)->eax &= ~2u;
    try_it(&scene, TURBO_OFF);
    assert_int_equal(scene.report.state, TURBO_UNSUPPORTED);
    check_bracket(&scene, reg, MISC_BEFORE);
    assert_int_equal(scene.model.logged, 0);
    reg = start(&scene, &cpuid_zen4, HWCR, HWCR_BEFORE);
    cpuid_set_at(&scene.cpuid, 0x80000007, 0)->edx &= ~(uint32_t)BIT(9);
    try_it(&scene, TURBO_OFF);
    assert_int_equal(scene.report.state, TURBO_UNSUPPORTED);
    assert_int_equal(scene.model.logged, 0);
    assert_int_equal(reg->reads, 0);
    /* no MSRs at all */
    start(&scene, &cpuid_alder_p, MISC, MISC_BEFORE);
    cpuid_set_at(&scene.cpuid, 1, 0)->edx &= ~(uint32_t)BIT(5);
    try_it(&scene, TURBO_OFF);
    assert_int_equal(scene.report.state, TURBO_UNSUPPORTED);
    assert_string_equal(scene.report.name, "");
}

static void what_refuses_is_reported_and_left_alone(void **state)
{
    struct scene scene;
    struct msr_model_register *reg = start(&scene, &cpuid_alder_p, MISC, MISC_BEFORE);

    (void)state;
    reg->write_faults = true;
    try_it(&scene, TURBO_OFF);
    assert_int_equal(scene.report.state, TURBO_REFUSED);
    scene.model.logged = 0;
    check_bracket(&scene, reg, MISC_BEFORE);
    assert_int_equal(scene.model.logged, 0);

    reg = start(&scene, &cpuid_alder_p, MISC, MISC_BEFORE);
    reg->locked = TURBO_INTEL;
    try_it(&scene, TURBO_OFF);
    assert_int_equal(scene.report.state, TURBO_NOT_HONOURED);
    assert_int_equal(scene.report.readback, 0);
    check_bracket(&scene, reg, MISC_BEFORE);

    reg = start(&scene, &cpuid_alder_p, MISC, MISC_BEFORE);
    reg->read_faults = true;
    try_it(&scene, TURBO_OFF);
    assert_int_equal(scene.report.state, TURBO_UNSUPPORTED);
    assert_int_equal(scene.model.logged, 0);
}

static void a_bit_that_cannot_be_cleared_again_is_not_set_twice(void **state)
{
    struct scene scene;
    struct msr_model_register *reg = start(&scene, &cpuid_zen4, HWCR, HWCR_BEFORE);

    (void)state;
    reg->sticky = TURBO_AMD;
    try_it(&scene, TURBO_OFF);
    assert_true(scene.report.stuck);
    scene.model.logged = 0;
    x86_64_turbo_enter(&scene.turbo, &scene.port);
    x86_64_turbo_leave(&scene.turbo, &scene.port);
    assert_int_equal(scene.model.logged, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_vendors_go_off_and_on_again),
        cmocka_unit_test(turbo_that_firmware_disables_can_be_enabled),
        cmocka_unit_test(what_has_no_turbo_is_never_written),
        cmocka_unit_test(what_refuses_is_reported_and_left_alone),
        cmocka_unit_test(a_bit_that_cannot_be_cleared_again_is_not_set_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
