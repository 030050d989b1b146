/* SPDX-License-Identifier: BSD-2-Clause */
/* A process has no access to the CPU's sampler of ops. It provides arch_sampler_* of arch/arch.h.
 */
#include "arch/arch.h"

void arch_sampler_try(struct sampler_report *report)
{
    *report =
        (struct sampler_report){.name = "",
                                .source = "",
                                .why = "a process has no access to the sampler's registers; the "
                                       "application that boots from a stick has"};
}

void arch_sampler_arm(void)
{
}

bool arch_sampler_take(struct load_sample *sample)
{
    (void)sample;
    return false;
}
