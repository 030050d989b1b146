/* SPDX-License-Identifier: BSD-2-Clause */
/* arch/x86_64/pure_tsc.c: every rung of the ladder; and pure_refclocks.c: which timers can be used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "arch/x86_64/pure_refclocks.h"
#include "arch/x86_64/pure_tsc.h"
#include "tests/unit/support_cpuid.h"

static struct tsc_snapshot snapshot_of(const struct cpuid_set *set)
{
    struct cpuid_source source = cpuid_set_source(set);
    struct tsc_snapshot snapshot;

    memset(&snapshot, 0xa5, sizeof(snapshot));
    tsc_snapshot_cpuid(&snapshot, &source);
    return snapshot;
}

static void check_clock(const struct tsc_snapshot *snapshot, uint64_t hz, const char *source)
{
    struct arch_clock clock;

    memset(&clock, 0xa5, sizeof(clock));
    tsc_declared(snapshot, &clock);
    assert_int_equal(clock.declared.hz, hz);
    assert_string_equal(clock.declared.source, source);
}

static struct clock_declared declared_by(const struct tsc_snapshot *snapshot)
{
    struct arch_clock clock;

    tsc_declared(snapshot, &clock);
    return clock.declared;
}

static bool is_invariant(const struct tsc_snapshot *snapshot)
{
    struct arch_clock clock;

    tsc_declared(snapshot, &clock);
    return clock.invariant;
}

/* A CPU of that vendor, family and model that says nothing about its clock. */
static struct tsc_snapshot silent(enum cpu_vendor vendor, uint32_t family, uint32_t model)
{
    struct tsc_snapshot snapshot;

    memset(&snapshot, 0, sizeof(snapshot));
    snapshot.identity = (struct cpu_identity){
        .vendor = vendor, .family = family, .model = model, .msr = true, .mtrr = true};
    return snapshot;
}

static struct tsc_msr msr(uint64_t value)
{
    return (struct tsc_msr){true, value};
}

static void rung_0_invariant(void **state)
{
    struct tsc_snapshot snapshot = snapshot_of(&cpuid_kvm_emerald);

    (void)state;
    assert_true(is_invariant(&snapshot));
    snapshot = snapshot_of(&cpuid_qemu_haswell);
    assert_false(is_invariant(&snapshot));
}

static void rung_1_leaf_15h(void **state)
{
    struct tsc_snapshot snapshot = snapshot_of(&cpuid_alder_p);

    (void)state;
    /* 38.4 MHz * 168 / 2; the base frequency of leaf 16h, 3200 MHz, would be less exact. */
    check_clock(&snapshot, 3225600000u, "CPUID 15h");
    /* Without a ratio the leaf says nothing, and neither does 16h alone. */
    snapshot.leaf_15h.ebx = 0;
    check_clock(&snapshot, 0, "");
    snapshot.leaf_15h.ebx = 168;
    snapshot.leaf_15h.eax = 0;
    check_clock(&snapshot, 0, "");
    /* A product beyond 32 bits. */
    snapshot.leaf_15h = (struct cpuid_words){1, 400, 25000000, 0};
    check_clock(&snapshot, 10000000000ull, "CPUID 15h");
}

static void rung_1_leaf_above_the_maximum(void **state)
{
    struct cpuid_source source = cpuid_set_source(&cpuid_qemu_haswell);
    struct cpuid_words trap = source.read(source.context, 0x15, 0);
    struct tsc_snapshot snapshot = snapshot_of(&cpuid_qemu_haswell);

    (void)state;
    /* Taken at face value the trap is a ratio and a crystal. */
    assert_true(trap.eax && trap.ebx && trap.ecx);
    assert_int_equal(snapshot.leaf_15h.eax, 0);
    assert_int_equal(snapshot.hypervisor_timing.eax, 0);
    check_clock(&snapshot, 0, "");
}

