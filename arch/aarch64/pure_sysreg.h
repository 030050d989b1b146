/* SPDX-License-Identifier: BSD-2-Clause */
/* System registers that may be absent, trapped or refused, as data; they are accessed only through
 * sysreg.h. Encodings: Arm ARM (DDI 0487) for architectural registers, the cores' manuals and
 * public users for the others (named in pure_prefetch_table.c). */
#ifndef ARCH_AARCH64_PURE_SYSREG_H
#define ARCH_AARCH64_PURE_SYSREG_H

/* X(name, op0, op1, CRn, CRm, op2) */
#define SYSREG_LIST(X)                                                     \
    X(CPUACTLR_A57, 3, 1, 15, 2, 0) /* Cortex-A35, A53, A57, A72, A73 */   \
    X(CPUECTLR_A57, 3, 1, 15, 2, 1)                                        \
    X(CPUACTLR, 3, 0, 15, 1, 0) /* Cortex-A55, A76 and everything after */ \
    X(CPUACTLR2, 3, 0, 15, 1, 1)                                           \
    X(CPUECTLR, 3, 0, 15, 1, 4)                                            \
    X(CPUECTLR2, 3, 0, 15, 1, 5)                                           \
    X(CPUACTLR6, 3, 0, 15, 8, 1)                                           \
    X(IMP_PF_CTRL, 3, 0, 11, 4, 0) /* A64FX */                             \
    X(IMP_PF_STREAM_DETECT_CTRL, 3, 3, 11, 4, 0)                           \
    X(HID5, 3, 0, 15, 5, 0) /* Apple */                                    \
    X(PMCR, 3, 3, 9, 12, 0)                                                \
    X(PMCNTENSET, 3, 3, 9, 12, 1)                                          \
    X(PMCNTENCLR, 3, 3, 9, 12, 2)                                          \
    X(PMCCNTR, 3, 3, 9, 13, 0)                                             \
    X(PMUSERENR, 3, 3, 9, 14, 0)                                           \
    X(PMINTENSET, 3, 0, 9, 14, 1)                                          \
    X(PMCCFILTR, 3, 3, 14, 15, 7)                                          \
    X(PMCEID0, 3, 3, 9, 12, 6)                                             \
    X(PMCEID1, 3, 3, 9, 12, 7)                                             \
    X(PMEVCNTR0, 3, 3, 14, 8, 0) /* the three in this order */             \
    X(PMEVCNTR1, 3, 3, 14, 8, 1)                                           \
    X(PMEVCNTR2, 3, 3, 14, 8, 2)                                           \
    X(PMEVTYPER0, 3, 3, 14, 12, 0)                                         \
    X(PMEVTYPER1, 3, 3, 14, 12, 1)                                         \
    X(PMEVTYPER2, 3, 3, 14, 12, 2)                                         \
    X(MDCR_EL2, 3, 4, 1, 1, 1)                                             \
    X(CCSIDR2, 3, 1, 0, 0, 2)                                              \
    X(CNTPCTSS, 3, 3, 14, 0, 5)                                            \
    X(CNTVCTSS, 3, 3, 14, 0, 6)                                            \
    X(ERRIDR, 3, 0, 5, 3, 0) /* the RAS extension's error records */       \
    X(ERRSELR, 3, 0, 5, 3, 1)                                              \
    X(ERXFR, 3, 0, 5, 4, 0)                                                \
    X(ERXSTATUS, 3, 0, 5, 4, 2)                                            \
    X(ERXADDR, 3, 0, 5, 4, 3)                                              \
    X(ERXMISC0, 3, 0, 5, 5, 0)                                             \
    X(UNALLOCATED, 3, 6, 13, 14, 7) /* unallocated: raises faults on purpose */

#define SYSREG_ENUM(name, op0, op1, crn, crm, op2) SYSREG_##name,
enum sysreg { SYSREG_LIST(SYSREG_ENUM) SYSREG_COUNT };
#undef SYSREG_ENUM

/* Returns the name in the list. */
const char *sysreg_name(enum sysreg which);

#endif
