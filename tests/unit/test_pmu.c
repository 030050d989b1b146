/* SPDX-License-Identifier: BSD-2-Clause */
/* Performance counters over scripted registers of both architectures: what is counted on which CPU,
 * and that every register is restored whatever refuses, sticks or lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/aarch64/pure_pmu.h"
#include "arch/aarch64/pure_sysreg.h"
#include "arch/x86_64/pure_pmu.h"
#include "tests/unit/support_cpuid.h"
#include "tests/unit/support_msr.h"

#define BIT(n)     (1ull << (n))
#define EN         BIT(22)
#define FIRMWARE_N 0x12345ull /* what firmware left in a counter */

struct scene {
    struct msr_model model;
    struct prefetch_port inner, port;
    struct pmu pmu;
};

static bool scene_read(void *context, uint32_t reg, uint64_t *value)
{
    struct scene *scene = context;

    return scene->inner.read(scene->inner.context, reg, value);
}

/* PMCNTENSET and PMCNTENCLR are two views of one register. */
static bool scene_write(void *context, uint32_t reg, uint64_t value)
{
    struct scene *scene = context;

    if (reg == SYSREG_PMCNTENCLR) {
        msr_model_at(&scene->model, SYSREG_PMCNTENSET)->value &= ~value;
        return true;
    }
    if (reg == SYSREG_PMCNTENSET)
        value |= msr_model_at(&scene->model, SYSREG_PMCNTENSET)->value;
    return scene->inner.write(scene->inner.context, reg, value);
}

/* Every register of the plan, with what firmware leaves there. */
static void model_start(struct scene *scene)
{
    const struct pmu_plan *plan = &scene->pmu.plan;

    for (size_t i = 0; i < plan->busy_count; i++)
        (void)msr_model_at(&scene->model, plan->busy[i].reg);
    for (size_t i = 0; i < plan->start_count; i++)
        (void)msr_model_at(&scene->model, plan->start[i].reg);
    for (size_t i = 0; i < plan->set_count; i++)
        msr_model_at(&scene->model, plan->set[i].reg)->value =
            plan->set[i].counter ? FIRMWARE_N : 0;
    scene->inner = msr_model_port(&scene->model);
    scene->port = (struct prefetch_port){
        .context = scene, .read = scene_read, .write = scene_write, .faults_are_final = true};
}

static void start_x86(struct scene *scene, const struct cpuid_set *cpu)
{
    struct cpuid_source source = cpuid_set_source(cpu);

    memset(scene, 0, sizeof *scene);
    x86_64_pmu_plan(&source, &scene->pmu.plan);
    model_start(scene);
}

/* Neoverse N1 with six counters, all three events and a system-level cache. */
static struct pmu_facts neoverse_n1(unsigned level)
{
    return (struct pmu_facts){.midr = 0x413fd0c1,
                              .dfr0 = 4ull << 8,
                              .pmcr = 6ull << 11,
                              .events_low = BIT(0x13),
                              .events_high = BIT(0x37 - 0x20) | BIT(0x34 - 0x20),
                              .mdcr = level == 2 ? 6 : 0,
                              .cpuectlr = 1,
                              .readable = true,
                              .cpuectlr_known = true,
                              .level = level};
}

static void start_arm(struct scene *scene, const struct pmu_facts *facts)
{
    memset(scene, 0, sizeof *scene);
    aarch64_pmu_plan(facts, &scene->pmu.plan);
    model_start(scene);
    if (scene->pmu.plan.set_count != 0)
        msr_model_at(&scene->model, SYSREG_PMCR)->value = facts->pmcr;
    if (facts->level == 2)
        msr_model_at(&scene->model, SYSREG_MDCR_EL2)->value = facts->mdcr;
}

