/* SPDX-License-Identifier: BSD-2-Clause */
/* The words of struct arch_paging on x86-64. root is CR3 as set by the firmware. */
#ifndef ARCH_X86_64_PURE_CONTROL_H
#define ARCH_X86_64_PURE_CONTROL_H

enum paging_word {
    PAGING_CR0,
    PAGING_CR4,
    PAGING_EFER,
    PAGING_ADDRESS_BITS, /* MAXPHYADDR: CPUID 8000_0008h EAX[7:0], 36 without that leaf */
    PAGING_PAGE_SIZES,   /* bit n: leaves of 2^n bytes; 1 GiB by CPUID 8000_0001h EDX[26] */
    PAGING_PAT,          /* MSR 0x277, or its reset value if CPUID 1 EDX[16] is clear */
    PAGING_S_CET         /* MSR 0x6a2, read only if CR4.CET is set; else 0 */
};

/* Intel SDM volume 3: 2.5 (control registers), 4.5 (entries of 4- and 5-level tables). */
#define CR0_CD            (1ull << 30)
#define CR3_WRITE_THROUGH (1ull << 3)
#define CR3_CACHE_DISABLE (1ull << 4)
#define CR4_PGE           (1ull << 7)
#define CR4_LA57          (1ull << 12)
#define CR4_PCIDE         (1ull << 17)
#define CR4_CET           (1ull << 23)
#define EFER_NXE          (1ull << 11)
#define S_CET_SH_STK_EN   (1ull << 0)
#define S_CET_ENDBR_EN    (1ull << 2)

#define PAT_RESET_VALUE 0x0007040600070406ull /* SDM volume 3, 12.12.4 */

#endif
