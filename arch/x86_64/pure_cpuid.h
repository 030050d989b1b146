/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID as data: one leaf's words, and a source of leaves that is the instruction in the product
 * and a recorded set in tests. A leaf above its range's maximum is never asked for: real CPUs and
 * QEMU answer it with another leaf's data (Intel SDM volume 2, CPUID, table 3-8 note). */
#ifndef ARCH_X86_64_PURE_CPUID_H
#define ARCH_X86_64_PURE_CPUID_H

#include <stdbool.h>
#include <stdint.h>

struct cpuid_words {
    uint32_t eax, ebx, ecx, edx;
};

struct cpuid_source {
    void *context;
    struct cpuid_words (*read)(void *context, uint32_t leaf, uint32_t subleaf);
};

/* The leaf's words, or all zero when the leaf lies above the maximum that its own range (0,
 * 0x40000000, 0x80000000) declares, or when its range is not there at all. */
struct cpuid_words cpuid_get(const struct cpuid_source *source, uint32_t leaf, uint32_t subleaf);

enum cpu_vendor { CPU_VENDOR_OTHER, CPU_VENDOR_INTEL, CPU_VENDOR_AMD };

/* What tells one CPU from another. Families and models are the displayed ones (base plus extended:
 * Intel SDM volume 2, CPUID leaf 1; AMD APM volume 3, Fn0000_0001). */
struct cpu_identity {
    enum cpu_vendor vendor;
    uint32_t family, model, stepping;
    uint32_t core_type;    /* CPUID 1Ah EAX[31:24]: 0x20 efficiency, 0x40 performance, 0 not said */
    uint32_t native_model; /* CPUID 1Ah EAX[23:0] */
    bool hybrid;           /* CPUID 7 EDX[15] */
    bool hypervisor;       /* CPUID 1 ECX[31] */
    bool msr;              /* CPUID 1 EDX[5] */
    bool mtrr;             /* CPUID 1 EDX[12] */
    bool amd_prefetch_msr; /* CPUID Fn8000_0021 EAX[13]: MSR C000_0108 is there */
};

void cpuid_identify(const struct cpuid_source *source, struct cpu_identity *identity);

#endif