static void rung_2_without_crystal(void **state)
{
    struct tsc_snapshot snapshot = silent(CPU_VENDOR_INTEL, 6, 0x5e);

    (void)state;
    snapshot.leaf_15h = (struct cpuid_words){2, 250, 0, 0};
    snapshot.leaf_16h.eax = 0xffff0bb8; /* the upper half is reserved */
    check_clock(&snapshot, 3000000000u, "CPUID 15h, 16h");
    snapshot.leaf_16h.eax = 0;
    check_clock(&snapshot, 0, "");
    /* Denverton: 25 MHz whatever leaf 16h says. */
    snapshot.identity.model = 0x5f;
    snapshot.leaf_15h = (struct cpuid_words){3, 264, 0, 0};
    snapshot.leaf_16h.eax = 2100;
    check_clock(&snapshot, 2200000000u, "CPUID 15h, 25 MHz crystal");
    snapshot.identity.family = 0xf;
    check_clock(&snapshot, 2100000000u, "CPUID 15h, 16h");
}

static void rung_3_platform_info(void **state)
{
    struct tsc_snapshot snapshot = silent(CPU_VENDOR_INTEL, 6, 0x3c);

    (void)state;
    snapshot.platform_info = msr(0x80838f3012200ull);
    check_clock(&snapshot, 3400000000u, "MSR 0xce");
    /* Nehalem: 133.33 MHz. */
    snapshot.identity.model = 0x1a;
    snapshot.platform_info = msr(0x1400);
    check_clock(&snapshot, 2666666666u, "MSR 0xce");
    /* Virtual machines answer 0, or fault. */
    snapshot.platform_info = msr(0);
    check_clock(&snapshot, 0, "");
    snapshot.platform_info = (struct tsc_msr){false, 0x2200};
    check_clock(&snapshot, 0, "");
    /* A model that is not listed: the register may mean anything. */
    snapshot = silent(CPU_VENDOR_INTEL, 6, 0x17);
    snapshot.platform_info = msr(0x2200);
    check_clock(&snapshot, 0, "");
    snapshot = silent(CPU_VENDOR_AMD, 6, 0x3c);
    snapshot.platform_info = msr(0x2200);
    check_clock(&snapshot, 0, "");
}

static void rung_4_amd_pstate(void **state)
{
    struct tsc_snapshot snapshot = silent(CPU_VENDOR_AMD, 0x17, 0x71);

    (void)state;
    snapshot.hwcr = msr(1ull << 24);
    snapshot.pstate0 = msr(1ull << 63 | 0x08 << 8 | 0x90); /* 200 * 144 / 8 */
    check_clock(&snapshot, 3600000000u, "MSR 0xc0010064");
    snapshot.identity.family = 0x19;
    check_clock(&snapshot, 3600000000u, "MSR 0xc0010064");
    /* 1Ah: twelve bits of 5 MHz; the same word would be another frequency. */
    snapshot.identity.family = 0x1a;
    check_clock(&snapshot, 0x890 * 5000000ull, "MSR 0xc0010064");
    snapshot.pstate0 = msr(1ull << 63 | 860);
    check_clock(&snapshot, 4300000000u, "MSR 0xc0010064");
    /* TscFreqSel clear, definition not valid, divisor 0, register not there, family not known. */
    snapshot.hwcr = msr(0);
    check_clock(&snapshot, 0, "");
    snapshot.hwcr = msr(1ull << 24);
    snapshot.pstate0 = msr(860);
    check_clock(&snapshot, 0, "");
    snapshot.identity.family = 0x17;
    snapshot.pstate0 = msr(1ull << 63 | 0x90);
    check_clock(&snapshot, 0, "");
    snapshot.pstate0 = msr(1ull << 63 | 0x08 << 8 | 0x90);
    snapshot.pstate0.known = false;
    check_clock(&snapshot, 0, "");
    snapshot.pstate0.known = true;
    snapshot.identity.family = 0x15;
    check_clock(&snapshot, 0, "");
}

static void rung_5_hypervisor(void **state)
{
    struct cpuid_set set = cpuid_kvm_emerald;
    struct tsc_snapshot snapshot;

    (void)state;
    cpuid_set_at(&set, 0x40000010, 0)->eax = 2100000;
    /* Above the hypervisor's maximum. */
    snapshot = snapshot_of(&set);
    check_clock(&snapshot, 0, "");
    cpuid_set_at(&set, 0x40000000, 0)->eax = 0x40000010;
    snapshot = snapshot_of(&set);
    check_clock(&snapshot, 2100000000u, "CPUID 40000010h");
    /* VMwareVMware means the same, another hypervisor something else. */
    cpuid_set_at(&set, 0x40000000, 0)->ebx = 0x61774d56;
    cpuid_set_at(&set, 0x40000000, 0)->ecx = 0x4d566572;
    cpuid_set_at(&set, 0x40000000, 0)->edx = 0x65726177;
    snapshot = snapshot_of(&set);
    check_clock(&snapshot, 2100000000u, "CPUID 40000010h");
    cpuid_set_at(&set, 0x40000000, 0)->edx = 0x65726178;
    snapshot = snapshot_of(&set);
    check_clock(&snapshot, 0, "");
}

