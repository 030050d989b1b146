/* SPDX-License-Identifier: BSD-2-Clause */
/* Whether another CPU can run what was prepared for the boot CPU: page tables, kernels and vectors
 * are built by the boot CPU's registers. Pure. */
#ifndef ARCH_AARCH64_PURE_SAME_H
#define ARCH_AARCH64_PURE_SAME_H

#include "core/cpu/same.h"

/* The words of same_words; those before are of enum paging_word (pure_control.h). */
enum same_word {
    SAME_ROOT = 8,   /* TTBR0_ELx */
    SAME_FP_TRAPS,   /* CPACR_EL1, or CPTR_EL2 at EL2 */
    SAME_CACHE_TYPE, /* CTR_EL0 */
    SAME_FREQUENCY,  /* CNTFRQ_EL0 */
    SAME_STACK       /* SPSel */
};

/* As arch_same_refusal (arch/arch.h). */
const char *aarch64_same_refusal(const struct same_words *boot, const struct same_words *other);

#endif
