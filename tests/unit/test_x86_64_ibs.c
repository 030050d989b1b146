/* SPDX-License-Identifier: BSD-2-Clause */
/* AMD's op sampler over scripted registers: on which CPU it is tried, what it is refused for, what
 * an op's registers say, and that the control register is given back whatever happens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/x86_64/pure_ibs.h"
#include "tests/unit/support_cpuid.h"
#include "tests/unit/support_msr.h"

#define BIT(n) (1ull << (n))
#define VALID  BIT(18)
#define ENABLE BIT(17)
#define BY_OPS BIT(19)
#define MASKED BIT(16)

#define APIC_BASE 0xfee00000ull
#define LVT       1u /* the entry that the firmware chose */

/* A load that missed cache and TLB: 300 cycles, 7 of the TLB. */
#define DATA3_MISS (7ull << 48 | 300ull << 32 | BIT(17) | BIT(7) | BIT(2) | BIT(0))

struct scene {
    struct msr_model model;
    struct prefetch_port inner, msr;
    struct ibs_port port;
    struct ibs ibs;
    uint32_t features, entry; /* APIC registers in memory */
    unsigned apic_reads, apic_strangers;
    bool at_once; /* an op is followed to its end as soon as it is armed, which clears the enable */
};

static bool scene_read(void *context, uint32_t msr, uint64_t *value)
{
    struct scene *scene = context;
    bool read = scene->inner.read(scene->inner.context, msr, value);

    if (scene->at_once && msr == MSR_IBS_OP_CTL && (*value & ENABLE))
        *value = (*value & ~ENABLE) | VALID;
    return read;
}

static bool scene_write(void *context, uint32_t msr, uint64_t value)
{
    struct scene *scene = context;

    return scene->inner.write(scene->inner.context, msr, value);
}

static uint32_t apic_read(void *context, uint64_t address)
{
    struct scene *scene = context;

    scene->apic_reads++;
    if (address == APIC_BASE + 0x400)
        return scene->features;
    if (address == APIC_BASE + 0x500 + 16 * LVT)
        return scene->entry;
    scene->apic_strangers++;
    return 0;
}

static struct cpuid_set sampling_cpu(void)
{
    struct cpuid_set set = cpuid_zen4;

    cpuid_set_at(&set, 0x8000001b, 0)->eax = 0xfff;
    return set;
}

static void set_register(struct scene *scene, uint32_t msr, uint64_t value)
{
    msr_model_at(&scene->model, msr)->value = value;
}

/* A Zen 4 whose firmware masked the sampler's interrupt, entry 1 of four. */
static void start_as(struct scene *scene, const struct cpuid_set *cpu, bool x2apic)
{
    struct cpuid_source source = cpuid_set_source(cpu);

    memset(scene, 0, sizeof *scene);
    x86_64_ibs_plan(&source, &scene->ibs.plan);
    scene->inner = msr_model_port(&scene->model);
    scene->msr = (struct prefetch_port){.context = scene, .read = scene_read, .write = scene_write};
    scene->port =
        (struct ibs_port){.msr = &scene->msr, .apic_read = apic_read, .apic_context = scene};
    scene->features = 4 << 16;
    scene->entry = MASKED;
    set_register(scene, MSR_IBS_CTL, BIT(8) | LVT);
    set_register(scene, MSR_APIC_BASE, APIC_BASE | BIT(11) | (x2apic ? BIT(10) : 0));
    if (x2apic) {
        set_register(scene, 0x840, 4 << 16);
        set_register(scene, 0x850 + LVT, MASKED);
    }
    set_register(scene, MSR_IBS_OP_CTL, 0);
    set_register(scene, MSR_IBS_OP_DATA3, 0);
    set_register(scene, MSR_IBS_DC_LIN, 0);
}

static void start(struct scene *scene)
{
    struct cpuid_set set = sampling_cpu();

    start_as(scene, &set, false);
}

/* As the hardware does when the op is done. */
static void finish_op(struct scene *scene, uint64_t data3, uint64_t linear)
{
    msr_model_at(&scene->model, MSR_IBS_OP_CTL)->value |= VALID;
    set_register(scene, MSR_IBS_OP_DATA3, data3);
    set_register(scene, MSR_IBS_DC_LIN, linear);
}

static uint64_t control(struct scene *scene)
{
    return msr_model_at(&scene->model, MSR_IBS_OP_CTL)->value;
}

