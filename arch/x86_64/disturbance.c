/* SPDX-License-Identifier: BSD-2-Clause */
#include "arch/x86_64/disturbance.h"

#include "arch/x86_64/banks.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/msr.h"
#include "arch/x86_64/pure_disturbance.h"
#include "arch/x86_64/quiet.h"
#include "core/cpu/errors.h"

#define MSR_SMI_COUNT 0x34

/* Cached: executing CPUID for every sample would cost a VM exit each time. */
static bool smi_counted;

static uint64_t smi_read(const struct cpu_identity *cpu)
{
    uint64_t count;

    if (!x86_64_smi_counted(cpu) || !msr_read(MSR_SMI_COUNT, &count))
        return MACHINE_UNKNOWN;
    return count & UINT32_MAX;
}

void disturbance_read(struct disturbance *now)
{
    struct cpu_identity cpu;

    cpu_identify(&cpu);
    now->smi = smi_read(&cpu);
    smi_counted = now->smi != MACHINE_UNKNOWN;
    banks_read(&cpu, &now->errors);
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
    static struct error_news news[ERROR_BANKS_MAX];
    size_t count;

    delta->machine_checks = MACHINE_UNKNOWN;
    delta->smi = MACHINE_UNKNOWN;
    if (before->smi != MACHINE_UNKNOWN && now->smi != MACHINE_UNKNOWN)
        delta->smi = (uint32_t)(now->smi - before->smi);
    if (now->errors.counting == ERRORS_UNREAD)
        return;
    count = errors_since(&before->errors, &now->errors, news);
    delta->machine_checks = 0;
    for (size_t i = 0; i < count; i++)
        delta->machine_checks += news[i].corrected;
}
