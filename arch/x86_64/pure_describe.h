/* SPDX-License-Identifier: BSD-2-Clause */
/* Caches, TLBs, page sizes and the CPU's name from CPUID, as arch_facts. */
#ifndef ARCH_X86_64_PURE_DESCRIBE_H
#define ARCH_X86_64_PURE_DESCRIBE_H

#include "arch/arch.h"
#include "arch/x86_64/pure_cpuid.h"

/* Sets every field; unknown values are 0 or "". Omits instruction caches, instruction TLBs and
 * store-only TLBs. Sources: Intel SDM volume 2, CPUID leaves 1, 4, 0Bh, 18h, 1Ah, 1Fh; AMD APM
 * volume 3, appendix E, Fn8000_0001 to Fn8000_001D. Leaf 2 (descriptor bytes) is not decoded: CPUs
 * with no newer leaf have unknown TLBs. shared_by is the leaf's value, the number of ids reserved
 * for sharers, which may exceed the number of CPUs. */
void x86_64_describe(const struct cpuid_source *source, struct arch_facts *facts);
/* Sets hardware_id, core and module of the calling CPU. */
void x86_64_describe_topology(const struct cpuid_source *source, struct cpu_info *cpu);

#endif
