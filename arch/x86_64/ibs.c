/* SPDX-License-Identifier: BSD-2-Clause */
/* The op sampler of the calling CPU: pure_ibs.c on the real MSRs. */
#include "arch/x86_64/ibs.h"

#include "arch/arch.h"
#include "arch/x86_64/prefetch.h"

struct ibs ibs_sampler;

void ibs_section_enter(void)
{
    x86_64_ibs_enter(&ibs_sampler, &prefetch_msr_port);
}

void ibs_section_leave(void)
{
    x86_64_ibs_leave(&ibs_sampler, &prefetch_msr_port);
}

void arch_sampler_arm(void)
{
    x86_64_ibs_arm(&ibs_sampler, &prefetch_msr_port);
}

bool arch_sampler_take(struct load_sample *sample)
{
    return x86_64_ibs_take(&ibs_sampler, &prefetch_msr_port, sample);
}
