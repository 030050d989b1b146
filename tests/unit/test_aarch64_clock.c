/* SPDX-License-Identifier: BSD-2-Clause */
/* arch/aarch64/pure_clock.c: the generic timer's declaration, and the cycle counter's set-up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/aarch64/pure_clock.h"

#define BIT(n) (1ull << (n))

static struct arch_clock declared(uint64_t cntfrq)
{
    struct clock_snapshot snapshot = {.level = 1, .cntfrq = cntfrq};
    struct arch_clock clock;

    memset(&clock, 0xa5, sizeof(clock));
    aarch64_clock_declared(&snapshot, &clock);
    assert_true(clock.invariant);
    assert_true(clock.resolution_ticks == 0);
    return clock;
}

static void frequencies(void **state)
{
    /* Qualcomm, Apple, Altra, Raspberry Pi 4, QEMU, ThunderX2, Armv8.6 */
    static const uint64_t real[] = {19200000, 24000000,  25000000,  54000000,
                                    62500000, 100000000, 1000000000};

    (void)state;
    for (size_t i = 0; i < sizeof(real) / sizeof(real[0]); i++) {
        assert_int_equal(declared(real[i]).declared.hz, real[i]);
        assert_string_equal(declared(real[i]).declared.source, "CNTFRQ_EL0");
    }
    /* Bits 63:32 are not part of it. */
    assert_int_equal(declared(0xdeadbeef00000000 | 24000000).declared.hz, 24000000);
}

static void absurd_frequencies(void **state)
{
    static const uint64_t absurd[] = {0, 1, 32768, 999999, 2000000001, 0xffffffff, 1ull << 32};

    (void)state;
    for (size_t i = 0; i < sizeof(absurd) / sizeof(absurd[0]); i++) {
        assert_int_equal(declared(absurd[i]).declared.hz, 0);
        assert_string_equal(declared(absurd[i]).declared.source, "");
    }
    assert_int_equal(declared(1000000).declared.hz, 1000000);
    assert_int_equal(declared(2000000000).declared.hz, 2000000000);
}

static enum clock_counter counter(unsigned level, uint64_t mmfr0, bool readable)
{
    struct clock_snapshot snapshot = {
        .level = level, .mmfr0 = mmfr0, .self_synchronised = readable};

    return clock_counter_for(&snapshot);
}

static void counters_by_level(void **state)
{
    (void)state;
    assert_int_equal(counter(1, 0, false), CLOCK_VIRTUAL);
    assert_int_equal(counter(2, 0, false), CLOCK_PHYSICAL);
    /* FEAT_ECV, both steps of it. */
    for (uint64_t ecv = 1; ecv <= 2; ecv++) {
        assert_true(clock_has_self_synchronised(ecv << 60));
        assert_int_equal(counter(1, ecv << 60, true), CLOCK_VIRTUAL_SELF_SYNCHRONISED);
        assert_int_equal(counter(2, ecv << 60, true), CLOCK_PHYSICAL_SELF_SYNCHRONISED);
        /* Declared, but it faults. */
        assert_int_equal(counter(1, ecv << 60, false), CLOCK_VIRTUAL);
        assert_int_equal(counter(2, ecv << 60, false), CLOCK_PHYSICAL);
    }
    /* Not declared: not used, whatever was probed. */
    assert_false(clock_has_self_synchronised(0x0fffffffffffffff));
    assert_int_equal(counter(1, 0x0fffffffffffffff, true), CLOCK_VIRTUAL);
}

static void pmu_versions(void **state)
{
    (void)state;
    assert_false(clock_has_pmu(0xfffffffffffff0ff));
    assert_true(clock_has_pmu(0x10305106));  /* Cortex-A53 */
    assert_true(clock_has_pmu(0x110305408)); /* Neoverse N1 */
    assert_true(clock_has_pmu(0xe00));
    assert_false(clock_has_pmu(0xf00)); /* IMPLEMENTATION DEFINED */
}

/* PMCR as a Cortex-A72 has it at reset: six event counters. */
#define PMCR_A72 0x41023000ull

static void counting_at_el1(void **state)
{
    struct clock_pmu found = {.pmcr = PMCR_A72, .enabled = 0, .filter = BIT(31)};
    struct clock_pmu plan = clock_pmu_counting(&found, 1);

    (void)state;
    assert_int_equal(plan.pmcr, PMCR_A72 | 0x41);
    assert_int_equal(plan.enabled, BIT(31));
    assert_int_equal(plan.filter, 0);
    assert_int_equal(plan.mdcr, 0);
    assert_false(clock_pmu_was_counting(&found));
}

static void counting_at_el2(void **state)
{
    struct clock_pmu found = {.pmcr = PMCR_A72, .mdcr = 6 | BIT(7)};
    struct clock_pmu plan = clock_pmu_counting(&found, 2);

    (void)state;
    assert_int_equal(plan.filter, BIT(27));
    assert_int_equal(plan.mdcr, found.mdcr);
    /* HPMN 0 becomes all counters; the bit that prohibits counting at EL2 is cleared. */
    found.mdcr = BIT(23) | BIT(9);
    plan = clock_pmu_counting(&found, 2);
    assert_int_equal(plan.mdcr, 6 | BIT(9));
}

/* Neither divided, nor prohibited, nor reset. */
static void counting_whole(void **state)
{
    struct clock_pmu found = {.pmcr = PMCR_A72 | 0x3e}, plan;

    (void)state;
    plan = clock_pmu_counting(&found, 1);
    assert_int_equal(plan.pmcr, PMCR_A72 | 0x51);
}

/* Event counters keep running if they were running, and stay stopped if they were stopped. */
static void event_counters(void **state)
{
    struct clock_pmu found = {.pmcr = PMCR_A72, .enabled = 0x15};

    (void)state;
    assert_int_equal(clock_pmu_counting(&found, 1).enabled, BIT(31));
    found.pmcr |= 1;
    assert_int_equal(clock_pmu_counting(&found, 1).enabled, BIT(31) | 0x15);
    assert_false(clock_pmu_was_counting(&found));
    found.enabled |= BIT(31);
    assert_true(clock_pmu_was_counting(&found));
    found.pmcr &= ~1ull;
    assert_false(clock_pmu_was_counting(&found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frequencies),       cmocka_unit_test(absurd_frequencies),
        cmocka_unit_test(counters_by_level), cmocka_unit_test(pmu_versions),
        cmocka_unit_test(counting_at_el1),   cmocka_unit_test(counting_at_el2),
        cmocka_unit_test(counting_whole),    cmocka_unit_test(event_counters),
    };
    return cmocka_run_group_tests_name("aarch64 clock", tests, NULL, NULL);
}
