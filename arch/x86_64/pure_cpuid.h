/* SPDX-License-Identifier: BSD-2-Clause */
/* CPUID as data: a leaf's words, and a source of leaves (the instruction in the product, a recorded
 * set in tests). A leaf above its range's maximum is never read: real CPUs and QEMU return another
 * leaf's data for it (Intel SDM volume 2, CPUID, table 3-8 note). */
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

/* Returns the leaf's words; all zero if the leaf is above the maximum of its range (0, 0x40000000,
 * 0x80000000), or the range does not exist. */
struct cpuid_words cpuid_get(const struct cpuid_source *source, uint32_t leaf, uint32_t subleaf);

/* CPU_VENDOR_AMD is Hygon too, whose Dhyana (family 18h) is AMD's Zen 1: its CPUID leaves are laid
 * out as AMD's (Linux arch/x86/kernel/cpu/hygon.c). */
enum cpu_vendor { CPU_VENDOR_OTHER, CPU_VENDOR_INTEL, CPU_VENDOR_AMD };

/* Identifies a CPU model. Family and model are the displayed ones (base plus extended: Intel SDM
 * volume 2, CPUID leaf 1; AMD APM volume 3, Fn0000_0001). */
struct cpu_identity {
    enum cpu_vendor vendor;
    uint32_t family, model, stepping;
    uint32_t core_type;    /* CPUID 1Ah EAX[31:24]: 0x20 efficiency, 0x40 performance, 0 unknown */
    uint32_t native_model; /* CPUID 1Ah EAX[23:0] */
    bool hybrid;           /* CPUID 7 EDX[15] */
    bool hypervisor;       /* CPUID 1 ECX[31] */
    bool msr;              /* CPUID 1 EDX[5] */
    bool mtrr;             /* CPUID 1 EDX[12] */
    bool amd_prefetch_msr; /* CPUID Fn8000_0021 EAX[13]: MSR C000_0108 exists */
};

void cpuid_identify(const struct cpuid_source *source, struct cpu_identity *identity);

#endif
