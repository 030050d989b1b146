/* SPDX-License-Identifier: BSD-2-Clause */
/* arch_describe: pure_describe.c with the CPUID instruction. */
#include "arch/arch.h"
#include "arch/x86_64/cpu.h"
#include "arch/x86_64/pure_describe.h"

void arch_describe(struct arch_facts *facts)
{
    x86_64_describe(&cpu_cpuid, facts);
}
