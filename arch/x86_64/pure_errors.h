/* SPDX-License-Identifier: BSD-2-Clause */
/* Machine-check banks: which registers they have on this CPU, and what their words say. Pure. Intel
 * SDM volume 3, chapter 15; AMD64 APM volume 2, chapter 9; the scalable architecture's (SMCA)
 * layout of counts, identities and deferred errors is unverified. */
#ifndef ARCH_X86_64_PURE_ERRORS_H
#define ARCH_X86_64_PURE_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/machine.h"

/* How a bank reports corrected errors. */
enum bank_kind {
    BANKS_NONE,    /* no machine check architecture */
    BANKS_VALID,   /* presence only: MCi_STATUS VAL without UC */
    BANKS_COUNT,   /* MCi_STATUS[52:38], if MCG_CAP[10] is set: SDM volume 3, 15.3.2.2.1 */
    BANKS_SCALABLE /* AMD SMCA: MCA_MISC0[43:32] */
};

/* Bits of CPUID 1 EDX: 5 MSR, 7 MCE, 14 MCA. smca: Fn8000_0007 EBX[3]. */
enum bank_kind x86_64_bank_kind(uint32_t cpuid_1_edx, bool smca, uint64_t mcg_cap);
/* Banks of that MCG_CAP that are looked at. */
uint32_t x86_64_bank_count(uint64_t mcg_cap);

enum bank_register {
    BANK_STATUS,
    BANK_ADDRESS,
    BANK_MISC,
    BANK_IDENTITY, /* BANKS_SCALABLE only */
    BANK_REGISTERS
};
/* The MSR of a bank's register; 0: the kind has none. */
uint32_t x86_64_bank_msr(enum bank_kind kind, uint32_t bank, enum bank_register which);
/* Whether a register's content means anything, by the bank's status. */
bool x86_64_bank_has(enum bank_kind kind, uint64_t status, enum bank_register which);
/* What the words say; those that x86_64_bank_has denies are not looked at. intel: the address and
 * its kind are as Intel's manual has them. */
void x86_64_bank_decode(enum bank_kind kind, bool intel, const uint64_t word[BANK_REGISTERS],
                        struct error_bank *bank);

#endif