/* A CPU with counters: 0 and 1 on x86, 2 to 4 on Arm. */
#define CPUS 5
static void start_nth(struct scene *scene, unsigned n)
{
    static const struct cpuid_set *sets[] = {&cpuid_alder_p, &cpuid_zen4};
    struct cpuid_set set;
    struct pmu_facts facts;

    if (n < 2) {
        set = *sets[n];
        if (n == 0)
            *cpuid_set_at(&set, 0xa, 0) = (struct cpuid_words){.eax = 0x08300805};
        else
            cpuid_set_at(&set, 0x80000001, 0)->ecx |= BIT(23);
        start_x86(scene, &set);
        return;
    }
    facts = neoverse_n1(n == 2 ? 1 : 2);
    if (n == 4)
        facts.mdcr = BIT(17); /* HPMN 0, HPMD */
    start_arm(scene, &facts);
}

static void expect_restored(struct scene *scene, const struct msr_model *before)
{
    for (size_t i = 0; i < before->count; i++)
        if (scene->model.reg[i].value != before->reg[i].value)
            fail_msg("register 0x%x: 0x%llx was 0x%llx", before->reg[i].msr,
                     (unsigned long long)scene->model.reg[i].value,
                     (unsigned long long)before->reg[i].value);
}

/* A tried CPU whose counters count; *before: its registers as firmware left them. */
static void begin_nth(struct scene *scene, unsigned n, struct msr_model *before)
{
    start_nth(scene, n);
    *before = scene->model;
    pmu_try(&scene->pmu, &scene->port);
    assert_int_equal(scene->pmu.state, PMU_WORKS);
    expect_restored(scene, before);
    pmu_enter(&scene->pmu, &scene->port);
    pmu_begin(&scene->pmu, &scene->port);
}

static void x86_cpus_count_by_their_own_events(void **state)
{
    static const struct {
        const struct cpuid_set *cpu;
        uint32_t leaf_eax;
        uint64_t misses, walks;
    } cases[] = {
        {&cpuid_alder_p, 0x08300805, 0x412e, 0x0e12},
        {&cpuid_alder_e, 0x08300605, 0x80d1, 0x0e08},
        {&cpuid_zen4, 0, 0x4843, 0xf045},
    };
    (void)state;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct cpuid_set set = *cases[i].cpu;
        struct scene scene;

        if (cases[i].leaf_eax != 0)
            *cpuid_set_at(&set, 0xa, 0) = (struct cpuid_words){.eax = cases[i].leaf_eax};
        else
            cpuid_set_at(&set, 0x80000001, 0)->ecx |= BIT(23);
        start_x86(&scene, &set);
        assert_true(scene.pmu.plan.raw[PMU_LLC_MISSES] == cases[i].misses);
        assert_true(scene.pmu.plan.raw[PMU_PAGE_WALKS] == cases[i].walks);
        assert_null(scene.pmu.plan.event[PMU_ACCESSES].name);
        assert_true(scene.pmu.plan.width_mask == BIT(48) - 1);
    }
}

static void undeclared_counters_are_not_touched(void **state)
{
    struct cpuid_set set = cpuid_alder_p;
    struct scene scene;
    (void)state;

    start_x86(&scene, &cpuid_qemu64);
    pmu_try(&scene.pmu, &scene.port);
    assert_int_equal(scene.pmu.state, PMU_ABSENT);
    assert_int_equal(scene.model.unlisted, 0);
    assert_non_null(strstr(scene.pmu.plan.why[PMU_LLC_MISSES], "declares no"));
    /* the event is marked as not available: EBX bit 4 */
    *cpuid_set_at(&set, 0xa, 0) = (struct cpuid_words){.eax = 0x08300805, .ebx = 0x10};
    start_x86(&scene, &set);
    assert_null(scene.pmu.plan.event[PMU_LLC_MISSES].name);
    assert_non_null(scene.pmu.plan.event[PMU_PAGE_WALKS].name);
    /* fewer than five events are listed at all */
    *cpuid_set_at(&set, 0xa, 0) = (struct cpuid_words){.eax = 0x04300805};
    start_x86(&scene, &set);
    assert_null(scene.pmu.plan.event[PMU_LLC_MISSES].name);
    /* a model without a table row counts misses alone */
    set = cpuid_alder_p;
    cpuid_set_at(&set, 1, 0)->eax = 0xf06f1;
    *cpuid_set_at(&set, 0xa, 0) = (struct cpuid_words){.eax = 0x08300805};
    start_x86(&scene, &set);
    assert_non_null(scene.pmu.plan.event[PMU_LLC_MISSES].name);
    assert_non_null(scene.pmu.plan.why[PMU_PAGE_WALKS]);
}

