/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID leaves bounded by their maxima, and the CPU's identity. */
#include "arch/x86_64/pure_cpuid.h"

#define LEAF_RANGE_MASK 0xc0000000u
#define LEAF_HYPERVISOR 0x40000000u
#define LEAF_EXTENDED   0x80000000u

static bool leaf_is_there(const struct cpuid_source *source, uint32_t leaf)
{
    uint32_t range = leaf & LEAF_RANGE_MASK;
    uint32_t last;

    if (range == LEAF_HYPERVISOR) {
        if (!(source->read(source->context, 1, 0).ecx >> 31))
            return false;
        /* Old hypervisors report a maximum of 0 but still fill the first leaf. */
        if (leaf == LEAF_HYPERVISOR)
            return true;
    }
    last = source->read(source->context, range, 0).eax;
    return leaf <= last && last - range <= 0xffff;
}

struct cpuid_words cpuid_get(const struct cpuid_source *source, uint32_t leaf, uint32_t subleaf)
{
    if (!leaf_is_there(source, leaf))
        return (struct cpuid_words){0, 0, 0, 0};
    return source->read(source->context, leaf, subleaf);
}

static enum cpu_vendor vendor_of(struct cpuid_words leaf0)
{
    if (leaf0.ebx == 0x756e6547 && leaf0.edx == 0x49656e69 && leaf0.ecx == 0x6c65746e)
        return CPU_VENDOR_INTEL; /* GenuineIntel */
    if (leaf0.ebx == 0x68747541 && leaf0.edx == 0x69746e65 && leaf0.ecx == 0x444d4163)
        return CPU_VENDOR_AMD; /* AuthenticAMD */
    if (leaf0.ebx == 0x6f677948 && leaf0.edx == 0x6e65476e && leaf0.ecx == 0x656e6975)
        return CPU_VENDOR_AMD; /* HygonGenuine */
    return CPU_VENDOR_OTHER;
}

void cpuid_identify(const struct cpuid_source *source, struct cpu_identity *identity)
{
    struct cpuid_words signature = cpuid_get(source, 1, 0);
    struct cpuid_words features = cpuid_get(source, 7, 0);
    uint32_t type = cpuid_get(source, 0x1a, 0).eax;
    uint32_t family = signature.eax >> 8 & 0xf;
    uint32_t model = signature.eax >> 4 & 0xf;

    identity->vendor = vendor_of(cpuid_get(source, 0, 0));
    if (family == 6 || family == 0xf)
        model |= signature.eax >> 12 & 0xf0;
    if (family == 0xf)
        family += signature.eax >> 20 & 0xff;
    identity->family = family;
    identity->model = model;
    identity->stepping = signature.eax & 0xf;
    /* On AMD leaf 1Ah is reserved. */
    if (identity->vendor != CPU_VENDOR_INTEL)
        type = 0;
    identity->core_type = type >> 24;
    identity->native_model = type & 0xffffff;
    identity->hybrid = features.edx >> 15 & 1;
    identity->hypervisor = signature.ecx >> 31;
    identity->msr = signature.edx >> 5 & 1;
    identity->mtrr = signature.edx >> 12 & 1;
    identity->amd_prefetch_msr =
        identity->vendor == CPU_VENDOR_AMD && (cpuid_get(source, 0x80000021, 0).eax >> 13 & 1);
}