static void order_and_plausibility(void **state)
{
    struct tsc_snapshot snapshot = silent(CPU_VENDOR_INTEL, 6, 0x9e);

    (void)state;
    snapshot.platform_info = msr(0x2400);
    snapshot.hypervisor_name = (struct cpuid_words){0x40000010, 0x4b4d564b, 0x564b4d56, 0x4d};
    snapshot.hypervisor_timing.eax = 1000000;
    check_clock(&snapshot, 3600000000u, "MSR 0xce");
    snapshot.leaf_15h = (struct cpuid_words){2, 300, 0, 0};
    snapshot.leaf_16h.eax = 3600;
    check_clock(&snapshot, 3600000000u, "CPUID 15h, 16h");
    snapshot.leaf_15h.ecx = 24000001;
    check_clock(&snapshot, 3600000150u, "CPUID 15h");
    /* Nonsense on a rung is skipped, not believed. */
    snapshot.leaf_15h.ecx = 1;
    check_clock(&snapshot, 3600000000u, "MSR 0xce");
    snapshot.leaf_15h = (struct cpuid_words){1, 0xffffffff, 0xffffffff, 0};
    check_clock(&snapshot, 3600000000u, "MSR 0xce");
    snapshot.platform_info = msr(0x0000);
    check_clock(&snapshot, 1000000000u, "CPUID 40000010h");
}

static void only_a_named_crystal_is_exact(void **state)
{
    struct tsc_snapshot snapshot = silent(CPU_VENDOR_INTEL, 6, 0x9e);
    struct clock_declared declared;

    (void)state;
    snapshot.leaf_15h = (struct cpuid_words){2, 300, 24000000, 0};
    declared = declared_by(&snapshot);
    assert_int_equal(declared.grade, CLOCK_EXACT);
    assert_int_equal(declared.crystal_numerator, 0);
    /* the ratio is handed on, with leaf 16h and without */
    snapshot.leaf_15h.ecx = 0;
    snapshot.leaf_16h.eax = 3600;
    declared = declared_by(&snapshot);
    assert_int_equal(declared.grade, CLOCK_INFERRED);
    assert_int_equal(declared.crystal_numerator, 300);
    assert_int_equal(declared.crystal_denominator, 2);
    snapshot.leaf_16h.eax = 0;
    declared = declared_by(&snapshot);
    assert_int_equal(declared.hz, 0);
    assert_int_equal(declared.crystal_numerator, 300);
    snapshot.platform_info = msr(0x2400);
    assert_int_equal(declared_by(&snapshot).grade, CLOCK_NOMINAL);
    /* Denverton's crystal is known by its model alone */
    snapshot.identity.model = 0x5f;
    assert_int_equal(declared_by(&snapshot).grade, CLOCK_INFERRED);
    snapshot = silent(CPU_VENDOR_AMD, 0x17, 0x71);
    snapshot.hwcr = msr(1ull << 24);
    snapshot.pstate0 = msr(1ull << 63 | 0x08 << 8 | 0x90);
    assert_int_equal(declared_by(&snapshot).grade, CLOCK_NOMINAL);
    snapshot = silent(CPU_VENDOR_INTEL, 6, 0x17);
    snapshot.hypervisor_name = (struct cpuid_words){0x40000010, 0x4b4d564b, 0x564b4d56, 0x4d};
    snapshot.hypervisor_timing.eax = 1000000;
    assert_int_equal(declared_by(&snapshot).grade, CLOCK_LABEL);
}

