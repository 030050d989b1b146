/* SPDX-License-Identifier: BSD-2-Clause */
/* TSC frequency sources in order of preference, each a function of the snapshot. */
#include "arch/x86_64/pure_tsc.h"

#define TSC_HZ_MIN 100000000ull
#define TSC_HZ_MAX 20000000000ull
#define MHZ        1000000ull

/* Nehalem and Westmere: a base clock of 133.33 MHz. */
static const uint8_t bclk_133_models[] = {0x1a, 0x1e, 0x1f, 0x2e, 0x25, 0x2c, 0x2f};
/* From Sandy Bridge on: 100 MHz. Silvermont and Airmont are deliberately missing: their base clock
 * depends on the board. */
static const uint8_t bclk_100_models[] = {
    0x2a, 0x2d, 0x3a, 0x3e, 0x3c, 0x3f, 0x45, 0x46, 0x3d, 0x47, 0x4f, 0x56, 0x4e,
    0x5e, 0x55, 0x8e, 0x9e, 0xa5, 0xa6, 0x6a, 0x6c, 0x7d, 0x7e, 0x8c, 0x8d, 0xa7,
    0x97, 0x9a, 0xbe, 0xb7, 0xba, 0xbf, 0xaa, 0xac, 0xc5, 0xc6, 0xb5, 0xbd, 0xcc,
    0x8f, 0xcf, 0xad, 0xae, 0xaf, 0xb6, 0xdd, 0x5c, 0x5f, 0x7a, 0x57, 0x85};

static bool is_listed(const struct cpu_identity *identity, const uint8_t *models, size_t count)
{
    size_t i;

    if (identity->vendor != CPU_VENDOR_INTEL || identity->family != 6)
        return false;
    for (i = 0; i < count; i++)
        if (models[i] == identity->model)
            return true;
    return false;
}

static bool is_bclk_133(const struct cpu_identity *identity)
{
    return is_listed(identity, bclk_133_models, sizeof(bclk_133_models));
}

static bool is_bclk_100(const struct cpu_identity *identity)
{
    return is_listed(identity, bclk_100_models, sizeof(bclk_100_models));
}

void tsc_snapshot_cpuid(struct tsc_snapshot *snapshot, const struct cpuid_source *source)
{
    static const struct tsc_msr unread = {false, 0};

    cpuid_identify(source, &snapshot->identity);
    snapshot->leaf_15h = cpuid_get(source, 0x15, 0);
    snapshot->leaf_16h = cpuid_get(source, 0x16, 0);
    snapshot->power = cpuid_get(source, 0x80000007, 0);
    snapshot->extended = cpuid_get(source, 0x80000021, 0);
    snapshot->hypervisor_name = cpuid_get(source, 0x40000000, 0);
    snapshot->hypervisor_timing = cpuid_get(source, 0x40000010, 0);
    snapshot->platform_info = snapshot->hwcr = snapshot->pstate0 = snapshot->de_cfg = unread;
}

static bool is_amd_zen(const struct cpu_identity *identity)
{
    return identity->vendor == CPU_VENDOR_AMD &&
           (identity->family == 0x17 || identity->family == 0x18 || identity->family == 0x19 ||
            identity->family == 0x1a);
}

struct tsc_msr_request tsc_msrs_wanted(const struct cpu_identity *identity)
{
    struct tsc_msr_request request = {false, false};

    if (!identity->msr)
        return request;
    request.platform_info = is_bclk_133(identity) || is_bclk_100(identity);
    request.amd = is_amd_zen(identity);
    return request;
}

/* The crystal frequency is declared: the only exact rung. */
static uint64_t from_leaf_15h(const struct tsc_snapshot *snapshot)
{
    struct cpuid_words leaf = snapshot->leaf_15h;

    if (!leaf.eax || !leaf.ebx || !leaf.ecx)
        return 0;
    return (uint64_t)leaf.ecx * leaf.ebx / leaf.eax;
}

static uint64_t from_denverton(const struct tsc_snapshot *snapshot)
{
    struct cpuid_words leaf = snapshot->leaf_15h;

    if (!leaf.eax || !leaf.ebx || leaf.ecx || snapshot->identity.vendor != CPU_VENDOR_INTEL ||
        snapshot->identity.family != 6 || snapshot->identity.model != 0x5f)
        return 0;
    return 25 * MHZ * leaf.ebx / leaf.eax;
}

