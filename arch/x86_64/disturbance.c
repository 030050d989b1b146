/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads the SMI and corrected-error counters. */
#include "arch/x86_64/disturbance.h"

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pure_disturbance.h"
#include "arch/x86_64/quiet.h"

#define MSR_SMI_COUNT 0x34
#define MSR_MCG_CAP   0x179

/* Cached: executing CPUID for every sample would cost a VM exit each time. */
static bool smi_counted;

static uint64_t smi_read(void)
{
    struct cpu_identity cpu;
    uint64_t count;

    cpu_identify(&cpu);
    if (!x86_64_smi_counted(&cpu) || !msr_read(MSR_SMI_COUNT, &count))
        return MACHINE_UNKNOWN;
    return count & UINT32_MAX;
}

static void banks_read(enum corrected_kind kind, struct disturbance *now)
{
    now->worst_bank = now->banks;
    for (uint32_t bank = 0; bank < now->banks; bank++) {
        uint64_t status, misc = 0;
        msr_read(x86_64_bank_status_msr(kind, bank), &status);
        if (kind == CORRECTED_MISC)
            msr_read(x86_64_bank_misc_msr(bank), &misc);
        now->corrected[bank] = x86_64_bank_corrected(kind, status, misc);
        if (now->worst_bank == now->banks && x86_64_bank_uncorrected(status)) {
            now->worst_bank = bank;
            now->worst_status = status;
        }
    }
}

void disturbance_read(struct disturbance *now)
{
    uint32_t features = cpuid_get(&cpu_cpuid, 1, 0).edx;
    bool smca = cpuid_get(&cpu_cpuid, 0x80000007u, 0).ebx >> 3 & 1;
    uint64_t cap = 0;

    now->smi = smi_read();
    smi_counted = now->smi != MACHINE_UNKNOWN;
    now->banks = now->worst_bank = 0;
    now->worst_status = 0;
    if (x86_64_corrected_kind(features, smca, 0) == CORRECTED_NONE || !msr_read(MSR_MCG_CAP, &cap))
        return;
    now->banks = (uint32_t)(cap & 0xff) < BANKS_MAX ? (uint32_t)(cap & 0xff) : BANKS_MAX;
    banks_read(x86_64_corrected_kind(features, smca, cap), now);
}

uint64_t disturbance_count(void)
{
    uint64_t smi = 0;

    if (smi_counted)
        msr_read(MSR_SMI_COUNT, &smi);
    return smi + quiet_nmi_count;
}

void disturbance_since(const struct disturbance *before, const struct disturbance *now,
                       struct arch_quiet_counters *delta)
{
    delta->smi = MACHINE_UNKNOWN;
    if (before->smi != MACHINE_UNKNOWN && now->smi != MACHINE_UNKNOWN)
        delta->smi = (uint32_t)(now->smi - before->smi);
    delta->machine_checks = now->banks ? 0 : MACHINE_UNKNOWN;
    for (uint32_t bank = 0; bank < now->banks; bank++) {
        uint32_t was = before->corrected[bank], is = now->corrected[bank];
        /* fewer than before: SMM cleared the bank meanwhile */
        delta->machine_checks += is >= was ? is - was : is;
    }
}
