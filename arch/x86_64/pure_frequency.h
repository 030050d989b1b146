/* SPDX-License-Identifier: BSD-2-Clause */
/* Which registers say at what frequencies a core and its uncore run, and what the base frequency
 * is. Only registers that are documented for the CPU are listed, since some models hang on missing
 * ones. */
#ifndef ARCH_X86_64_PURE_FREQUENCY_H
#define ARCH_X86_64_PURE_FREQUENCY_H

#include <stddef.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"
#include "arch/x86_64/pure_tsc.h"
#include "core/machine.h"

/* Intel SDM volume 4, table 2-2; 620h and 621h: table 2-39 and Linux,
 * drivers/platform/x86/intel/uncore-frequency (its list of models; later ones have TPMI). */
#define MSR_PERF_STATUS        0x198u
#define MSR_PERF_CTL           0x199u
#define MSR_HWP_ENABLE         0x770u
#define MSR_HWP_CAPABILITIES   0x771u
#define MSR_HWP_REQUEST        0x774u
#define MSR_UNCORE_RATIO_LIMIT 0x620u
#define MSR_UNCORE_PERF_STATUS 0x621u
/* AMD APM volume 2, 17; PPR. */
#define MSR_AMD_PSTATE_LIMIT   0xc0010061u
#define MSR_AMD_PSTATE_CONTROL 0xc0010062u
#define MSR_AMD_PSTATE_STATUS  0xc0010063u
#define MSR_AMD_CPPC_ENABLE    0xc00102b1u
#define MSR_AMD_CPPC_REQUEST   0xc00102b3u

struct frequency_msr {
    uint32_t msr;
    const char *name; /* "PERF_STATUS" */
};

/* Fills list, of FREQUENCY_REGISTERS_MAX; returns how many. */
size_t x86_64_frequency_msrs(const struct cpuid_source *cpuid, struct frequency_msr *list);

/* True if the model's uncore limits are in MSR 620h. */
bool x86_64_uncore_is_by_msr(const struct cpu_identity *identity);

/* The base frequency of the data sheet in Hz: platform info, leaf 16h, or AMD's P-state 0; 0: not
 * told. */
uint64_t x86_64_base_hz(const struct tsc_snapshot *snapshot);

#endif
