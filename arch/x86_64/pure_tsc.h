/* SPDX-License-Identifier: BSD-2-Clause */
/* The declared TSC frequency, from a snapshot of CPUID leaves and MSRs, and the fence that orders
 * TSC reads. */
#ifndef ARCH_X86_64_PURE_TSC_H
#define ARCH_X86_64_PURE_TSC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "arch/x86_64/pure_cpuid.h"

#define TSC_MSR_PLATFORM_INFO 0xceu       /* Intel SDM volume 4, MSR_PLATFORM_INFO */
#define TSC_MSR_HWCR          0xc0010015u /* AMD PPR, Core::X86::Msr::HWCR */
#define TSC_MSR_PSTATE0       0xc0010064u /* AMD PPR, Core::X86::Msr::PStateDef */
#define TSC_MSR_DE_CFG        0xc0011029u /* AMD PPR: bit 1, LFENCE serialises */

/* known is false if the MSR faulted or was not read. */
struct tsc_msr {
    bool known;
    uint64_t value;
};

/* Missing leaves are zero, as from cpuid_get. */
struct tsc_snapshot {
    struct cpu_identity identity;
    struct cpuid_words leaf_15h, leaf_16h, power;          /* power: Fn8000_0007 */
    struct cpuid_words extended;                           /* Fn8000_0021 */
    struct cpuid_words hypervisor_name, hypervisor_timing; /* 4000_0000, 4000_0010 */
    struct tsc_msr platform_info, hwcr, pstate0, de_cfg;
};

/* Sets everything but the MSRs, which become unknown. */
void tsc_snapshot_cpuid(struct tsc_snapshot *snapshot, const struct cpuid_source *source);

/* The MSRs to read on this CPU: only those documented for its vendor and model. */
struct tsc_msr_request {
    bool platform_info, amd; /* amd: HWCR, P-state 0, DE_CFG */
};
struct tsc_msr_request tsc_msrs_wanted(const struct cpu_identity *identity);

/* Tries in order: CPUID 15h; CPUID 15h with the crystal of Denverton, or CPUID 16h; MSR 0xce; AMD
 * P-state 0; hypervisor leaf 4000_0010. The first frequency from 100 MHz to 20 GHz is used;
 * otherwise hz is 0 and source "". resolution_ticks is 0. Exact is only a leaf 15h that names its
 * crystal; a ratio without one is handed on, whatever rung is used. Sources: Intel SDM volume
 * 3, 19.7.3; Linux arch/x86/kernel/tsc.c; AMD PPRs. */
void tsc_declared(const struct tsc_snapshot *snapshot, struct arch_clock *clock);

/* LFENCE waits for earlier loads on Intel, and on AMD if Fn8000_0021 EAX[2] or DE_CFG[1] is set.
 * Other AMD CPUs need MFENCE, as Linux uses there (X86_FEATURE_MFENCE_RDTSC); no MSR is changed. */
enum tsc_fence { TSC_FENCE_LFENCE, TSC_FENCE_MFENCE };
enum tsc_fence tsc_fence_needed(const struct tsc_snapshot *snapshot);

#endif
