/* SPDX-License-Identifier: BSD-2-Clause */
/* Identification of the calling CPU by the CPUID instruction. */
#ifndef ARCH_X86_64_CPU_H
#define ARCH_X86_64_CPU_H

#include "arch/x86_64/pure_cpuid.h"

/* Reads leaves with the CPUID instruction. */
extern const struct cpuid_source cpu_cpuid;

/* Identifies the calling CPU. */
void cpu_identify(struct cpu_identity *identity);

#endif