static void arm_counts_what_the_core_lists(void **state)
{
    struct pmu_facts facts = neoverse_n1(1);
    struct scene scene;
    (void)state;

    start_arm(&scene, &facts);
    for (size_t i = 0; i < PMU_KINDS; i++)
        assert_non_null(scene.pmu.plan.event[i].name);
    facts.cpuectlr = 0;
    start_arm(&scene, &facts);
    assert_non_null(strstr(scene.pmu.plan.why[PMU_LLC_MISSES], "EXTLLC"));
    assert_non_null(scene.pmu.plan.event[PMU_PAGE_WALKS].name);
    facts = neoverse_n1(1);
    facts.cpuectlr_known = false;
    start_arm(&scene, &facts);
    assert_null(scene.pmu.plan.event[PMU_LLC_MISSES].name);
    facts.events_high = 0;
    start_arm(&scene, &facts);
    pmu_try(&scene.pmu, &scene.port);
    assert_int_equal(scene.pmu.state, PMU_ABSENT);
    facts = neoverse_n1(1);
    facts.pmcr = 2ull << 11;
    start_arm(&scene, &facts);
    assert_non_null(strstr(scene.pmu.plan.why[PMU_LLC_MISSES], "too few"));
    facts = neoverse_n1(1);
    facts.dfr0 = 0xf00;
    start_arm(&scene, &facts);
    assert_null(scene.pmu.plan.event[PMU_LLC_MISSES].name);
    assert_false(aarch64_pmu_has_extllc(0x410fd083)); /* Cortex-A72 */
}

static void a_section_counts_and_restores(void **state)
{
    (void)state;

    for (unsigned n = 0; n < CPUS; n++) {
        struct machine_counters delta;
        struct msr_model before;
        struct scene scene;

        begin_nth(&scene, n, &before);
        for (unsigned i = 0; i < PMU_KINDS; i++)
            if (scene.pmu.plan.event[i].name != NULL) {
                struct msr_model_register *reg =
                    msr_model_at(&scene.model, scene.pmu.plan.counter[i]);
                assert_true(reg->value == 0);
                reg->value = 1000 + i;
            }
        pmu_end(&scene.pmu, &scene.port);
        pmu_leave(&scene.pmu, &scene.port);
        expect_restored(&scene, &before);
        pmu_counts(&scene.pmu, &delta);
        assert_true(delta.llc_misses == 1000 && delta.page_walks == 1001);
        assert_true(delta.accesses == (n < 2 ? MACHINE_UNKNOWN : 1002));
        assert_int_equal(scene.model.unlisted, 0);
        /* nothing is restored twice */
        scene.model.reg[0].value ^= 1;
        before = scene.model;
        pmu_leave(&scene.pmu, &scene.port);
        expect_restored(&scene, &before);
    }
}

/* Whatever faults, the state says so, and all that can be restored is. */
static void every_refusal_is_a_state(void **state)
{
    (void)state;

    for (unsigned n = 0; n < CPUS; n++)
        for (size_t reg = 0;; reg++) {
            struct msr_model before;
            struct scene scene;

            start_nth(&scene, n);
            if (reg >= scene.model.count)
                break;
            scene.model.reg[reg].read_faults = true;
            before = scene.model;
            pmu_try(&scene.pmu, &scene.port);
            assert_int_equal(scene.pmu.state, PMU_REFUSED);
            expect_restored(&scene, &before);
            start_nth(&scene, n);
            if (scene.pmu.plan.busy[0].reg == 0x392 || scene.model.reg[reg].msr == 0x392)
                continue;
            scene.model.reg[reg].write_faults = true;
            before = scene.model;
            pmu_try(&scene.pmu, &scene.port);
            assert_int_equal(scene.pmu.state, PMU_REFUSED);
            expect_restored(&scene, &before);
        }
}

