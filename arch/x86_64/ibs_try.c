/* SPDX-License-Identifier: BSD-2-Clause */
/* Tries the op sampler of the calling CPU, in a quiet section of its own. */
#include "arch/x86_64/ibs.h"

#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/prefetch.h"

static uint32_t apic_read(void *context, uint64_t address)
{
    (void)context;
    return *(const volatile uint32_t *)(uintptr_t)address;
}

static const struct ibs_port port = {.msr = &prefetch_msr_port, .apic_read = apic_read};

static void trial_body(void *arg)
{
    (void)arg;
    x86_64_ibs_try(&ibs_sampler, &port);
}

static void restore_body(void *arg)
{
    (void)arg;
    x86_64_ibs_leave(&ibs_sampler, &prefetch_msr_port);
}

void arch_sampler_try(struct sampler_report *report)
{
    x86_64_ibs_plan(&cpu_cpuid, &ibs_sampler.plan);
    if (!prefetch_guarded_run(prefetch_quietly, trial_body, restore_body, NULL))
        ibs_sampler.state = IBS_REFUSED;
    x86_64_ibs_report(&ibs_sampler, report);
}
