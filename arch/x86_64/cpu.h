/* SPDX-License-Identifier: BSD-2-Clause */
/* The calling CPU through CPUID: the product's source of leaves, and who it is. */
#ifndef ARCH_X86_64_CPU_H
#define ARCH_X86_64_CPU_H

#include "arch/x86_64/pure_cpuid.h"

/* The CPUID instruction as a source of leaves. */
extern const struct cpuid_source cpu_cpuid;

/* Who the calling CPU is. */
void cpu_identify(struct cpu_identity *identity);

#endif
