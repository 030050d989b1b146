/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/pure_frequency.h"

#define MHZ 1000000ull

static const uint8_t uncore_models[] = {0x47, 0x4f, 0x56, 0x55, 0x6a, 0x6c, 0x8f, 0xcf, 0x8e,
                                        0x9e, 0xa5, 0xa6, 0x66, 0x7d, 0x7e, 0xa7, 0x8c, 0x8d,
                                        0x97, 0x9a, 0xb7, 0xba, 0xbf, 0xaa, 0xac};

bool x86_64_uncore_is_by_msr(const struct cpu_identity *identity)
{
    if (identity->vendor != CPU_VENDOR_INTEL || identity->family != 6)
        return false;
    for (size_t i = 0; i < sizeof uncore_models; i++)
        if (uncore_models[i] == identity->model)
            return true;
    return false;
}

enum need { NEED_EIST, NEED_HWP, NEED_UNCORE, NEED_AMD_PSTATE, NEED_AMD_CPPC };

static const struct {
    enum need need;
    struct frequency_msr msr;
} rows[] = {
    {NEED_EIST, {MSR_PERF_STATUS, "PERF_STATUS"}},
    {NEED_EIST, {MSR_PERF_CTL, "PERF_CTL"}},
    {NEED_HWP, {MSR_HWP_ENABLE, "HWP_ENABLE"}},
    {NEED_HWP, {MSR_HWP_CAPABILITIES, "HWP_CAPABILITIES"}},
    {NEED_HWP, {MSR_HWP_REQUEST, "HWP_REQUEST"}},
    {NEED_UNCORE, {MSR_UNCORE_RATIO_LIMIT, "UNCORE_RATIO_LIMIT"}},
    {NEED_UNCORE, {MSR_UNCORE_PERF_STATUS, "UNCORE_PERF_STATUS"}},
    {NEED_AMD_PSTATE, {MSR_AMD_PSTATE_LIMIT, "PSTATE_LIMIT"}},
    {NEED_AMD_PSTATE, {MSR_AMD_PSTATE_CONTROL, "PSTATE_CONTROL"}},
    {NEED_AMD_PSTATE, {MSR_AMD_PSTATE_STATUS, "PSTATE_STATUS"}},
    {NEED_AMD_CPPC, {MSR_AMD_CPPC_ENABLE, "CPPC_ENABLE"}},
    {NEED_AMD_CPPC, {MSR_AMD_CPPC_REQUEST, "CPPC_REQUEST"}},
};
_Static_assert(sizeof rows / sizeof rows[0] <= FREQUENCY_REGISTERS_MAX, "there is room for all");

static bool is_met(enum need need, const struct cpu_identity *identity,
                   const struct cpuid_source *cpuid)
{
    bool intel = identity->vendor == CPU_VENDOR_INTEL, amd = identity->vendor == CPU_VENDOR_AMD;

    switch (need) {
    case NEED_EIST: /* CPUID 1 ECX[7] */
        return intel && (cpuid_get(cpuid, 1, 0).ecx >> 7 & 1);
    case NEED_HWP: /* CPUID 6 EAX[7] */
        return intel && (cpuid_get(cpuid, 6, 0).eax >> 7 & 1);
    case NEED_UNCORE:
        return x86_64_uncore_is_by_msr(identity);
    case NEED_AMD_PSTATE: /* Fn8000_0007 EDX[7] */
        return amd && (cpuid_get(cpuid, 0x80000007, 0).edx >> 7 & 1);
    case NEED_AMD_CPPC: /* Fn8000_0008 EBX[27] */
        return amd && (cpuid_get(cpuid, 0x80000008, 0).ebx >> 27 & 1);
    }
    return false;
}

size_t x86_64_frequency_msrs(const struct cpuid_source *cpuid, struct frequency_msr *list)
{
    struct cpu_identity identity;
    size_t count = 0;

    cpuid_identify(cpuid, &identity);
    for (size_t i = 0; identity.msr && i < sizeof rows / sizeof rows[0]; i++)
        if (is_met(rows[i].need, &identity, cpuid))
            list[count++] = rows[i].msr;
    return count;
}

uint64_t x86_64_base_hz(const struct tsc_snapshot *snapshot)
{
    struct tsc_snapshot bare = {.identity = snapshot->identity,
                                .platform_info = snapshot->platform_info,
                                .hwcr = snapshot->hwcr,
                                .pstate0 = snapshot->pstate0};
    struct arch_clock nominal;

    tsc_declared(&bare, &nominal);
    if (nominal.declared.hz == 0)
        return (snapshot->leaf_16h.eax & 0xffff) * MHZ;
    return nominal.declared.hz;
}
