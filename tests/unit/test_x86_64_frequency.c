/* SPDX-License-Identifier: BSD-2-Clause */
/* Which registers of frequencies are read on which CPU, and the base frequency. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "arch/x86_64/pure_frequency.h"
#include "tests/unit/support_cpuid.h"

static char words[400];

static const char *listed(const struct cpuid_set *set)
{
    struct cpuid_source source = cpuid_set_source(set);
    struct frequency_msr list[FREQUENCY_REGISTERS_MAX];
    size_t count = x86_64_frequency_msrs(&source, list), used = 0;

    words[0] = '\0';
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, "%x %s ", list[i].msr,
                                 list[i].name);
    return words;
}

static struct cpuid_set intel(bool eist, bool hwp)
{
    struct cpuid_set set = cpuid_alder_p;

    cpuid_set_at(&set, 1, 0)->ecx &= ~(1u << 7);
    cpuid_set_at(&set, 1, 0)->ecx |= (uint32_t)eist << 7;
    cpuid_set_at(&set, 6, 0)->eax &= ~(1u << 7);
    cpuid_set_at(&set, 6, 0)->eax |= (uint32_t)hwp << 7;
    return set;
}

static void intel_as_declared(void **state)
{
    struct cpuid_set set = intel(true, true);

    (void)state;
    assert_string_equal(listed(&set), "198 PERF_STATUS 199 PERF_CTL 770 HWP_ENABLE "
                                      "771 HWP_CAPABILITIES 774 HWP_REQUEST "
                                      "620 UNCORE_RATIO_LIMIT 621 UNCORE_PERF_STATUS ");
    set = intel(true, false);
    assert_string_equal(listed(&set), "198 PERF_STATUS 199 PERF_CTL 620 UNCORE_RATIO_LIMIT "
                                      "621 UNCORE_PERF_STATUS ");
    set = intel(false, false);
    assert_string_equal(listed(&set), "620 UNCORE_RATIO_LIMIT 621 UNCORE_PERF_STATUS ");
    cpuid_set_at(&set, 1, 0)->edx &= ~(1u << 5); /* no MSRs */
    assert_string_equal(listed(&set), "");
}

static void amd_as_declared(void **state)
{
    struct cpuid_set set = cpuid_zen4;

    (void)state;
    cpuid_set_at(&set, 0x80000007, 0)->edx |= 1u << 7;
    cpuid_set_at(&set, 0x80000008, 0)->ebx |= 1u << 27;
    assert_string_equal(listed(&set),
                        "c0010061 PSTATE_LIMIT c0010062 PSTATE_CONTROL c0010063 PSTATE_STATUS "
                        "c00102b1 CPPC_ENABLE c00102b3 CPPC_REQUEST ");
    cpuid_set_at(&set, 0x80000007, 0)->edx &= ~(1u << 7);
    cpuid_set_at(&set, 0x80000008, 0)->ebx &= ~(1u << 27);
    assert_string_equal(listed(&set), "");
}

/* Skylake-SP has 620h; Granite Rapids has TPMI, Sandy Bridge neither. */
static void uncore_by_model(void **state)
{
    struct cpu_identity cpu = {.vendor = CPU_VENDOR_INTEL, .family = 6, .model = 0x55};

    (void)state;
    assert_true(x86_64_uncore_is_by_msr(&cpu));
    cpu.model = 0xad;
    assert_false(x86_64_uncore_is_by_msr(&cpu));
    cpu.model = 0x2a;
    assert_false(x86_64_uncore_is_by_msr(&cpu));
    cpu.model = 0x55;
    cpu.family = 0xf;
    assert_false(x86_64_uncore_is_by_msr(&cpu));
    cpu.family = 6;
    cpu.vendor = CPU_VENDOR_AMD;
    assert_false(x86_64_uncore_is_by_msr(&cpu));
}

static void base_frequencies(void **state)
{
    struct tsc_snapshot cpu;

    (void)state;
    memset(&cpu, 0, sizeof cpu);
    cpu.identity = (struct cpu_identity){.vendor = CPU_VENDOR_INTEL, .family = 6, .model = 0x5e};
    assert_int_equal(x86_64_base_hz(&cpu), 0);
    /* the TSC's frequency is another matter, and that is what a hypervisor reports */
    cpu.leaf_15h = (struct cpuid_words){2, 292, 24000000, 0};
    cpu.hypervisor_name = (struct cpuid_words){0x40000010, 0x4b4d564b, 0x564b4d56, 0x4d};
    cpu.hypervisor_timing.eax = 2000000;
    assert_int_equal(x86_64_base_hz(&cpu), 0);
    cpu.leaf_16h.eax = 0xffff0000 | 3500;
    assert_int_equal(x86_64_base_hz(&cpu), 3500000000u);
    cpu.platform_info = (struct tsc_msr){true, 0x2200};
    assert_int_equal(x86_64_base_hz(&cpu), 3400000000u);
    memset(&cpu, 0, sizeof cpu);
    cpu.identity = (struct cpu_identity){.vendor = CPU_VENDOR_AMD, .family = 0x19};
    cpu.hwcr = (struct tsc_msr){true, 1ull << 24};
    cpu.pstate0 = (struct tsc_msr){true, 1ull << 63 | 0x08 << 8 | 0x90};
    assert_int_equal(x86_64_base_hz(&cpu), 3600000000u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intel_as_declared),
        cmocka_unit_test(amd_as_declared),
        cmocka_unit_test(uncore_by_model),
        cmocka_unit_test(base_frequencies),
    };
    return cmocka_run_group_tests_name("x86-64 frequency", tests, NULL, NULL);
}