static void registers_that_lie_are_reported(void **state)
{
    (void)state;

    for (unsigned n = 0; n < CPUS; n++) {
        struct scene scene;

        start_nth(&scene, n);
        for (size_t i = 0; i < scene.model.count; i++)
            scene.model.reg[i].reads_zero = true;
        pmu_try(&scene.pmu, &scene.port);
        assert_true(scene.pmu.state == PMU_NOT_HONOURED || scene.pmu.state == PMU_STUCK);
    }
}

static void counters_in_use_are_left_alone(void **state)
{
    (void)state;

    for (unsigned n = 0; n < CPUS; n++)
        for (size_t i = 0;; i++) {
            struct msr_model before;
            struct pmu_report report;
            struct scene scene;

            start_nth(&scene, n);
            if (i >= scene.pmu.plan.busy_count)
                break;
            msr_model_at(&scene.model, scene.pmu.plan.busy[i].reg)->value |=
                scene.pmu.plan.busy[i].mask & ~(scene.pmu.plan.busy[i].mask - 1);
            before = scene.model;
            pmu_try(&scene.pmu, &scene.port);
            assert_int_equal(scene.pmu.state, PMU_IN_USE);
            assert_int_equal(scene.model.logged, 0);
            expect_restored(&scene, &before);
            pmu_report(&scene.pmu, &report);
            assert_null(report.event[PMU_LLC_MISSES].name);
            assert_non_null(strstr(report.why[PMU_LLC_MISSES], "in use"));
        }
}

/* Somebody below stops them while they count. */
static void counts_of_stopped_counters_are_lost(void **state)
{
    (void)state;

    for (unsigned n = 0; n < CPUS; n++) {
        struct machine_counters delta;
        struct msr_model before;
        struct scene scene;

        begin_nth(&scene, n, &before);
        msr_model_at(&scene.model, scene.pmu.plan.start[0].reg)->value = 0;
        pmu_end(&scene.pmu, &scene.port);
        pmu_leave(&scene.pmu, &scene.port);
        pmu_counts(&scene.pmu, &delta);
        assert_true(delta.llc_misses == MACHINE_UNKNOWN && delta.page_walks == MACHINE_UNKNOWN);
        expect_restored(&scene, &before);
        /* the next section counts again */
        pmu_enter(&scene.pmu, &scene.port);
        pmu_begin(&scene.pmu, &scene.port);
        pmu_end(&scene.pmu, &scene.port);
        pmu_leave(&scene.pmu, &scene.port);
        pmu_counts(&scene.pmu, &delta);
        assert_true(delta.llc_misses == 0);
    }
}

/* Of a section that faulted between begin and end. */
static void a_fault_in_a_section_restores_too(void **state)
{
    (void)state;

    for (unsigned n = 0; n < CPUS; n++) {
        struct msr_model before;
        struct scene scene;

        begin_nth(&scene, n, &before);
        pmu_leave(&scene.pmu, &scene.port);
        expect_restored(&scene, &before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(x86_cpus_count_by_their_own_events),
        cmocka_unit_test(undeclared_counters_are_not_touched),
        cmocka_unit_test(arm_counts_what_the_core_lists),
        cmocka_unit_test(a_section_counts_and_restores),
        cmocka_unit_test(every_refusal_is_a_state),
        cmocka_unit_test(registers_that_lie_are_reported),
        cmocka_unit_test(counters_in_use_are_left_alone),
        cmocka_unit_test(counts_of_stopped_counters_are_lost),
        cmocka_unit_test(a_fault_in_a_section_restores_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