static void msrs_wanted(void **state)
{
    struct tsc_snapshot snapshot = silent(CPU_VENDOR_INTEL, 6, 0x3c);

    (void)state;
    assert_true(tsc_msrs_wanted(&snapshot.identity).platform_info);
    assert_false(tsc_msrs_wanted(&snapshot.identity).amd);
    snapshot.identity.msr = false;
    assert_false(tsc_msrs_wanted(&snapshot.identity).platform_info);
    /* Silvermont's base clock is not fixed, Core 2 has another register there. */
    snapshot = silent(CPU_VENDOR_INTEL, 6, 0x37);
    assert_false(tsc_msrs_wanted(&snapshot.identity).platform_info);
    snapshot = silent(CPU_VENDOR_INTEL, 6, 0x0f);
    assert_false(tsc_msrs_wanted(&snapshot.identity).platform_info);
    snapshot = silent(CPU_VENDOR_AMD, 0x1a, 0x44);
    assert_true(tsc_msrs_wanted(&snapshot.identity).amd);
    assert_false(tsc_msrs_wanted(&snapshot.identity).platform_info);
    snapshot = silent(CPU_VENDOR_AMD, 0x10, 0x2);
    assert_false(tsc_msrs_wanted(&snapshot.identity).amd);
    snapshot = silent(CPU_VENDOR_OTHER, 6, 0x3c);
    assert_false(tsc_msrs_wanted(&snapshot.identity).platform_info);
}

static void fences(void **state)
{
    struct tsc_snapshot snapshot = silent(CPU_VENDOR_INTEL, 6, 0x3c);

    (void)state;
    assert_int_equal(tsc_fence_needed(&snapshot), TSC_FENCE_LFENCE);
    snapshot = silent(CPU_VENDOR_AMD, 0x17, 1);
    assert_int_equal(tsc_fence_needed(&snapshot), TSC_FENCE_MFENCE);
    snapshot.de_cfg = msr(1);
    assert_int_equal(tsc_fence_needed(&snapshot), TSC_FENCE_MFENCE);
    snapshot.de_cfg = msr(2);
    assert_int_equal(tsc_fence_needed(&snapshot), TSC_FENCE_LFENCE);
    snapshot.de_cfg.known = false;
    assert_int_equal(tsc_fence_needed(&snapshot), TSC_FENCE_MFENCE);
    snapshot.extended.eax = 4;
    assert_int_equal(tsc_fence_needed(&snapshot), TSC_FENCE_LFENCE);
    snapshot = snapshot_of(&cpuid_zen4);
    assert_int_equal(tsc_fence_needed(&snapshot), TSC_FENCE_LFENCE);
    snapshot = snapshot_of(&cpuid_qemu_milan);
    assert_int_equal(tsc_fence_needed(&snapshot), TSC_FENCE_MFENCE);
}

static void pm_timer(void **state)
{
    struct acpi_facts acpi = {.pm_timer_known = true,
                              .pm_timer_is_port = true,
                              .pm_timer_address = 0x608,
                              .pm_timer_bits = 24};
    struct refclock clock;

    (void)state;
    assert_true(refclocks_pm_timer(&acpi, &clock));
    assert_string_equal(clock.name, "ACPI PM timer");
    assert_int_equal(clock.hz_numerator, 3579545);
    assert_int_equal(clock.hz_denominator, 1);
    assert_int_equal(clock.bits, 24);
    assert_int_equal(clock.argument, 0x608);
    assert_false(clock.down);
    acpi.pm_timer_bits = 32;
    assert_true(refclocks_pm_timer(&acpi, &clock));
    assert_int_equal(clock.bits, 32);
    acpi.pm_timer_bits = 0;
    assert_false(refclocks_pm_timer(&acpi, &clock));
    acpi.pm_timer_bits = 24;
    acpi.pm_timer_address = 0x10000;
    assert_false(refclocks_pm_timer(&acpi, &clock));
    acpi.pm_timer_is_port = false;
    assert_true(refclocks_pm_timer(&acpi, &clock));
    acpi.pm_timer_address = 0;
    assert_false(refclocks_pm_timer(&acpi, &clock));
    acpi.pm_timer_address = 0x608;
    acpi.pm_timer_known = false;
    assert_false(refclocks_pm_timer(&acpi, &clock));
}

