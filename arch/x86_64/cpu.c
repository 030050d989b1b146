/* SPDX-License-Identifier: BSD-2-Clause */
#include <stddef.h>

#include "arch/x86_64/cpu.h"
#include "arch/x86_64/registers.h"

static struct cpuid_words leaf_read(void *context, uint32_t leaf, uint32_t subleaf)
{
    (void)context;
    return registers_cpuid(leaf, subleaf);
}

const struct cpuid_source cpu_cpuid = {NULL, leaf_read};

void cpu_identify(struct cpu_identity *identity)
{
    cpuid_identify(&cpu_cpuid, identity);
}
