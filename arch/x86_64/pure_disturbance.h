/* SPDX-License-Identifier: BSD-2-Clause */
/* CPU counters of disturbances: system management interrupts and corrected hardware errors. Pure
 * decoding of register words. */
#ifndef ARCH_X86_64_PURE_DISTURBANCE_H
#define ARCH_X86_64_PURE_DISTURBANCE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/pure_cpuid.h"

/* True if MSR 34h, bits 31:0, counts SMIs: Intel family 6 from Nehalem (1Ah) and Silvermont on (SDM
 * volume 4, tables 2-6, 2-15, 2-46), but not Bonnell and Saltwell Atoms or Dunnington. AMD has such
 * a counter only in its performance monitoring. */
bool x86_64_smi_counted(const struct cpu_identity *cpu);

/* How a machine check bank reports corrected errors. */
enum corrected_kind {
    CORRECTED_NONE,   /* no machine check architecture */
    CORRECTED_VALID,  /* presence only: MCi_STATUS VAL without UC */
    CORRECTED_STATUS, /* MCi_STATUS[52:38], if MCG_CAP[10] is set: SDM volume 3, 15.3.2.2.1 */
    CORRECTED_MISC    /* AMD SMCA: MCA_MISC0[43:32]; bit layout unverified */
};

/* Bits of CPUID 1 EDX: 5 MSR, 7 MCE, 14 MCA. smca: Fn8000_0007 EBX[3]. */
enum corrected_kind x86_64_corrected_kind(uint32_t cpuid_1_edx, bool smca, uint64_t mcg_cap);
/* MSR numbers of a bank's status register and, for CORRECTED_MISC, of its MISC0. */
uint32_t x86_64_bank_status_msr(enum corrected_kind kind, uint32_t bank);
uint32_t x86_64_bank_misc_msr(uint32_t bank);
/* Returns the bank's count of corrected errors; misc is used only for CORRECTED_MISC. */
uint32_t x86_64_bank_corrected(enum corrected_kind kind, uint64_t status, uint64_t misc);
/* True if the bank holds an uncorrected error. */
bool x86_64_bank_uncorrected(uint64_t status);

#endif