/* Where the TSC is a ratio of a crystal, the CPU may derive the PM timer from the same one. */
static void a_timer_of_the_same_crystal(void **state)
{
    struct cpu_identity cpu = {.vendor = CPU_VENDOR_INTEL, .family = 6, .model = 0x8e};
    struct cpuid_words leaf = {2, 176, 0, 0};

    (void)state;
    assert_true(refclocks_may_share_crystal(&cpu, &leaf));
    leaf.ebx = 0;
    assert_false(refclocks_may_share_crystal(&cpu, &leaf));
    leaf = (struct cpuid_words){0, 176, 0, 0};
    assert_false(refclocks_may_share_crystal(&cpu, &leaf));
    leaf.eax = 2;
    cpu.hypervisor = true;
    assert_false(refclocks_may_share_crystal(&cpu, &leaf));
    cpu.hypervisor = false;
    cpu.vendor = CPU_VENDOR_AMD;
    assert_false(refclocks_may_share_crystal(&cpu, &leaf));
}

static void hpet(void **state)
{
    struct refclock clock;
    uint64_t capabilities = 69841279ull << 32 | 0x8086a201; /* 14.31818 MHz */

    (void)state;
    assert_true(refclocks_hpet(0xfed00000, capabilities, 1, &clock));
    assert_int_equal(clock.bits, 32);
    assert_int_equal(clock.argument, 0xfed000f0);
    assert_int_equal(clock.hz_numerator / clock.hz_denominator, 14318179);
    /* A stopped one is not used; impossible periods are not believed. */
    assert_false(refclocks_hpet(0xfed00000, capabilities, 0, &clock));
    assert_false(refclocks_hpet(0xfed00000, capabilities, 2, &clock));
    assert_false(refclocks_hpet(0xfed00000, 0x8086a201, 1, &clock));
    assert_true(refclocks_hpet(0xfed00000, 100000000ull << 32, 1, &clock));
    assert_false(refclocks_hpet(0xfed00000, 100000001ull << 32, 1, &clock));
    assert_false(refclocks_hpet(0xfed00000, UINT64_MAX, UINT64_MAX, &clock));
}

static void pit(void **state)
{
    struct pit_view view = {.status = 0x34, .highest = 65535, .wrapped = true};
    struct refclock clock;

    (void)state;
    assert_true(refclocks_pit(&view, &clock));
    assert_true(clock.down);
    assert_int_equal(clock.bits, 16);
    assert_int_equal(clock.hz_numerator, PIT_HZ);
    view.status = 0xb6; /* mode 3, output high */
    assert_true(refclocks_pit(&view, &clock));
    assert_int_equal(clock.hz_numerator, 2 * PIT_HZ);
    view.status = 0x3c; /* mode 6 is mode 2, 7 is 3 */
    assert_true(refclocks_pit(&view, &clock));
    assert_int_equal(clock.hz_numerator, PIT_HZ);
    view.status = 0x3e;
    assert_true(refclocks_pit(&view, &clock));
    assert_int_equal(clock.hz_numerator, 2 * PIT_HZ);
    /* One-shot, strobe, BCD, one byte only, nothing loaded, no PIT at all. */
    static const uint8_t unfit[] = {0x30, 0x32, 0x38, 0x3a, 0x35, 0x14, 0x24, 0x74, 0xff, 0x00};
    for (size_t i = 0; i < sizeof(unfit); i++) {
        view.status = unfit[i];
        assert_false(refclocks_pit(&view, &clock));
    }
    view.status = 0x34;
    view.highest = 11931; /* EDK2's 10 ms */
    assert_false(refclocks_pit(&view, &clock));
    view.highest = 65471;
    assert_false(refclocks_pit(&view, &clock));
    view.highest = 65472;
    assert_true(refclocks_pit(&view, &clock));
    view.wrapped = false;
    assert_false(refclocks_pit(&view, &clock));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rung_0_invariant),
        cmocka_unit_test(rung_1_leaf_15h),
        cmocka_unit_test(rung_1_leaf_above_the_maximum),
        cmocka_unit_test(rung_2_without_crystal),
        cmocka_unit_test(rung_3_platform_info),
        cmocka_unit_test(rung_4_amd_pstate),
        cmocka_unit_test(rung_5_hypervisor),
        cmocka_unit_test(order_and_plausibility),
        cmocka_unit_test(only_a_named_crystal_is_exact),
        cmocka_unit_test(msrs_wanted),
        cmocka_unit_test(fences),
        cmocka_unit_test(pm_timer),
        cmocka_unit_test(a_timer_of_the_same_crystal),
        cmocka_unit_test(hpet),
        cmocka_unit_test(pit),
    };
    return cmocka_run_group_tests_name("x86_64 tsc", tests, NULL, NULL);
}