static void try_and_expect(struct scene *scene, enum ibs_state state)
{
    struct msr_model before = scene->model;

    x86_64_ibs_try(&scene->ibs, &scene->port);
    assert_int_equal(scene->ibs.state, state);
    assert_false(scene->ibs.entered);
    assert_int_equal(scene->model.unlisted, 0);
    assert_int_equal(scene->apic_strangers, 0);
    for (size_t i = 0; i < before.count; i++)
        assert_true(scene->model.reg[i].value == before.reg[i].value);
}

static const char *why(const struct scene *scene)
{
    struct sampler_report report;

    x86_64_ibs_report(&scene->ibs, &report);
    return report.why;
}

static void expect_absent(const struct cpuid_set *cpu, const char *word)
{
    struct scene scene;

    start_as(&scene, cpu, false);
    try_and_expect(&scene, IBS_ABSENT);
    assert_int_equal(scene.model.logged, 0);
    assert_int_equal(scene.apic_reads, 0);
    for (size_t i = 0; i < scene.model.count; i++)
        assert_int_equal(scene.model.reg[i].reads, 0);
    assert_non_null(strstr(why(&scene), word));
}

static void what_is_not_declared_is_not_touched(void **state)
{
    struct cpuid_set set;
    (void)state;

    expect_absent(&cpuid_alder_p, "this CPU is not");
    expect_absent(&cpuid_qemu_milan, "ECX bit 10");
    set = sampling_cpu();
    cpuid_set_at(&set, 0x80000001, 0)->ecx &= ~(uint32_t)BIT(10);
    expect_absent(&set, "ECX bit 10");
    set = sampling_cpu();
    cpuid_set_at(&set, 0x80000001, 0)->ecx &= ~(uint32_t)BIT(3);
    expect_absent(&set, "ECX bit 3");
    set = sampling_cpu();
    cpuid_set_at(&set, 0x8000001b, 0)->eax = BIT(0) | BIT(1);
    expect_absent(&set, "EAX bit 2");
    set = sampling_cpu();
    cpuid_set_at(&set, 1, 0)->edx &= ~(uint32_t)BIT(5); /* no MSRs at all */
    expect_absent(&set, "this CPU is not");
}

static void counting_follows_what_is_declared(void **state)
{
    struct cpuid_set set = sampling_cpu();
    struct scene scene;
    (void)state;

    start_as(&scene, &set, false);
    assert_true(scene.ibs.plan.armed == (0x9 | ENABLE | BY_OPS));
    assert_true(scene.ibs.plan.refills);
    cpuid_set_at(&set, 0x8000001b, 0)->eax = BIT(0) | BIT(2) | BIT(4);
    start_as(&scene, &set, false);
    assert_true(scene.ibs.plan.armed == (0x9 | ENABLE | BY_OPS));
    cpuid_set_at(&set, 0x8000001b, 0)->eax = 0xfff & ~(uint32_t)BIT(4);
    start_as(&scene, &set, false);
    assert_true(scene.ibs.plan.armed == (0x9 | ENABLE));
    /* without the valid bit, no other bit of the leaf counts */
    cpuid_set_at(&set, 0x8000001b, 0)->eax = BIT(4);
    start_as(&scene, &set, false);
    assert_true(scene.ibs.plan.why == NULL && scene.ibs.plan.armed == (0x9 | ENABLE));
    cpuid_set_at(&set, 1, 0)->eax = 0x00100f42; /* family 10h */
    start_as(&scene, &set, false);
    assert_false(scene.ibs.plan.refills);
    assert_true(scene.ibs.plan.erratum);
    cpuid_set_at(&set, 1, 0)->eax = 0x00630f01; /* family 15h, model 30h */
    start_as(&scene, &set, false);
    assert_true(scene.ibs.plan.refills);
    assert_false(scene.ibs.plan.erratum);
}

static void the_trial_gives_back(void **state)
{
    struct scene scene;
    struct cpuid_set set = sampling_cpu();
    (void)state;

    start(&scene);
    try_and_expect(&scene, IBS_WORKS);
    assert_null(why(&scene));
    assert_true(msr_model_at(&scene.model, MSR_IBS_OP_CTL)->changed & ENABLE);
    start_as(&scene, &set, true);
    try_and_expect(&scene, IBS_WORKS);
    assert_int_equal(scene.apic_reads, 0);
    start(&scene);
    scene.at_once = true;
    try_and_expect(&scene, IBS_WORKS);
}

static void expect_refused(struct scene *scene, enum ibs_state state, const char *word)
{
    try_and_expect(scene, state);
    assert_int_equal(scene->model.logged, 0); /* nothing was written */
    assert_non_null(strstr(why(scene), word));
}

