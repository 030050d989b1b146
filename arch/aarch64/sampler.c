/* SPDX-License-Identifier: BSD-2-Clause */
/* AArch64's sampler of ops, the statistical profiling extension, is not used yet. */
#include "arch/arch.h"

void arch_sampler_try(struct sampler_report *report)
{
    *report = (struct sampler_report){.name = "",
                                      .source = "",
                                      .why = "instruction-based sampling is AMD's; Arm's "
                                             "statistical profiling is not used yet"};
}

void arch_sampler_arm(void)
{
}

bool arch_sampler_take(struct load_sample *sample)
{
    (void)sample;
    return false;
}