/* Linux derives the crystal as base frequency * EAX / EBX and multiplies it back; the result is
 * leaf 16h's base frequency itself. */
static uint64_t from_leaf_16h(const struct tsc_snapshot *snapshot)
{
    struct cpuid_words leaf = snapshot->leaf_15h;

    if (!leaf.eax || !leaf.ebx || leaf.ecx)
        return 0;
    return (snapshot->leaf_16h.eax & 0xffff) * MHZ;
}

static uint64_t from_platform_info(const struct tsc_snapshot *snapshot)
{
    uint64_t ratio = snapshot->platform_info.value >> 8 & 0xff;

    if (!snapshot->platform_info.known)
        return 0;
    if (is_bclk_133(&snapshot->identity))
        return ratio * 400 * MHZ / 3;
    return is_bclk_100(&snapshot->identity) ? ratio * 100 * MHZ : 0;
}

/* HWCR[24]: the TSC counts at P-state 0's frequency. P-state bit 63: the definition is valid. */
static uint64_t from_pstate0(const struct tsc_snapshot *snapshot)
{
    uint64_t pstate = snapshot->pstate0.value, divisor = pstate >> 8 & 0x3f;

    if (!is_amd_zen(&snapshot->identity) || !snapshot->hwcr.known || !snapshot->pstate0.known ||
        !(snapshot->hwcr.value >> 24 & 1) || !(pstate >> 63))
        return 0;
    if (snapshot->identity.family == 0x1a)
        return (pstate & 0xfff) * 5 * MHZ;
    return divisor ? (pstate & 0xff) * 200 * MHZ / divisor : 0;
}

/* The leaf is in kHz under KVM and VMware; other hypervisors use its number for other things. */
static uint64_t from_hypervisor(const struct tsc_snapshot *snapshot)
{
    struct cpuid_words name = snapshot->hypervisor_name;
    bool kvm = name.ebx == 0x4b4d564b && name.ecx == 0x564b4d56 && name.edx == 0x4d;
    bool vmware = name.ebx == 0x61774d56 && name.ecx == 0x4d566572 && name.edx == 0x65726177;

    return kvm || vmware ? snapshot->hypervisor_timing.eax * 1000ull : 0;
}

static const struct {
    uint64_t (*hz)(const struct tsc_snapshot *snapshot);
    const char *source;
    enum clock_grade grade;
} rungs[] = {
    {from_leaf_15h, "CPUID 15h", CLOCK_EXACT},
    {from_denverton, "CPUID 15h, 25 MHz crystal", CLOCK_INFERRED},
    {from_leaf_16h, "CPUID 15h, 16h", CLOCK_INFERRED},
    {from_platform_info, "MSR 0xce", CLOCK_NOMINAL},
    {from_pstate0, "MSR 0xc0010064", CLOCK_NOMINAL},
    {from_hypervisor, "CPUID 40000010h", CLOCK_LABEL},
};

void tsc_declared(const struct tsc_snapshot *snapshot, struct arch_clock *clock)
{
    struct cpuid_words leaf = snapshot->leaf_15h;
    struct clock_declared *declared = &clock->declared;
    size_t i;

    *clock = (struct arch_clock){
        .declared = {.source = ""}, .counter = "TSC", .invariant = snapshot->power.edx >> 8 & 1};
    if (leaf.eax && leaf.ebx && !leaf.ecx) {
        declared->crystal_numerator = leaf.ebx;
        declared->crystal_denominator = leaf.eax;
    }
    for (i = 0; i < sizeof(rungs) / sizeof(rungs[0]); i++) {
        uint64_t hz = rungs[i].hz(snapshot);
        if (hz < TSC_HZ_MIN || hz > TSC_HZ_MAX)
            continue;
        declared->hz = hz;
        declared->source = rungs[i].source;
        declared->grade = rungs[i].grade;
        return;
    }
}

enum tsc_fence tsc_fence_needed(const struct tsc_snapshot *snapshot)
{
    if (snapshot->identity.vendor != CPU_VENDOR_AMD || (snapshot->extended.eax >> 2 & 1))
        return TSC_FENCE_LFENCE;
    if (snapshot->de_cfg.known && (snapshot->de_cfg.value >> 1 & 1))
        return TSC_FENCE_LFENCE;
    return TSC_FENCE_MFENCE;
}