static void an_interrupt_that_may_come_is_refused(void **state)
{
    struct scene scene;
    struct cpuid_set set = sampling_cpu();
    (void)state;

    start(&scene);
    scene.entry = 0x400; /* NMI, not masked */
    expect_refused(&scene, IBS_UNMASKED, "not masked");
    x86_64_ibs_enter(&scene.ibs, &scene.msr);
    assert_false(scene.ibs.entered);
    start_as(&scene, &set, true);
    set_register(&scene, 0x850 + LVT, 0x400);
    expect_refused(&scene, IBS_UNMASKED, "not masked");
    start(&scene);
    set_register(&scene, MSR_IBS_CTL, LVT);
    expect_refused(&scene, IBS_UNROUTED, "which interrupt");
    start(&scene);
    set_register(&scene, MSR_APIC_BASE, APIC_BASE);
    expect_refused(&scene, IBS_UNROUTED, "which interrupt");
    assert_int_equal(scene.apic_reads, 0);
    start(&scene);
    scene.features = LVT << 16;
    expect_refused(&scene, IBS_UNROUTED, "which interrupt");
    assert_int_equal(scene.apic_reads, 1); /* an entry that is not there is not read */
}

static void a_sampler_in_use_is_left_alone(void **state)
{
    struct scene scene;
    (void)state;

    start(&scene);
    set_register(&scene, MSR_IBS_OP_CTL, 0x1000);
    expect_refused(&scene, IBS_IN_USE, "in use");
    /* since the trial */
    start(&scene);
    try_and_expect(&scene, IBS_WORKS);
    set_register(&scene, MSR_IBS_OP_CTL, ENABLE | 0x1000);
    scene.model.logged = 0;
    x86_64_ibs_enter(&scene.ibs, &scene.msr);
    x86_64_ibs_arm(&scene.ibs, &scene.msr);
    x86_64_ibs_leave(&scene.ibs, &scene.msr);
    assert_int_equal(scene.model.logged, 0);
}

static void refusals_and_lies_are_states(void **state)
{
    static const uint32_t read[] = {MSR_IBS_CTL, MSR_APIC_BASE, 0x840, 0x850 + LVT, MSR_IBS_OP_CTL};
    struct cpuid_set set = sampling_cpu();
    struct scene scene;
    (void)state;

    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        start_as(&scene, &set, true);
        msr_model_at(&scene.model, read[i])->read_faults = true;
        expect_refused(&scene, IBS_REFUSED, "refuse access");
    }
    start(&scene);
    msr_model_at(&scene.model, MSR_IBS_OP_CTL)->write_faults = true;
    try_and_expect(&scene, IBS_REFUSED);
    start(&scene);
    msr_model_at(&scene.model, MSR_IBS_OP_CTL)->reads_zero = true;
    x86_64_ibs_try(&scene.ibs, &scene.port);
    assert_int_equal(scene.ibs.state, IBS_NOT_HONOURED);
    start(&scene);
    msr_model_at(&scene.model, MSR_IBS_OP_CTL)->locked = 0xffff;
    try_and_expect(&scene, IBS_NOT_HONOURED);
    start(&scene);
    msr_model_at(&scene.model, MSR_IBS_OP_CTL)->sticky = ENABLE;
    x86_64_ibs_try(&scene.ibs, &scene.port);
    assert_int_equal(scene.ibs.state, IBS_STUCK);
    assert_non_null(strstr(why(&scene), "could not be restored"));
    x86_64_ibs_enter(&scene.ibs, &scene.msr);
    assert_false(scene.ibs.entered);
}

static void begin(struct scene *scene)
{
    start(scene);
    try_and_expect(scene, IBS_WORKS);
    x86_64_ibs_enter(&scene->ibs, &scene->msr);
    x86_64_ibs_arm(&scene->ibs, &scene->msr);
    assert_true(control(scene) == (0x9 | ENABLE | BY_OPS));
}

static void an_op_is_taken_once(void **state)
{
    struct load_sample sample = {.load = false};
    struct scene scene;
    (void)state;

    begin(&scene);
    assert_false(x86_64_ibs_take(&scene.ibs, &scene.msr, &sample));
    finish_op(&scene, DATA3_MISS, 0x123456789000);
    assert_true(x86_64_ibs_take(&scene.ibs, &scene.msr, &sample));
    assert_true(sample.load && sample.missed && sample.tlb_missed);
    assert_true(sample.address == 0x123456789000 && sample.miss_cycles == 300);
    assert_int_equal(sample.refill_cycles, 7);
    x86_64_ibs_arm(&scene.ibs, &scene.msr);
    assert_false(x86_64_ibs_take(&scene.ibs, &scene.msr, &sample));
    x86_64_ibs_leave(&scene.ibs, &scene.msr);
    assert_true(control(&scene) == 0);
    assert_int_equal(scene.ibs.state, IBS_WORKS);
    /* nothing is given back twice, and nothing is armed outside */
    set_register(&scene, MSR_IBS_OP_CTL, 5);
    x86_64_ibs_leave(&scene.ibs, &scene.msr);
    x86_64_ibs_arm(&scene.ibs, &scene.msr);
    assert_true(control(&scene) == 5);
}

