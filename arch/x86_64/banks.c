/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/banks.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pure_errors.h"

#define MSR_MCG_CAP 0x179

static bool bank_read(enum bank_kind kind, bool intel, uint32_t number, struct error_bank *bank)
{
    uint64_t word[BANK_REGISTERS] = {0};

    if (!msr_read(x86_64_bank_msr(kind, number, BANK_STATUS), &word[BANK_STATUS]))
        return false;
    for (unsigned which = BANK_STATUS + 1; which < BANK_REGISTERS; which++) {
        uint32_t msr = x86_64_bank_msr(kind, number, (enum bank_register)which);
        if (msr != 0 && x86_64_bank_has(kind, word[BANK_STATUS], (enum bank_register)which))
            (void)msr_read(msr, &word[which]);
    }
    x86_64_bank_decode(kind, intel, word, bank);
    return true;
}

static void take_banks(enum bank_kind kind, bool intel, uint32_t count, struct error_banks *now)
{
    now->counting = kind == BANKS_VALID ? ERRORS_PRESENT : ERRORS_COUNTED;
    now->why = NULL;
    for (now->banks = 0; now->banks < count; now->banks++)
        if (!bank_read(kind, intel, now->banks, &now->bank[now->banks]))
            break;
    if (now->banks != 0)
        return;
    now->counting = ERRORS_UNREAD;
    now->why = "reading a machine-check bank faults";
}

void banks_read(const struct cpu_identity *cpu, struct error_banks *now)
{
    uint32_t features = cpuid_get(&cpu_cpuid, 1, 0).edx;
    bool smca = cpuid_get(&cpu_cpuid, 0x80000007u, 0).ebx >> 3 & 1;
    uint64_t cap = 0;

    now->counting = ERRORS_UNREAD;
    now->source = "machine-check banks";
    now->why = "the CPU has no machine-check banks";
    now->banks = 0;
    if (x86_64_bank_kind(features, smca, 0) == BANKS_NONE || !msr_read(MSR_MCG_CAP, &cap) ||
        x86_64_bank_count(cap) == 0)
        return;
    take_banks(x86_64_bank_kind(features, smca, cap), cpu->vendor == CPU_VENDOR_INTEL,
               x86_64_bank_count(cap), now);
}
