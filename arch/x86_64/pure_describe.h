/* SPDX-License-Identifier: BSD-2-Clause */
/* What CPUID says of caches, TLBs, page sizes and the CPU's name, as arch_facts. */
#ifndef ARCH_X86_64_PURE_DESCRIBE_H
#define ARCH_X86_64_PURE_DESCRIBE_H

#include "arch/arch.h"
#include "arch/x86_64/pure_cpuid.h"

/* Fills every field; unknowns are 0 or "". Instruction caches and instruction TLBs are left out,
 * and so are TLBs for stores only. Sources: Intel SDM volume 2, CPUID leaves 1, 4, 0Bh, 18h, 1Ah,
 * 1Fh; AMD APM volume 3, appendix E, Fn8000_0001 to Fn8000_001D. Leaf 2 (descriptor bytes) is not
 * read: TLBs of CPUs that have nothing newer stay unknown. shared_by is what the leaf says: the
 * number of ids reserved for sharers, which may be more than there are CPUs. */
void x86_64_describe(const struct cpuid_source *source, struct arch_facts *facts);

#endif