/* The section ended between arm and take, with the op done or not. */
static void a_fault_between_gives_back_too(void **state)
{
    struct scene scene;
    (void)state;

    for (unsigned done = 0; done < 2; done++) {
        begin(&scene);
        if (done != 0)
            finish_op(&scene, DATA3_MISS, 0x1000);
        x86_64_ibs_leave(&scene.ibs, &scene.msr);
        assert_true(control(&scene) == 0);
        assert_int_equal(scene.ibs.state, IBS_WORKS);
    }
}

static void what_faults_or_sticks_in_a_section_is_reported(void **state)
{
    static const uint32_t read[] = {MSR_IBS_OP_CTL, MSR_IBS_OP_DATA3, MSR_IBS_DC_LIN};
    struct load_sample sample;
    struct scene scene;
    (void)state;

    for (size_t i = 0; i < sizeof read / sizeof read[0]; i++) {
        begin(&scene);
        finish_op(&scene, DATA3_MISS, 0x1000);
        msr_model_at(&scene.model, read[i])->read_faults = true;
        assert_false(x86_64_ibs_take(&scene.ibs, &scene.msr, &sample));
        x86_64_ibs_leave(&scene.ibs, &scene.msr);
        assert_true(control(&scene) == 0);
    }
    begin(&scene);
    msr_model_at(&scene.model, MSR_IBS_OP_CTL)->sticky = ENABLE;
    x86_64_ibs_leave(&scene.ibs, &scene.msr);
    assert_int_equal(scene.ibs.state, IBS_STUCK);
    x86_64_ibs_enter(&scene.ibs, &scene.msr);
    assert_false(scene.ibs.entered);
}

/* Family 10h, erratum 420: first the count, then the enable bit. */
static void the_erratum_has_its_order(void **state)
{
    struct cpuid_set set = sampling_cpu();
    struct scene scene;
    (void)state;

    cpuid_set_at(&set, 1, 0)->eax = 0x00100f42;
    start_as(&scene, &set, false);
    try_and_expect(&scene, IBS_WORKS);
    assert_int_equal(scene.model.logged, 3);
    start(&scene);
    try_and_expect(&scene, IBS_WORKS);
    assert_int_equal(scene.model.logged, 2);
}

static void only_plain_loads_count(void **state)
{
    static const uint64_t others[] = {BIT(1), BIT(14), BIT(21)};
    struct load_sample sample;
    (void)state;

    assert_true(x86_64_ibs_decode(BIT(0) | BIT(17), 64).load);
    assert_false(x86_64_ibs_decode(BIT(0), 64).load);
    assert_false(x86_64_ibs_decode(BIT(17), 64).load);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_false(x86_64_ibs_decode(DATA3_MISS | others[i], 64).load);
    sample = x86_64_ibs_decode(BIT(17) | BIT(7) | BIT(0), 64);
    assert_true(sample.missed && !sample.tlb_missed);
    sample = x86_64_ibs_decode(BIT(17) | BIT(2) | BIT(0), 64);
    assert_true(sample.tlb_missed && !sample.missed);
    sample = x86_64_ibs_decode(0xffffull << 32 | BIT(17) | BIT(0), 64);
    assert_false(sample.missed || sample.tlb_missed);
    assert_true(sample.miss_cycles == 0xffff && sample.refill_cycles == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_declared_is_not_touched),
        cmocka_unit_test(counting_follows_what_is_declared),
        cmocka_unit_test(the_trial_gives_back),
        cmocka_unit_test(an_interrupt_that_may_come_is_refused),
        cmocka_unit_test(a_sampler_in_use_is_left_alone),
        cmocka_unit_test(refusals_and_lies_are_states),
        cmocka_unit_test(an_op_is_taken_once),
        cmocka_unit_test(a_fault_between_gives_back_too),
        cmocka_unit_test(what_faults_or_sticks_in_a_section_is_reported),
        cmocka_unit_test(the_erratum_has_its_order),
        cmocka_unit_test(only_plain_loads_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
