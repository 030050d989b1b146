/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether another CPU can run what was prepared for the boot CPU: page tables, kernels and vectors
 * are built by the boot CPU's registers. Pure. */
#ifndef ARCH_X86_64_PURE_SAME_H
#define ARCH_X86_64_PURE_SAME_H

#include "core/cpu/same.h"

/* The words of same_words; those before are of enum paging_word (pure_control.h). */
enum same_word {
    SAME_ROOT = 8,     /* CR3 */
    SAME_MTRR_DEFAULT, /* MSR 0x2ff; 0 without MTRRs, and below a hypervisor */
    SAME_MXCSR,
    SAME_FEATURES /* CPUID 1 ECX */
};

/* As arch_same_refusal (arch/arch.h). */
const char *x86_64_same_refusal(const struct same_words *boot, const struct same_words *other);

#endif
